"""How fast work goes, and when it is time to show it: what all displays of progress share."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

RECENT_SECONDS = 30.0
"""The time that is left is judged by how fast the work went for so long."""

_FORESEEN = 1000
"""Of work that would take so many times as long as it has taken, nothing is said: it waits, as for a compiler."""


class Clock:
    """Calls something once, two seconds after the first of several things began, unless all of them have ended."""

    def __init__(self, call: Callable[[], None]) -> None:
        self._call, self._timer = call, None

    _timer: threading.Timer | None

    def begin(self, delay: float) -> None:
        """Begin to wait, unless it waits already."""
        if self._timer is None:
            self._timer = threading.Timer(delay, self._call)
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """Wait no longer."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None


class Pace:
    """How fast a task goes, by what was done lately.

    A task inside of which others run says nothing of its pace: how long they take is not in what it counts.
    """

    def __init__(self, total: float | None, unit: str) -> None:
        self.total, self.unit, self.done = total, unit, 0.0
        self.began = self.now = time.monotonic()
        self.within, self.others = 0, 0.0
        """How many tasks run inside of it, and for how long some did."""
        self._lately = deque([(self.began, 0.0)])

    def advance(self, amount: float) -> None:
        """Add to what is done."""
        self.now = time.monotonic()
        self.done += amount
        self._lately.append((self.now, self.done))
        while len(self._lately) > 2 and self.now - self._lately[1][0] > RECENT_SECONDS:
            self._lately.popleft()

    @property
    def _rate(self) -> float:
        """How many in a second; 0 if that is not known."""
        since, before = self._lately[0]
        if self.within or self.others > (self.now - self.began) / 2 or self.now <= since:
            return 0.0
        return max(0.0, (self.done - before) / (self.now - since))

    @property
    def amount(self) -> str:
        """How much is done, of how much, and how fast."""
        rate, speed = self._rate, ""
        if rate and self.unit not in ("", "%", "bytes") and self.now - self.began >= 1:
            speed = f", {rate:,.{0 if rate >= 10 else 1}f} {self.unit}/s"
        return amount_of(self.done, self.total, self.unit) + speed

    @property
    def left(self) -> str:
        """How long the rest takes; nothing if that is not known."""
        rate = self._rate
        if not self.total or not rate:
            return ""
        seconds = max(self.total - self.done, 0) / rate
        return f"about {seconds:.0f} s left" if seconds < _FORESEEN * (self.now - self.began) else ""


class Paces(dict[int, Pace]):
    """The tasks that run, the outer ones first."""

    def begin(self, task: int, total: float | None, unit: str) -> None:
        """Begin a task inside of those that run."""
        for outer in self.values():
            outer.within += 1
        self[task] = Pace(total, unit)

    def end(self, task: int) -> None:
        """End a task; how long it took says nothing of the pace of those outside of it."""
        if (gone := self.pop(task, None)) is not None:
            for outer in self.values():
                if outer.began <= gone.began:
                    outer.within -= 1
                    outer.others += time.monotonic() - gone.began


def amount_of(done: float, total: float | None, unit: str) -> str:
    """Return how much is done, of how much, in words."""
    if unit == "%":
        return f"{100 * done / total:.0f} %" if total else ""
    size, name = (1e6, "MB") if unit == "bytes" else (1, unit)
    of = f" of {total / size:,.0f}" if total else ""
    return f"{done / size:,.0f}{of} {name}".rstrip()
