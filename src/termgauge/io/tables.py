"""One reader of tables: CSV and TSV as spreadsheets and scripts write them, and DataFrames of pandas and Polars.

The separator, quotes and the header of a file are found out. A column is found by its name in any spelling (``term_1``
is also ``Term 1``), by another name that is usual for it (``word1``), or by its number. Every cell is text, so that
what a table holds is decided alike for files and DataFrames.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.frames import as_polars, is_frame
from termgauge.io.decoding import decoded, table_rows
from termgauge.io.source import files_of

if TYPE_CHECKING:
    import os

    import polars as pl

Columns = str | Sequence[str | int] | Mapping[str, str | int]
"""How columns are named: in one text with commas between, one by one, or as what each is to be called."""
SEPARATORS = ",\t;|"
_TERMS = ("term", "word", "text", "sentence")
USUAL = (
    *(tuple(f"{term}{number}" for term in _TERMS) for number in (1, 2)),
    ("score", "label", "rating", "similarity", "relatedness"),
)
"""What columns are called that mean the same, the most usual names first."""
_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?")
_SHOWN = 20
"""How many columns a message names."""


def read_table(
    source: str | os.PathLike[str] | Any,  # noqa: ANN401
    columns: Columns = (),
    *,
    header: bool | None = None,
) -> pl.DataFrame:
    """Read a table: a CSV or TSV file, or a DataFrame of pandas or Polars; each column is text, empty cells are null.

    The separator (comma, tab, semicolon or bar) is found out, fields may be quoted, and the file may be compressed.

    Parameters
    ----------
    source
        The file or DataFrame.
    columns
        Which columns are wanted, by name or number (from 1), in one text with commas between or one by one; or what
        each is to be called, as ``{"term_1": "first term"}``; all if none is named. Small letters, spaces and
        underscores make no difference, and usual names are understood: ``term_1`` also finds ``word1``, ``text1`` or
        ``sentence1``, and ``score`` a ``label``, ``rating`` or ``similarity``.
    header
        Whether the first row of a file names the columns; if not given, it does unless it holds a number.

    Raises
    ------
    TermgaugeError
        If a column is not there or rows differ in length; the message names the line.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({"Word 1": ["flu"], "Word 2": ["influenza"], "n": [3]})
    >>> read_table(table, ["term_1", "term_2"]).rows()
    [('flu', 'influenza')]
    """
    import polars as pl

    wanted = dict(columns) if isinstance(columns, Mapping) else {name: name for name in column_names(columns)}
    table = open_table(source, [str(column) for column in wanted.values()])
    if header is None:
        header = not any(_NUMBER.fullmatch(cell) for cell in table.first)
    if not wanted:
        names = table.first if header or table.framed else []
        kept = {at: name for at, name in enumerate(names) if name and names.index(name) == at}
        places = {kept.get(at, f"column_{at + 1}"): at for at in range(len(table.first))}
    else:
        places = {str(name): table.place(str(column)) for name, column in wanted.items()}
    rows = table.rows(header=header)
    return pl.DataFrame({name: [cell or None for cell in rows.column(at)] for name, at in places.items()}).cast(
        pl.String
    )


def column_names(columns: str | Sequence[str | int]) -> list[str]:
    """Return columns that are named in one text with commas between, or one by one."""
    named = columns.split(",") if isinstance(columns, str) else [str(each) for each in columns]
    return [each.strip() for each in named if each.strip()]


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table below its header."""

    label: str
    titles: Sequence[str]
    """What columns are called; their numbers where there is no header."""
    cells: Sequence[Sequence[str]] | pl.DataFrame
    lines: Sequence[int]
    """The number of each row's last line in its file."""
    framed: bool

    def column(self, at: int) -> list[str]:
        """Return the cells of a column as text, without spaces at their ends; empty where there is no value.

        Raises
        ------
        TermgaugeError
            If the column of a DataFrame has values that are no cells, such as lists.
        """
        if not self.framed:
            return [row[at].strip() for row in self.cells]
        import polars as pl

        assert isinstance(self.cells, pl.DataFrame)
        values = self.cells.to_series(at)
        if values.dtype.is_nested() or values.dtype in (pl.Object, pl.Binary):
            raise TermgaugeError(
                f"{self.label}: the column '{self.titles[at]}' has the type {values.dtype}; make it text or numbers."
            )
        return ["" if value is None or value != value else str(value).strip() for value in values]  # noqa: PLR0124

    def texts(self, at: int, *, numbers: bool = False) -> list[str]:
        """Return the cells of a column that holds text, or also whole `numbers`, which only DataFrames tell apart."""
        import polars as pl

        if isinstance(self.cells, pl.DataFrame):
            kind = self.cells.dtypes[at]
            if not (kind in (pl.String, pl.Categorical, pl.Enum, pl.Null) or (numbers and kind.is_integer())):
                raise TermgaugeError(
                    f"{self.label}: the column '{self.titles[at]}' has the type {kind}; make it text, or name another "
                    "one with columns."
                )
        return self.column(at)

    @property
    def unit(self) -> str:
        """What messages call a row."""
        return "row" if self.framed else "line"

    def where(self, row: int) -> str:
        """Return how messages name a row."""
        return f"{self.label}, {self.unit} {self.lines[row]:,}"


