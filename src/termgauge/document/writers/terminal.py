"""A document on a terminal: its words and tables, without its figures and what is of interest to few."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from termgauge.document.blocks import Prose, Table
from termgauge.document.marks import spans
from termgauge.document.pieces import raised, table_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from rich.console import RenderableType
    from rich.table import Table as Shown

    from termgauge.document.blocks import Block, Cell, Document

_STYLES = {"plain": "", "bold": "bold", "code": "cyan"}


def document_tables(document: Document, sections: Container[str] | None = None) -> RenderableType:
    """Return the summary of a document and its tables, as far as they are not folded.

    Parameters
    ----------
    document
        What to show.
    sections
        The ids of sections to show; all if nothing is said.
    """
    parts: list[RenderableType] = [Text(document.title, style="bold"), *map(_marked, document.summary), ""]
    for section in document.sections:
        if sections is not None and section.id not in sections:
            continue
        shown = [part for block in section.blocks for part in _block(block)]
        if shown:
            parts += [Text(section.title, style="bold"), *shown, ""]
    return Group(*parts)


def _marked(text: str) -> Text:
    return Text.assemble(*((piece, _STYLES[style]) for style, piece in spans(text)))


def _block(block: Block) -> Iterator[RenderableType]:
    if isinstance(block, Prose):
        yield from map(_marked, block.paragraphs)
    elif isinstance(block, Table) and not block.folded:
        yield _table(block)
        yield from (Text(note, style="dim") for note in block.notes)


def _table(table: Table) -> Shown:
    headings = [f"{column.group} {column.heading}".strip() for column in table.columns]
    shown = table_of(*headings, right=0)
    for column, about in zip(shown.columns, table.columns, strict=True):
        column.justify = "right" if about.numeric and not _raised(table, about.heading) else "left"
        column.overflow = "fold"  # a name that is cut short may be that of another row
    for row in table.rows:
        shown.add_row(*map(_cell, row))
    return shown


def _raised(table: Table, heading: str) -> bool:
    """Say whether something stands behind the numbers of a column, which are then aligned to the left."""
    at = [column.heading for column in table.columns].index(heading)
    return any(row[at].against or row[at].interval for row in table.rows)


def _cell(cell: Cell) -> Text:
    text = Text(cell.text, style="bold" if cell.best else "")
    text.append(raised(str(cell.against)), style="not bold")
    if cell.interval:
        text.append(f" [{', '.join(cell.interval.ends)}]", style="dim not bold")
    return text
