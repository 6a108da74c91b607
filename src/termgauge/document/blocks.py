"""What a report says, before it is known how it is shown: sections of prose, tables and figures.

HTML, Markdown, LaTeX and CSV are ways to show the same document, so that a number on the page and the number in a
paper's table cannot differ. A report on a run, the difference of two runs and a leaderboard are each one document.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl

    from termgauge.document.plots.canvas import Canvas


@dataclass(frozen=True)
class Prose:
    """Paragraphs of plain text, in which ``**bold**`` and ```code``` are marked as in Markdown."""

    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    heading: str
    numeric: bool = False
    """Its cells are numbers: aligned, and sorted by value."""
    note: str = ""
    """What the heading means, where it is not plain."""
    group: str = ""
    """A heading over this and its neighbours of the same group."""


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str
    value: float | str | None = None
    """What it is sorted by; its text if there is none."""
    superscript: str = ""
    """Significant wins and losses, such as ``+3-1``."""
    interval: tuple[str, str] | None = None
    """The interval's ends, as shown."""
    best: bool = False
    """Whether it is the best of its column, or cannot be told from the best."""
    note: str = ""
    """What a reader sees who points at it."""


@dataclass(frozen=True)
class Table:
    """A table with a caption."""

    id: str
    """Unique in the document; part of file names: letters, digits and dashes."""
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    """Sentences below the table, such as what the superscripts mean."""
    data: pl.DataFrame | None = None
    """All digits of what it shows, for downloading; what the cells say if there is none."""
    sortable: bool = True
    folded: bool = False
    """Whether it is long and of interest to few: shown on request."""


@dataclass(frozen=True)
class Figure:
    """A plot with a caption and its data."""

    id: str
    """Unique in the document; part of file names: letters, digits and dashes."""
    caption: str
    description: str
    """What the picture shows, in a sentence or two, for those who cannot see it."""
    draw: Callable[[int], Canvas]
    """Makes the plot for a width in pixels: a page asks for a wide one and one for phones."""
    data: pl.DataFrame = field(repr=False)
    """What is drawn."""
    folded: bool = False
    """Whether it is of interest to few: shown on request."""


Block = Prose | Table | Figure


@dataclass(frozen=True)
class Section:
    """A section of a report."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    level: int = 2
    """2 for a section, 3 for a part of the section before it."""


@dataclass(frozen=True)
class Fact:
    """A line of what is to be known first, such as which terminology was used."""

    name: str
    value: str


@dataclass(frozen=True)
class Document:
    """A whole report."""

    title: str
    summary: tuple[str, ...]
    """What is to be remembered, in a few sentences, marked as in :class:`Prose`."""
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]

    def blocks(self) -> Iterator[Block]:
        """Return all blocks in order."""
        for section in self.sections:
            yield from section.blocks

    def tables(self) -> list[Table]:
        """Return all tables in order."""
        return [block for block in self.blocks() if isinstance(block, Table)]

    def figures(self) -> list[Figure]:
        """Return all figures in order."""
        return [block for block in self.blocks() if isinstance(block, Figure)]
