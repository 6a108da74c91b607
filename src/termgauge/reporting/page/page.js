"use strict";
// What paper cannot do: sort tables, point at marks, save data, choose the theme. The page is whole without it.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // The theme, remembered where the browser lets a page remember.
  const root = document.documentElement;
  const choices = all("[data-theme-choice]");
  const choose = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    choices.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.themeChoice === theme)));
  };
  choices.forEach((button) => button.addEventListener("click", () => {
    choose(button.dataset.themeChoice);
    try {
      if (button.dataset.themeChoice === "auto") localStorage.removeItem("termgauge-theme");
      else localStorage.setItem("termgauge-theme", button.dataset.themeChoice);
    } catch { /* a page that may not remember still changes */ }
  }));
  choose(root.dataset.theme || "auto");
  all(".theme").forEach((group) => { group.hidden = false; });

  // Tables: a button in each heading; values that are missing stay last either way.
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const sort = (table, heading) => {
    const numeric = heading.classList.contains("number");
    const former = heading.getAttribute("aria-sort");
    const first = numeric ? "descending" : "ascending";
    const other = numeric ? "ascending" : "descending";
    const order = former === first ? other : first;
    const sign = order === "ascending" ? 1 : -1;
    const column = Number(heading.dataset.column);
    const by = (row) => row.cells[column].dataset.by;
    const rows = [...table.tBodies[0].rows];
    rows.sort((a, b) => {
      const x = by(a), y = by(b);
      if (x === "" || y === "") return (x === "") - (y === "");
      return sign * (numeric ? Number(x) - Number(y) : collator.compare(x, y));
    });
    all("[aria-sort]", table).forEach((one) => one.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", order);
    table.tBodies[0].append(...rows);
  };
  all("table[data-sortable]").forEach((table) => all("thead th[data-column]", table).forEach((heading) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sort(table, heading));
  }));
  const boxes = all(".scroll, pre");
  const reachable = () => boxes.forEach((box) => {
    if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
    box.toggleAttribute("data-more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  });
  boxes.forEach((box) => box.addEventListener("scroll", reachable, { passive: true }));
  reachable();
  addEventListener("resize", reachable);
  all("details").forEach((fold) => fold.addEventListener("toggle", reachable));

  // Data: as text, or compressed.
  const data = JSON.parse(document.getElementById("page-data").textContent);
  const unpacked = async (part) => {
    if (typeof part === "string") return part;
    const bytes = Uint8Array.from(atob(part.gzip), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  all("[data-save]").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([await unpacked(data[button.dataset.save])], { type: "text/csv" }));
      link.download = button.dataset.name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  });

  // Tooltips: one for all. Each plot and each table with notes is one stop of the tab key; arrows go through it.
  const tip = document.getElementById("page-tip");
  const gap = 10;
  let pointed = null;
  const hide = () => {
    tip.hidden = true;
    if (pointed) pointed.classList.remove("pointed");
    pointed = null;
  };
  const show = (element, text, x, y) => {
    if (pointed !== element) hide();
    pointed = element;
    element.classList.add("pointed");
    if (tip.textContent !== text) tip.textContent = text;
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(Math.max(gap, x - width / 2), document.documentElement.clientWidth - width - gap);
    tip.style.left = `${Math.max(gap, left)}px`;
    tip.style.top = `${y - height - gap < 0 ? y + 2 * gap : y - height - gap}px`;
  };
  const above = (element, text) => {
    const box = element.getBoundingClientRect();
    show(element, text, box.left + box.width / 2, box.top);
  };
  const showAt = (element, text) => {
    const box = element.getBoundingClientRect();
    const aside = box.left < 0 || box.right > innerWidth || box.top < 60 || box.bottom > innerHeight;
    if (aside) element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    above(element, text);
  };
  const walked = (container, items, text) => {
    let at = -1;
    container.addEventListener("focus", () => {
      at = Math.max(at, 0);
      if (container.matches(":focus-visible")) showAt(items[at], text(items[at])); // not where a pointer is
    });
    container.addEventListener("blur", hide);
    container.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      at = (at + step + items.length) % items.length;
      showAt(items[at], text(items[at]));
    });
  };
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  addEventListener("scroll", () => {
    if (pointed?.closest(":focus")) above(pointed, tip.textContent);
    else hide();
  }, { passive: true, capture: true });

  all(".plot svg").forEach((plot) => {
    const name = plot.querySelector(":scope > title"), about = plot.querySelector(":scope > desc");
    plot.setAttribute("aria-label", [name, about].filter(Boolean).map((part) => part.textContent).join(" "));
    plot.removeAttribute("aria-labelledby");
    name?.remove(); // browsers would show it wherever one points
    const says = new Map(all("title", plot).map((title) => [title.parentNode, title.textContent]));
    all("title", plot).forEach((title) => title.remove());
    const marks = [...says.keys()];
    if (!marks.length) return;
    plot.tabIndex = 0;
    walked(plot, marks, (mark) => says.get(mark));
    const near = (event) => {
      if (says.has(event.target)) return event.target;
      let found = null, least = 12; // a dot need not be hit exactly
      marks.forEach((mark) => {
        const box = mark.getBoundingClientRect();
        if (box.width > 40 && box.height > 40) return;
        const x = Math.max(box.left - event.clientX, 0, event.clientX - box.right);
        const y = Math.max(box.top - event.clientY, 0, event.clientY - box.bottom);
        if (Math.hypot(x, y) < least) { least = Math.hypot(x, y); found = mark; }
      });
      return found;
    };
    const point = (event) => {
      const mark = near(event);
      if (mark) show(mark, says.get(mark), event.clientX, event.clientY);
      else hide();
    };
    plot.addEventListener("pointermove", point);
    plot.addEventListener("pointerdown", point);
    plot.addEventListener("pointerleave", hide);
  });

  all("table").forEach((table) => {
    const noted = all("[title]", table);
    noted.forEach((cell) => {
      const button = cell.querySelector("button"), note = cell.title;
      const target = button || cell;
      cell.removeAttribute("title");
      target.dataset.note = note;
      target.setAttribute("aria-description", note);
      cell.addEventListener("pointerenter", (event) => show(target, note, event.clientX, cell.getBoundingClientRect().top + gap / 2));
      cell.addEventListener("pointerleave", hide);
      if (button) {
        button.addEventListener("focus", () => showAt(button, note));
        button.addEventListener("blur", hide);
      }
    });
    const cells = noted.filter((cell) => cell.dataset.note);
    if (cells.length) {
      const body = table.tBodies[0];
      body.tabIndex = 0;
      walked(body, cells, (cell) => cell.dataset.note);
    }
  });

  // A link to something folded unfolds it, with all around it; so does print, up to a length.
  const unfold = () => {
    let target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch { /* not a name */ }
    if (!target) return;
    const folds = [target.querySelector(":scope > details")];
    for (let at = target.closest("details"); at; at = at.parentElement.closest("details")) folds.push(at);
    if (folds.filter((fold) => fold && !fold.open).map((fold) => { fold.open = true; }).length) target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  addEventListener("click", (event) => { if (event.target.closest("a[href^='#']")) setTimeout(unfold); });
  unfold();
  let opened = [];
  addEventListener("beforeprint", () => {
    hide();
    opened = all("details[data-print]:not([open])");
    opened.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((fold) => { fold.open = false; }));
})();
