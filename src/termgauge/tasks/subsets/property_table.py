"""A table of a property: `word TAB value`, or `word1`, `word2` and values of pairs, with or without a header.

The value is in the second column unless another one is named. A column without any number holds kinds, such as
relations; one with numbers and other text is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

from termgauge.benchmark.pairset import parse_score
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.tables import open_table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

Of = Literal["words", "pairs"]
MOST_KINDS = 50
"""A column with more kinds is no property by which anybody would divide a set."""
AUTO, NOT_KNOWN = "auto", "none"
_NOT_AVAILABLE = frozenset({"N/A", "NA"})
_LAYOUT = "word TAB value, or word1 TAB word2 TAB value with a header"
_CLASS = "class"

Key = str | tuple[str, str]
_Value = TypeVar("_Value", bound=float | str)


def pair_key(one: str, other: str) -> tuple[str, str]:
    """Return how a pair is looked up: in lower case, in whichever order it stands."""
    one, other = one.lower(), other.lower()
    return (one, other) if one <= other else (other, one)


@dataclass(frozen=True, eq=False)
class PropertyTable:
    """The values of one column of a table."""

    column: str
    """Its name; empty if the table has no header."""
    of: Of
    values: dict[Key, float]
    """By lower word, or by pair; kinds by their places. What has no value is not there."""
    labels: tuple[str, ...] = ()
    """The kinds, if the column has no numbers."""
    absent: float = math.nan
    """The value of whatever is not there."""
    zeros: int = 0
    """Words that are listed as not available and count 0."""


class _Column(NamedTuple):
    """The cells of a column that are not empty, each with its line and with what it is of."""

    label: str
    name: str
    of: Of
    cells: list[tuple[int, Key, str]]


def read_property(
    path: str | os.PathLike[str],
    *,
    column: str | None = None,
    usual: Sequence[str] = (),
    word_class: str | None = None,
    missing: str = AUTO,
) -> PropertyTable:
    """Read one column of a table.

    If none is named it is the first of the `usual` ones that has a value, else the second column (of a table of pairs,
    the first that is no term). Words without a value get what `missing` says: a number; ``none``; or ``auto``, which is
    none, but words that a table of counts (whole numbers, none below 0) lists as N/A were counted and have 0.
    """
    read = _column(path, column, usual, word_class)
    numbers = [(line, key, value) for line, key, cell in read.cells if (value := parse_score(cell)) is not None]
    known = [(line, key, cell) for line, key, cell in read.cells if cell.upper() not in _NOT_AVAILABLE]
    if 0 < len(numbers) < len(known):
        line, cell = next((line, cell) for line, _key, cell in known if parse_score(cell) is None)
        raise TermgaugeError(
            f"{read.label}, line {line:,}: {cell[:40]!r} is no number, and the column has numbers elsewhere; correct "
            "the line, or write N/A where there is no value."
        )
    if not known:
        name = f"the column '{read.name}'" if read.name else "the second column"
        raise TermgaugeError(f"{read.label}: has no value in {name}; the table is {_LAYOUT}.")
    if not numbers:
        kinds = _once(read, known)
        labels = tuple(sorted(set(kinds.values())))
        if len(labels) > MOST_KINDS:
            raise TermgaugeError(
                f"{read.label}: the column '{read.name}' has {len(labels):,} different texts and no number, so that it "
                "is no property to divide a set by; name another one with --column."
            )
        place = {kind: float(at) for at, kind in enumerate(labels)}
        return PropertyTable(read.name, read.of, {key: place[kind] for key, kind in kinds.items()}, labels)
    values, absent, zeros = _once(read, numbers), math.nan, 0
    if missing == AUTO:
        if all(value >= 0 and value == int(value) for value in values.values()):
            listed = {key for _line, key, _cell in read.cells if key not in values}
            zeros = len(listed)
            values |= dict.fromkeys(listed, 0.0)
    elif missing != NOT_KNOWN:
        absent = float(missing)
    return PropertyTable(read.name, read.of, values, absent=absent, zeros=zeros)


def _once(read: _Column, entries: Iterable[tuple[int, Key, _Value]]) -> dict[Key, _Value]:
    """Return the value of each word or pair, which may stand in several lines, but not with several values."""
    values: dict[Key, tuple[_Value, int]] = {}
    for line, key, value in entries:
        before, first = values.setdefault(key, (value, line))
        if before != value:
            name = key if isinstance(key, str) else " – ".join(key)
            here, there = (f"{each:g}" if isinstance(each, float) else each for each in (value, before))
            advice = ", or choose nouns or verbs with --word-class" if read.of == "words" else ""
            raise TermgaugeError(
                f"{read.label}, line {line:,}: '{name}' has {here} here and {there} in line {first:,}; delete one of "
                f"them{advice}."
            )
    return {key: value for key, (value, _line) in values.items()}


def _column(path: str | os.PathLike[str], column: str | None, usual: Sequence[str], word_class: str | None) -> _Column:
    """Find the terms and the value among the columns."""
    table = open_table(path)
    rows = table.at_least(2, _LAYOUT)
    header, first = table.first, [name.lower() for name in table.first]
    one, two = table.find("term_1"), table.find("term_2")
    terms = None if one is None or two is None or len(first) < 3 else (one, two)
    if terms is None and parse_score(header[1]) is not None:
        if column is not None or word_class is not None:
            asked = "columns" if column is not None else "classes of words"
            raise TermgaugeError(f"{path}: has no header, so that {asked} have no names; write them into line 1.")
        cells: list[tuple[int, Key, str]] = [
            (line, row[0].lower(), row[1]) for line, row in rows if len(row) > 1 and row[1]
        ]
        return _Column(str(path), "", "words", cells)
    rows = rows[1:]
    if word_class is not None:
        if _CLASS not in first:
            raise TermgaugeError(f"{path}, line 1: has no column 'class', so that there are no {word_class}s to take.")
        place = first.index(_CLASS)
        rows = [row for row in rows if len(row.cells) > place and row.cells[place] == word_class]
    if terms is not None:
        for line, fields in rows:
            if len(fields) <= max(terms):
                raise TermgaugeError(f"{path}, line {line:,}: has {len(fields)} of {len(header)} columns; correct it.")
    others = [place for place in range(len(header)) if place not in (terms or (0,))]
    if column is not None:
        if column not in header:
            raise TermgaugeError(f"{path}, line 1: has no column '{column}'.{did_you_mean(column, header)}")
        place = header.index(column)
    else:
        known = (first.index(name) for name in usual if name in first)
        place = next((at for at in known if any(len(row) > at and row[at] for _line, row in rows)), others[0])
    cells = [
        (line, row[0].lower() if terms is None else pair_key(row[terms[0]], row[terms[1]]), row[place])
        for line, row in rows
        if len(row) > place and row[place]
    ]
    return _Column(str(path), header[place], "words" if terms is None else "pairs", cells)
