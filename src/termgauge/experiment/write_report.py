"""The reports that commands write: of a run, of the difference of two runs, of a leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.document.writers.pictures import checked_pictures
from termgauge.document.writers.write import checked_formats, places, write_document
from termgauge.experiment.run_folder import RunFolder, open_run
from termgauge.identity import version

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from termgauge.document.blocks import Document

HTML = "html"


def report(
    run: str | os.PathLike[str] | RunFolder,
    *,
    formats: str | Iterable[str] = ("html",),
    out: str | os.PathLike[str] | None = None,
    figures: str | Iterable[str] | None = None,
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
    from termgauge.experiment.report import run_document

    opened = open_run(run)
    targets = _targets(formats, opened.path, out, "report")
    kinds = _kinds(figures)
    document = run_document(opened)
    whole = document if set(targets) == {HTML} else run_document(opened, paper=True)
    return [
        file
        for form, target in targets.items()
        for file in write_document(document if form == HTML else whole, {form: target}, pictures=kinds, made=_made())
    ]


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
