"use strict";
// What paper cannot do: sort tables, save data, unfold what a link leads to. The page is whole without it.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

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

  // Browsers show the title of a whole picture wherever one points at it; marks have titles of their own.
  all(".plot svg").forEach((plot) => {
    const parts = all(":scope > title, :scope > desc", plot);
    plot.setAttribute("aria-label", parts.map((part) => part.textContent).join(" "));
    plot.removeAttribute("aria-labelledby");
    parts.forEach((part) => part.remove());
  });

  // A link to something folded unfolds it, with all around it; so does print.
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
    opened = all("details:not([open])");
    opened.forEach((fold) => { fold.open = true; });
  });
  addEventListener("afterprint", () => opened.forEach((fold) => { fold.open = false; }));
})();
