"""The figures of a document as files, for papers and for Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.progress import track
from termgauge.reporting.plots.drawing import check_converter, write_picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from termgauge.reporting.blocks import Document

PICTURES = ("svg", "pdf", "png")
NONE = "none"


def checked_pictures(kinds: Iterable[str]) -> tuple[str, ...]:
    """Return kinds of picture files that can be written here, each once; ``none`` stands for no pictures."""
    wanted = tuple(dict.fromkeys(kinds))
    known = (*PICTURES, NONE)
    for kind in wanted:
        if kind not in known:
            close = did_you_mean(kind, known)
            raise TermgaugeError(f"Pictures cannot be written as '{kind}'; choose from {', '.join(known)}.{close}")
    if NONE in wanted and len(wanted) > 1:
        raise TermgaugeError("Either no pictures or some: 'none' goes with no other kind.")
    if not {"pdf", "png"}.isdisjoint(wanted):
        check_converter()
    return () if NONE in wanted else wanted


def write_pictures(document: Document, folder: Path, kinds: Sequence[str]) -> dict[str, list[Path]]:
    """Write every figure of a document in every kind; return the files of each figure by its id."""
    figures = document.figures() if kinds else []
    written: dict[str, list[Path]] = {}
    if not figures:
        return written
    with track("Drawing", total=len(figures), unit="figures") as advance:
        for figure in figures:
            written[figure.id] = [folder / f"{figure.id}.{kind}" for kind in kinds]
            for path in written[figure.id]:
                write_picture(figure, path)
            advance(1)
    return written
