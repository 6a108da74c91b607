"""Where each model stands on each set: its value, whom it beats, and whether it can be told from the best.

Values and intervals are those of the results table, on the pairs that all models can score; wins, losses and what
cannot be told apart come from the comparison. All sections that speak of models and sets read them from here.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.reporting.blocks import UNTESTED, WinsLosses
from termgauge.reporting.set_names import TitledSet, groups_of, titled
from termgauge.similarity.measures import default_measure
from termgauge.tasks.contract import Testing
from termgauge.tasks.pairs.results import OWN, SHARED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from termgauge.reporting.set_names import SetGroup
    from termgauge.tasks.pairs.compare import ComparedSet, RunComparison
    from termgauge.tasks.records import Ceiling, ModelRecord, SetRecord

_USUAL = Testing()


@dataclass(frozen=True)
class Standing:
    """One model on one set."""

    model: str
    set: TitledSet
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    """Pairs that all models can score."""
    coverage: float | None
    """Share of the set's pairs that the model can score."""
    own: float | None
    """The value on all pairs that the model can score."""
    own_n: int
    """How many these are."""
    against: WinsLosses = UNTESTED
    """What its superscript says."""
    compared: bool = False
    top: bool = False
    """The best, or not significantly worse than the best."""

    @property
    def apart(self) -> bool:
        """Whether the model has scores, but too few to take part in the shared pairs."""
        return not self.n and bool(self.coverage)


@dataclass(frozen=True)
class Standings:
    """All models on all sets."""

    models: tuple[str, ...]
    baselines: Mapping[str, str]
    """What a model is that knows no medicine."""
    sets: tuple[TitledSet, ...]
    by_set_and_model: Mapping[tuple[str, str], Standing]
    """By set and model."""
    comparisons: Mapping[str, ComparedSet]
    """By set; sets on which models could not be compared have none."""
    results: pl.DataFrame
    testing: Testing
    """How intervals were made, and differences tested."""
    ceilings: Mapping[str, Ceiling] = field(default_factory=dict)
    """By set, where it is known what each rater said: how far any model's correlation can go."""

    def of(self, each: TitledSet, model: str) -> Standing | None:
        """Return a model on a set; None if it was not scored on it."""
        return self.by_set_and_model.get((each.id, model))

    def value(self, each: TitledSet, model: str) -> float | None:
        """Return the value of a model on a set; None if it has none."""
        standing = self.of(each, model)
        return standing.value if standing else None

    def on(self, each: TitledSet) -> list[Standing]:
        """Return all models that were scored on a set."""
        return [one for model in self.models if (one := self.of(each, model))]

    def valued(self, each: TitledSet) -> list[Standing]:
        """Return all models that have a value on a set."""
        return [one for one in self.on(each) if one.value is not None]

    def shared(self, each: TitledSet) -> int:
        """Return how many pairs of a set all models can score."""
        return max((standing.n for standing in self.on(each)), default=0)

    def guessing(self, each: TitledSet) -> float | None:
        """Return what guessing gives on the pairs compared; None where that is not known."""
        if each.graded or each.statistic == "auc":
            return 0.0 if each.graded else 0.5
        compared = self.comparisons.get(each.id)
        return compared.guessing if compared else None

    @cached_property
    def groups(self) -> list[SetGroup]:
        """The sets in groups."""
        return groups_of(self.sets)

    def ranked(self, sets: Iterable[TitledSet]) -> list[str]:
        """Return the models from the best to the worst, by the mean of their values on some sets.

        Sets on which a model has no value count for none: the mean is over the sets that all models with any value
        have, or else over those that each has. Models without a value are last.
        """
        own: dict[str, dict[str, float]] = {model: {} for model in self.models}
        for one in (one for each in sets for one in self.valued(each)):
            own[one.model][one.set.id] = one.value or 0.0
        common = set.intersection(*(there if (there := [{*values} for values in own.values() if values]) else [set()]))

        def key(model: str) -> tuple[bool, float]:
            values = [value for name, value in own[model].items() if name in common] or [*own[model].values()]
            return not values, -(sum(values) / len(values)) if values else 0.0

        return sorted(self.models, key=key)

    def ranked_with_values(self, sets: Sequence[TitledSet]) -> list[str]:
        """Return the models that have a value on any of some sets, from the best to the worst."""
        return [model for model in self.ranked(sets) if any(self.value(each, model) is not None for each in sets)]

    def frame(self, sets: Sequence[TitledSet], statistics: Sequence[str] = (), *, own: bool = False) -> pl.DataFrame:
        """Return the values of some sets with all digits, by the measure that stands for each model.

        They are those on the shared pairs; with `own` also those on each model's own pairs.
        """
        standing = pl.DataFrame(
            [(each.set.id, each.model, each.measure, *each.against[:2], each.compared, each.top)
             for each in self.by_set_and_model.values()],
            schema={
                "set": pl.String, "model": pl.String, "measure": pl.String, "wins": pl.Int64, "losses": pl.Int64,
                "compared": pl.Boolean, "not_told_from_best": pl.Boolean,
            },
            orient="row",
        )  # fmt: skip
        main = list(dict.fromkeys(each.statistic for each in self.sets))
        wanted = list(statistics) or main
        values = self.results.filter(
            pl.col("set").is_in([each.id for each in sets])
            & pl.col("statistic").is_in(wanted)
            & pl.col("subset").is_in([OWN, SHARED] if own else [SHARED])
        ).join(standing, on=["set", "model", "measure"], how="inner", maintain_order="left")
        tested = pl.col("statistic").is_in(main) & pl.col("compared") & (pl.col("subset") == SHARED)
        return values.with_columns(
            *(pl.when(tested).then(name) for name in ("wins", "losses", "not_told_from_best"))
        ).drop("compared")


