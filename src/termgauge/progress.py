"""Progress that the library reports and whoever runs it may show.

Work calls :func:`track`; by default nobody listens. The command line installs a display for its duration with
:func:`shown_on`. The display waits two seconds before it draws anything, so that quick work stays quiet, and
prints plain lines at long intervals where standard error is no terminal.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console
    from rich.progress import Progress, TaskID

DELAY_SECONDS = 2.0
PLAIN_INTERVAL_SECONDS = 30.0


class Listener(Protocol):
    """Whoever shows progress."""

    def start(self, label: str, total: float | None, unit: str) -> int:
        """Begin a task and return its number."""
        ...

    def advance(self, task: int, amount: float) -> None:
        """Add to what a task has done."""
        ...

    def stop(self, task: int) -> None:
        """End a task."""
        ...


_listener: ContextVar[Listener | None] = ContextVar("termgauge_progress", default=None)


@contextmanager
def track(label: str, total: float | None = None, unit: str = "") -> Iterator[Callable[[float], None]]:
    """Report progress on a piece of work.

    Parameters
    ----------
    label
        What is being done, for people.
    total
        How much there is to do, if known.
    unit
        ``"bytes"`` shows sizes as MB, ``"%"`` shows the share done; anything else is shown after the count.

    Yields
    ------
    advance
        Call it with the amount done since the last call.
    """
    listener = _listener.get()
    if listener is None:
        yield lambda _amount: None
        return
    task = listener.start(label, total, unit)
    try:
        yield lambda amount: listener.advance(task, amount)
    finally:
        listener.stop(task)


@contextmanager
def shown_on(console: Console) -> Iterator[None]:
    """Show the progress of all work inside the block on a console."""
    listener: RichListener | PlainListener
    listener = RichListener(console) if console.is_terminal else PlainListener(console)
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
        listener.close()


class RichListener:
    """A live bar on a terminal, with the time that is left; appears after two seconds of work."""

    def __init__(self, console: Console, delay: float = DELAY_SECONDS) -> None:
        self._console = console
        self._delay = delay
        self._display: Progress | None = None
        self._began = time.monotonic()
        self._running = 0

    def start(self, label: str, total: float | None, unit: str) -> int:
        """Begin a task and return its number."""
        if self._display is None:
            self._display = _display(self._console)
            self._began = time.monotonic()
        self._running += 1
        return int(self._display.add_task(label, total=total, unit=unit, amount=""))

    def advance(self, task: int, amount: float) -> None:
        """Add to what a task has done, and show the display once it is due."""
        display = self._display
        if display is None:
            return
        task_id: TaskID = display.task_ids[display.task_ids.index(task)]  # type: ignore[arg-type]
        display.advance(task_id, amount)
        state = display.tasks[display.task_ids.index(task_id)]
        unit = state.fields["unit"]
        done = _amount(state.completed, state.total, unit)
        display.update(task_id, amount=done + _speed(state.completed, state.elapsed or 0, unit))
        if not display.live.is_started and time.monotonic() - self._began >= self._delay:
            display.start()

    def stop(self, task: int) -> None:
        """End a task; the display goes away with the last one."""
        if self._display is None:
            return
        self._display.remove_task(self._display.task_ids[self._display.task_ids.index(task)])  # type: ignore[arg-type]
        self._running -= 1
        if self._running == 0:
            self.close()

    def close(self) -> None:
        """Take the display away."""
        if self._display is not None and self._display.live.is_started:
            self._display.stop()
        self._display = None
        self._running = 0


class PlainListener:
    """A line now and then, for logs and pipes."""

    def __init__(self, console: Console, interval: float = PLAIN_INTERVAL_SECONDS) -> None:
        self._console = console
        self._interval = interval
        self._tasks: dict[int, _PlainTask] = {}
        self._next = 0

    def start(self, label: str, total: float | None, unit: str) -> int:
        """Begin a task and return its number."""
        self._next += 1
        self._tasks[self._next] = _PlainTask(label, total, unit)
        return self._next

    def advance(self, task: int, amount: float) -> None:
        """Add to what a task has done; print it if the last line is long ago."""
        state = self._tasks[task]
        state.done += amount
        now = time.monotonic()
        if now - state.printed < self._interval:
            return
        state.printed = now
        line = f"{state.label}: {_amount(state.done, state.total, state.unit)}"
        line += _speed(state.done, now - state.began, state.unit)
        if state.total and state.done:
            left = (now - state.began) * (state.total - state.done) / state.done
            line += f", about {max(left, 0):.0f} s left"
        self._console.print(line, highlight=False)

    def stop(self, task: int) -> None:
        """End a task."""
        self._tasks.pop(task, None)

    def close(self) -> None:
        """Forget all tasks."""
        self._tasks.clear()


class _PlainTask:
    def __init__(self, label: str, total: float | None, unit: str) -> None:
        self.label, self.total, self.unit = label, total, unit
        self.done = 0.0
        self.began = self.printed = time.monotonic()


def _amount(done: float, total: float | None, unit: str) -> str:
    if unit == "bytes":
        of = f" of {total / 1e6:,.0f}" if total else ""
        return f"{done / 1e6:,.0f}{of} MB"
    if unit == "%":
        return f"{100 * done / total:.0f} %" if total else ""
    of = f" of {total:,.0f}" if total else ""
    return f"{done:,.0f}{of} {unit}".rstrip()


def _speed(done: float, seconds: float, unit: str) -> str:
    """Return how many are done in a second, where things are counted that take long enough for that to be known."""
    if unit in ("", "%", "bytes") or seconds < 1 or not done:
        return ""
    return f", {done / seconds:,.{0 if done >= 10 * seconds else 1}f} {unit}/s"


def _display(console: Console) -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TimeRemainingColumn(compact=True),
        console=console,
        transient=True,
    )
