"""Reading the pairs that people shall rate, from a table; what no rater could make sense of is refused with its line.

A table is separated by tabs and never quoted; a file that is called ``.csv`` is read as spreadsheets save it. Its
header names the columns of the two terms; without one, they are the first two columns.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from termgauge.benchmark.pairset import LONGEST_TERM
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.source import files_of
from termgauge.io.tables import USUAL
from termgauge.studies.spreadsheet import Row, read_spreadsheet

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

_MOST_TOLD = 3
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, and marks that turn the direction of what follows."""


def read_pair_table(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Return the pairs of a table in order.

    Raises
    ------
    TermgaugeError
        If it is no table of pairs, or a term is empty or cannot be shown.
    """
    files = files_of(path)
    if len(files) != 1:
        raise TermgaugeError(f"{path}: holds {len(files)} files; name the one file with the pairs.")
    name = files[0].label
    csv = files[0].base.lower().endswith(".csv")
    rows = read_spreadsheet(files[0].read(), name, separators=",;\t" if csv else "\t", quoted=csv)
    if not rows:
        raise TermgaugeError(f"{name}: is empty; a table of pairs has one line for each pair.")
    first, second = _places(rows[0], name)
    named = first is not None
    one, two = (first, second) if named else (0, 1)
    pairs = [_pair(row, one, two, name) for row in (rows[1:] if named else rows)]  # type: ignore[arg-type]
    return checked_pairs(pairs, name)


def checked_pairs(pairs: Iterable[tuple[str, str, str]], name: str) -> list[tuple[str, str]]:
    """Return pairs, each given with where it stands, after a look whether raters can make sense of them.

    Published sets have pairs twice, so these are kept, and told: a rater may meet both.
    """
    seen: dict[frozenset[str], str] = {}
    checked, told = [], []
    for where, one, two in pairs:
        terms = _term(one, f"{name}, {where}"), _term(two, f"{name}, {where}")
        before = seen.setdefault(frozenset(terms), where)
        if terms[0] == terms[1]:
            told.append(f"{where} pairs '{_brief(terms[0])}' with itself")
        elif before != where:
            told.append(f"{where} repeats {before} ('{_brief(terms[0])}' / '{_brief(terms[1])}')")
        checked.append(terms)
    if not checked:
        raise TermgaugeError(f"{name}: holds no pairs; put two terms in each row.")
    if told:
        more = f", and {len(told) - _MOST_TOLD:,} more such rows" if len(told) > _MOST_TOLD else ""
        warn(
            f"{name}: {'; '.join(told[:_MOST_TOLD])}{more}. All are kept as pairs of their own; if that is not meant, "
            "remove them and begin the study again."
        )
    return checked


def _places(first: Row, name: str) -> tuple[int, int] | tuple[None, None]:
    """Return where the terms stand, if the first row is a header."""
    columns = [re.sub(r"[\s_-]", "", field.lower()) for field in first.fields]
    found = [[at for at, column in enumerate(columns) if column in names] for names in USUAL[:2]]
    if not any(found):
        return None, None
    if any(len(each) != 1 for each in found):
        raise TermgaugeError(
            f"{name}, line {first.line}: a header must name one column word1 (or term1) and one word2 (or term2); it "
            f"names {', '.join(field[:30] for field in first.fields[:10])}."
        )
    return found[0][0], found[1][0]


def _pair(row: Row, one: int, two: int, name: str) -> tuple[str, str, str]:
    if len(row.fields) <= max(one, two):
        raise TermgaugeError(
            f"{name}, line {row.line:,}: has {_columns(row.fields)}; the two terms must stand in columns of their own, "
            "separated by a tab (or by a comma, in a file that is called .csv)."
        )
    return f"line {row.line:,}", row.fields[one], row.fields[two]


def _columns(fields: Sequence[str]) -> str:
    return "only one column" if len(fields) == 1 else f"only {len(fields)} columns"


def _term(text: str, where: str) -> str:
    term = unicodedata.normalize("NFC", text.strip())
    if not term:
        raise TermgaugeError(f"{where}: a term is empty; fill it in, or remove the row.")
    if found := _UNSEEN.search(term):
        raise TermgaugeError(
            f"{where}: a term holds a character that cannot be shown (U+{ord(found[0]):04X}, such as a tab, a line "
            "break or a mark of direction); remove it."
        )
    if len(term) > LONGEST_TERM:
        raise TermgaugeError(
            f"{where}: a term has more than {LONGEST_TERM:,} characters, which is no term; shorten it."
        )
    return term


def _brief(term: str) -> str:
    return term if len(term) <= 40 else f"{term[:40]}…"