def standings(
    results: pl.DataFrame,
    models: Mapping[str, ModelRecord],
    known: Mapping[str, SetRecord],
    comparison: RunComparison | None = None,
    testing: Testing = _USUAL,
) -> Standings:
    """Bring the values of a run and its comparison together.

    A set that `known` does not name is rated if it has values of Spearman's rho.
    """
    rated = set(results.filter(statistic="spearman")["set"])
    compared = {each.set: each for each in (comparison.models if comparison else ())}
    sets = tuple(
        titled(
            name,
            graded=about.graded if (about := known.get(name)) else name in rated,
            origin=about.origin if about else None,
            statistic=testing.statistic,
        )
        for name in results["set"].unique(maintain_order=True)
    )
    rows: dict[tuple[str, str], dict[str, dict[tuple[str, str], tuple[Any, ...]]]] = {}
    columns = ("set", "model", "measure", "statistic", "subset", "value", "low", "high", "n")
    for set_id, model, measure, statistic, subset, *numbers in results.select(columns).iter_rows():
        by_measure = rows.setdefault((set_id, model), {})
        by_measure.setdefault(measure, {})[statistic, subset] = (*numbers,)
    scored = results["model"].unique(maintain_order=True).to_list()
    names = tuple(name for name in dict.fromkeys([*models, *scored]) if name in set(scored))
    made = {}
    for each in sets:
        tested = compared.get(each.id)
        for model in names:
            if own := rows.get((each.id, model)):
                measure = tested.measures.get(model, "") if tested else ""
                if measure not in own:
                    measure = default_measure(own, models[model].kind if model in models else "") or ""
                made[each.id, model] = _standing(each, model, measure, own[measure], tested)
    baselines = {model: what for model in names if model in models and (what := models[model].baseline)}
    ceilings = {each.id: about.ceiling for each in sets if (about := known.get(each.id)) and about.ceiling}
    return Standings(names, baselines, sets, made, compared, results, testing, ceilings)


def _standing(
    each: TitledSet,
    model: str,
    measure: str,
    own: Mapping[tuple[str, str], tuple[Any, ...]],
    compared: ComparedSet | None,
) -> Standing:
    none = (None, None, None, 0)
    alone, (value, low, high, n) = (own.get((each.statistic, subset), none) for subset in (OWN, SHARED))
    coverage = own.get(("coverage", OWN), none)[0]
    standing = Standing(model, each, measure, value, low, high, n, coverage, alone[0], alone[3])
    if compared is None or model not in compared.comparison.by_model or standing.value is None:
        return standing
    against, top = WinsLosses(*compared.comparison.counts[model]), model in compared.comparison.top
    return replace(standing, against=against, compared=True, top=top)
