"""Where each model stands on each set: its value, whom it beats, and whether it can be told from the best.

Values and intervals are those of the results table; wins, losses and what cannot be told apart come from the
comparison. All sections that speak of models and sets read them from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.reporting.blocks import Interval, WinsLosses
from termgauge.reporting.set_names import TitledSet, groups_of, titled
from termgauge.similarity.measures import default_measure
from termgauge.tasks.contract import Testing
from termgauge.tasks.pairs.results import OWN, SHARED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from termgauge.reporting.set_names import SetGroup
    from termgauge.tasks.pairs.compare import ComparedSet, MeasureComparison, RunComparison
    from termgauge.tasks.records import ModelRecord, SetRecord

_USUAL = Testing()
_MARKS = {"wins": pl.Int64, "losses": pl.Int64, "not_told_from_best": pl.Boolean}


class Standing(NamedTuple):
    """A value of a model on a set, as the results have it, by the measure that stands for the model."""

    model: str
    set: str
    measure: str
    statistic: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    subset: str
    wins: int | None
    """Null like what follows where it was not compared with others."""
    losses: int | None
    not_told_from_best: bool | None

    @property
    def against(self) -> WinsLosses:
        """What its superscript says."""
        return WinsLosses(self.wins or 0, self.losses or 0)

    @property
    def interval(self) -> Interval | None:
        """Its interval, if it has one."""
        return Interval.known(self.low, self.high)


@dataclass(frozen=True)
class Standings:
    """All models on all sets."""

    models: tuple[str, ...]
    baselines: Mapping[str, str]
    """What a model is that knows no medicine."""
    sets: tuple[TitledSet, ...]
    values: pl.DataFrame
    """The results by the measure that stands for each model; marks where models were compared."""
    comparison: RunComparison | None
    results: pl.DataFrame
    testing: Testing
    """How intervals were made, and differences tested."""
    records: Mapping[str, SetRecord]
    """What is known about sets."""

    @cached_property
    def comparisons(self) -> dict[str, ComparedSet]:
        """The comparisons by set; sets on which models could not be compared have none."""
        return {entry.set: entry for entry in (self.comparison.models if self.comparison else ())}

    @property
    def measures(self) -> tuple[MeasureComparison, ...]:
        """The comparisons of the measures of each model."""
        return self.comparison.measures if self.comparison else ()

    def size(self, entry: TitledSet) -> int:
        """Return how many pairs a set has; 0 if that is not known."""
        return self.records[entry.id].pairs if entry.id in self.records else 0

    @cached_property
    def _rows(self) -> dict[tuple[str, ...], Standing]:
        rows = map(Standing._make, self.values.iter_rows())
        return {(row.set, row.model, row.statistic, row.subset): row for row in rows}

    def of(self, entry: TitledSet, model: str, statistic: str = "", subset: str = SHARED) -> Standing | None:
        """Return a model on a set, by what the set is compared by or another statistic; None if it was not scored."""
        return self._rows.get((entry.id, model, statistic or entry.statistic, subset))

    def coverage(self, entry: TitledSet, model: str) -> float | None:
        """Return which share of a set's pairs a model can score."""
        scored = self.of(entry, model, "coverage", OWN)
        return scored.value if scored else None

    def on(self, entry: TitledSet) -> list[Standing]:
        """Return all models that were scored on a set."""
        return [one for model in self.models if (one := self.of(entry, model))]

    def valued(self, entry: TitledSet) -> dict[str, float]:
        """Return all models that have a value on a set, with it."""
        return {one.model: one.value for one in self.on(entry) if one.value is not None}

    def shared(self, entry: TitledSet) -> int:
        """Return how many pairs of a set all models can score."""
        return max((standing.n for standing in self.on(entry)), default=0)

    @property
    def complete(self) -> bool:
        """Whether every model scores every pair."""
        return self.results.filter(pl.col("value") < 1, statistic="coverage").is_empty()

    @cached_property
    def groups(self) -> list[SetGroup]:
        """The sets in groups."""
        return groups_of(self.sets)

    def ranked(self, sets: Iterable[TitledSet]) -> list[str]:
        """Return the models from the best to the worst, by the mean of their values on some sets.

        Sets on which a model has no value count for none: the mean is over the sets that all models with any value
        have, or else over those that each has. Models without a value are last.
        """
        by_set = {entry.id: self.valued(entry) for entry in sets}
        everybody = {model for values in by_set.values() for model in values}
        common = [values for values in by_set.values() if len(values) == len(everybody)]

        def key(model: str) -> tuple[bool, float]:
            values = [values[model] for values in common or by_set.values() if model in values]
            return not values, -sum(values) / max(1, len(values))

        return sorted(self.models, key=key)

    def ranked_with_values(self, sets: Sequence[TitledSet]) -> list[str]:
        """Return the models that have a value on any of some sets, from the best to the worst."""
        valued = {model for entry in sets for model in self.valued(entry)}
        return [model for model in self.ranked(sets) if model in valued]

    def frame(self, sets: Sequence[TitledSet], statistics: Sequence[str] = (), *, own: bool = False) -> pl.DataFrame:
        """Return the values of some sets with all digits, by the measure that stands for each model.

        They are those on the shared pairs; with `own` also those on each model's own pairs.
        """
        wanted = list(statistics) or list({entry.statistic for entry in self.sets})
        return self.values.filter(
            pl.col("set").is_in([entry.id for entry in sets]),
            pl.col("statistic").is_in(wanted),
            pl.col("subset").is_in([OWN, SHARED] if own else [SHARED]),
        )


def standings(
    results: pl.DataFrame,
    models: Mapping[str, ModelRecord],
    records: Mapping[str, SetRecord],
    comparison: RunComparison | None = None,
    testing: Testing = _USUAL,
) -> Standings:
    """Bring the values of a run and its comparison together.

    A set without a record is rated if it has values of Spearman's rho.
    """
    rated = set(results.filter(statistic="spearman")["set"])
    compared = {entry.set: entry for entry in (comparison.models if comparison else ())}
    sets = tuple(
        titled(
            name,
            graded=about.graded if (about := records.get(name)) else name in rated,
            origin=about.origin if about else None,
            statistic=testing.statistic,
        )
        for name in results["set"].unique(maintain_order=True)
    )
    scored = results["model"].unique(maintain_order=True).to_list()
    names = tuple(name for name in dict.fromkeys([*models, *scored]) if name in scored)
    systems = results.group_by("set", "model", maintain_order=True).agg(pl.col("measure").unique(maintain_order=True))
    chosen = []
    for name, model, measures in systems.iter_rows():
        tested = compared.get(name)
        measure = tested.measures.get(model) if tested else None
        if measure not in measures:
            measure = default_measure(measures, models[model].kind if model in models else "")
        marked = tested and model in tested.comparison.by_model
        marks = (*tested.comparison.counts[model], model in tested.comparison.top) if tested and marked else (None,) * 3
        chosen.append((name, model, measure, *marks))
    keys = dict.fromkeys(("set", "model", "measure"), pl.String)
    by_main = pl.col("statistic").is_in([entry.statistic for entry in sets]) & (pl.col("subset") == SHARED)
    values = results.join(
        pl.DataFrame(chosen, {**keys, **_MARKS}, orient="row"), on=list(keys), how="inner", maintain_order="left"
    ).with_columns(pl.when(by_main & pl.col("value").is_not_null()).then(name) for name in _MARKS)
    baselines = {model: what for model in names if model in models and (what := models[model].baseline)}
    return Standings(names, baselines, sets, values, comparison, results, testing, records)
