"use strict";
// The administrator's page, kept up to date: every now and then the page is fetched again, and the parts that tell of
// the raters take the place of the old ones. Without this script the page is the same, and a reload does it.
(() => {
  const EVERY = 15, SOON = 2, LONGEST = 120;
  const state = document.getElementById("state");
  const soon = () => (document.querySelector("[data-soon]") ? SOON : EVERY); // figures are on their way
  let pause = soon();

  // Nothing changes under the hands of somebody who fills in a form or reads an opened part.
  const inUse = (part) => part.contains(document.activeElement) || part.querySelector("details[open]");

  async function refresh() {
    if (!document.hidden) {
      try {
        const response = await fetch("/admin", { signal: AbortSignal.timeout(30_000) });
        if (!response.ok) throw new Error(response.status);
        const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
        for (const part of document.querySelectorAll("[data-live]")) {
          const now = fresh.getElementById(part.id);
          if (now && !inUse(part) && now.innerHTML !== part.innerHTML) part.replaceChildren(...now.childNodes);
        }
        state.textContent = "";
        pause = soon();
      } catch {
        state.textContent = "The server cannot be reached at the moment; these figures are not of now.";
        pause = Math.min(2 * pause, LONGEST);
      }
    }
    setTimeout(refresh, pause * 1000);
  }
  setTimeout(refresh, pause * 1000);
  document.addEventListener("visibilitychange", () => { pause = EVERY; });
})();
