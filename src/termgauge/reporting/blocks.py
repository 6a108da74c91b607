"""What a report says, before it is known how it is shown: sections of prose, tables and figures.

HTML, Markdown, LaTeX and CSV are ways to show the same document, so that a number on the page and the number in a
paper's table cannot differ. A report on a run, the difference of two runs and a leaderboard are each one document.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from termgauge.exceptions import one_line
from termgauge.reporting import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import polars as pl

    from termgauge.reporting.plots.canvas import Canvas


class _Shown:
    """What is shown: terms, names and messages come from outside, so none of its texts may hold more than a line."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, str):
                object.__setattr__(self, name, one_line(value))
            elif isinstance(value, tuple) and any(isinstance(item, str) for item in value):
                object.__setattr__(self, name, tuple(map(one_line, value)))


@dataclass(frozen=True)
class Prose(_Shown):
    """Paragraphs of plain text, in which ``**bold**`` and ```code``` are marked as in Markdown."""

    paragraphs: tuple[str, ...]


@dataclass(frozen=True)
class Column(_Shown):
    """A column of a table."""

    heading: str
    numeric: bool = False
    """Its cells are numbers: aligned, and sorted by value."""
    note: str = ""
    """What the heading means, where it is not plain."""
    group: str = ""
    """A heading over this and its neighbours of the same group."""
    cell: Callable[[Any], Cell] | None = field(default=None, repr=False, compare=False)
    """How its cells are made from values; if not said, they are texts, or numbers to three digits."""

    @classmethod
    def number(cls, heading: str, digits: int = 3, note: str = "", group: str = "") -> Self:
        """Return a column of numbers to so many digits."""
        return cls(heading, numeric=True, note=note, group=group, cell=partial(Cell.number, digits=digits))

    @classmethod
    def count(cls, heading: str, note: str = "", group: str = "") -> Self:
        """Return a column of whole numbers."""
        return cls(heading, numeric=True, note=note, group=group, cell=Cell.count)

    @classmethod
    def share(cls, heading: str, note: str = "", group: str = "") -> Self:
        """Return a column of shares in per cent."""
        return cls(heading, numeric=True, note=note, group=group, cell=Cell.share)

    def shown(self, value: Any) -> Cell:  # noqa: ANN401
        """Return the cell of a value; one that is a cell already stays as it is."""
        if isinstance(value, Cell):
            return value
        if self.cell is not None:
            return self.cell(value)
        return Cell.number(value) if self.numeric else Cell("" if value is None else str(value))


NumberColumn = partial(Column, numeric=True)


def column_groups(columns: Sequence[Column], places: Iterable[int]) -> list[tuple[str, list[int]]]:
    """Return runs of columns, by their places, under one heading; a column without one stands alone."""
    keyed = groupby(places, key=lambda at: columns[at].group or at)
    return [(columns[members[0]].group, members) for members in (list(run) for _, run in keyed)]


