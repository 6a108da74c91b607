"""Units under way on a worker: who sent them sees how they go, and none outlives who wants it, or hangs for ever.

A unit gives signs of life by its progress and by the processor time that its process takes. One that gives none for too
long ends the process of the worker, and Dask does what was under way there on another. One that nobody waits for any
more, because its client was interrupted or killed, is interrupted; if it does not heed that, its process is ended.
"""

from __future__ import annotations

import ctypes
import os
import platform
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from termgauge.progress import listening

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.cluster.orders import Order

LOOKS_SECONDS = 0.5
SAYS_SECONDS = 1.0
HEEDS_SECONDS = 5.0
"""A unit that nobody wants has so long to end before its process does."""
BUSY = 0.1
"""A process that takes at least this share of a core is at work."""
EXIT_HUNG, EXIT_UNWANTED = 75, 76


class NotWantedError(KeyboardInterrupt):
    """Nobody waits for this unit any more."""


def this_process() -> str:
    """Return which process this is, unlike any other on any machine."""
    return f"{platform.node()}:{os.getpid()}"


@dataclass
class _Watched:
    """A unit under way; it listens to its own progress."""

    order: Order
    worker: Any
    key: str
    thread: int = field(default_factory=threading.get_ident)
    beat: float = field(default_factory=time.monotonic)
    busy: float = field(default_factory=time.process_time)
    unwanted_since: float | None = None
    _said: float = field(default_factory=time.monotonic)
    _shown: int | None = None
    """Which of the tasks was told of last, and has not ended."""
    _tasks: list[list[Any]] = field(default_factory=list)

    def say(self, **what: object) -> None:
        """Tell who sent it."""
        if self.order.topic:
            self.worker.log_event(self.order.topic, {"key": self.key, "called": self.order.called, **what})

    def start(self, label: str, total: float | None, unit: str) -> int:
        self.alive()
        self._tasks.append([label, total, unit, 0.0])
        return len(self._tasks) - 1

    def advance(self, task: int, amount: float) -> None:
        self.alive()
        self._tasks[task][3] += amount
        if self.beat - self._said >= SAYS_SECONDS:
            self._said, self._shown = self.beat, task
            label, total, unit, done = self._tasks[task]
            self.say(label=label, total=total, unit=unit, done=done)

    def stop(self, task: int) -> None:
        self.alive()
        if task == self._shown:
            self.end()

    def begin_steps(self, labels: Sequence[str]) -> None:  # noqa: ARG002
        self.alive()

    def begin_step(self, at: int) -> None:  # noqa: ARG002
        self.alive()

    def end(self) -> None:
        """Let nothing be shown of it any more."""
        if self._shown is not None:
            self._shown = None
            self.say(ended=True)

    def alive(self) -> None:
        """Note a sign of life."""
        self.beat, self.busy = time.monotonic(), time.process_time()

    def looked_at(self) -> None:
        """End it if it hangs, or nobody wants it."""
        now = time.monotonic()
        if self.unwanted_since is not None or not self._wanted():
            self._interrupt(now)
            return
        silent = now - self.beat
        if time.process_time() - self.busy > BUSY * max(silent, LOOKS_SECONDS):
            self.alive()
        elif silent > self.order.patience and self.order.sender != this_process():
            os._exit(EXIT_HUNG)

    def _wanted(self) -> bool:
        task = self.worker.state.tasks.get(self.key)
        return task is not None and task.state not in ("cancelled", "released", "forgotten")

    def _interrupt(self, now: float) -> None:
        if self.unwanted_since is None:
            self.unwanted_since = now
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), ctypes.py_object(NotWantedError))
        elif now - self.unwanted_since > HEEDS_SECONDS and self.order.sender != this_process() and _all_unwanted():
            os._exit(EXIT_UNWANTED)


_watched: dict[int, _Watched] = {}
_lock = threading.Lock()
_looker: threading.Thread | None = None


def _all_unwanted() -> bool:
    return all(each.unwanted_since is not None for each in list(_watched.values()))


def _look() -> None:
    """Look at all units again and again, as long as there is one."""
    global _looker  # noqa: PLW0603
    pause = threading.Event()
    while True:
        pause.wait(LOOKS_SECONDS)
        with _lock:
            if not _watched:
                _looker = None
                return
        for number, each in list(_watched.items()):
            with _lock:  # a unit that has ended is not interrupted, nor what its thread does next
                if number in _watched:
                    each.looked_at()


def still_waiting() -> None:
    """Note a sign of life of the unit in this thread, which waits for blocks that are watched where they are done."""
    for each in list(_watched.values()):
        if each.thread == threading.get_ident():
            each.alive()


@contextmanager
def watched(order: Order, worker: Any, key: str) -> Iterator[_Watched]:  # noqa: ANN401
    """Watch what is done in this thread, and tell who sent it how it goes."""
    global _looker  # noqa: PLW0603
    unit = _Watched(order, worker, key)
    with _lock:
        _watched[id(unit)] = unit
        if _looker is None:
            _looker = threading.Thread(target=_look, daemon=True, name="termgauge-watch")
            _looker.start()
    unit.say(begun=True)
    try:
        with listening(unit):
            yield unit
    finally:
        _leave(unit)
        unit.end()


def _leave(unit: _Watched) -> None:
    try:
        with _lock:
            del _watched[id(unit)]
    except NotWantedError:  # said just now
        _watched.pop(id(unit), None)
        raise
