"use strict";
// A rater's pages. Everything works as plain forms too; this script spares the reload between pairs, and sees to it
// that no rating is lost: each waits on this device until the server has said that it is stored.
(() => {
  const { keep, csrf, saved: SAVED, waiting: WAITING, kept: KEPT } = document.body.dataset;
  const form = document.getElementById("rate");
  const state = document.getElementById("state");

  // What is not yet stored: one entry of localStorage for each answer, so that windows do not overwrite each other's.
  // Where a browser lets a page keep nothing, this window's memory has to do.
  const prefix = `termgauge ${keep} `;
  const memory = new Map();
  const settledElsewhere = new Set(); // another window said so, perhaps before this one sees that the entry is gone
  const put = (entry) => {
    memory.set(entry.client_id, entry);
    try { localStorage.setItem(prefix + entry.client_id, JSON.stringify(entry)); } catch { /* memory has it */ }
  };
  const drop = (id) => {
    memory.delete(id);
    try { localStorage.removeItem(prefix + id); } catch { /* it was never there */ }
  };
  const unsent = () => {
    const found = new Map(memory);
    try {
      for (const key of Object.keys(localStorage).filter((name) => name.startsWith(prefix)))
        found.set(key.slice(prefix.length), JSON.parse(localStorage.getItem(key)));
    } catch { /* memory has to do */ }
    return [...found.values()].filter((entry) => entry && !settledElsewhere.has(entry.client_id)).sort((a, b) => a.at - b.at);
  };
  const sameShowing = (a, b) => a.page === b.page && a.position === b.position;

  // Sending: one request at a time; after a failure again and again, at longer and longer intervals.
  const LONGEST_PAUSE = 30, STOPPED_PAUSE = 60, MOST = 100, TIMEOUT = 20;
  const tried = new Set();
  let sending = false, failures = 0, trouble = null, timer = 0, leaving = "";
  // What the pair on the screen has to do with it; pages between the pairs have none.
  let isStored = () => tried.size > 0, learn = () => {}, refused = () => {}, warn = () => {};

  const say = (kind, text) => {
    if (!state) return;
    state.dataset.kind = kind;
    if (state.textContent !== text) state.textContent = text; // said aloud only when it changes
  };
  const tell = () => {
    const count = unsent().length;
    if (trouble) say(trouble.kind, count ? `${trouble.text} ${KEPT.replace("{count}", count)}` : trouble.text);
    else say("saved", !count && isStored() ? SAVED : "");
  };
  const later = (seconds) => { clearTimeout(timer); timer = setTimeout(send, seconds * 1000); };

  async function send() {
    if (sending) return;
    clearTimeout(timer);
    const waiting = unsent();
    // Of several answers to one showing the oldest goes first: the next one builds on what becomes of it.
    const batch = waiting.filter((one, at) => !waiting.slice(0, at).some((other) => sameShowing(one, other))).slice(0, MOST);
    if (!batch.length) { done(); return; }
    sending = true;
    batch.forEach((entry) => tried.add(entry.client_id));
    let response = null, answer = null;
    try {
      response = await fetch("/api/answers", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
        body: JSON.stringify({
          answers: batch.map(({ client_id, page, position, rating, seconds, revision }) =>
            ({ client_id, page, position, rating, seconds, revision })),
        }),
        keepalive: true, // goes on while the window closes
        signal: AbortSignal.timeout(TIMEOUT * 1000),
      });
      answer = await response.json();
    } catch { /* no connection, or an answer of something else on the way, such as a hotel's log-in page */ }
    sending = false;
    if (response?.ok && Array.isArray(answer?.saved)) taken(answer);
    else failed(response, answer);
  }

  function taken(answer) {
    failures = 0;
    trouble = null;
    for (const item of answer.saved) { settle(item.client_id, item); channel?.postMessage(item); }
    for (const item of answer.refused) {
      settle(item.client_id, null);
      refused(item);
    }
    if (answer.warning) warn(answer.warning);
    tell();
    if (unsent().length) later(0);
    else done();
  }

  function settle(id, item) {
    const settled = unsent();
    drop(id);
    if (!item) return;
    // Answers given while this one was under way knew of it.
    settled.filter((entry) => entry.after === id).forEach((entry) => put({ ...entry, revision: item.revision, after: null }));
    learn(item);
  }

  function failed(response, answer) {
    const stopped = response && [400, 401, 403, 409].includes(response.status);
    if (response && answer?.error) trouble = { kind: stopped ? "stop" : "wait", text: answer.error };
    else trouble = { kind: "wait", text: WAITING };
    failures += 1;
    const asked = Number(response?.headers.get("Retry-After")) || 0;
    later(stopped ? STOPPED_PAUSE : Math.max(asked, Math.min(2 ** (failures - 1), LONGEST_PAUSE) * (0.75 + Math.random() / 2)));
    tell();
  }

  function done() {
    tell();
    if (leaving && !trouble) location.assign(leaving);
  }

  addEventListener("online", () => { failures = 0; send(); });
  addEventListener("pagehide", () => { if (!sending && !trouble) send(); });
  addEventListener("beforeunload", (event) => { if (trouble && unsent().length) event.preventDefault(); });

  // Other windows of the same rater tell what they stored.
  const channel = typeof BroadcastChannel === "function" ? new BroadcastChannel(prefix) : null;
  channel?.addEventListener("message", (event) => {
    settledElsewhere.add(event.data.client_id);
    learn(event.data);
    tell();
  });

  if (!form) {
    // Between the pairs: what is still unsent goes out first.
    document.getElementById("finish")?.addEventListener("submit", (event) => {
      if (unsent().length) { event.preventDefault(); send(); }
    });
    send();
    return;
  }

  // One pair at a time.
  const { page, positions, elsewhere, before, after, place: PLACE, progress: PROGRESS, choose: CHOOSE, conflict: CONFLICT } = form.dataset;
  const PAGE = Number(page), POSITIONS = Number(positions), ELSEWHERE = Number(elsewhere);
  const field = (name) => form.elements.namedItem(name);
  const pair = document.getElementById("pair");
  const [back] = form.querySelectorAll("[value=back]");
  const next = form.querySelector(".actions [value=next]");
  const slider = form.querySelector(".slider");
  const inputs = [...form.querySelectorAll("input[type=radio]")];
  const unknown = inputs.at(-1);
  const stops = inputs.slice(0, -1);
  let position = Number(form.dataset.position);
  let showings = new Map(); // by position, once they have come
  let given = chosenValue(inputs.find((input) => input.defaultChecked));
  let since = performance.now(), spent = 0;

  // On the slider "I do not know" is a stop of its own for the Tab key, as one cannot slide to it.
  if (slider) unknown.name = "unknown";
  form.noValidate = true;

  function chosenValue(input) {
    return input ? (input.value === "unknown" ? null : Number(input.value)) : undefined;
  }
  const chosen = () => chosenValue(inputs.find((input) => input.checked));
  const pending = (at) => unsent().filter((entry) => entry.page === PAGE && entry.position === at).at(-1);
  const stored = (at) => showings.get(at)?.answer ?? (at === Number(form.dataset.position) && given !== undefined && !showings.size
    ? { rating: given, revision: Number(form.dataset.revision) } : null);
  isStored = () => stored(position) !== null;
  const answerAt = (at) => pending(at) ?? stored(at);

  function mark(rating) {
    inputs.forEach((input) => { input.checked = rating !== undefined && chosenValue(input) === rating; });
    chosenLine();
  }
  function chosenLine() {
    const line = form.querySelector(".chosen"), stop = stops.find((input) => input.checked)?.parentElement;
    if (line) line.textContent = stop?.querySelector(".word")?.textContent ?? "";
    next.setAttribute("aria-disabled", String(chosen() === undefined));
  }
  function count() {
    const here = new Set([...showings.values()].filter((one) => one.answer).map((one) => one.position));
    unsent().filter((entry) => entry.page === PAGE).forEach((entry) => here.add(entry.position));
    if (!showings.size) return;
    const bar = form.querySelector("progress");
    bar.value = ELSEWHERE + here.size;
    document.getElementById("done").textContent = PROGRESS.replace("{done}", bar.value).replace("{all}", bar.max);
  }
  const newName = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const seconds = () => Math.round((spent + (document.hidden ? 0 : performance.now() - since)) / 100) / 10;

  // An answer counts from the moment it is chosen; it is sent a moment later, as raters often move the slider on.
  const MOMENT = 0.5;
  function choose() {
    const rating = chosen(), former = pending(position);
    chosenLine();
    if (rating === undefined || (former ?? stored(position))?.rating === rating) return;
    if (former && !tried.has(former.client_id)) drop(former.client_id);
    const base = pending(position);
    put({
      client_id: newName(), page: PAGE, position, rating, seconds: seconds(), at: Date.now(),
      revision: base ? base.revision : (former ?? stored(position))?.revision ?? 0, after: base?.client_id ?? null,
    });
    count();
    if (!trouble) later(MOMENT);
    tell();
  }

  function showAt(at) {
    const showing = showings.get(at);
    position = at;
    form.action = `/rate/${PAGE}/${at}`;
    const terms = pair.querySelectorAll(".term");
    terms[0].textContent = showing.word1;
    terms[1].textContent = showing.word2;
    pair.classList.toggle("long", Math.max(showing.word1.length, showing.word2.length) > 60);
    document.getElementById("place").textContent = PLACE.replace("{position}", at);
    field("client_id").value = newName();
    const answer = answerAt(at);
    field("revision").value = answer?.revision ?? 0;
    mark(answer?.rating);
    since = performance.now();
    spent = 0;
    fadeNotice();
    count();
    tell();
    pair.focus({ preventScroll: true });
    scrollTo(0, 0);
  }

  function leave(url) {
    leaving = url;
    if (unsent().length) send();
    else location.assign(url);
  }

  function go(step) {
    leaving = "";
    if (trouble?.kind === "stop") { send(); return; }
    if (step > 0 && chosen() === undefined) {
      say("stop", CHOOSE);
      (stops.find((input) => input.checked) ?? stops[0]).focus();
      return;
    }
    if (!trouble && unsent().length) send();
    const to = position + step;
    if (to < 1) leave(before);
    else if (to > POSITIONS) leave(after);
    else if (!showings.size) leave(`/rate/${PAGE}/${to}`);
    else {
      showAt(to);
      history.pushState(null, "", form.action);
    }
  }

  // What is shown follows what is stored, unless the rater just chose something else here.
  learn = (item) => {
    if (item.page !== PAGE) return;
    const showing = showings.get(item.position);
    if (showing) showing.answer = { rating: item.rating, revision: item.revision };
    if (item.position === position && !pending(position)) {
      field("revision").value = item.revision;
      mark(item.rating);
    }
    count();
  };
  refused = (item) => {
    if (item.current) {
      learn({ page: PAGE, position, ...item.current });
      warn(CONFLICT);
    } else warn(item.why);
  };

  // Warnings do not stand in the way: they go by themselves after the next pair.
  const notices = document.getElementById("notices");
  let noticeAge = 0;
  warn = (text) => {
    const box = document.createElement("div"), line = document.createElement("p");
    box.className = "notice";
    line.textContent = text;
    box.append(line);
    notices.replaceChildren(box);
    noticeAge = 0;
  };
  const fadeNotice = () => { noticeAge += 1; if (noticeAge > 1) notices.replaceChildren(); };

  let loading = false;
  async function load(again = 1) {
    if (loading) return;
    loading = true;
    try {
      const response = await fetch(`/api/pages/${PAGE}`, { signal: AbortSignal.timeout(TIMEOUT * 1000) });
      if (!response.ok) throw new Error(response.status);
      const found = await response.json();
      showings = new Map(found.showings.map((showing) => [showing.position, showing]));
    } catch {
      setTimeout(() => { loading = false; load(Math.min(2 * again, LONGEST_PAUSE)); }, again * 1000);
      return;
    }
    loading = false;
    if (!answerAt(position)) choose(); // what stands on the screen may have failed to be stored
    else if (!pending(position)) mark(stored(position).rating);
    count();
    tell();
    if (leaving.startsWith(`/rate/${PAGE}/`)) { // the rater was faster than the pairs
      const to = Number(leaving.split("/")[3]);
      leaving = "";
      showAt(to);
      history.pushState(null, "", form.action);
    }
  }

  // Pointing: a tap chooses as any radio button does; a move along the track drags, and one across it scrolls the page.
  let from = null;
  const nearest = (x) => {
    const distance = (input) => { const box = input.parentElement.getBoundingClientRect(); return Math.abs(x - (box.left + box.right) / 2); };
    return stops.reduce((best, input) => (distance(input) < distance(best) ? input : best));
  };
  slider?.addEventListener("pointerdown", (event) => { if (event.button === 0) from = event.clientX; });
  slider?.addEventListener("pointermove", (event) => {
    if (from === null || !event.buttons) { from = null; return; }
    if (!slider.classList.contains("drags")) {
      if (Math.abs(event.clientX - from) < 6) return;
      slider.classList.add("drags");
      slider.setPointerCapture(event.pointerId);
    }
    mark(chosenValue(nearest(event.clientX)));
  });
  const release = () => {
    from = null;
    if (!slider.classList.contains("drags")) return;
    slider.classList.remove("drags");
    choose();
  };
  slider?.addEventListener("pointerup", release);
  slider?.addEventListener("pointercancel", release);

  // Keys. Enter works by itself inside the form; single keys can be switched off.
  const keys = document.getElementById("keys");
  const switched = keys.querySelector("input");
  switched.checked = true;
  try { switched.checked = localStorage.getItem("termgauge-keys") !== "off"; } catch { /* stays on */ }
  switched.addEventListener("change", () => {
    try { localStorage.setItem("termgauge-keys", switched.checked ? "on" : "off"); } catch { /* for this pair only */ }
  });
  const press = (input) => { input.checked = true; input.focus({ preventScroll: true }); input.dispatchEvent(new Event("change", { bubbles: true })); };
  const forDigit = (key) => (slider ? stops.find((input) => input.value === key) : inputs[Number(key) - 1]);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    const onScale = stops.includes(event.target), along = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const elsewhereFocused = event.target.closest("a, button, summary, .keys");
    let used = true;
    if (slider && onScale && /^Arrow/.test(event.key)) {
      // As on a slider, and unlike radio buttons: no way round from one end to the other.
      const at = stops.findIndex((input) => input.checked);
      const onward = event.key === "ArrowDown" || event.key === (document.dir === "rtl" ? "ArrowLeft" : "ArrowRight");
      const to = Math.max(0, Math.min(at + (onward ? 1 : -1), stops.length - 1));
      press(at < 0 ? event.target : stops[to]);
    } else if (!switched.checked) used = false;
    else if (/^[0-9]$/.test(event.key) && forDigit(event.key)) press(forDigit(event.key));
    else if (event.key === "?") press(unknown);
    else if (along && !event.target.matches("input")) (stops.find((input) => input.checked) ?? stops.at(along > 0 ? 0 : -1)).focus();
    else if (event.key === "Enter" && !elsewhereFocused && !event.target.matches("input")) go(1);
    else if (event.key === "Backspace" && !elsewhereFocused) go(-1);
    else used = false;
    if (used) event.preventDefault();
  });
  keys.hidden = false;
  form.querySelectorAll(".choice kbd").forEach((key) => { key.hidden = false; });

  form.addEventListener("change", (event) => {
    if (!inputs.includes(event.target)) return;
    inputs.filter((input) => input !== event.target).forEach((input) => { input.checked = false; });
    choose();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(event.submitter?.value === "back" ? -1 : 1);
  });
  addEventListener("popstate", () => {
    const at = location.pathname.match(/^\/rate\/(\d+)\/(\d+)$/);
    if (at && Number(at[1]) === PAGE && showings.has(Number(at[2]))) showAt(Number(at[2]));
    else location.reload();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) spent += performance.now() - since;
    else { since = performance.now(); if (unsent().length) send(); else load(); }
  });

  // A rater may have chosen before this script came, or come back to what this device still keeps.
  const early = chosen();
  if (early !== undefined && early !== given) choose();
  else if (pending(position)) mark(pending(position).rating);
  else chosenLine();
  load();
  send();
})();