class Interval(NamedTuple):
    """An interval about a value, shown as :meth:`Cell.number` shows the value itself."""

    low: float
    high: float
    digits: int = 3
    signed: bool = False
    """Whether an end above zero gets a plus sign."""
    top: float | None = 1.0
    """What an end below it is never shown as."""

    @classmethod
    def known(cls, low: float | None, high: float | None) -> Self | None:
        """Return an interval; None where an end is missing."""
        if low is None or high is None or math.isnan(low) or math.isnan(high):
            return None
        return cls(low, high)

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends as text."""
        low, high = (words.decimal(end, self.digits, signed=self.signed, top=self.top) for end in (self.low, self.high))
        return low, high


class WinsLosses(NamedTuple):
    """How many others a value is significantly better and worse than; as text such as ``+3-1``."""

    wins: int = 0
    losses: int = 0

    def __bool__(self) -> bool:
        return any(self)

    def __str__(self) -> str:
        counts = (f"{sign}{count}" for sign, count in (("+", self.wins), ("-", self.losses)) if count)
        return "".join(counts)


UNTESTED = WinsLosses()


@dataclass(frozen=True)
class Cell(_Shown):
    """A cell of a table. Cells of numeric columns are made by :meth:`number`, :meth:`count` and :meth:`share`."""

    text: str
    value: float | None = None
    """The number that it shows, with all digits; None in a column of text, and where there is none."""
    against: WinsLosses = UNTESTED
    """Shown as a superscript."""
    interval: Interval | None = None
    best: bool = False
    """Whether it is the best of its column, or cannot be told from the best."""
    note: str = ""
    """What a reader sees who points at it."""

    @classmethod
    def number(
        cls,
        value: float | None,
        digits: int = 3,
        *,
        signed: bool = False,
        top: float | None = 1.0,
        against: WinsLosses = UNTESTED,
        interval: Interval | None = None,
        best: bool = False,
        note: str = "",
    ) -> Self:
        """Return a value to so many digits, and its interval likewise; a dash where there is none.

        `top` is what a value below it is never shown as: 1, 100 for what is in per cent, None for what has no end.
        """
        value_or_none = None if words.missing(value) else value
        text = words.decimal(value_or_none, digits, signed=signed, top=top)
        ends = interval and interval._replace(digits=digits, signed=signed, top=top)
        return cls(text, value_or_none, against, ends, best=best, note=note)

    @classmethod
    def count(cls, value: int | None, *, note: str = "") -> Self:
        """Return a whole number; an empty cell where there is none."""
        return cls("" if value is None else words.number(value), value, note=note)

    @classmethod
    def share(cls, value: float | None, *, note: str = "") -> Self:
        """Return a share in per cent."""
        return cls(words.share(value), value, note=note)


@dataclass(frozen=True)
class Table(_Shown):
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
    draw: Callable[[int], Canvas] | None = field(default=None, repr=False, compare=False)
    """Makes a picture for a width in pixels, which a page shows in its place."""

    @classmethod
    def from_rows(
        cls,
        id: str,  # noqa: A002
        caption: str,
        columns: Iterable[object],
        rows: Iterable[Iterable[Any]],
        notes: Iterable[str] = (),
        **more: Any,  # noqa: ANN401
    ) -> Self:
        """Return a table of values, of which columns make cells; a heading alone stands for a column of text."""
        heads = tuple(column if isinstance(column, Column) else Column(str(column)) for column in columns)
        cells = tuple(tuple(column.shown(value) for column, value in zip(heads, row, strict=True)) for row in rows)
        return cls(id, caption, heads, cells, tuple(notes), **more)


@dataclass(frozen=True)
class Figure(_Shown):
    """A plot with a caption, an id as tables have it, and the data that are drawn."""

    id: str
    caption: str
    description: str
    """What the picture shows, in a sentence or two, for those who cannot see it."""
    draw: Callable[[int], Canvas]
    """Makes the plot for a width in pixels: a page asks for a wide one and one for phones."""
    data: pl.DataFrame = field(repr=False)
    folded: bool = False
    """Whether it is of interest to few: shown on request."""


Block = Prose | Table | Figure


@dataclass(frozen=True)
class Section(_Shown):
    """A section of a report."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    level: int = 2
    """2 for a section, 3 for a part of the section before it."""
    folded: bool = False
    """Whether a page shows it on request, with its parts."""
    about: str = ""
    """What was found, in a sentence that stands beside its title in the contents."""


@dataclass(frozen=True)
class Fact(_Shown):
    """What is to be known first, such as which terminology was used; without a name if the value says it all."""

    name: str
    value: str

    def __str__(self) -> str:
        return f"{self.name}: {self.value}" if self.name else self.value


@dataclass(frozen=True)
class Document(_Shown):
    """A whole report."""

    title: str
    summary: tuple[str, ...]
    """The numbers of the headline, or what is to be remembered, in a few sentences marked as in :class:`Prose`."""
    facts: tuple[Fact, ...]
    sections: tuple[Section, ...]
    headline: str = ""
    """The verdict, above all else."""

    @property
    def chapters(self) -> list[tuple[Section, ...]]:
        """The sections, each with its parts."""
        starts = [at for at, entry in enumerate(self.sections) if at == 0 or entry.level == 2]
        return [self.sections[at:end] for at, end in pairwise([*starts, len(self.sections)])]

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


def block_id(*parts: str) -> str:
    """Return an id fit for a table or figure: letters, digits and dashes, such as ``values-names-vs-synonyms``."""
    plain = (re.sub(r"[^a-z0-9]+", "-", part.lower()).strip("-")[:60] for part in parts)
    return "-".join(part for part in plain if part) or "block"
