"""One reader of tables: CSV and TSV as spreadsheets and scripts write them, and DataFrames of pandas and Polars.

The separator, quotes and the header of a file are found out. A column is found by its name in any spelling (``term_1``
is also ``Term 1``), by another name that is usual for it (``word1``), or by its number. Every cell is text, so that
what a table holds is decided alike for files and DataFrames.

A tab in the first row is the separator; otherwise it is what cuts the first rows into equally many columns, at most.
Quotes around a field belong to the table. In tab-separated lines, where they are as often part of a term, they do so
only where a program would have written them: around a field that needs them, or around every text of the line.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.frames import as_polars, is_frame
from termgauge.io.decoding import decoded, paused_garbage_collection
from termgauge.io.source import SourceFile, only_file

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    import polars as pl

Columns = str | Sequence[str | int] | Mapping[str, str | int]
"""How columns are named: in one text with commas between, one by one, or as what each is to be called."""
SEPARATORS = "\t;,|"
"""Of two that suit alike, the first is taken: commas are more often part of a text than semicolons."""
_TERMS = ("term", "word", "text", "sentence")
USUAL = (
    *(tuple(f"{term}{number}" for term in _TERMS) for number in (1, 2)),
    ("score", "label", "rating", "similarity", "relatedness"),
)
"""What columns are called that mean the same, the most usual names first."""
_NUMBER = re.compile(r"[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?")
_UNQUOTED = re.compile(rf"(?:{_NUMBER.pattern}|NA|[Nn]a[Nn]|-?[Ii]nf|TRUE|FALSE)?")
"""What programs that put all texts in quotes write without."""
_FIELD = r'"[^"]*(?:""[^"]*)*"'
_QUOTED = re.compile(rf"(?:(?<=[{SEPARATORS}])|^){_FIELD}(?=[{SEPARATORS}\r\n]|$)", re.MULTILINE)
_TAB_FIELD = re.compile(rf'(?:^|\t)({_FIELD}|[^"\t]*)')
_TAB_LINE = re.compile(rf'(?:{_FIELD}|[^"\t]*)(?:\t(?:{_FIELD}|[^"\t]*))*')
_NEEDS_QUOTES = re.compile(r'[",;\t\r]')
_HEAD, _FIRST_ROWS = 1 << 16, 10
"""How many characters of a text, and how many of its rows, tell the separator."""
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
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
        positions = {kept.get(at, f"column_{at + 1}"): at for at in range(len(table.first))}
    else:
        positions = {str(name): table.position(str(column)) for name, column in wanted.items()}
    rows = table.rows(header=header)
    return pl.DataFrame({name: [cell or None for cell in rows.column(at)] for name, at in positions.items()}).cast(
        pl.String
    )


def column_names(columns: str | Sequence[str | int]) -> list[str]:
    """Return columns that are named in one text with commas between, or one by one."""
    names = columns.split(",") if isinstance(columns, str) else map(str, columns)
    return [name.strip() for name in names if name.strip()]


class Row(NamedTuple):
    """A row that is not blank: the number of its last line in the file, and its cells without spaces around them."""

    line: int
    cells: list[str]


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table below its header."""

    label: str
    titles: Sequence[str]
    """What columns are called; their numbers where there is no header."""
    lines: Sequence[int]
    """The number of each row's last line in its file."""
    cells: Sequence[Sequence[str]] = ()
    """Those of a file."""
    frame: pl.DataFrame | None = None

    def column(self, at: int) -> list[str]:
        """Return the cells of a column as text, without spaces at their ends; empty where there is no value."""
        if self.frame is None:
            return [row[at] for row in self.cells]
        import polars as pl

        values = self.frame.to_series(at)
        if values.dtype.is_nested() or values.dtype in (pl.Object, pl.Binary):
            raise TermgaugeError(
                f"{self.label}: the column '{self.titles[at]}' has the type {values.dtype}; make it text or numbers."
            )
        return ["" if value is None or value != value else str(value).strip() for value in values]  # noqa: PLR0124

    def texts(self, at: int, *, numbers: bool = False) -> list[str]:
        """Return the cells of a column that holds text, or also whole `numbers`, which only DataFrames tell apart."""
        import polars as pl

        if self.frame is not None:
            kind = self.frame.dtypes[at]
            if not (kind in (pl.String, pl.Categorical, pl.Enum, pl.Null) or (numbers and kind.is_integer())):
                raise TermgaugeError(
                    f"{self.label}: the column '{self.titles[at]}' has the type {kind}; make it text, or name another "
                    "one with columns."
                )
        return self.column(at)

    @property
    def unit(self) -> str:
        """What messages call a row."""
        return "line" if self.frame is None else "row"

    def where(self, row: int) -> str:
        """Return how messages name a row."""
        return f"{self.label}, {self.unit} {self.lines[row]:,}"


