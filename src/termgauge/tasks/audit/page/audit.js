"use strict";
// The rows are data; only one page of them is in the document at a time, so that any number of them is quick.
(async () => {
  const at = (id) => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const data = JSON.parse(at("page-data").textContent);
  const unpacked = async (part) => {
    if (typeof part === "string") return part;
    const bytes = Uint8Array.from(atob(part.gzip), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const rows = JSON.parse(await unpacked(data.rows)).map((values, number) => {
    const row = Object.fromEntries(data.fields.map((field, place) => [field, values[place]]));
    row.number = number;
    row.key = [row.list, row.concept1, row.term1, row.concept2, row.term2].join("\t");
    row.text = [row.concept1, row.term1, row.name1, row.concept2, row.term2, row.name2, row.evidence].join("\n").toLowerCase();
    return row;
  });

  // Marks, kept where the browser lets a page keep something. Another window of the same page may change them.
  const place = `termgauge-audit-${data.key}`;
  let marks = {};
  let keeps = true;
  const read = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(place) || "{}");
      marks = kept && typeof kept === "object" ? kept : {};
    } catch { marks = {}; }
  };
  const keep = (row, change) => {
    read_again();
    const mark = { ...marks[row.key], ...change };
    if (!mark.verdict && !mark.note) delete marks[row.key];
    else marks[row.key] = mark;
    try { localStorage.setItem(place, JSON.stringify(marks)); } catch { keeps = false; }
  };
  const read_again = () => { if (keeps) read(); };
  read();
  const verdict = (row) => (marks[row.key] || {}).verdict || "";
  const note = (row) => (marks[row.key] || {}).note || "";

  // What is shown.
  const SIZE = 50;
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  let list = "", shown = [], page = 0, current = 0;
  const kinds = () => {
    const chosen = at("kind").value;
    const known = [...new Set(rows.filter((row) => !list || row.list === list).map((row) => row.kind))].sort(collator.compare);
    at("kind").replaceChildren(...["", ...known].map((kind) => new Option(kind || "any", kind)));
    at("kind").value = known.includes(chosen) ? chosen : "";
  };
  const choose = () => {
    const words = at("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = at("kind").value, relation = at("relation").value, mark = at("mark").value, by = at("sort").value;
    shown = rows.filter((row) => (!list || row.list === list) && (!kind || row.kind === kind)
      && (!relation || (relation === "some") === Boolean(row.relation))
      && (!mark || (verdict(row) || "none") === mark)
      && words.every((word) => row.text.includes(word)));
    if (by === "score") shown.sort((a, b) => (b.score ?? -Infinity) - (a.score ?? -Infinity) || a.number - b.number);
    else if (by !== "rank") shown.sort((a, b) => collator.compare(a[by], b[by]) || a.number - b.number);
    page = 0;
    current = 0;
    draw();
  };

  const made = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const concept = (id, name, term) => [name !== term ? name : "", id].filter(Boolean).join(" · ");
  const side = (name, term, id, title) => {
    const box = made("div", name);
    box.append(made("div", "term", term || "–"), made("div", "of", concept(id, title, term)));
    return box;
  };
  const facts = (row) => {
    const box = made("div", "facts");
    box.append(made("b", "", row.kind));
    const said = [row.relation, ...row.percentiles.map((value, model) => `${data.models[model]} ${value === null ? "unknown" : value.toFixed(2)}`), row.evidence];
    box.append(said.filter(Boolean).map((each) => ` · ${each}`).join(""));
    return box;
  };
  const show_mark = (item, row) => {
    item.dataset.mark = verdict(row);
    all("button", item).forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.verdict === verdict(row))));
  };
  const drawn = (row, number) => {
    const item = made("li", "row");
    item.dataset.number = number;
    const buttons = made("div");
    for (const each of ["right", "wrong", "seen"]) {
      const button = made("button", "", each[0].toUpperCase() + each.slice(1));
      button.type = "button";
      button.dataset.verdict = each;
      button.setAttribute("aria-label", `${button.textContent}: ${row.term1}`);
      buttons.append(button);
    }
    const field = made("input");
    field.placeholder = "Note";
    field.setAttribute("aria-label", `Note: ${row.term1}`);
    field.value = note(row);
    const marked = made("div", "marks");
    marked.append(buttons, field);
    const heading = list ? `${row.rank}` : `${row.list} ${row.rank}`;
    item.append(made("div", "rank", heading), side("one", row.term1, row.concept1, row.name1),
      side("two", row.term2, row.concept2, row.name2), facts(row), marked);
    show_mark(item, row);
    return item;
  };
  const count = () => {
    const some = rows.filter((row) => verdict(row)).length;
    at("status").textContent = `${shown.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows; ${some.toLocaleString("en")} marked.`
      + (keeps ? "" : " This browser does not let the page keep marks; download them before you close it.");
  };
  const draw = () => {
    const pages = Math.max(1, Math.ceil(shown.length / SIZE));
    page = Math.min(Math.max(page, 0), pages - 1);
    const some = shown.slice(page * SIZE, (page + 1) * SIZE);
    current = Math.min(current, Math.max(0, some.length - 1));
    at("rows").replaceChildren(...some.map((row, number) => drawn(row, page * SIZE + number)));
    at("where").textContent = `Page ${page + 1} of ${pages.toLocaleString("en")}`;
    at("back").disabled = page === 0;
    at("on").disabled = page === pages - 1;
    point(current, false);
    count();
  };
  const items = () => all(".row", at("rows"));
  const point = (to, scroll = true) => {
    items().forEach((item, number) => item.classList.toggle("current", number === to));
    current = to;
    if (scroll) items()[to]?.scrollIntoView({ block: "nearest" });
  };
  const turn = (by) => { page += by; current = 0; draw(); at("rows").scrollIntoView({ block: "start" }); };
  const step = (by) => {
    const to = current + by;
    if (to < 0) { if (page > 0) { turn(-1); point(items().length - 1); } } else if (to >= items().length) { if (!at("on").disabled) turn(1); } else point(to);
  };
  const set = (item, value) => {
    const row = shown[Number(item.dataset.number)];
    keep(row, { verdict: verdict(row) === value ? "" : value });
    show_mark(item, row);
    count();
  };

  // What can be done.
  const tabs = all("[data-list]");
  tabs.forEach((button) => button.addEventListener("click", () => {
    list = button.dataset.list;
    tabs.forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
    kinds();
    choose();
  }));
  for (const id of ["kind", "relation", "mark", "sort"]) at(id).addEventListener("change", choose);
  let waiting = 0;
  at("find").addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(choose, 120); });
  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("back").addEventListener("click", () => turn(-1));
  at("on").addEventListener("click", () => turn(1));
  at("rows").addEventListener("click", (event) => {
    const item = event.target.closest(".row");
    if (!item) return;
    point(items().indexOf(item), false);
    const button = event.target.closest("[data-verdict]");
    if (button) set(item, button.dataset.verdict);
  });
  at("rows").addEventListener("change", (event) => {
    const item = event.target.closest(".row");
    if (item && event.target.matches("input")) keep(shown[Number(item.dataset.number)], { note: event.target.value.trim() });
  });
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const item = items()[current];
    const acts = {
      j: () => step(1), k: () => step(-1), "[": () => !at("back").disabled && turn(-1), "]": () => !at("on").disabled && turn(1),
      "/": () => at("find").focus(), n: () => item?.querySelector("input").focus(),
      r: () => item && set(item, "right"), w: () => item && set(item, "wrong"), s: () => item && set(item, "seen"),
    };
    if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
  });
  addEventListener("storage", (event) => { if (event.key === place) { read(); draw(); } });

  // The rows as audit.csv has them, with what was marked; no text is left that a spreadsheet takes for a formula.
  const quoted = (value) => {
    let text = value === null || value === undefined ? "" : String(value);
    if (typeof value === "string" && /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) && !/^([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|-)$/.test(text)) text = `'${text}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  at("download").addEventListener("click", () => {
    read_again();
    const before = data.fields.filter((field) => field !== "percentiles" && field !== "evidence");
    const header = [...before, ...data.models.map((model) => `percentile ${model}`), "evidence", "verdict", "note"];
    const lines = rows.map((row) => [...before.map((field) => row[field]), ...data.models.map((_, model) => row.percentiles[model]),
      row.evidence, verdict(row), note(row)]);
    const text = [header, ...lines].map((line) => line.map(quoted).join(",")).join("\n") + "\n";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = "audit-marked.csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });

  const themes = all("[data-theme-choice]");
  const dress = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    themes.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme)));
  };
  themes.forEach((button) => button.addEventListener("click", () => {
    dress(button.dataset.themeChoice);
    try {
      if (button.dataset.themeChoice === "auto") localStorage.removeItem("termgauge-theme");
      else localStorage.setItem("termgauge-theme", button.dataset.themeChoice);
    } catch { /* a page that may not remember still changes */ }
  }));
  dress(document.documentElement.dataset.theme || "auto");

  kinds();
  choose();
})();
