"""Progress in a notebook: bars that are drawn in place below the cell, and go away when the work is done.

They need IPython's display alone, no widgets: the output of the cell is replaced a few times a second.
"""

from __future__ import annotations

import sys
import threading
import time
from html import escape
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from termgauge.eta import Clock, Paces

if TYPE_CHECKING:
    from collections.abc import Sequence

INTERVAL_SECONDS = 0.25
"""So long a drawing stays at least."""
_STYLE = "display:flex;gap:.75em;align-items:center;font:13px/1.6 system-ui,sans-serif"


def in_notebook() -> bool:
    """Say whether this process is the kernel of a notebook; a shell in a terminal is none."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return hasattr(shell, "kernel")


class NotebookListener:
    """A bar for each task, below the cell that runs; appears once work has taken some seconds."""

    def __init__(self, delay: float, interval: float = INTERVAL_SECONDS) -> None:
        self._delay, self._interval = delay, interval
        self._paces, self._labels = Paces(), dict[int, str]()
        self._steps: Sequence[str] = ()
        self._at = -1
        self._next = 0
        self._began = self._drawn = 0.0
        self._display = ""
        """The id of what is drawn; nothing if nothing is."""
        self._lock = threading.RLock()
        self._clock = Clock(self._draw)

    def begin_steps(self, labels: Sequence[str]) -> None:
        """Remember the steps; without any, all are done."""
        with self._lock:
            self._steps, self._at = labels, -1
            self._open() if labels else self._close_if_idle()

    def begin_step(self, at: int) -> None:
        """Show which step is under way."""
        with self._lock:
            self._at = at
            self._draw_if_due()

    def start(self, label: str, total: float | None, unit: str) -> int:
        """Begin a task and return its number."""
        with self._lock:
            self._open()
            self._next += 1
            self._paces.begin(self._next, total, unit)
            self._labels[self._next] = label
            return self._next

    def advance(self, task: int, amount: float) -> None:
        """Add to what a task has done, and draw it if the last drawing is old."""
        with self._lock:
            if task in self._paces:
                self._paces[task].advance(amount)
                self._draw_if_due()

    def stop(self, task: int) -> None:
        """End a task; the drawing goes away with the last one."""
        with self._lock:
            self._paces.end(task)
            self._labels.pop(task, None)
            self._close_if_idle()

    def _open(self) -> None:
        if not self._labels and self._at < 0:
            self._began = time.monotonic()
            self._clock.begin(self._delay)

    def _close_if_idle(self) -> None:
        if not self._labels and not self._steps:
            self._clock.end()
            if self._display:
                self._show("", "")
            self._display = ""

    def _draw_if_due(self) -> None:
        now = time.monotonic()
        if now - self._began >= self._delay and now - self._drawn >= self._interval:
            self._draw()

    def _draw(self) -> None:
        with self._lock:
            if not self._labels and not self._steps:
                return
            self._drawn = time.monotonic()
            lines = [f"Step {self._at + 1} of {len(self._steps)}: {self._steps[self._at]}"] if self._at >= 0 else []
            pieces = [f"<strong>{escape(line)}</strong>" for line in lines]
            for task, label in self._labels.items():
                pace = self._paces[task]
                said = ", ".join(filter(None, (pace.amount if pace.done else "", pace.left)))
                share = f' value="{min(pace.done / pace.total, 1):.4f}"' if pace.total else ""
                lines.append(": ".join(filter(None, (label, said))))
                pieces.append(f"<span>{escape(label)}</span><progress{share}></progress><span>{escape(said)}</span>")
            self._show("".join(f'<div style="{_STYLE}">{piece}</div>' for piece in pieces), "\n".join(lines))

    def _show(self, html: str, text: str) -> None:
        from IPython.display import publish_display_data

        known, self._display = bool(self._display), self._display or uuid4().hex
        shown: dict[str, Any] = {"text/html": html, "text/plain": text}
        publish_display_data(shown, transient={"display_id": self._display}, update=known)
