"""A document in the formats that were asked for, each where its readers look for it."""

from __future__ import annotations

from itertools import chain, count
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.formulas import harmless_table
from termgauge.io.atomic import inside, whole_file
from termgauge.progress import track
from termgauge.reporting.blocks import Prose, Table
from termgauge.reporting.plots.drawing import can_convert, check_converter, write_picture
from termgauge.reporting.words import missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from termgauge.reporting.blocks import Cell, Document, Figure


PICTURES = ("svg", "pdf", "png")
NONE = "none"


def checked_pictures(kinds: Iterable[str]) -> tuple[str, ...]:
    """Return kinds of picture files that can be written here, each once; ``none`` stands for no pictures."""
    wanted = tuple(dict.fromkeys(kinds))
    choices = (*PICTURES, NONE)
    for kind in wanted:
        if kind not in choices:
            close = did_you_mean(kind, choices)
            raise TermgaugeError(f"Pictures cannot be written as '{kind}'; choose from {', '.join(choices)}.{close}")
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


INDEX = "index.csv"


def write_csv(document: Document, folder: Path) -> list[Path]:
    """Write the data of every table and figure to a file named after its id, and ``index.csv``, which comes first."""
    rows: list[dict[str, Any]] = []
    files = [folder / INDEX]
    titled = ((section.title, block) for section in document.sections for block in section.blocks)
    for section, block in titled:
        if isinstance(block, Prose):
            continue
        frame = _plain(block)
        file = folder / f"{block.id}.csv"
        write_table(frame, file)
        files.append(file)
        kind = "table" if isinstance(block, Table) else "figure"
        about = {"file": file.name, "kind": kind, "section": section, "caption": block.caption}
        rows.append({**about, "rows": frame.height, "columns": ", ".join(frame.columns)})
    strings = dict.fromkeys(("file", "kind", "section", "caption"), pl.String)
    index = pl.DataFrame(rows, schema={**strings, "rows": pl.Int64, "columns": pl.String})
    write_table(index, files[0])
    return files


def write_table(frame: pl.DataFrame, file: Path) -> None:
    """Write one table."""
    with whole_file(file) as temporary:
        harmless_table(frame).write_csv(temporary)


def csv_text(block: Table | Figure) -> str:
    """Return the data of a table or figure as CSV."""
    return harmless_table(_plain(block)).write_csv()


def tidy(table: Table) -> pl.DataFrame:
    """Return the data of a table; where it has none of its own, what its cells hold.

    A column of numbers is then followed by the ends of its intervals and by how many others each value significantly
    beats and loses to, as far as cells say so.
    """
    if table.data is not None:
        return table.data
    columns: dict[str, pl.Series] = {}
    for at, column in enumerate(table.columns):
        name = f"{column.group} {column.heading}".strip()
        cells = [row[at] for row in table.rows]
        for suffix, values in _values(cells, numeric=column.numeric):
            free = _free(f"{name} {suffix}".strip(), columns)
            columns[free] = pl.Series(free, values, strict=False)
    return pl.DataFrame(list(columns.values()))


def _values(cells: list[Cell], *, numeric: bool) -> Iterator[tuple[str, list[Any]]]:
    if not numeric:
        yield "", [cell.text for cell in cells]
        return
    yield "", [None if missing(cell.value) else cell.value for cell in cells]
    if any(cell.interval for cell in cells):
        yield "low", [cell.interval.low if cell.interval else None for cell in cells]
        yield "high", [cell.interval.high if cell.interval else None for cell in cells]
    if any(cell.against for cell in cells):
        yield "better than", [cell.against.wins for cell in cells]
        yield "worse than", [cell.against.losses for cell in cells]


def _free(name: str, taken: dict[str, pl.Series]) -> str:
    """Return a name that no column has yet."""
    others = (f"{name} {number}" for number in count(2))
    return next(free for free in chain([name], others) if free not in taken)


def _plain(block: Table | Figure) -> pl.DataFrame:
    """Return the data of a block without lists and structs, which CSV has no place for; they become JSON."""
    frame = tidy(block) if isinstance(block, Table) else block.data
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    return frame.with_columns(
        pl.struct(value=pl.col(name)).struct.json_encode().str.slice(9).str.head(-1).alias(name) for name in nested
    )


FORMATS = ("html", "markdown", "csv", "latex")
_SHORT = {"md": "markdown", "tex": "latex", "htm": "html"}
_SUFFIXES: dict[str, tuple[str, ...]] = {"html": (".html", ".htm"), "markdown": (".md", ".markdown")}
"""Of the formats that are a file; the others are folders."""


def checked_formats(names: Iterable[str]) -> tuple[str, ...]:
    """Return formats by their names, each once; several may stand in one word with commas between them.

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
        (form,) = formats
        if form not in _SUFFIXES or out.suffix.lower() in _SUFFIXES[form]:
            return {form: _no_file(out) if form not in _SUFFIXES else out}
    if out is not None and out.suffix.lower() in chain(*_SUFFIXES.values()) and not out.is_dir():
        raise TermgaugeError(
            f"{out}: one file cannot take the report as {', '.join(formats)}; name a folder, or the format that the "
            "file's name says."
        )
    base = _no_file(out) if out is not None else folder
    return {form: inside(base, name + _SUFFIXES.get(form, (f"-{form}",))[0]) for form in formats}


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
