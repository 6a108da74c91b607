r"""A document for papers: every table as a file to ``\input``, every plot as PDF and SVG, and a report that compiles.

tables/ID.tex    one table, with caption and label
tables.tex       all of them
figures/ID.pdf (with the extra ``pictures``), figures/ID.svg
report.tex       the whole document; needs no package but booktabs, longtable and graphicx
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.io.atomic import inside, write_text
from termgauge.reporting.blocks import Figure, Prose, Table
from termgauge.reporting.writers.latex_table import FALLBACK, breakable, escaped, latex_table, marked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from termgauge.reporting.blocks import Block, Document

_FLOATS_AT_ONCE = 12
"""LaTeX gives up when too many floats wait for a place."""
_LEVELS = {2: "section", 3: "subsection"}
_PREAMBLE = (
    r"\documentclass[a4paper]{article}",
    r"\usepackage{booktabs}",
    r"\usepackage{graphicx}",
    r"\usepackage{longtable}",
    r"\setlength{\textwidth}{16cm}",
    r"\setlength{\oddsidemargin}{0cm}",
    r"\setlength{\parindent}{0pt}",
    r"\setlength{\parskip}{1ex}",
    r"\sloppy",
)


def write_latex(document: Document, folder: Path, *, pictures: Sequence[str] = ("pdf", "svg")) -> list[Path]:
    """Write a document as LaTeX; return all files, the report first. It shows the first PDF or PNG of each figure."""
    from termgauge.reporting.writers.write import write_pictures

    drawn = write_pictures(document, inside(folder, "figures"), pictures)
    included = {
        name: f"figures/{file.name}"
        for name, files in drawn.items()
        for file in reversed(files)
        if file.suffix in (".pdf", ".png")
    }
    texts = {"report": latex(document, included), "tables": _all_tables(document)}
    texts |= {f"tables/{table.id}": latex_table(table) for table in document.tables()}
    for name, text in reversed(texts.items()):  # the report last, when what it takes in is there
        write_text(inside(folder, f"{name}.tex"), text)
    return [*(folder / f"{name}.tex" for name in texts), *(file for files in drawn.values() for file in files)]


def latex(document: Document, pictures: Mapping[str, str] | None = None) -> str:
    """Return the report, which takes its tables from the folder ``tables``; a figure without a picture is left out."""
    lines = [*_PREAMBLE, FALLBACK, rf"\title{{{escaped(document.title)}}}", r"\author{}", r"\date{}"]
    lines += [r"\begin{document}", r"\maketitle", *_paragraphs(document.summary)]
    if document.facts:
        facts = (rf"  \item[{{{escaped(fact.name)}}}] {marked(breakable(fact.value))}" for fact in document.facts)
        lines += [r"\begin{description}", *facts, r"\end{description}", ""]
    floats = 0
    for section in document.sections:
        lines += [rf"\{_LEVELS.get(section.level, 'paragraph')}{{{escaped(section.title)}}}", ""]
        for block in section.blocks:
            lines += [*_block(block, pictures or {}), ""]
            floats += not isinstance(block, Prose)
            if floats == _FLOATS_AT_ONCE:
                lines += [r"\clearpage", ""]
                floats = 0
    return "\n".join([*lines, r"\end{document}", ""])


def _all_tables(document: Document) -> str:
    lines = ["% All tables of the report; needs the packages booktabs, longtable and graphicx."]
    for place, table in enumerate(document.tables(), 1):
        lines.append(rf"\input{{tables/{table.id}}}")
        if place % _FLOATS_AT_ONCE == 0:
            lines.append(r"\clearpage")
    return "\n".join([*lines, ""])


def _paragraphs(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        yield marked(breakable(text))
        yield ""


def _block(block: Block, pictures: Mapping[str, str]) -> Iterator[str]:
    if isinstance(block, Prose):
        yield from _paragraphs(block.paragraphs)
    elif isinstance(block, Table):
        yield rf"\input{{tables/{block.id}}}"
    elif block.id in pictures:
        yield from _figure(block, pictures[block.id])


def _figure(figure: Figure, where: str) -> Iterator[str]:
    yield r"\begin{figure}[htbp]"
    yield r"  \centering"
    yield rf"  \includegraphics[width=\linewidth,height=0.8\textheight,keepaspectratio]{{{where}}}"
    yield rf"  \caption{{{marked(figure.caption)}}}"
    yield rf"  \label{{fig:{figure.id}}}"
    yield r"\end{figure}"
