"""A table with one row for each pair and one column for each rater, in the many forms in which it is published.

Columns are told apart by their names first and by what they hold second: the terms, an id, the raters, and whatever
else a file has. What was decided is said in notes, never in silence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from termgauge.benchmark.pairset import parse_score
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.tables import open_table
from termgauge.plurals import numbered, plural

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from termgauge.io.tables import Table

MISSING = frozenset({"", "-1", "NA"})
"""How a rating that was not given is written; -1 only where the scale does not have it."""

_WORD = re.compile(r"(?:\w+[ _-])?(?:word|term|label|text|name)[ _-]?([12])")
_ID = re.compile(r"(?:pair|unit|item|row|line|id)(?:[ _-]?(?:id|number|no))?")
_RATER = re.compile(r"(?:rater|annotator|coder|judge|expert|participant|doctor|physician)[ _-]?\w+")
_DERIVED = re.compile(
    r"(?:mean|average|avg|median|score|sd|std|stdev|n|count|kind|group|consistency|label|pos|relation)(?:[ _-].*)?"
    r"|.*(?:cui|mesh|_id|concept)[ _-]?[12]?"
)
_NUMBERED = re.compile(r"([A-Za-z_ -]*)([0-9]+)")


@dataclass(frozen=True, eq=False)
class RatingMatrix:
    """What raters said to pairs, one row for each pair."""

    pairs: pl.DataFrame
    """``pair`` (the id in the file, or the number of the row), ``word1`` and ``word2`` (null where there are none)."""
    ratings: pl.DataFrame
    """One Float64 column for each rater; null where there is no rating."""
    notes: tuple[str, ...] = ()
    """What was decided about columns, in sentences."""
    lines: list[int] = field(default_factory=list)
    """The line of each row in the file."""


class _Columns(NamedTuple):
    """Which columns hold what, by their places."""

    names: list[str]
    words: tuple[int, int] | None
    identifier: int | None
    raters: list[int]
    ragged: bool
    """Whether rows may have more or fewer columns than there are names: raters are numbered, not named."""


def read_matrix(table: Table, raters: Sequence[str] | None = None) -> RatingMatrix:
    """Read a table of ratings, with or without a header.

    `raters` names the columns to take; otherwise they are found. The code -1 is read as the number that it is.
    """
    import polars as pl

    name, lines, rows = table.label, [row.line for row in table.content], [row.cells for row in table.content]
    if len(rows[0]) < 2:
        raise TermgaugeError(
            f"{name}, line {lines[0]:,}: has one column; the columns of a table of ratings are separated by tabs or "
            "commas."
        )
    header = _is_header(rows[0])
    body, at = rows[header:], lines[header:]
    if not body:
        raise TermgaugeError(f"{name}: has a header and no row; a table of ratings has one row for each pair.")
    titles = rows[0]
    if not header:
        if raters:
            raise TermgaugeError(
                f"{name}: has no header, so raters cannot be named; write the columns' names into line 1."
            )
        terms = ["id"] if _holds_ratings(_column(body, 1)) else ["word1", "word2"]
        if len(titles) <= len(terms):
            raise TermgaugeError(
                f"{name}, line 1: has {len(titles)} columns and no rating; a row is word1 TAB word2 TAB ratings."
            )
        raters = [f"r{number}" for number in range(1, len(titles) - len(terms) + 1)]
        titles = [*terms, *raters]
    columns = _named_columns(titles, body, name, raters)
    width = max(len(columns.names), *(len(row) for row in body)) if columns.ragged else len(columns.names)
    for line, row in zip(at, body, strict=True):
        if len(row) != width and not columns.ragged:
            raise TermgaugeError(f"{name}, line {line:,}: has {len(row)} columns instead of {width}; check that line.")
    body = [row + [""] * (width - len(row)) for row in body]
    names = _rater_names(columns, width)
    ratings = {
        rater: [_rating(row[index], name, line) for line, row in zip(at, body, strict=True)]
        for rater, index in names.items()
    }
    (one, two), identifier = columns.words or (None, None), columns.identifier
    pairs = {
        "pair": [str(number if identifier is None else row[identifier]) for number, row in enumerate(body, 1)],
        "word1": [None if one is None else row[one] for row in body],
        "word2": [None if two is None else row[two] for row in body],
    }
    return RatingMatrix(
        pl.DataFrame(pairs, schema=dict.fromkeys(pairs, pl.String)),
        pl.DataFrame(ratings, schema=dict.fromkeys(ratings, pl.Float64)),
        _notes(columns, names, at, body),
        at,
    )


def ratings_beside(path: Path, terms: Mapping[str, Sequence[str]]) -> pl.DataFrame | None:
    """Return what raters said to the pairs of a file, from the file with ratings beside it; None if there is none."""
    ratings_path = path.with_name(f"{path.name.partition('.tsv')[0]}.ratings.tsv")
    if ".tsv" not in path.name or ratings_path == path or not ratings_path.is_file():
        return None
    ratings = ratings_of(ratings_path, terms)
    if ratings is None:
        raise TermgaugeError(
            f"{ratings_path}: has no rating of any pair of {path.name}; its columns word1 and word2 must have the same "
            "terms, or give it another name."
        )
    return ratings


def ratings_of(path: str | os.PathLike[str], terms: Mapping[str, Sequence[str]]) -> pl.DataFrame | None:
    """Return what raters said to some pairs, from a table of ratings; None if it has no rating of any of them.

    Rows are found by their terms, so that pairs without a score may stand there too.
    """
    import polars as pl

    table = read_matrix(open_table(path))
    values = table.ratings
    if minus_one_is_missing(values.to_numpy().ravel()):
        values = values.select(pl.when(pl.all() != -1).then(pl.all()))
    rows = table.pairs.select("word1", "word2").hstack(values.rename(lambda name: f"rater {name}"))
    rows = rows.unique(["word1", "word2"], keep="first", maintain_order=True)
    wanted = pl.DataFrame({"word1": list(terms["term_1"]), "word2": list(terms["term_2"])})
    ratings = wanted.join(rows, on=["word1", "word2"], how="left", maintain_order="left")
    ratings = ratings.drop("word1", "word2").rename(lambda name: name.removeprefix("rater "))
    return None if all(ratings[name].null_count() == ratings.height for name in ratings.columns) else ratings


def minus_one_is_missing(values: NDArray[np.float64], scale: tuple[float, float] | None = None) -> bool:
    """Say whether -1 stands for a missing rating: where the scale does not have it, or no other rating is negative."""
    if scale is not None:
        return not scale[0] <= -1 <= scale[1]
    return not bool(((values < 0) & (values != -1)).any())


def _is_header(first: Sequence[str]) -> bool:
    """Say whether a first row names columns: it has a known name, or text and no number where ratings would be."""
    names = [cell.lower() for cell in first]
    if any(_WORD.fullmatch(title) or _ID.fullmatch(title) or _RATER.fullmatch(title) for title in names):
        return True
    return _holds_text_only(first[2:])


def _named_columns(
    header: list[str], body: Sequence[Sequence[str]], name: str, raters: Sequence[str] | None
) -> _Columns:
    if repeated := next((title for title in header if title and header.count(title) > 1), None):
        raise TermgaugeError(
            f"{name}, line 1: names the column '{repeated[:40]}' twice; give each rater a name of their own."
        )
    lower = [title.lower() for title in header]
    positions: dict[str, int] = {}
    for index, title in enumerate(lower):
        if match := _WORD.fullmatch(title):
            positions.setdefault(match[1], index)
    words = (positions["1"], positions["2"]) if len(positions) == 2 else None
    identifier = next((index for index, title in enumerate(lower) if _ID.fullmatch(title)), None)
    if raters:
        if unknown := next((rater for rater in raters if rater not in header), None):
            raise TermgaugeError(f"{name}, line 1: has no column '{unknown[:40]}'.{did_you_mean(unknown, header)}")
        places = [header.index(rater) for rater in raters]
    elif called := [index for index, title in enumerate(lower) if _RATER.fullmatch(title)]:
        places = called
    else:
        if words is None and identifier is None:
            text = [index for index in (0, 1) if index < len(header) and not _holds_ratings(_column(body, index))]
            words, identifier = ((0, 1), None) if len(text) == 2 else (None, 0)
        places = [
            index
            for index, title in enumerate(lower)
            if index not in (*(words or ()), identifier) and not _DERIVED.fullmatch(title)
        ]
        places = [index for index in places if not _holds_text_only(_column(body, index))]
    if not places:
        raise TermgaugeError(
            f"{name}, line 1: no column looks like that of a rater (there are {', '.join(header)[:80]}); "
            "name them with --raters."
        )
    numbered = [_NUMBERED.fullmatch(header[index]) for index in places]
    counted = [match[2] if match else "" for match in numbered] == [str(n) for n in range(1, len(places) + 1)]
    return _Columns(header, words, identifier, places, ragged=counted and places[-1] == len(header) - 1)


def _column(body: Sequence[Sequence[str]], index: int) -> list[str]:
    return [row[index] for row in body if len(row) > index]


def _holds_ratings(cells: Sequence[str]) -> bool:
    return all(cell in MISSING or parse_score(cell) is not None for cell in cells)


def _holds_text_only(cells: Sequence[str]) -> bool:
    values = [cell for cell in cells if cell not in MISSING]
    return bool(values) and all(parse_score(cell) is None for cell in values)


def _rater_names(columns: _Columns, width: int) -> dict[str, int]:
    """Return each rater's name and column; raters beyond the last name are numbered on."""
    names = {columns.names[position] or f"column {position + 1}": position for position in columns.raters}
    prefix = re.sub(r"[0-9]+$", "", columns.names[columns.raters[-1]])
    for index in range(len(columns.names), width):
        names[f"{prefix}{len(names) + 1}"] = index
    return names


def _rating(cell: str, name: str, line: int) -> float | None:
    if cell in ("", "NA"):
        return None
    value = parse_score(cell)
    if value is None:
        raise TermgaugeError(
            f"{name}, line {line:,}: the rating {cell[:40]!r} is no number; leave the field of a missing rating empty, "
            "and name the raters' columns with --raters if this is none of them."
        )
    return value


def _notes(
    columns: _Columns, names: dict[str, int], lines: Sequence[int], body: Sequence[Sequence[str]]
) -> tuple[str, ...]:
    notes, used = [], {*(columns.words or ()), columns.identifier, *columns.raters}
    if aside := [title for index, title in enumerate(columns.names) if index not in used]:
        notes.append(
            f"The ratings are those of the columns {', '.join(names)}; the columns {', '.join(aside)} are not used."
        )
    last = len(columns.names)
    if long := [line for line, row in zip(lines, body, strict=True) if any(row[last:])]:
        notes.append(
            f"{numbered(len(long), 'row')} (the first in line {long[0]:,}) {plural(len(long), 'has', 'have')} more "
            "ratings than the header has names; further "
            f"raters are called {', '.join(list(names)[len(columns.raters) :])}."
        )
    return tuple(notes)
