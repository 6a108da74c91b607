"""All models on all sets at a glance, the pairs that they can score, and what the sets are like.

The last are Tables 1 and 2 of Schulz & Juric (2020), for sets that people rated and for those that were built.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from termgauge.benchmark.human.catalogue import CATALOGUE
from termgauge.benchmark.manifest import statistics_of
from termgauge.benchmark.sets import DIFFICULTIES
from termgauge.exceptions import TermgaugeError, warn_skipped
from termgauge.reporting.blocks import Cell, Column, Figure, Section, Table, block_id
from termgauge.reporting.plots.canvas import scale
from termgauge.reporting.plots.heat import Heat
from termgauge.reporting.set_names import KINDS, STATISTICS, with_terminology
from termgauge.reporting.words import capitalised, counted, decimal, share
from termgauge.tasks.pairs.results import truth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from termgauge.benchmark.pairset import PairSet
    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.pairs.sections.standings import Standings


def heatmap_section(standings: Standings) -> Section | None:
    """Return the heat maps: of labelled sets and of rated ones, for their values are not on one scale."""
    figures = [figure for graded in (False, True) if (figure := heatmap(standings, graded=graded))]
    return Section("heatmap", "Sets at a glance", tuple(figures)) if figures else None


def heatmap(standings: Standings, *, graded: bool) -> Figure | None:
    """Return the heat map of the labelled or of the rated sets; None if there are none with values."""
    groups = {
        entry: group.title
        for group in standings.groups
        for entry in group.sets
        if entry.graded == graded and standings.valued(entry)
    }
    if not groups:
        return None
    models = standings.ranked_with_values([*groups])
    placed = [(entry, one) for entry in groups for model in models if (one := standings.of(entry, model))]
    values = {(one.model, one.set): one.value for _, one in placed if one.value is not None}
    low, high = scale(values.values(), step=0.1)
    bottom = min(low, 0.0 if graded else 0.5)
    heat = Heat(
        models,
        [entry.id for entry in groups],
        values,
        (bottom, high),
        shades={(one.model, one.set): bottom if one.low is None else one.low for _, one in placed},
        labels={entry.id: row_label(entry) for entry in groups},
        groups={entry.id: title for entry, title in groups.items()},
    )
    titles = {entry.id: entry.title for entry in groups}
    ends = (
        f"{decimal(value, 3)} ({model} on {titles[name]})"
        for (model, name), value in sorted(values.items(), key=lambda item: -item[1])[:: max(1, len(values) - 1)]
    )
    statistic = next(iter(groups)).statistic
    return Figure(
        id=f"heatmap-{statistic}",
        caption=(
            f"{capitalised(STATISTICS[statistic])} of {counted(len(models), 'model')} on "
            f"{counted(len(groups), 'set')}, on the pairs that all models can score. The darker, the higher the low "
            "end of the interval: sets of a few pairs stay pale."
        ),
        description=f"Heat map of {STATISTICS[statistic]}, from the highest value to the lowest: {' to '.join(ends)}.",
        draw=heat.draw,
        data=pl.DataFrame(
            [
                (entry.id, entry.title, one.model, one.value, one.low, one.n)
                for entry, one in placed
                if one.value is not None
            ],
            ["set", "title", "model", "value", "low", "n"],
            orient="row",
            infer_schema_length=None,
        ),
    )


def row_label(entry: TitledSet) -> str:
    """Return what a set is called in a block of its group."""
    return f"{entry.sampling}, {entry.origin.difficulty}" if entry.built else entry.brief


def shared_table(standings: Standings) -> Table:
    """Return how many pairs of each set there are, and how many all models can score."""
    rows = []
    for entry in (entry for group in standings.groups for entry in group.sets):
        shared, size = standings.shared(entry), standings.size(entry)
        shares = {one.model: standings.coverage(entry, one.model) or 0.0 for one in standings.on(entry)}
        fewest = min(shares, key=lambda model: shares[model], default="")
        title = Cell(with_terminology(entry, standings.sets), note=entry.id)
        least = f"{fewest} ({share(shares[fewest])})" if fewest and shares[fewest] < 1 else ""
        rows.append((title, size, shared, shared / size if size else None, least))
    return Table.from_rows(
        "shared-pairs",
        "Pairs of each set that all models can score: those on which they are compared. A word model scores a pair if "
        "it knows every word of both terms; one that scores too few (see `min_coverage`) takes no part.",
        ("Set", Column.count("Pairs"), Column.count("Scored by all"), Column.share("Share"), "Scored least by"),
        rows,
    )


_SCALES = {entry.id: entry.scale for entry in CATALOGUE}
_MULTI_WORD = Column.share("Multi-word", "Share of the terms of all pairs that have more than one word")


class _Described(NamedTuple):
    """A set, how many pairs of either label it has, and its statistics."""

    set: TitledSet
    pairs: int
    positives: int
    multi_word: float | None
    """Counted over all pairs, as the paper does, not over different terms as in the manifest of a benchmark."""
    ratings: str = ""
    """The scale of a rated set."""
    distances: tuple[float | None, float | None] = (None, None)
    """The mean edit distances of positives and of negatives, which rated sets have none of."""

    @property
    def title(self) -> Cell:
        """Its name."""
        return Cell(self.set.title, note=self.set.id)


def _described(entry: TitledSet, pairs: PairSet) -> _Described:
    terms = [*pairs.frame["term_1"], *pairs.frame["term_2"]]
    multi_word = sum(len(term.split()) > 1 for term in terms) / len(terms) if terms else None
    truth = truth_of(pairs)
    if entry.graded:
        low, high = _SCALES.get(entry.id, (truth.min(initial=np.inf), truth.max(initial=-np.inf)))
        return _Described(entry, len(pairs), 0, multi_word, f"{low:g}–{high:g}")
    statistics = statistics_of(pairs)
    distances = statistics.mean_distance_positives, statistics.mean_distance_negatives
    return _Described(entry, len(pairs), int(truth.sum()), multi_word, distances=distances)


def sets_section(sets: Sequence[TitledSet], read: Callable[[str], PairSet]) -> Section | None:
    """Return what the sets are like; None if there are none. `read` gives a set by its id."""
    described: list[_Described] = []
    for entry in sets:
        try:
            described.append(_described(entry, read(entry.id)))
        except TermgaugeError as error:
            warn_skipped(f"the description of '{entry.id}'", f"What “{entry.title}” is like cannot be shown: {error}")
    terminologies = dict.fromkeys(one.set.origin.terminology for one in described if one.set.built)
    tables = [_built(name if len(terminologies) > 1 else "", [one for one in described if one.set.built and
              one.set.origin.terminology == name]) for name in terminologies]  # fmt: skip
    pairs, others = Column.count("Pairs"), [one for one in described if not one.set.built]
    if labelled := [(one.title, one.pairs, one.positives, *one.distances, one.multi_word)
                    for one in others if not one.set.graded]:  # fmt: skip
        columns = (pairs, Column.count("Positives"), *map(_distance_column, ("Positives", "Negatives")), _MULTI_WORD)
        tables.append(Table.from_rows("labelled-sets", "Labelled sets.", ("Set", *columns), labelled))
    if rated := [(one.title, one.pairs, one.ratings, one.multi_word) for one in others if one.set.graded]:
        about = "Sets rated by people."
        tables.append(Table.from_rows("rated-sets", about, ("Set", pairs, "Ratings", _MULTI_WORD), rated))
    return Section("sets", "The sets", tuple(tables)) if tables else None


def _built(terminology: str, described: Sequence[_Described]) -> Table:
    """Return Table 2: a row for each kind, and below it for its easy and hard pairs."""
    rows = []
    for kind, title in KINDS.items():
        of_kind = [one for one in described if one.set.origin.kind == kind]
        levels = [level for level in DIFFICULTIES if any(one.set.origin.difficulty == level for one in of_kind)]
        rows += [_row(title, of_kind)] if len(levels) > 1 else []
        for level in levels:
            called = f"– {level}" if len(levels) > 1 else f"{title}, {level}"
            rows.append(_row(called, [one for one in of_kind if one.set.origin.difficulty == level]))
    distances = map(_distance_column, ("Positives", "Random neg.", "Edit-distance neg."))
    note = "With random and, if it has another number, edit-distance negatives"
    return Table.from_rows(
        block_id("built-sets", terminology),
        f"Sets built from {terminology or 'the terminology'}: pairs, and mean edit distance of positive pairs and of "
        "random and edit-distance negatives.",
        ("Set", Column.number("Pairs", note=note), *distances, _MULTI_WORD),
        rows,
        sortable=False,
    )


def _row(title: str, described: Sequence[_Described]) -> tuple[str | float | Cell | None, ...]:
    """Return a row of Table 2; of several difficulties the means over all their pairs."""
    random, closest = (
        [one for one in described if one.set.origin.strategy == how] for how in ("random", "levenshtein")
    )
    sizes = list(dict.fromkeys(sum(one.pairs for one in some) for some in (random, closest) if some))
    return (
        title,
        Cell(" / ".join(f"{size:,}" for size in sizes), sizes[0]),
        _mean([(one.distances[0], one.positives) for one in random or closest]),
        *(_mean([(one.distances[1], one.pairs - one.positives) for one in some]) for some in (random, closest)),
        _mean([(one.multi_word, one.pairs) for one in described]),
    )


def _mean(parts: Sequence[tuple[float | None, int]]) -> float | None:
    weighted = [(value, count) for value, count in parts if value is not None and count]
    return sum(value * count for value, count in weighted) / sum(count for _, count in weighted) if weighted else None


def _distance_column(heading: str) -> Column:
    about = "Mean Levenshtein distance of the terms, in lower case"
    return Column(heading, True, about, "Edit distance", partial(Cell.number, digits=2, top=None))
