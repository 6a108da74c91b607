"""Progress that the library reports and whoever runs it may show.

Work calls :func:`track`; by default nobody listens. Work in several steps names them with :func:`steps`. The command
line installs a display for its duration with :func:`shown_on`. The display waits two seconds before it draws anything,
so that quick work stays quiet, and prints plain lines at long intervals where standard error is no terminal.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol, cast

from termgauge.exceptions import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console, RenderableType
    from rich.progress import Progress, TaskID
    from rich.text import Text

DELAY_SECONDS = 2.0
PLAIN_INTERVAL_SECONDS = 30.0


class Listener(Protocol):
    """Whoever shows progress."""

    def start(self, label: str, total: float | None, unit: str) -> int:
        """Begin a task and return its number."""

    def advance(self, task: int, amount: float) -> None:
        """Add to what a task has done."""

    def stop(self, task: int) -> None:
        """End a task."""

    def begin_steps(self, labels: Sequence[str]) -> None:
        """Be told which steps there are; without any, that all are done."""

    def begin_step(self, at: int) -> None:
        """Be told that a step begins, and so that those before it are over."""


_listener: ContextVar[Listener | None] = ContextVar("termgauge_progress", default=None)


@contextmanager
def track(label: str, total: float | None = None, unit: str = "") -> Iterator[Callable[[float], None]]:
    """Report progress on a piece of work, by calling what is yielded with the amount done since the last call.

    The unit ``"bytes"`` shows sizes as MB, ``"%"`` the share done; anything else is shown after the count.
    """
    listener = _listener.get()
    if listener is None:
        yield lambda _amount: None
        return
    task = listener.start(one_line(label), total, unit)
    try:
        yield lambda amount: listener.advance(task, amount)
    finally:
        listener.stop(task)


@contextmanager
def steps(labels: Sequence[str]) -> Iterator[Callable[[str], None]]:
    """Report the steps of a long piece of work; what is tracked meanwhile belongs to the step that is under way.

    What is yielded is called with the label of the step that begins.
    """
    listener = _listener.get()
    if listener is None:
        yield lambda _label: None
        return
    listener.begin_steps([one_line(label) for label in labels])
    try:
        yield lambda label: listener.begin_step(labels.index(label))
    finally:
        listener.begin_steps(())


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
        self._console, self._delay = console, delay
        self._display: Progress | None = None
        self._began = time.monotonic()
        self._running = 0
        self._steps = _Steps(())

    def begin_steps(self, labels: Sequence[str]) -> None:
        """Show a list of steps above the bars until there are none."""
        self._steps = _Steps(labels)
        if labels:
            self._open()
        elif self._running == 0:
            self.close()

    def begin_step(self, at: int) -> None:
        """Tick off the steps before this one."""
        self._steps.begin(at)
        self._show_when_due()

    def _open(self) -> None:
        if self._display is None:
            self._display = _display(self._console, lambda: self._steps.lines())  # noqa: PLW0108 - steps change
            self._began = time.monotonic()

    def _show_when_due(self) -> None:
        display = self._display
        if display and not display.live.is_started and time.monotonic() - self._began >= self._delay:
            display.start()

    def start(self, label: str, total: float | None, unit: str) -> int:
        """Begin a task and return its number."""
        self._open()
        assert self._display is not None
        self._running += 1
        return int(self._display.add_task(label, total=total, unit=unit, amount=""))

    def advance(self, task: int, amount: float) -> None:
        """Add to what a task has done, and show the display once it is due."""
        display, task_id = self._display, cast("TaskID", task)
        if display is None:
            return
        display.advance(task_id, amount)
        state = display.tasks[display.task_ids.index(task_id)]
        unit = state.fields["unit"]
        done = _amount(state.completed, state.total, unit)
        display.update(task_id, amount=done + _speed(state.completed, state.elapsed or 0, unit))
        self._show_when_due()

    def stop(self, task: int) -> None:
        """End a task; the display goes away with the last one."""
        if self._display is None:
            return
        self._display.remove_task(cast("TaskID", task))
        self._running -= 1
        if self._running == 0 and not self._steps.labels:
            self.close()

    def close(self) -> None:
        """Take the display away."""
        if self._display is not None and self._display.live.is_started:
            self._display.stop()
        self._display = None
        self._running = 0
        self._steps = _Steps(())


class PlainListener:
    """A line now and then, for logs and pipes."""

    def __init__(self, console: Console, interval: float = PLAIN_INTERVAL_SECONDS) -> None:
        self._console, self._interval = console, interval
        self._tasks: dict[int, _PlainTask] = {}
        self._next = 0
        self._steps: Sequence[str] = ()
        self._began = 0.0

    def begin_steps(self, labels: Sequence[str]) -> None:
        """Remember the steps."""
        self._steps, self._began = labels, time.monotonic()

    def begin_step(self, at: int) -> None:
        """Print which step begins, unless all is done in a moment."""
        if time.monotonic() - self._began >= DELAY_SECONDS:
            self._console.print(
                f"Step {at + 1} of {len(self._steps)}: {self._steps[at]}", highlight=False, markup=False
            )

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
        self._console.print(line, highlight=False, markup=False)

    def stop(self, task: int) -> None:
        """End a task."""
        self._tasks.pop(task, None)

    def close(self) -> None:
        """Forget all tasks."""
        self._tasks.clear()


class _PlainTask:
    def __init__(self, label: str, total: float | None, unit: str) -> None:
        self.label, self.total, self.unit, self.done = label, total, unit, 0.0
        self.began = self.printed = time.monotonic()


class _Steps:
    """What is done, what is under way and what is to come."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = labels
        self._at = -1
        self._took: dict[int, float] = {}
        self._began = 0.0

    def begin(self, at: int) -> None:
        now = time.monotonic()
        if self._at >= 0:
            self._took[self._at] = now - self._began
        self._at, self._began = at, now

    def lines(self) -> Iterator[Text]:
        from rich.text import Text

        width = max((len(label) for label in self.labels), default=0)
        for at, label in enumerate(self.labels):
            if at < self._at:
                yield Text.assemble(("✓ ", "green"), label.ljust(width), (f"  {self._took.get(at, 0):,.0f} s", "dim"))
            elif at == self._at:
                since = f"  {time.monotonic() - self._began:,.0f} s, step {at + 1} of {len(self.labels)}"
                yield Text.assemble(("→ ", "bold"), (label.ljust(width), "bold"), (since, "dim"))
            else:
                yield Text(f"  {label}", style="dim")


def _amount(done: float, total: float | None, unit: str) -> str:
    if unit == "%":
        return f"{100 * done / total:.0f} %" if total else ""
    size, name = (1e6, "MB") if unit == "bytes" else (1, unit)
    of = f" of {total / size:,.0f}" if total else ""
    return f"{done / size:,.0f}{of} {name}".rstrip()


def _speed(done: float, seconds: float, unit: str) -> str:
    """Return how many are done in a second, where things are counted that take long enough for that to be known."""
    if unit in ("", "%", "bytes") or seconds < 1 or not done:
        return ""
    return f", {done / seconds:,.{0 if done >= 10 * seconds else 1}f} {unit}/s"


def _display(console: Console, above: Callable[[], Iterator[Text]]) -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    class Display(Progress):
        """Bars, and above them the steps that they belong to."""

        def get_renderables(self) -> Iterator[RenderableType]:
            yield from above()
            yield from super().get_renderables()

    return Display(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TimeRemainingColumn(compact=True),
        console=console,
        transient=True,
    )