@dataclass(frozen=True, eq=False)
class Table:
    """A table whose first row may be a header."""

    label: str
    first: list[str]
    """The cells of the first row; of a DataFrame, what its columns are called."""
    content: Sequence[Row] = ()
    """All rows of a file."""
    separator: str = ""
    frame: pl.DataFrame | None = None

    @property
    def framed(self) -> bool:
        """Whether it is a DataFrame."""
        return self.frame is not None

    def find(self, *names: str) -> int | None:
        """Return where the column of one of some names is, in whichever spelling or under another usual name."""
        exact = [title.lower() for title in self.first]
        titles = [_spelt(title) for title in self.first]
        for name in names:
            if name.lower() in exact:
                return exact.index(name.lower())
        for name in names:
            usual = next((alike for alike in USUAL if _spelt(name) in alike), ())
            for spelt in (_spelt(name), *usual):
                if spelt and spelt in titles:
                    return titles.index(spelt)
        return None

    def matching(self, name: str) -> list[int]:
        """Return where all columns are that a name may mean."""
        usual = next((alike for alike in USUAL if _spelt(name) in alike), (_spelt(name),))
        return [at for at, title in enumerate(self.first) if _spelt(title) in usual]

    def position(self, column: str, *, numbered: bool = False) -> int:
        """Return where a column is, by name or number; where all are `numbered`, a number is no name in a file."""
        if (not numbered or self.framed) and (at := self.find(column)) is not None:
            return at
        if column.isdecimal() and 1 <= int(column) <= len(self.first):
            return int(column) - 1
        where = self.label if self.framed else f"{self.label}, line 1"
        raise TermgaugeError(
            f"{where}: has no column '{column}'; it has {self.has()}.{did_you_mean(column, self.first)}"
        )

    def has(self) -> str:
        """Return what its columns are called, for a message."""
        return ", ".join(title[:30] for title in self.first[:_SHOWN]) or "none"

    def at_least(self, count: int, layout: str) -> Sequence[Row]:
        """Return all rows, which must have so many cells or more; `layout` says which."""
        for line, cells in self.content:
            if len(cells) < count:
                raise TermgaugeError(
                    f"{self.label}, line {line:,}: has {len(cells)} of {count} columns; the table is {layout}."
                )
        return self.content

    def names(self, columns: Sequence[str]) -> bool:
        """Say whether its first row names all of some columns."""
        return all(self.find(column) is not None for column in columns)

    def positions(self, needed: Sequence[str], optional: Sequence[str] = ()) -> dict[str, int]:
        """Return where columns are that are needed, each of them once, and those that are there of others."""
        if missing := [repr(name) for name in needed if self.find(name) is None]:
            raise TermgaugeError(
                f"{self.label}: has no column {' and no column '.join(missing)} (its columns are {self.has()}); name "
                "the columns in the first row."
            )
        positions = {name: position for name in (*needed, *optional) if (position := self.find(name)) is not None}
        titles = [_spelt(title) for title in self.first]
        if twice := [name for name, position in positions.items() if titles.count(titles[position]) > 1]:
            raise TermgaugeError(f"{self.label}: has two columns named '{twice[0]}'; name each once.")
        return positions

    def select(self, needed: Sequence[str], optional: Sequence[str] = ()) -> pl.DataFrame:
        """Return the columns below the header that are needed, and those that are there of others, as text."""
        import polars as pl

        positions = self.positions(needed, optional)
        rows = self.rows(header=True)
        return pl.DataFrame({name: rows.column(position) for name, position in positions.items()}).cast(pl.String)

    def rows(self, *, header: bool) -> Rows:
        """Return its rows, all of which must be as long as the first: all, or those below a header."""
        if self.frame is not None:
            return Rows(self.label, self.first, range(1, self.frame.height + 1), frame=self.frame)
        titles = self.first if header else [f"{at + 1}" for at in range(len(self.first))]
        content = self.content[header:]
        width = len(self.first)
        for line, row in content:
            if len(row) != width and (len(row) < width or any(row[width:])):  # spreadsheets leave empty cells behind
                raise TermgaugeError(
                    f"{self.label}, line {line:,}: has {len(row)} columns instead of {len(self.first)}, as the first "
                    "line has; correct it, and put fields that hold the separator in quotes."
                )
        lines = [line for line, _row in content]
        return Rows(self.label, titles, lines, [row[:width] for _line, row in content])


def open_table(
    source: str | os.PathLike[str] | SourceFile | Any,  # noqa: ANN401
    wanted: Sequence[str] = (),
    label: str = "The table",
) -> Table:
    """Open a file or a DataFrame, which messages call `label`; the columns that are `wanted` tell the separator."""
    if is_frame(source):
        frame = as_polars(source, label)
        return Table(label, [name.strip() for name in frame.columns], frame=frame)
    file = source if isinstance(source, SourceFile) else only_file(source, "table")
    return parse_table(table_text(file.read(), file.label), file.label, wanted)


