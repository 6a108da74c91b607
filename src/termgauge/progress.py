"""Progress that the library reports and whoever runs it may show.

Work calls :func:`track`, and work in several steps names them with :func:`steps`. Notebooks show a bar by themselves;
in scripts nobody listens unless :func:`show_progress` asks for it. The command line installs a display for its duration
with :func:`shown_on`. rich draws one display in terminals and notebooks; where standard error is no terminal, plain
lines come at long intervals. Nothing is drawn for two seconds, so that quick work stays quiet.
``TERMGAUGE_PROGRESS=0`` turns all of it off.

The pace and the time that is left are shown for the innermost work only: what waits for other work cannot know them.
"""

from __future__ import annotations

import io
import math
import multiprocessing
import os
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import uuid4

from termgauge.exceptions import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from rich.console import Console, RenderableType
    from rich.progress import Progress, Task, TaskID
    from rich.text import Text

DELAY_SECONDS = 2.0
PLAIN_INTERVAL_SECONDS = 30.0
NOTEBOOK_INTERVAL_SECONDS = 0.25
PACE_SECONDS = 300.0
"""The pace is that of the last so many seconds."""
VARIABLE = "TERMGAUGE_PROGRESS"
_FORESEEN = 1000
"""Of work that would take so many times as long as it has taken, nothing is said: it waits for something."""
_NOTEBOOK_FORMAT = '<pre style="white-space:pre;line-height:normal">{code}</pre>'


_listener: ContextVar[Display | None] = ContextVar("termgauge_progress", default=None)


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


def show_progress(shown: bool = True) -> AbstractContextManager[object]:
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
    block = ExitStack()
    block.callback(setattr, _choice, "asked", _choice.asked)
    _choice.asked = shown
    return block


class _Choice:
    """What the user asked for, and who shows it outside of the command line."""

    asked: bool | None = None
    command: Display | None = None
    """What a command of this process shows its progress on."""
    _display: Display | None = None

    def listener(self) -> Display | None:
        if self.asked is False or _turned_off():
            return None
        notebook = in_notebook()
        # Where another process shows the whole, this one is silent.
        if not notebook and (not self.asked or multiprocessing.parent_process() is not None):
            return None
        if self._display is None:
            from rich.console import Console

            self._display = Display(Console(stderr=True, force_jupyter=notebook))
        return self._display


_choice = _Choice()


def _turned_off() -> bool:
    return os.environ.get(VARIABLE) == "0"


def in_notebook() -> bool:
    """Say whether this process is the kernel of a notebook; a shell in a terminal is none."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return hasattr(shell, "kernel")


def current_listener() -> Display | None:
    """Return who shows the progress of what is done here; None if nobody does."""
    return _listener.get() or _choice.listener()


def listener_of_process() -> Display | None:
    """Return who shows what concerns the whole process, whichever of its threads does it."""
    return current_listener() or _choice.command


@contextmanager
def listening(listener: Display | None) -> Iterator[None]:
    """Let somebody be told of all progress inside the block, whatever is shown otherwise."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def shown_on(console: Console) -> Iterator[None]:
    """Show the progress of all work inside the block on a console."""
    if _turned_off():
        yield
        return
    display = Display(console)
    before, _choice.command = _choice.command, display
    try:
        with listening(display):
            yield
    finally:
        _choice.command = before
        display.close()


