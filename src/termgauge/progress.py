"""Progress that the library reports and whoever runs it may show.

Work calls :func:`track`, and work in several steps names them with :func:`steps`. Notebooks show a bar by themselves;
in scripts nobody listens unless :func:`show_progress` asks for it. The command line installs a display for its duration
with :func:`shown_on`. A display waits two seconds before it draws anything, so that quick work stays quiet, and prints
plain lines at long intervals where standard error is no terminal. The time that is left is that of the innermost work,
by its pace of late: what waits for other work does not know its own pace. ``TERMGAUGE_PROGRESS=0`` turns all of it off.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol, cast

from termgauge.eta import Clock, Paces
from termgauge.exceptions import one_line
from termgauge.notebook_progress import NotebookListener, in_notebook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console, RenderableType
    from rich.progress import Progress, TaskID
    from rich.text import Text

DELAY_SECONDS = 2.0
PLAIN_INTERVAL_SECONDS = 30.0
VARIABLE = "TERMGAUGE_PROGRESS"


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
    listener = current_listener()
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
    listener = current_listener()
    if listener is None:
        yield lambda _label: None
        return
    listener.begin_steps([one_line(label) for label in labels])
    try:
        yield lambda label: listener.begin_step(labels.index(label))
    finally:
        listener.begin_steps(())


def show_progress(shown: bool = True) -> Shown:
    """Show the progress of long work from now on, or show it no longer.

    Notebooks show it without being asked. In a script it goes to standard error.

    Parameters
    ----------
    shown
        Whether progress is shown.

    Returns
    -------
    What may stand in a ``with``: then it holds for that block alone.

    Examples
    --------
    >>> with show_progress():
    ...     pass
    """
    before, _choice.asked = _choice.asked, shown
    return Shown(before)


class Shown:
    """What :func:`show_progress` set, until the end of a block."""

    def __init__(self, before: bool | None) -> None:
        self._before = before

    def __enter__(self) -> None:
        """Begin the block."""

    def __exit__(self, *error: object) -> None:
        """Do from here on as before the block."""
        _choice.asked = self._before


class _Choice:
    """What the user asked for, and who shows it outside of the command line."""

    def __init__(self) -> None:
        self.asked: bool | None = None
        self._notebook: Listener | None = None
        self._console: Listener | None = None

    def listener(self) -> Listener | None:
        if self.asked is False or _turned_off():
            return None
        if in_notebook():
            self._notebook = self._notebook or NotebookListener(DELAY_SECONDS)
            return self._notebook
        if not self.asked or multiprocessing.parent_process() is not None:  # another process shows the whole
            return None
        if self._console is None:
            from rich.console import Console

            self._console = _on(Console(stderr=True))
        return self._console


_choice = _Choice()


def _turned_off() -> bool:
    return os.environ.get(VARIABLE) == "0"


def current_listener() -> Listener | None:
    """Return who shows the progress of what is done here; None if nobody does."""
    return _listener.get() or _choice.listener()


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Let somebody be told of all progress inside the block, whatever is shown otherwise."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def _on(console: Console) -> RichListener | PlainListener:
    return RichListener(console) if console.is_terminal else PlainListener(console)


@contextmanager
def shown_on(console: Console) -> Iterator[None]:
    """Show the progress of all work inside the block on a console."""
    if _turned_off():
        yield
        return
    display = _on(console)
    try:
        with listening(display):
            yield
    finally:
        display.close()


class RichListener:
    """A live bar on a terminal, with the time that is left; appears after two seconds of work."""

    def __init__(self, console: Console, delay: float = DELAY_SECONDS) -> None:
        self._console, self._delay = console, delay
        self._display: Progress | None = None
        self._began = time.monotonic()
        self._paces = Paces()
        self._steps = _Steps(())
        self._lock = threading.RLock()
        self._clock = Clock(self._show_when_due)

    def begin_steps(self, labels: Sequence[str]) -> None:
        """Show a list of steps above the bars until there are none."""
        self._steps = _Steps(labels)
        if labels:
            self._open()
        elif not self._paces:
            self.close()

    def begin_step(self, at: int) -> None:
        """Tick off the steps before this one."""
        self._steps.begin(at)
        self._show_when_due()

    def _open(self) -> None:
        with self._lock:
            if self._display is None:
                self._display = _display(self._console, lambda: self._steps.lines())  # noqa: PLW0108 - steps change
                self._began = time.monotonic()
                self._clock.begin(self._delay)

    def _show_when_due(self) -> None:
        with self._lock:
            display = self._display
            if display and not display.live.is_started and time.monotonic() - self._began >= self._delay:
                display.start()

    def start(self, label: str, total: float | None, unit: str) -> int:
        """Begin a task and return its number."""
        with self._lock:
            self._open()
            assert self._display is not None
            task = int(self._display.add_task(label, total=total, amount="", left=""))
            self._paces.begin(task, total, unit)
            for outer in self._paces:
                self._write(outer)
            return task

    def advance(self, task: int, amount: float) -> None:
        """Add to what a task has done, and show the display once it is due."""
        with self._lock:
            if self._display is None or task not in self._paces:
                return
            self._display.advance(cast("TaskID", task), amount)
            self._paces[task].advance(amount)
            self._write(task)
        self._show_when_due()

    def _write(self, task: int) -> None:
        assert self._display is not None
        pace = self._paces[task]
        self._display.update(cast("TaskID", task), amount=pace.amount if pace.done else "", left=pace.left)

    def stop(self, task: int) -> None:
        """End a task; the display goes away with the last one."""
        with self._lock:
            if self._display is None:
                return
            self._display.remove_task(cast("TaskID", task))
            self._paces.end(task)
            if not self._paces and not self._steps.labels:
                self.close()

    def close(self) -> None:
        """Take the display away."""
        with self._lock:
            self._clock.end()
            if self._display is not None and self._display.live.is_started:
                self._display.stop()
            self._display = None
            self._paces = Paces()
            self._steps = _Steps(())


class PlainListener:
    """A line after two seconds and then now and then, for logs and pipes."""

    def __init__(self, console: Console, interval: float = PLAIN_INTERVAL_SECONDS) -> None:
        self._console, self._interval = console, interval
        self._paces, self._labels = Paces(), dict[int, str]()
        self._printed: dict[int, float] = {}
        self._next = 0
        self._steps: Sequence[str] = ()
        self._at = self._said = -1
        """The step that is under way, and the last that was printed."""
        self._began = 0.0
        self._lock = threading.RLock()
        self._clock = Clock(self._due)

    def begin_steps(self, labels: Sequence[str]) -> None:
        """Remember the steps."""
        self._steps, self._at, self._said = labels, -1, -1
        self._clock.end()
        if labels:
            self._began = time.monotonic()
            self._clock.begin(DELAY_SECONDS)

    def begin_step(self, at: int) -> None:
        """Print which step begins, unless all is done in a moment."""
        self._at = at
        if time.monotonic() - self._began >= DELAY_SECONDS:
            self._due()

    def _due(self) -> None:
        """Say what is under way: the steps that have begun, or else the task."""
        with self._lock:
            if self._steps:
                for at in range(self._said + 1, self._at + 1):
                    self._console.print(
                        f"Step {at + 1} of {len(self._steps)}: {self._steps[at]}", highlight=False, markup=False
                    )
                self._said = max(self._said, self._at)
            elif self._labels:
                self._print(max(self._labels))

    def start(self, label: str, total: float | None, unit: str) -> int:
        """Begin a task and return its number."""
        with self._lock:
            self._next += 1
            self._paces.begin(self._next, total, unit)
            self._labels[self._next], self._printed[self._next] = label, self._paces[self._next].began
            if not self._steps:
                self._clock.begin(DELAY_SECONDS)
            return self._next

    def advance(self, task: int, amount: float) -> None:
        """Add to what a task has done; print it if the last line is long ago."""
        with self._lock:
            pace = self._paces[task]
            pace.advance(amount)
            if pace.now - self._printed[task] >= self._interval:
                self._print(task)

    def _print(self, task: int) -> None:
        pace = self._paces[task]
        self._printed[task] = pace.now
        said = ", ".join(filter(None, (pace.amount if pace.done else "", pace.left)))
        self._console.print(": ".join(filter(None, (self._labels[task], said))), highlight=False, markup=False)

    def stop(self, task: int) -> None:
        """End a task."""
        with self._lock:
            self._paces.end(task)
            self._labels.pop(task, None)
            if not self._labels and not self._steps:
                self._clock.end()

    def close(self) -> None:
        """Forget all tasks."""
        with self._lock:
            self._clock.end()
            self._paces, self._labels = Paces(), {}


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


def _display(console: Console, above: Callable[[], Iterator[Text]]) -> Progress:
    from rich.progress import BarColumn, Progress, TextColumn

    class Display(Progress):
        """Bars, and above them the steps that they belong to."""

        def get_renderables(self) -> Iterator[RenderableType]:
            yield from above()
            yield from super().get_renderables()

    return Display(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[amount]}"),
        TextColumn("{task.fields[left]}"),
        console=console,
        transient=True,
    )