def table_text(content: bytes, label: str, *, western: bool = False) -> str:
    """Return the text of a table: UTF-8, UTF-16 with its mark or, if it may be `western`, Windows-1252.

    That is how older spreadsheet programs save text in Europe and America.
    """
    utf16 = content.startswith(_UTF16)
    with suppress(UnicodeDecodeError):
        content = content.decode("utf-16").encode() if utf16 else content
    return decoded(content, label, otherwise="cp1252" if western and not utf16 else None)


def parse_table(text: str, label: str, wanted: Sequence[str] = ()) -> Table:
    """Return the table of a text that is that of the file `label`."""
    separator = _separator(text, wanted)
    rows = _tab_rows(text, label) if separator == "\t" else _filled(_csv_rows(text, label, separator))
    if not rows:
        raise TermgaugeError(f"{label}: is empty; a table has one line for each row.")
    return Table(label, rows[0].cells, rows, separator)


def peek_table(head: bytes, wanted: Sequence[str] = (), label: str = "") -> Table:
    """Return the first row alone of a file that begins so, whatever its bytes mean."""
    text = head.decode("utf-16" if head.startswith(_UTF16) else "utf-8-sig", "replace")
    text = text.rpartition("\n")[0] or text  # the last line may be cut off
    separator = _separator(text, wanted)
    return Table(label, _first_cells(text[:_HEAD].lstrip("\r\n"), separator), separator=separator)


def _separator(text: str, wanted: Sequence[str]) -> str:
    """Return the separator with which the first row has most of the wanted columns, or which suits best."""
    head = text[:_HEAD].lstrip("\r\n")
    lines = _QUOTED.sub("", head).split("\n")
    if len(text) > _HEAD and len(lines) > 1:
        lines.pop()  # it is cut off
    rows = [line for line in lines if line.strip()][:_FIRST_ROWS] or [""]

    def fits(separator: str) -> tuple[int, bool, bool, int]:
        counts = [row.count(separator) for row in rows]
        table = Table("", _first_cells(head, separator) if wanted else [])
        named = sum(table.find(column) is not None for column in wanted)
        return named, counts[0] > 0 and separator == "\t", counts[0] > 0 and len(set(counts)) == 1, counts[0]

    return max(SEPARATORS, key=fits)


def _first_cells(head: str, separator: str) -> list[str]:
    if separator == "\t":
        cells = _tab_cells(next((line for line in head.split("\n") if line.strip()), ""))
    else:
        cells = next((row for _line, row in _csv_rows(head, "", separator, strict=False)), [])
    return [cell.strip() for cell in cells]


def _csv_rows(text: str, label: str, separator: str, *, strict: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the last line and the fields of each row of a CSV; a blank line is no row."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=strict)
    try:
        for row in reader:
            if row:
                yield reader.line_num, row
    except csv.Error as error:
        raise TermgaugeError(
            f"{label}, line {max(reader.line_num, 1):,}: cannot be read as a table ({error}); check that every quote "
            "is closed, or save the table again as CSV."
        ) from None


def _filled(rows: Iterable[tuple[int, list[str]]]) -> list[Row]:
    with paused_garbage_collection():
        stripped = (Row(line, list(map(str.strip, cells))) for line, cells in rows)
        return [row for row in stripped if any(row.cells)]


def _tab_rows(text: str, label: str) -> list[Row]:
    """Return the rows of a tab-separated text: its lines, unless only fields of several lines make it a table."""
    # Only LF ends a line: terms may hold the other characters at which str.splitlines splits.
    lines = enumerate(text.split("\n"), 1)
    rows = _filled((number, _tab_cells(line)) for number, line in lines)
    if '"' in text and not _is_even(rows):
        with suppress(TermgaugeError):
            return whole if _is_even(whole := _filled(_csv_rows(text, label, "\t"))) else rows
    return rows


def _is_even(rows: Sequence[Row]) -> bool:
    return len({len(row.cells) for row in rows}) == 1


def _tab_cells(line: str) -> list[str]:
    r"""Return the cells of a line between tabs.

    >>> _tab_cells('"5"" needle"\t5" needle'), _tab_cells('"quoted"\tplain'), _tab_cells('"all"\t"texts"\t1')
    (['"5"" needle"', '5" needle'], ['"quoted"', 'plain'], ['all', 'texts', '1'])
    """
    line = line.removesuffix("\r")
    if '"' not in line or not _TAB_LINE.fullmatch(line):
        return line.split("\t")
    fields = _TAB_FIELD.findall(line)
    quoted = [field for field in fields if field.startswith('"')]
    needed = all(_NEEDS_QUOTES.search(field, 1, len(field) - 1) for field in quoted)
    if needed or all(field.startswith('"') or _UNQUOTED.fullmatch(field) for field in fields):
        return [field[1:-1].replace('""', '"') if field.startswith('"') else field for field in fields]
    return fields


def _spelt(name: str) -> str:
    """Return a name as it is compared.

    >>> _spelt("Term 1"), _spelt("term_1"), _spelt("TERM-1")
    ('term1', 'term1', 'term1')
    """
    return re.sub(r"[\s_.-]", "", name.lower())
