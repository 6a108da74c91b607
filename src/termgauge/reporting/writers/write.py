"""A document in the formats that were asked for, each where its readers look for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.atomic import inside
from termgauge.reporting.plots.drawing import can_convert
from termgauge.reporting.writers.pictures import checked_pictures

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from termgauge.reporting.blocks import Document

FORMATS = ("html", "markdown", "csv", "latex")
_SHORT = {"md": "markdown", "tex": "latex", "htm": "html"}
_SUFFIXES = {"html": (".html", ".htm"), "markdown": (".md", ".markdown")}


def checked_formats(names: Iterable[str]) -> tuple[str, ...]:
    """Return formats by their names, each once; several may stand in one word with commas between them.

    Examples
    --------
    >>> checked_formats(["html,latex", "md"])
    ('html', 'latex', 'markdown')
    """
    wanted = [part for name in names for part in name.replace(",", " ").lower().split()]
    for name in wanted:
        if name not in (*FORMATS, *_SHORT):
            close = did_you_mean(name, FORMATS)
            raise TermgaugeError(f"A report cannot be written as '{name}'; choose from {', '.join(FORMATS)}.{close}")
    return tuple(dict.fromkeys(_SHORT.get(name, name) for name in wanted))


def places(formats: Sequence[str], folder: Path, out: Path | None, name: str) -> dict[str, Path]:
    """Return where each format goes: a file for HTML and Markdown, a folder for CSV and LaTeX, called `name`.

    They go to `folder`, or to `out`: for one format the very file or folder, for several a folder that takes them all.
    """
    if out is not None and len(formats) == 1:
        form = formats[0]
        if form not in _SUFFIXES or out.suffix.lower() in _SUFFIXES[form]:
            return {form: _no_file(out) if form not in _SUFFIXES else out}
    if out is not None and out.suffix.lower() in (".html", ".htm", ".md", ".markdown") and not out.is_dir():
        raise TermgaugeError(
            f"{out}: one file cannot take the report as {', '.join(formats)}; name a folder, or the format that the "
            "file's name says."
        )
    base = _no_file(out) if out is not None else folder
    usual = {"html": f"{name}.html", "markdown": f"{name}.md", "csv": f"{name}-csv", "latex": f"{name}-latex"}
    return {form: inside(base, usual[form]) for form in formats}


def write_document(
    document: Document, targets: Mapping[str, Path], *, pictures: Iterable[str] | None = None, made: str = ""
) -> list[Path]:
    """Write a document where :func:`places` says; return what to look at: the page, the text, the index, the report.

    Pictures are the kinds of files beside Markdown and LaTeX: ``svg``, ``pdf``, ``png``, or ``none``; by default SVG,
    and for LaTeX PDF with it if the extra ``pictures`` is installed. A page holds its drawings itself, CSV files what
    is drawn. `made` is a sentence at a page's end, such as by which version it was made.
    """
    chosen = None if pictures is None else checked_pictures(pictures)
    written = []
    for form, target in targets.items():
        if form == "html":
            from termgauge.reporting.writers.html import write_html

            write_html(document, target, made=made)
            written.append(target)
        elif form == "csv":
            from termgauge.reporting.writers.csv_files import write_csv

            written.append(write_csv(document, target)[0])
        elif form == "markdown":
            from termgauge.reporting.writers.markdown import write_markdown

            written.append(write_markdown(document, target, pictures=_chosen(form, chosen))[0])
        else:
            from termgauge.reporting.writers.latex import write_latex

            written.append(write_latex(document, target, pictures=_chosen(form, chosen))[0])
    return written


def _chosen(form: str, pictures: tuple[str, ...] | None) -> tuple[str, ...]:
    """Return the kinds of pictures of a format; LaTeX cannot show SVG, so it gets PDF with it where there is a way."""
    kinds = ("svg",) if pictures is None else pictures
    if form != "latex" or kinds != ("svg",):
        return kinds
    if can_convert():
        return ("pdf", "svg")
    warn(
        "LaTeX cannot show SVG, so report.tex leaves out the figures; to get them as PDF, install the converter with: "
        "pip install 'termgauge[pictures]'."
    )
    return kinds


def _no_file(path: Path) -> Path:
    if path.is_file():
        raise TermgaugeError(f"{path}: is a file, and the report needs a folder; name another.")
    return path