@dataclass(frozen=True, eq=False)
class Table:
    """A table whose first row may be a header."""

    label: str
    first: list[str]
    """The cells of the first row; of a DataFrame, what its columns are called."""
    content: Sequence[tuple[int, Sequence[str]]] | pl.DataFrame
    framed: bool = False
    """Whether it is a DataFrame."""

    def find(self, name: str) -> int | None:
        """Return where the column of a name is, in whichever spelling or under another usual name; None if nowhere."""
        exact = [title.lower() for title in self.first]
        if name.lower() in exact:
            return exact.index(name.lower())
        titles = [_spelt(title) for title in self.first]
        alike = next((names for names in USUAL if _spelt(name) in names), ())
        found = (titles.index(each) for each in (_spelt(name), *alike) if each and each in titles)
        return next(found, None)

    def place(self, column: str, *, numbered: bool = False) -> int:
        """Return where a column is, by name or number; where all are `numbered`, a number is no name in a file."""
        if (not numbered or self.framed) and (found := self.find(column)) is not None:
            return found
        if column.isdecimal() and 1 <= int(column) <= len(self.first):
            return int(column) - 1
        where = self.label if self.framed else f"{self.label}, line 1"
        raise TermgaugeError(
            f"{where}: has no column '{column}'; it has {self.has()}.{did_you_mean(column, self.first)}"
        )

    def has(self) -> str:
        """Return what its columns are called, for a message."""
        return ", ".join(title[:30] for title in self.first[:_SHOWN]) or "none"

    def rows(self, *, header: bool) -> Rows:
        """Return its rows: all, or those below a header.

        Raises
        ------
        TermgaugeError
            If a row has not as many cells as the first one.
        """
        import polars as pl

        if isinstance(self.content, pl.DataFrame):
            return Rows(self.label, self.first, self.content, range(1, self.content.height + 1), framed=True)
        titles = self.first if header else [f"{at + 1}" for at in range(len(self.first))]
        content = self.content[header:]
        for line, row in content:
            if len(row) != len(self.first):
                raise TermgaugeError(
                    f"{self.label}, line {line:,}: has {len(row)} columns instead of {len(self.first)}, as the first "
                    "line has."
                )
        lines = [line for line, _row in content]
        return Rows(self.label, titles, [row for _line, row in content], lines, framed=False)


def open_table(
    source: str | os.PathLike[str] | Any,  # noqa: ANN401
    wanted: Sequence[str] = (),
    label: str = "The table",
) -> Table:
    """Open a file or a DataFrame, which messages call `label`; the columns that are `wanted` tell the separator."""
    if is_frame(source):
        frame = as_polars(source, label)
        return Table(label, [name.strip() for name in frame.columns], frame, framed=True)
    files = files_of(source)
    if len(files) != 1:
        raise TermgaugeError(f"{source}: holds {len(files)} files; name the one file with the table.")
    name, content = files[0].label, files[0].read()
    if not content.strip():
        raise TermgaugeError(f"{name}: is empty; a table has one line for each row.")
    text = decoded(content, name)
    found = table_rows(text, name, _separator(text, wanted, name))
    rows = [(line, row) for line, row in found if any(map(str.strip, row))]
    return Table(name, [cell.strip() for cell in rows[0][1]] if rows else [], rows)


def _separator(text: str, wanted: Sequence[str], name: str) -> str:
    """Return the separator with which the first line has most of the columns, or is longest."""
    first = text.lstrip("\r\n").partition("\n")[0]

    def fits(separator: str) -> tuple[int, int]:
        cells = [cell.strip() for _line, row in table_rows(first, name, separator, strict=False) for cell in row]
        table = Table("", cells, ())
        return sum(table.find(each) is not None for each in wanted), len(cells)

    return max(SEPARATORS, key=fits)


def _spelt(name: str) -> str:
    """Return a name as it is compared.

    >>> _spelt("Term 1"), _spelt("term_1"), _spelt("TERM-1")
    ('term1', 'term1', 'term1')
    """
    return re.sub(r"[\s_.-]", "", name.lower())
