"""Reading tables of term pairs that people rated, each laid out in its own way.

A :class:`Layout` declares which columns hold the terms, the ratings and the concept ids; one reader serves all. The
score of a pair is the mean of its ratings, computed in decimal so that equal means are equal numbers: ties matter to
rank correlation, and 1.55 computed in two ways must not become two numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TYPE_CHECKING

from termgauge.benchmark.pairset import PairSet, parse_score
from termgauge.benchmark.sets import Origin
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.tables import parse_table, table_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ABSENT = frozenset({"", "None"})
"""How the files write that there is no concept id or no rating."""


@dataclass(frozen=True)
class Layout:
    """Where a table keeps what."""

    terms: tuple[str, str]
    ratings: tuple[str, ...]
    """The columns whose mean is the score; of several, a row may leave some empty."""
    concepts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """For each system of concept ids (``umls``, ``mesh``, ``snomed``) its two columns, the fullest system first."""
    columns: tuple[str, ...] = ()
    """The names of the columns if the file has no header."""


def read_rated_table(content: bytes, layout: Layout, *, name: str, id: str, system: str | None = None) -> PairSet:  # noqa: A002
    """Read a table of rated pairs from the bytes of a file that messages call `name`.

    Concept ids are taken from `system`, or from the first that the layout declares.
    """
    import polars as pl

    concepts = _concept_columns(layout, system, id)
    wanted = [*layout.terms, *layout.ratings, *concepts]
    table = parse_table(table_text(content, name), name, wanted)
    table = replace(table, first=list(layout.columns) or table.first)
    for column in wanted:
        if table.find(column) is None:
            raise TermgaugeError(
                f"{name}, line 1: has no column '{column}' (it has {table.has()}); this is another file than its name "
                "says, so get it again."
            )
    places = list(table.positions(wanted).values())
    rows = table.rows(header=not layout.columns)
    kept = list(zip(rows.lines, rows.cells, strict=True))
    pairs = [_pair(row, places, len(layout.ratings), f"{name}, line {line:,}") for line, row in kept]
    if not pairs:
        raise TermgaugeError(f"{name}: holds no pairs; get the file again.")
    schema = {"term_1": pl.String, "term_2": pl.String, "score": pl.Float64}
    if concepts:
        schema |= {"concept_1": pl.String, "concept_2": pl.String}
    frame = pl.DataFrame(pairs, schema=schema, orient="row")
    raters = dict(zip(layout.ratings, places[2:], strict=False)) if len(layout.ratings) > 1 else {}
    by_rater = {
        rater: [None if (cell := row[index]) in _ABSENT else float(cell) for _line, row in kept]
        for rater, index in raters.items()
    }
    ratings = pl.DataFrame(by_rater, schema=dict.fromkeys(by_rater, pl.Float64)) if by_rater else None
    return PairSet(id, frame, Origin(human=True), ratings)


def _concept_columns(layout: Layout, system: str | None, id: str) -> Sequence[str]:  # noqa: A002
    if system is None:
        return next(iter(layout.concepts.values()), ())
    if system not in layout.concepts:
        has = f"only {', '.join(layout.concepts)}" if layout.concepts else "none"
        raise TermgaugeError(f"'{id}' has no '{system}' concept ids, {has}.{did_you_mean(system, layout.concepts)}")
    return layout.concepts[system]


def _pair(row: Sequence[str], places: Sequence[int], ratings: int, where: str) -> tuple[str | float | None, ...]:
    one, two, *rest = (" ".join(row[index].split()) for index in places)
    if not one or not two:
        raise TermgaugeError(f"{where}: a term is missing; get the file again.")
    concepts = (None if cell in _ABSENT else cell for cell in rest[ratings:])
    return one, two, _mean(rest[:ratings], where), *concepts


def _mean(cells: Sequence[str], where: str) -> float:
    values = [cell for cell in cells if cell not in _ABSENT]
    for cell in values:
        if parse_score(cell) is None:
            raise TermgaugeError(f"{where}: the rating '{cell[:40]}' is no finite number; get the file again.")
    if not values:
        raise TermgaugeError(f"{where}: has no rating; get the file again.")
    # As written, so that a single rating is read like any other number.
    return float(sum(map(Decimal, values)) / len(values)) if len(values) > 1 else float(values[0])
