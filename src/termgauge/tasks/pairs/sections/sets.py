"""All models on all sets at a glance, the pairs that they can score, and what the sets are like.

The last are Tables 1 and 2 of Schulz & Juric (2020), for sets that people rated and for those that were built.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import polars as pl

from termgauge.benchmark.human.catalogue import CATALOGUE
from termgauge.benchmark.manifest import statistics_of
from termgauge.benchmark.sets import DIFFICULTIES
from termgauge.exceptions import TermgaugeError, warn_skipped
from termgauge.reporting.blocks import Cell, Column, Figure, Prose, Section, Table, block_id
from termgauge.reporting.plots.canvas import outward
from termgauge.reporting.plots.heat import Heat
from termgauge.reporting.set_names import KINDS, STATISTICS, with_terminology
from termgauge.reporting.words import capitalised, counted, decimal, share
from termgauge.tasks.pairs.results import truth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from termgauge.benchmark.pairset import PairSet
    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.pairs.sections.standings import Standings


_ABOUT = (
    "A word model scores a pair if it knows every word of both terms. Models are compared on the pairs that all of "
    "them can score; one that scores too few pairs of a set (see `min_coverage`) takes no part there."
)


def heatmap_section(standings: Standings) -> Section | None:
    """Return the heat maps: of labelled sets and of rated ones, for their values are not on one scale."""
    figures = [figure for graded in (False, True) if (figure := heatmap(standings, graded=graded))]
    if not figures:
        return None
    return Section("heatmap", "Sets at a glance", tuple(figures))


def heatmap(standings: Standings, *, graded: bool) -> Figure | None:
    """Return the heat map of the labelled or of the rated sets; None if there are none with values."""
    groups = {
        each.id: (group.title, each) for group in standings.groups for each in group.sets if standings.valued(each)
    }
    sets = [each for _, each in groups.values() if each.graded == graded]
    if not sets:
        return None
    models = standings.ranked_with_values(sets)
    rows: list[dict[str, Any]] = [
        {"set": each.id, "title": each.title, "model": one.model, "value": one.value, "low": one.low, "n": one.n}
        for each in sets
        for model in models
        if (one := standings.of(each, model)) and one.value is not None
    ]
    values = {(row["model"], row["set"]): row["value"] for row in rows}
    domain = _domain(list(values.values()), graded=graded)
    lows = {(row["model"], row["set"]): domain[0] if row["low"] is None else row["low"] for row in rows}
    statistic = sets[0].statistic
    heat = Heat(
        [(model, model) for model in models],
        [each.id for each in sets],
        values,
        domain,
        shades=lows,
        labels={each.id: row_label(each) for each in sets},
        groups={each.id: groups[each.id][0] for each in sets},
    )
    low, high = min(rows, key=lambda row: row["value"]), max(rows, key=lambda row: row["value"])
    how_many = f"{counted(len(models), 'model')} on {counted(len(sets), 'set')}"
    return Figure(
        id=f"heatmap-{statistic}",
        caption=(
            f"{capitalised(STATISTICS[statistic])} of {how_many}, on the pairs that all models can score. The darker, "
            "the higher the low end of the interval: sets of a few pairs stay pale."
        ),
        description=(
            f"Heat map of {STATISTICS[statistic]}. The highest value is {decimal(high['value'], 3)} "
            f"({high['model']} on {high['title']}), the lowest {decimal(low['value'], 3)} "
            f"({low['model']} on {low['title']})."
        ),
        draw=heat.draw,
        data=pl.DataFrame(rows),
    )


def row_label(each: TitledSet) -> str:
    """Return what a set is called in a block of its group."""
    if not each.built:
        return each.brief
    return f"{each.sampling}, {each.origin.difficulty}"


def _domain(values: Sequence[float], *, graded: bool) -> tuple[float, float]:
    low, high = outward(min(values), max(values), 0.1)
    return (min(low, 0.0), high) if graded else (min(low, 0.5), high)


def scored_pairs_section(standings: Standings, pairs: Mapping[str, int]) -> Section:
    """Return how many pairs of each set all models together can score, and which model scores the fewest."""
    complete = all(one.coverage in (None, 1) for one in standings.by_set_and_model.values())
    about = "Every model can score every pair of every set." if complete else _ABOUT
    tables = () if complete else (shared_table(standings, pairs),)
    return Section("pairs", "Pairs that models can score", (Prose((about,)), *tables))


def shared_table(standings: Standings, pairs: Mapping[str, int]) -> Table:
    """Return how many pairs of each set there are, and how many all models can score."""
    rows = []
    for each in (each for group in standings.groups for each in group.sets):
        shared, size = standings.shared(each), pairs.get(each.id, 0)
        shares = {one.model: one.coverage for one in standings.on(each) if one.coverage is not None}
        fewest = min(shares, key=lambda model: shares[model], default="")
        title = Cell(with_terminology(each, standings.sets), note=each.id)
        least = f"{fewest} ({share(shares[fewest])})" if fewest and shares[fewest] < 1 else ""
        rows.append((title, size, shared, shared / size if size else None, least))
    return Table.from_rows(
        "shared-pairs",
        "Pairs of each set that all models can score: those on which they are compared.",
        ("Set", Column.count("Pairs"), Column.count("Scored by all"), Column.share("Share"), "Scored least by"),
        rows,
    )


_SCALES = {entry.id: entry.scale for entry in CATALOGUE}
_DISTANCE = "Mean Levenshtein distance of the terms, in lower case"
_MULTI_WORD = Column.share("Multi-word", "Share of the terms of all pairs that have more than one word")


class _Described(NamedTuple):
    """A set, how many pairs of either label it has, and its statistics."""

    set: TitledSet
    pairs: int
    positives: int
    ratings: str
    """The scale of a rated set."""
    multi_word: float | None
    """Counted over all pairs, as the paper does, not over different terms as in the manifest of a benchmark."""
    distances: tuple[float | None, float | None]
    """The mean edit distances of positives and of negatives, which rated sets have none of."""

    @classmethod
    def of(cls, each: TitledSet, pairs: PairSet) -> Self:
        """Describe a set."""
        terms = [*pairs.frame["term_1"], *pairs.frame["term_2"]]
        multi_word = sum(len(term.split()) > 1 for term in terms) / len(terms) if terms else None
        truth = truth_of(pairs)
        if each.graded:
            low, high = _SCALES.get(each.id, (truth.min(initial=np.inf), truth.max(initial=-np.inf)))
            return cls(each, len(pairs), 0, f"{low:g}–{high:g}", multi_word, (None, None))
        known = statistics_of(pairs)
        distances = known.mean_distance_positives, known.mean_distance_negatives
        return cls(each, len(pairs), int(truth.sum()), "", multi_word, distances)


def sets_section(sets: Sequence[TitledSet], read: Callable[[str], PairSet]) -> Section | None:
    """Return what the sets are like; None if there are none. `read` gives a set by its id."""
    described: list[_Described] = []
    for each in sets:
        try:
            described.append(_Described.of(each, read(each.id)))
        except TermgaugeError as error:
            warn_skipped(f"the description of '{each.id}'", f"What “{each.title}” is like cannot be shown: {error}")
    tables = [*_built(described)]
    pairs, own = Column.count("Pairs"), [each for each in described if not each.set.built]
    if labelled := [(_title(each), each.pairs, each.positives, *each.distances, each.multi_word)
                    for each in own if not each.set.graded]:  # fmt: skip
        columns = (pairs, Column.count("Positives"), *map(_distance_column, ("Positives", "Negatives")), _MULTI_WORD)
        tables.append(Table.from_rows("labelled-sets", "Labelled sets.", ("Set", *columns), labelled))
    if rated := [(_title(each), each.pairs, each.ratings, each.multi_word) for each in own if each.set.graded]:
        about = "Sets rated by people."
        tables.append(Table.from_rows("rated-sets", about, ("Set", pairs, "Ratings", _MULTI_WORD), rated))
    return Section("sets", "The sets", tuple(tables)) if tables else None


def _title(each: _Described) -> Cell:
    return Cell(each.set.title, note=each.set.id)


def _built(described: Sequence[_Described]) -> Iterator[Table]:
    """Yield Table 2 for each terminology: a row for each kind, and below it for its easy and hard pairs."""
    terminologies = dict.fromkeys(each.set.origin.terminology for each in described if each.set.built)
    for terminology in terminologies:
        rows = []
        for kind, title in KINDS.items():
            of_kind = (terminology, kind)
            own = [each for each in described
                   if each.set.built and (each.set.origin.terminology, each.set.origin.kind) == of_kind]  # fmt: skip
            levels = {level: some for level in DIFFICULTIES
                      if (some := [each for each in own if each.set.origin.difficulty == level])}  # fmt: skip
            if len(levels) > 1:
                rows.append(_row(title, own))
            rows += [_row(f"– {level}" if len(levels) > 1 else f"{title}, {level}", some)
                     for level, some in levels.items()]  # fmt: skip
        of = f" from {terminology}" if len(terminologies) > 1 else ""
        yield Table.from_rows(
            block_id("built-sets", terminology if of else ""),
            f"Sets built{of or ' from the terminology'}: pairs, and mean edit distance of positive pairs and of random "
            "and edit-distance negatives.",
            (
                "Set",
                Column.number("Pairs", note="With random and, if it has another number, edit-distance negatives"),
                *map(_distance_column, ("Positives", "Random neg.", "Edit-distance neg.")),
                _MULTI_WORD,
            ),
            rows,
            sortable=False,
        )


def _row(title: str, own: Sequence[_Described]) -> tuple[str | float | Cell | None, ...]:
    """Return a row of Table 2; of several difficulties the means over all their pairs."""
    random, closest = ([each for each in own if each.set.origin.strategy == how] for how in ("random", "levenshtein"))
    sizes = list(dict.fromkeys(sum(each.pairs for each in some) for some in (random, closest) if some))
    return (
        title,
        Cell(" / ".join(f"{size:,}" for size in sizes), sizes[0]),
        _mean([(each.distances[0], each.positives) for each in random or closest]),
        *(_mean([(each.distances[1], each.pairs - each.positives) for each in some]) for some in (random, closest)),
        _mean([(each.multi_word, each.pairs) for each in own]),
    )


def _mean(parts: Sequence[tuple[float | None, int]]) -> float | None:
    known = [(value, count) for value, count in parts if value is not None and count]
    return sum(value * count for value, count in known) / sum(count for _, count in known) if known else None


def _distance_column(heading: str) -> Column:
    return replace(Column.number(heading, 2, _DISTANCE, "Edit distance"), cell=partial(Cell.number, digits=2, top=None))
