"""Reading pairs from a table of one's own: CSV or TSV as spreadsheets and scripts write it, columns named by the user.

Published sets have a layout to the byte, which :func:`~termgauge.benchmark.pairset.read_tsv` reads. A table of one's
own has a header, perhaps quotes, some separator, and the two terms and their rating or label in columns that it calls
whatever it likes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from termgauge.benchmark.pairset import PairSet, decoded, only_file, parse_score, shown
from termgauge.decoding import table_rows
from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

SEPARATORS = ",\t;|"
_HEADINGS = (
    ("term_1", "term1", "word1", "word_1", "sentence1"),
    ("term_2", "term2", "word2", "word_2", "sentence2"),
    ("score", "label", "rating", "similarity"),
)
"""What the columns may be called if they are not named."""
_LABELS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "t", "y"), 1),
    **dict.fromkeys(("0", "0.0", "false", "no", "f", "n"), 0),
}
_CONCEPTS = ("concept_1", "concept_2")
_KINDS = ("score", "label")
_SUFFIXES = (".gz", ".zip", ".csv", ".tsv", ".txt", ".tab")


def read_pairs(
    path: str | os.PathLike[str],
    columns: str | Sequence[str | int] = (),
    *,
    id: str | None = None,  # noqa: A002
) -> PairSet:
    """Read pairs with ratings or labels from a table with a header; its id is the file's name unless given.

    The separator (comma, tab, semicolon or bar) is found out, fields may be quoted, and the file may be compressed.

    Parameters
    ----------
    path
        The file.
    columns
        The columns of the two terms and of the rating or label, by name or number (from 1), in one text with commas
        between or one by one; then, where they are known, those of the two concepts. If none is named, they are found
        by what they are usually called.

        Whether the third column has ratings or labels is told by what it holds: labels if it is 0 and 1, true and
        false, or yes and no. A column that is called ``label`` must hold labels; ``score=NAME`` and ``label=NAME`` say
        which it is.
    id
        What results call the set.

    Raises
    ------
    TermgaugeError
        If a column is not there, or a row has no term, rating or label; the message names the line and the column.
    """
    import polars as pl

    name, content = only_file(path)
    text = decoded(content, name)
    wanted, kind = _wanted(columns)
    separator = _separator(text, wanted, name)
    rows = ((line, row) for line, row in table_rows(text, name, separator) if any(map(str.strip, row)))
    line, first = next(rows, (1, []))
    places, header = _places(first, wanted, name)
    titles = [first[place].strip() if header else f"{place + 1}" for place in places]
    given = [] if header else [(line, first)]
    table = [_Row.of(line, row, places, titles, len(first), name) for line, row in (*given, *rows)]
    if not table:
        raise TermgaugeError(f"{name}: has a header and no pair; a table of pairs has one line for each pair.")
    binary = kind == "label" or (not kind and _is_label(titles[2], table))
    values = [row.label() if binary else row.score() for row in table]
    terms = {"term_1": [row.fields[0] for row in table], "term_2": [row.fields[1] for row in table]}
    concepts = {
        concept: [row.fields[at] or None for row in table]
        for at, concept in enumerate(_CONCEPTS, 3)
        if at < len(places)
    }
    frame = pl.DataFrame({**terms, "label" if binary else "score": values, **concepts})
    return PairSet(id or _stem(path), frame)


def split_columns(name: str) -> tuple[str, str]:
    """Return a file and the columns that ``FILE?columns=A,B,C`` names; no columns if it names none.

    Examples
    --------
    >>> split_columns("pairs.csv?columns=term1,term2,score")
    ('pairs.csv', 'term1,term2,score')
    """
    file, _, columns = name.partition("?columns=")
    return file, columns


def is_table(path: str | os.PathLike[str]) -> bool:
    """Say whether a file is, by its name, a table as spreadsheets write it rather than in the published layout."""
    return str(path).lower().removesuffix(".gz").endswith(".csv")


class _Row(NamedTuple):
    """The fields of a row that are wanted, and where they stand."""

    fields: list[str]
    where: str
    title: str
    """What the column of the value is called."""

    @classmethod
    def of(
        cls, line: int, row: Sequence[str], places: Sequence[int], titles: Sequence[str], width: int, name: str
    ) -> _Row:
        where = f"{name}, line {line:,}"
        if len(row) != width:
            raise TermgaugeError(f"{where}: has {len(row)} columns instead of {width}, as the first line has.")
        fields = [" ".join(row[place].split()) for place in places]
        for field, title in zip(fields[:3], titles, strict=False):
            if not field:
                raise TermgaugeError(f"{where}: the column '{title}' is empty; fill it in, or leave the row out.")
        return cls(fields, where, titles[2])

    def label(self) -> int:
        found = _LABELS.get(self.fields[2].lower())
        if found is None:
            raise TermgaugeError(
                f"{self.where}: the label in column '{self.title}' is {shown(self.fields[2])}, and must be 0 or 1, "
                "true or false, yes or no."
            )
        return found

    def score(self) -> float:
        found = parse_score(self.fields[2])
        if found is None:
            raise TermgaugeError(
                f"{self.where}: the score in column '{self.title}' is {shown(self.fields[2])}, and must be a finite "
                "number with a decimal point."
            )
        return found


def _wanted(columns: str | Sequence[str | int]) -> tuple[list[str], str]:
    """Return the columns that are named, and whether the third is said to hold scores or labels."""
    named = columns.split(",") if isinstance(columns, str) else [str(each) for each in columns]
    named = [each.strip() for each in named if each.strip()]
    if len(named) not in (0, 3, 5):
        raise TermgaugeError(
            f"{len(named)} columns are named; name three, the two terms and the score or label, as in "
            "term1,term2,score, or five with the two concepts."
        )
    kind, _, column = named[2].partition("=") if named else ("", "", "")
    if kind in _KINDS and column:
        named[2] = column
        return named, kind
    return named, ""


def _is_label(title: str, table: Sequence[_Row]) -> bool:
    return title.lower() == "label" or all(row.fields[2].lower() in _LABELS for row in table)


def _separator(text: str, wanted: Sequence[str], name: str) -> str:
    """Return the separator with which the first line has most of the columns, or is longest."""
    first = text.lstrip("\r\n").partition("\n")[0]

    def fits(separator: str) -> tuple[int, int]:
        rows = table_rows(first, name, separator, strict=False)
        cells = [cell.strip().lower() for _line, row in rows for cell in row]
        return sum(each.lower() in cells for each in wanted), len(cells)

    return max(SEPARATORS, key=fits)


def _places(first: Sequence[str], wanted: Sequence[str], name: str) -> tuple[list[int], bool]:
    """Return where the columns stand, and whether the first row is a header."""
    titles = [title.strip().lower() for title in first]
    if not wanted:
        found = [next((titles.index(each) for each in usual if each in titles), None) for usual in _HEADINGS]
        if None in found:
            has = ", ".join(title.strip()[:30] for title in first[:20])
            raise TermgaugeError(
                f"{name}, line 1: does not say which columns hold the terms and the score or label (it has {has}); "
                "name them with --columns TERM1,TERM2,SCORE."
            )
        return [place for place in found if place is not None], True
    numbered = all(column.isdecimal() for column in wanted)
    places = [_place(column, titles, first, name, numbered=numbered) for column in wanted]
    value = first[places[2]].strip()
    return places, not (numbered and (value.lower() in _LABELS or parse_score(value) is not None))


def _place(column: str, titles: Sequence[str], first: Sequence[str], name: str, *, numbered: bool) -> int:
    if column.lower() in titles and not numbered:
        return titles.index(column.lower())
    if column.isdecimal() and 1 <= int(column) <= len(titles):
        return int(column) - 1
    has = ", ".join(title.strip()[:30] for title in first[:20])
    raise TermgaugeError(f"{name}, line 1: has no column '{column}'; it has {has}.{did_you_mean(column, first)}")


def _stem(path: str | os.PathLike[str]) -> str:
    stem = Path(path).name
    while (cut := next((each for each in _SUFFIXES if stem.lower().endswith(each)), "")) and len(stem) > len(cut):
        stem = stem[: -len(cut)]
    return stem
