"""Wall time and peak memory of a function, each in a process of its own, and the table that shows them.

A fresh process has no memory left over from earlier work, so its peak is the function's own. Time counts only the
call: starting Python and importing libraries is done before the clock starts.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

import termgauge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

QUICK_VARIABLE = "TERMGAUGE_BENCH_QUICK"
WIDTH = 140


def quick() -> bool:
    """Say whether small sizes are asked for (``python -m benchmarks --quick``)."""
    return os.environ.get(QUICK_VARIABLE, "") not in ("", "0")


@dataclass(frozen=True)
class Measurement:
    """What a call took."""

    seconds: float
    peak_mb: float
    """The most memory the process held at any time (resident, in units of 1,000,000 bytes)."""
    result: Any
    """What the function returned."""

    def __str__(self) -> str:
        """Show time and memory as the tables do."""
        return f"{duration(self.seconds)}, {self.peak_mb:,.0f} MB"


@dataclass(frozen=True)
class Row:
    """One line of a table: two ways to do the same thing, or one number and its limit."""

    what: str
    ours: str
    theirs: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None


def measured(target: str, *args: Any, imports: Sequence[str] = (), repeat: int = 1) -> Measurement:  # noqa: ANN401
    """Run a function in a fresh process.

    Parameters
    ----------
    target
        A function at module level, as ``benchmarks.terminology:read_ours``.
    *args
        Its arguments; they, and what it returns, must be what JSON can hold.
    imports
        Modules to import before the clock starts, beside the function's own.
    repeat
        How many processes; the one with the median time counts (of an even number, the slower of the middle two).

    Raises
    ------
    RuntimeError
        If the function failed; its traceback was printed by the process.
    """
    runs = sorted((_one_run(target, args, imports) for _ in range(repeat)), key=lambda run: run.seconds)
    return runs[repeat // 2]


def faster(what: str, ours: Measurement, theirs: Measurement, *, at_least: float) -> Row:
    """Return the row that compares the times of two ways to do the same thing."""
    ratio = theirs.seconds / ours.seconds
    return Row(what, str(ours), str(theirs), ratio, f"≥ {at_least:g} ×", ratio >= at_least)


def below(what: str, value: float, limit: float, unit: str) -> Row:
    """Return the row that holds one number against its limit."""
    digits = 0 if value >= 100 else 2
    return Row(what, f"{value:,.{digits}f} {unit}", target=f"≤ {limit:,g} {unit}", met=value <= limit)


def noted(what: str, ours: str, theirs: str = "") -> Row:
    """Return a row that has no target."""
    return Row(what, ours, theirs)


def print_table(title: str, rows: Iterable[Row], *, theirs: str = "theirs", console: Console | None = None) -> None:
    """Print rows side by side.

    Parameters
    ----------
    title
        What was measured, and on what.
    rows
        The lines of the table.
    theirs
        What the other side is called.
    console
        Where to print; standard output if not given.
    """
    small = quick()
    title += " (small sizes; the targets hold for the full ones)" if small else ""
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("what")
    for heading in ("termgauge", theirs, "ratio", "target"):
        table.add_column(heading, justify="right")
    table.add_column("met")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.1f} ×"
        met = "" if row.met is None or small else ("[green]yes[/]" if row.met else "[red]no[/]")
        table.add_row(row.what, row.ours, row.theirs, ratio, row.target, met)
    (console or _standard_output()).print(table)


def _standard_output() -> Console:
    """Return standard output; a pipe or a log has no width of its own, and 80 columns would break the lines."""
    screen = Console()
    return screen if screen.is_terminal else Console(width=max(screen.width, WIDTH))


def duration(seconds: float) -> str:
    """Return a time for people.

    Examples
    --------
    >>> duration(0.01234), duration(1.234), duration(123.4)
    ('12.3 ms', '1.23 s', '123 s')
    """
    if seconds < 1:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:.0f} s"


def peak_mb() -> float:
    """Return the most memory that this process, without its children, has held so far."""
    try:
        # getrusage would also count what the parent held when it started this process.
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
        return int(kilobytes) * 1024 / 1e6
    except (OSError, StopIteration):
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / 1e6 if sys.platform == "darwin" else most * 1024 / 1e6


def _one_run(target: str, args: Sequence[Any], imports: Sequence[str]) -> Measurement:
    with tempfile.TemporaryDirectory() as place:
        answer = Path(place, "answer.json")
        request = json.dumps({"target": target, "args": args, "imports": list(imports), "answer": str(answer)})
        command = [sys.executable, "-m", "benchmarks.measure", request]
        done = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, env=_environment())
        if done.returncode or not answer.exists():
            raise RuntimeError(f"{target} failed with exit status {done.returncode}.")
        return Measurement(**json.loads(answer.read_text(encoding="utf-8")))


def _environment() -> dict[str, str]:
    """Let the process find the same benchmarks and the same termgauge as this one."""
    roots = [Path(__file__).parents[1], Path(termgauge.__file__).parents[1]]
    path = [*map(str, roots), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {"PYTHONPATH": os.pathsep.join(path)}


def _answer(request: str) -> None:
    """Do what another process asked for, and leave the measurement where it said."""
    asked = json.loads(request)
    module, _, name = asked["target"].partition(":")
    function = getattr(importlib.import_module(module), name)
    for other in asked["imports"]:
        importlib.import_module(other)
    began = time.perf_counter()
    result = function(*asked["args"])
    seconds = time.perf_counter() - began
    found = {"seconds": seconds, "peak_mb": peak_mb(), "result": result}
    Path(asked["answer"]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    _answer(sys.argv[1])
