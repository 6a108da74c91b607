"""The reports that commands write: of a run, of the difference of two runs, of a leaderboard."""

from __future__ import annotations

import json
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.engine.run_folder import EXPERIMENT, LOCK, REPORT, RUN, RunFolder, open_run
from termgauge.exceptions import LeftOutWarning, TermgaugeError, TermgaugeWarning, warn
from termgauge.io.atomic import write_text
from termgauge.io.identity import sha256_of_stream, sha256_of_value, version
from termgauge.options import also_called
from termgauge.progress import track
from termgauge.reporting.writers.pictures import checked_pictures
from termgauge.reporting.writers.write import checked_formats, places, write_document
from termgauge.tasks.registry import all_tasks

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from termgauge.reporting.blocks import Document

HTML = "html"
KEPT = ".report.json"
"""What the page of a run was made from."""
_MADE_ANEW = (RUN, LOCK, EXPERIMENT, REPORT, KEPT, "benchmarks", "sets", "domains", "comparisons")
"""What every run writes, or what is made from the rest; the sets stand in ``run.json``, by their hashes."""


@also_called(format="formats")
def report(
    run: str | os.PathLike[str] | RunFolder,
    *,
    formats: str | Iterable[str] = ("html",),
    out: str | os.PathLike[str] | None = None,
    figures: str | Iterable[str] | None = None,
    tests: str | None = None,
) -> list[Path]:
    """Write the report on a run.

    Parameters
    ----------
    run
        A run folder.
    formats
        ``html`` (one page), ``markdown``, ``csv`` (a file for each table and figure), ``latex`` (tables to include in a
        paper, and a report that compiles).
    out
        Where to: for one format the file (HTML, Markdown) or folder (CSV, LaTeX) itself, for several a folder. The run
        folder if it is not given.
    figures
        Kinds of picture files beside Markdown and LaTeX: ``svg``, ``pdf``, ``png``, or ``none``.
    tests
        ``robust`` or ``paper``: how differences are tested, in all formats alike; as in the run if not given.

    Returns
    -------
    list
        What to look at: the page, the text, the index of the CSV files, the report in LaTeX.

    Raises
    ------
    TermgaugeError
        If there is no such run or format, or the place cannot be written.

    Examples
    --------
    >>> report("run", formats=["html", "latex"])  # doctest: +SKIP
    """
    from termgauge.engine.report import run_document

    opened = open_run(run)
    targets = _targets(formats, opened.path, out, "report")
    kinds = _kinds(figures)
    with track("Report", total=1 + len(targets), unit="steps") as advance:
        document = run_document(opened, tests=tests)
        whole = document if set(targets) == {HTML} else run_document(opened, paper=True, tests=tests)
        advance(1)
        written = []
        for form, target in targets.items():
            shown = document if form == HTML else whole
            written += write_document(shown, {form: target}, pictures=kinds, made=_made())
            advance(1)
    return written


def update_report(run: RunFolder) -> None:
    """Write the page of a run, unless it is there and nothing that it shows has changed."""
    if is_current(run):
        return
    page, kept = run.path / REPORT, run.path / KEPT
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TermgaugeWarning)
        report(run)
    notes = [each.message for each in caught if isinstance(each.message, TermgaugeWarning)]
    for note in notes:
        warn(note)
    if any(isinstance(note, LeftOutWarning) for note in notes):
        kept.unlink(missing_ok=True)  # what is missing is said again each time
    else:
        write_text(kept, json.dumps({"shows": _shown(run), "page": _sha256(page)}) + "\n")


def is_current(run: RunFolder) -> bool:
    """Say whether the page of a run shows what the run holds."""
    with suppress(OSError, ValueError, TermgaugeError):
        kept = json.loads((run.path / KEPT).read_bytes())
        return bool(kept == {"shows": _shown(run), "page": _sha256(run.path / REPORT)})
    return False


def _shown(run: RunFolder) -> str:
    """Return a hash of what the page shows; files that only change when they are made anew are known by their times."""
    record = run.record().model_dump(mode="json", exclude={"timings", "units"})
    files = [
        (file.relative_to(run.path).as_posix(), file.stat().st_size, file.stat().st_mtime_ns)
        for place in run.path.iterdir()
        if place.name not in _MADE_ANEW
        for file in ([place] if place.is_file() else place.rglob("*"))
        if file.is_file()
    ]
    tasks = {name: task.version for name, task in all_tasks().items()}
    return sha256_of_value([version(), tasks, record, _sha256(run.path / EXPERIMENT), sorted(files)])


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return sha256_of_stream(stream)


def write_as(
    document: Document,
    *,
    formats: str | Iterable[str],
    folder: Path,
    out: str | os.PathLike[str] | None,
    name: str,
    figures: str | Iterable[str] | None = None,
) -> list[Path]:
    """Write a document that is there in some formats; see :func:`report`."""
    targets = _targets(formats, folder, out, name)
    return write_document(document, targets, pictures=_kinds(figures), made=_made())


def check_targets(formats: str | Iterable[str], out: str | os.PathLike[str] | None, folder: Path, name: str) -> None:
    """Find out that a format or place cannot be used before work is done for it."""
    _targets(formats, folder, out, name)


def _targets(
    formats: str | Iterable[str], folder: Path, out: str | os.PathLike[str] | None, name: str
) -> dict[str, Path]:
    wanted = checked_formats([formats] if isinstance(formats, str) else formats) or ("html",)
    return places(wanted, folder, None if out is None else Path(out), name)


def _kinds(figures: str | Iterable[str] | None) -> tuple[str, ...] | None:
    if figures is None:
        return None
    words = [figures] if isinstance(figures, str) else figures
    kinds = [part for word in words for part in word.replace(",", " ").lower().split()]
    checked_pictures(kinds)
    return tuple(kinds)


def _made() -> str:
    return f"Made by termgauge {version()}."
