"""A document on a terminal: its words and tables, without its figures.

A table that is too wide is divided: each part repeats the columns of text at the left and shows as many of the others
as fit, so that no number and no word is cut. If it has many intervals it loses them first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from rich.cells import cell_len
from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from termgauge.reporting.blocks import Document, Figure, Prose, Table, column_groups
from termgauge.reporting.words import raised, spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from termgauge.reporting.blocks import Block, Cell, Section

_STYLES = {"plain": "", "bold": "bold", "code": "cyan"}
_GAP = 2
_LEAST_TEXT = 16
"""Columns of text are broken into lines at spaces, but not into narrower ones than this."""
_LONGEST_WORD = 24
"""A longer one, such as an address, may be broken, but for the names of rows."""
_FEW_INTERVALS = 3
"""A table with intervals in no more columns than this is rather divided than shown without them."""
_PLAIN: dict[str, Any] = {"box": None, "pad_edge": False, "padding": (0, _GAP, 0, 0)}
_NO_INTERVALS = "The intervals are left out, for the table would be too wide with them."


def terminal(shown: Document | Iterable[Section], *, width: int = 80) -> RenderableType:
    """Return a document, or some sections, for a rich console, without what is folded."""
    parts: list[RenderableType] = []
    if isinstance(shown, Document):
        parts += [Text(shown.headline or shown.title, style="bold"), *map(_marked, shown.summary)]
        parts += [_marked(str(fact)) for fact in shown.facts]
        parts += [""] if shown.sections else []
    for section in shown.sections if isinstance(shown, Document) else shown:
        if {type(block) for block in section.blocks} == {Prose, Figure}:
            continue  # words about what is not shown
        parts += [Text(section.title, style="bold")] if section.title and any(map(_is_shown, section.blocks)) else []
        for block in filter(_is_shown, section.blocks):
            parts += [*(map(_marked, block.paragraphs) if isinstance(block, Prose) else _table(block, width)), ""]
    return Group(*(parts[:-1] if parts and parts[-1] == "" else parts))


def _is_shown(block: Block) -> TypeGuard[Prose | Table]:
    return isinstance(block, Prose) or (isinstance(block, Table) and not block.folded)


def _marked(text: str) -> Text:
    return Text.assemble(*((piece, _STYLES[style]) for style, piece in spans(text)))


def _table(table: Table, width: int) -> Iterator[RenderableType]:
    layout = _Layout(table, intervals=True)
    notes = list(table.notes)
    parts = layout.parts(width)
    with_intervals = {at for row in table.rows for at, cell in enumerate(row) if cell.interval}
    if len(parts) > 1 and len(with_intervals) > _FEW_INTERVALS:
        layout = _Layout(table, intervals=False)
        parts = layout.parts(width)
        notes.append(_NO_INTERVALS)
    if table.caption:
        yield _marked(table.caption)
    for index, columns in enumerate(parts):
        yield from [""] if index else []
        yield from layout.drawn(columns, width)
    for note in notes:
        text = _marked(note)
        text.stylize("dim")
        yield text


class _Width(NamedTuple):
    """How many characters a column needs at least, and takes at most."""

    least: int
    most: int


class _Layout:
    """The texts of a table, and how wide its columns are."""

    def __init__(self, table: Table, *, intervals: bool) -> None:
        self.columns = table.columns
        cells = [[row[at] for row in table.rows] for at in range(len(self.columns))]
        self.by_column = [_texts(column, intervals=intervals) for column in cells]
        self.raised = [any(cell.against or cell.interval for cell in column) for column in cells]
        self.widths = [self._width(at) for at in range(len(self.columns))]
        for group, under in column_groups(self.columns, range(len(self.columns))):  # a heading over them needs room too
            longest = max(map(cell_len, group.split()), default=0)
            last, lacking = self.widths[under[-1]], max(0, longest - self._least(under))
            room = max(last.most, last.least + max(0, cell_len(group) - self._least(under)))
            self.widths[under[-1]] = _Width(last.least + lacking, room)

    def _width(self, at: int) -> _Width:
        heading = self.columns[at].heading
        most = max((text.cell_len for text in self.by_column[at]), default=0)
        if self.columns[at].numeric:
            longest = max(most, *map(cell_len, heading.split() or [""]))
            return _Width(longest, longest)
        most = max(most, cell_len(heading))
        words = [word for text in (heading, *(text.plain for text in self.by_column[at])) for word in text.split()]
        longest = max(map(cell_len, words), default=0)
        return _Width(min(most, max(_LEAST_TEXT, longest if at == 0 else min(longest, _LONGEST_WORD))), most)

    def parts(self, width: int) -> list[list[int]]:
        """Return the columns of each part: those of text at the left, and as many groups of others as fit."""
        every = list(range(len(self.columns)))
        if self._least(every) <= width:
            return [every]
        first_text = next((at for at in every if not self.columns[at].numeric), 0)  # behind a place, perhaps
        first_number = next((at for at in every[first_text:] if self.columns[at].numeric), first_text + 1)
        left = every[: max(first_number, 1)] if first_text <= 1 else every[:1]
        if self._least(left) > width // 2:
            left = every[:1]
        parts: list[list[int]] = []
        for unit in self._units(every[len(left) :], width - self._least(left) - _GAP):
            if not parts or self._least([*left, *parts[-1], *unit]) > width:
                parts.append([])
            parts[-1] += unit
        return [[*left, *part] for part in parts]

    def _units(self, columns: Sequence[int], room: int) -> Iterator[list[int]]:
        """Yield what is not to be divided: the columns under one heading, if they fit, else each column."""
        for _, unit in column_groups(self.columns, columns):
            yield from [unit] if self._least(unit) <= room else ([at] for at in unit)

    def _least(self, columns: Sequence[int]) -> int:
        return sum(self.widths[at].least + _GAP for at in columns) - _GAP

    def drawn(self, columns: Sequence[int], width: int) -> Iterator[RenderableType]:
        """Yield the headings over columns, and their own with the rows."""
        widths = self._shared_out(columns, width)
        if any(self.columns[at].group for at in columns):
            over = Grid(**_PLAIN, show_header=False)
            groups = column_groups(self.columns, columns)
            for _group, under in groups:
                over.add_column(width=sum(widths[at] + _GAP for at in under) - _GAP, vertical="bottom", overflow="fold")
            over.add_row(*(Text(group, style="bold") for group, _under in groups))
            yield over
        grid = Grid(**_PLAIN, header_style="bold")
        for at in columns:
            right = self.columns[at].numeric and not self.raised[at]
            heading = Text(self.columns[at].heading)
            # A name that is cut short may be that of another row.
            grid.add_column(heading, justify="right" if right else "left", width=widths[at], overflow="fold")
        for row in zip(*(self.by_column[at] for at in columns), strict=True):
            grid.add_row(*row)
        yield grid

    def _shared_out(self, columns: Sequence[int], width: int) -> dict[int, int]:
        """Return the width of each column: what it needs, and of the room that is left what it can use."""
        widths = {at: self.widths[at].least for at in columns}
        for at in columns[:1]:  # of a table that nothing can make narrow enough
            others = self._least(columns) - widths[at]
            widths[at] = min(widths[at], max(width - others, _LEAST_TEXT))
        room = max(0, width - self._least(columns))
        while room > 0 and (growing := [at for at in columns if widths[at] < self.widths[at].most]):
            for at in growing[:room]:
                widths[at] += 1
            room -= len(growing[:room])
        return widths


def _texts(cells: Sequence[Cell], *, intervals: bool) -> list[Text]:
    """Return the texts of a column, padded so that digits, superscripts and intervals stand below each other."""
    numbers = max((cell_len(cell.text) for cell in cells if cell.value is not None), default=0)
    behind = max((len(str(cell.against)) for cell in cells), default=0)
    marked = behind or any(cell.interval for cell in cells)
    texts = []
    for cell in cells:
        text = Text(style="bold" if cell.best else "")
        text.append(cell.text.rjust(numbers) if marked else cell.text)
        text.append(raised(str(cell.against)), style="not bold")
        if intervals and cell.interval:
            text.append(" " * (behind - len(str(cell.against))))
            text.append(f" [{', '.join(cell.interval.ends)}]", style="dim not bold")
        texts.append(text)
    return texts
