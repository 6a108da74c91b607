"""A table of a property: `word TAB value`, or `word1`, `word2` and values of pairs, with or without a header.

The value is in the second column unless another one is named. A column without any number holds kinds, such as
relations; one with numbers and other text is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from termgauge.benchmark.pairset import parse_score
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.tables import open_table

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from termgauge.io.tables import Row

Of = Literal["words", "pairs"]
MOST_KINDS = 50
"""A column with more kinds is no property by which anybody would divide a set."""
AUTO, NOT_KNOWN = "auto", "none"
_NOT_AVAILABLE = frozenset({"N/A", "NA"})
_LAYOUT = "word TAB value, or word1 TAB word2 TAB value with a header"
_CLASS = "class"

Key = str | tuple[str, str]


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


@dataclass(frozen=True)
class _Read:
    """The rows of a table, and which of its columns are which."""

    label: str
    rows: Sequence[Row]
    column: int
    name: str
    terms: tuple[int, int] | None

    def cell(self, fields: Sequence[str]) -> str:
        return fields[self.column] if len(fields) > self.column else ""

    def key(self, fields: Sequence[str]) -> Key:
        return fields[0].lower() if self.terms is None else pair_key(*(fields[place] for place in self.terms))


def read_property(
    path: str | os.PathLike[str],
    *,
    column: str | None = None,
    usual: Sequence[str] = (),
    word_class: str | None = None,
    missing: str = AUTO,
) -> PropertyTable:
    """Read one column of a table.

    Parameters
    ----------
    path
        The table.
    column
        The name of the column; if none is given the first of the `usual` ones that has a value, else the second column
        (of a table of pairs, the first that is no term).
    usual
        What the column may be called.
    word_class
        Only words of this class (`noun` or `verb`), for a table that has a column `class`.
    missing
        What words without a value get: a number; ``none``; or ``auto``, none, but those that a table of counts (whole
        numbers, none below 0) lists as N/A were counted and not found: they have 0.
    """
    read = _columns(path, column, usual, word_class)
    numbers, others, nothing = _numbers(read)
    if others and numbers:
        line, cell = others[0]
        raise TermgaugeError(
            f"{read.label}, line {line:,}: {cell[:40]!r} is no number, and the column has numbers elsewhere; correct "
            "the line, or write N/A where there is no value."
        )
    if others:
        return _kinds(read)
    if not numbers:
        name = f"the column '{read.name}'" if read.name else "the second column"
        raise TermgaugeError(f"{read.label}: has no value in {name}; the table is {_LAYOUT}.")
    values: dict[Key, float] = {}
    lines: dict[Key, int] = {}
    for line, key, value in numbers:
        if (before := values.setdefault(key, value)) != value:
            _refuse_twice(read, key, line, lines[key], (f"{value:g}", f"{before:g}"))
        lines.setdefault(key, line)
    absent, zeros = math.nan, 0
    if missing == AUTO:
        if all(value >= 0 and value == int(value) for value in values.values()):
            listed = {key for key in nothing if key not in values}
            zeros = len(listed)
            values |= dict.fromkeys(listed, 0.0)
    elif missing != NOT_KNOWN:
        absent = float(missing)
    return PropertyTable(read.name, "words" if read.terms is None else "pairs", values, (), absent, zeros)


def _columns(path: str | os.PathLike[str], column: str | None, usual: Sequence[str], word_class: str | None) -> _Read:
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
        return _Read(str(path), rows, 1, "", None)
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
    return _Read(str(path), rows, place, header[place], terms)


def _numbers(read: _Read) -> tuple[list[tuple[int, Key, float]], list[tuple[int, str]], list[Key]]:
    """Return the lines that have a number, those that have something else, and the keys that have N/A."""
    numbers: list[tuple[int, Key, float]] = []
    others: list[tuple[int, str]] = []
    nothing: list[Key] = []
    for line, fields in read.rows:
        cell = read.cell(fields)
        if not cell:
            continue
        value = parse_score(cell)
        if value is not None:
            numbers.append((line, read.key(fields), value))
        elif cell.upper() in _NOT_AVAILABLE:
            nothing.append(read.key(fields))
        else:
            others.append((line, cell))
    return numbers, others, nothing


def _kinds(read: _Read) -> PropertyTable:
    found: dict[Key, tuple[str, int]] = {}
    different: set[str] = set()
    for line, fields in read.rows:
        cell = read.cell(fields)
        if not cell or cell.upper() in _NOT_AVAILABLE:
            continue
        key = read.key(fields)
        kind, before = found.setdefault(key, (cell, line))
        if kind != cell:
            _refuse_twice(read, key, line, before, (cell, kind))
        different.add(cell)
    if len(different) > MOST_KINDS:
        raise TermgaugeError(
            f"{read.label}: the column '{read.name}' has {len(different):,} different texts and no number, so that it "
            "is no property to divide a set by; name another one with --column."
        )
    labels = tuple(sorted(different))
    place = {kind: float(at) for at, kind in enumerate(labels)}
    values = {key: place[kind] for key, (kind, _line) in found.items()}
    return PropertyTable(read.name, "words" if read.terms is None else "pairs", values, labels)


def _refuse_twice(read: _Read, key: Key, line: int, before: int, values: tuple[str, str]) -> None:
    name = key if isinstance(key, str) else " – ".join(key)
    advice = "delete one of them" + (", or choose nouns or verbs with --word-class" if read.terms is None else "")
    raise TermgaugeError(
        f"{read.label}, line {line:,}: '{name}' has {values[0]} here and {values[1]} in line {before:,}; {advice}."
    )