class Display:
    """Shows all work under way once it takes long: rich's bars in place, or lines where there is no place for them."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._steps: Sequence[str] = ()
        self._began: list[float] = []
        """When each of the steps began, as far as they have."""
        self._said = 0
        """How many steps were printed."""
        self._printed: dict[TaskID, float] = {}
        """When a line was last printed of a task."""
        self._output = ""
        """The id of what a notebook shows; nothing if it shows nothing."""
        self._slow = False
        self._idle: threading.Event | None = None
        """What ends the thread that waits until work takes long; None if there is no work."""
        self._lock = threading.RLock()

    def start(self, label: str, total: float | None, unit: str) -> TaskID:
        """Begin a task and return its number."""
        with self._lock:
            task = self._bars.add_task(label, total=total, unit=unit)
            self._printed[task] = time.monotonic()
            self._wake()
            return task

    def advance(self, task: TaskID, amount: float) -> None:
        """Add to what a task has done; print it if there are no bars and its last line is long ago."""
        with self._lock:
            if task not in self._printed:  # all was closed
                return
            self._bars.advance(task, amount)
            now = time.monotonic()
            if not self._in_place and now - self._printed[task] >= PLAIN_INTERVAL_SECONDS:
                self._printed[task] = now
                self._print(self._line(self._bars.tasks[self._bars.task_ids.index(task)]))

    def stop(self, task: TaskID) -> None:
        """End a task; the display goes away with the last one."""
        with self._lock:
            if self._printed.pop(task, None) is not None:
                self._bars.remove_task(task)
            self._rest()

    def begin_steps(self, labels: Sequence[str]) -> None:
        """Show a list of steps above the bars until there are none."""
        with self._lock:
            self._steps, self._began, self._said = labels, [], 0
            self._wake() if labels else self._rest()

    def begin_step(self, at: int) -> None:
        """Tick off the steps before this one."""
        with self._lock:
            self._began += [time.monotonic()] * (at + 1 - len(self._began))
            if self._slow and not self._in_place:
                self._show()

    def close(self) -> None:
        """Forget all work, and take it away."""
        with self._lock:
            for task in list(self._printed):
                self.stop(task)
            self.begin_steps(())

    @cached_property
    def _bars(self) -> Progress:
        return _bars(self._console, self._steps_in_lines)

    @property
    def _in_place(self) -> bool:
        return self._console.is_terminal or self._console.is_jupyter

    def _wake(self) -> None:
        if self._idle is None:
            self._idle = threading.Event()
            threading.Thread(target=self._keep_showing, args=(self._idle, DELAY_SECONDS), daemon=True).start()

    def _rest(self) -> None:
        """Take the display away if there is no work any more."""
        if self._idle is not None and not self._printed and not self._steps:
            self._idle.set()
            self._idle, self._slow = None, False
            if self._output:
                self._publish("", "")
                self._output = ""
            if self._bars.live.is_started:
                self._bars.stop()

    def _keep_showing(self, idle: threading.Event, delay: float) -> None:
        pause: float | None = delay
        while not idle.wait(pause):
            with self._lock:
                if not idle.is_set():
                    self._slow, pause = True, self._show()

    def _show(self) -> float | None:
        """Show what is under way, and return after how many seconds to do so again, if ever."""
        begun, count = len(self._began), len(self._steps)
        titles = [f"Step {at + 1} of {count}: {label}" for at, label in enumerate(self._steps[:begun])]
        lines = [self._line(task) for task in self._bars.tasks]
        if self._console.is_jupyter:  # where rich's own live display needs ipywidgets
            from rich.console import Console

            page = Console(file=io.StringIO(), record=True, width=100, force_terminal=True, force_jupyter=False)
            page.print(self._bars)
            html = page.export_html(inline_styles=True, code_format=_NOTEBOOK_FORMAT)
            self._publish(html, "\n".join(titles[-1:] + lines))
            return NOTEBOOK_INTERVAL_SECONDS
        if self._console.is_terminal:
            self._bars.start()
            return None  # rich draws it again and again
        for line in titles[self._said :] if count else lines[-1:]:
            self._print(line)
        self._said = begun
        return None

    def _print(self, line: str) -> None:
        self._console.print(line, highlight=False, markup=False)

    def _publish(self, html: str, text: str) -> None:
        from IPython.display import publish_display_data

        update, self._output = bool(self._output), self._output or uuid4().hex
        shown = {"text/html": html, "text/plain": text}
        publish_display_data(shown, transient={"display_id": self._output}, update=update)

    def _line(self, task: Task) -> str:
        amount = ", ".join(filter(None, amount_and_time(task, innermost=task.id == max(self._printed))))
        return ": ".join(filter(None, (task.description, amount)))

    def _steps_in_lines(self) -> Iterator[Text]:
        from rich.text import Text

        width = max(map(len, self._steps), default=0)
        ends = [*self._began[1:], time.monotonic()]
        for at, label in enumerate(self._steps):
            if at >= len(self._began):
                yield Text(f"  {label}", style="dim")
                continue
            now = at + 1 == len(self._began)
            of = f", step {at + 1} of {len(self._steps)}" if now else ""
            seconds = f"  {ends[at] - self._began[at]:,.0f} s{of}"
            sign = ("→ ", "bold") if now else ("✓ ", "green")
            yield Text.assemble(sign, (label.ljust(width), "bold" if now else ""), (seconds, "dim"))


def amount_and_time(task: Task, *, innermost: bool) -> tuple[str, str]:
    """Return how much of a task is done, and how fast that goes; and how long the rest takes, if that is known."""
    done, total, unit = task.completed, task.total, task.fields["unit"]
    speed = task.speed if innermost else None
    if unit == "%":
        amount = f"{100 * done / total:.0f} %" if total and done else ""
    else:
        size, name = (1e6, "MB") if unit == "bytes" else (1, unit)
        of = f" of {total / size:,.0f}" if total else ""
        amount = f"{done / size:,.0f}{of} {name}".rstrip() if done else ""
        if speed and speed > 0 and unit not in ("", "bytes"):
            amount += f", {speed:,.{0 if speed >= 10 else 1}f} {unit}/s"
    left = (total - done) / speed if total and speed and speed > 0 else math.inf
    return amount, f"about {max(left, 0):.0f} s left" if left < _FORESEEN * (task.elapsed or 0) else ""


def _bars(console: Console, above: Callable[[], Iterator[Text]]) -> Progress:
    """Return rich's bars, with lines above them."""
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
    from rich.text import Text

    class Bars(Progress):
        def get_renderables(self) -> Iterator[RenderableType]:
            yield from above()
            yield from super().get_renderables()

    class Amount(ProgressColumn):
        def render(self, task: Task) -> Text:
            amount, left = amount_and_time(task, innermost=task.id == max(bars.task_ids, default=task.id))
            return Text(f"{amount}  {left}".rstrip())

    bars = Bars(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        Amount(),
        console=console,
        transient=True,
        speed_estimate_period=PACE_SECONDS,
        get_time=lambda: time.monotonic(),  # noqa: PLW0108 - the clock of tests
    )
    return bars
