"""What scoring pairs gives: the values of all models on all sets, and from them where each model stands."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import polars as pl
from pydantic import ConfigDict, Field, InstanceOf, PlainSerializer

from termgauge.benchmark.sets import DIFFICULTIES, STRATEGIES
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.reporting.set_names import KINDS
from termgauge.tasks.pairs.results import OF_BINARY, OF_GRADED, SHARED
from termgauge.tasks.pairs.scored import ScoredSets
from termgauge.tasks.results import Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.reporting.set_names import TitledSet
    from termgauge.tasks.pairs.compare import RunComparison
    from termgauge.tasks.pairs.sections.standings import Standings


HUMAN = "human"
SCHEMA = {
    "group": pl.String,
    "model": pl.String,
    "statistic": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "mean_rank": pl.Float64,
    "sets": pl.Int64,
    "left_out": pl.String,
}


def group_means(standings: Standings, own: Sequence[str] = ()) -> pl.DataFrame:
    """Return the mean of each model over the sets of each group, for each statistic, and its mean rank.

    A mean is over the sets on which all models have a value that have any in the group; the others are named under
    ``left_out``. Values are on the pairs that all models can score, by the measure that stands for each model.
    """
    rows: list[dict[str, object]] = []
    for name, sets in groups_by_name(standings.sets, own).items():
        for graded, statistics in ((True, OF_GRADED), (False, OF_BINARY)):
            some = [each for each in sets if each.graded == graded]
            if some:
                values = standings.frame(some, statistics).filter(pl.col("value").is_not_null())
                rows += (row for each in statistics for row in _rows(name, each, some, values.filter(statistic=each)))
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def groups_by_name(sets: Sequence[TitledSet], own: Sequence[str] = ()) -> dict[str, list[TitledSet]]:
    """Return the groups of sets that have two or more, each collection of sets once; then those of one's own.

    A group of one's own is written ``NAME=SET,SET``; a set is an id, its end, or a pattern such as ``human/umnsrs-*``.
    """
    found = {HUMAN: [each for each in sets if each.origin.human]}
    for part, names in (("kind", tuple(KINDS)), ("difficulty", DIFFICULTIES), ("strategy", STRATEGIES)):
        found |= {name: [each for each in sets if getattr(each.origin, part) == name] for name in names}
    groups: dict[str, list[TitledSet]] = {}
    for name, some in found.items():
        if len(some) > 1 and some not in groups.values():
            groups[name] = some
    return groups | dict(_own(each, sets) for each in own)


def _own(text: str, sets: Sequence[TitledSet]) -> tuple[str, list[TitledSet]]:
    name, _, words = text.partition("=")
    chosen: dict[str, TitledSet] = {}
    for word in filter(None, map(str.strip, words.split(","))):
        fitting = {each.id: each for each in sets if fnmatchcase(each.id, word) or each.id.endswith(f"/{word}")}
        if not fitting:
            there = ", ".join(each.id for each in sets)
            raise TermgaugeError(f"The group '{name}' names a set '{word}' that the run does not have; it has {there}.")
        chosen |= fitting
    if not name.strip() or not chosen:
        raise TermgaugeError(f"The group '{text}' must be written as NAME=SET,SET, with one set at least.")
    return name.strip(), list(chosen.values())


def _rows(group: str, statistic: str, sets: Sequence[TitledSet], values: pl.DataFrame) -> Iterator[dict[str, object]]:
    models = values["model"].unique(maintain_order=True).to_list()
    counted = [each.id for each in sets if values.filter(set=each.id)["model"].n_unique() == len(models)]
    if not models or not counted:
        return
    left_out = ", ".join(each.id for each in sets if each.id not in counted)
    ranked = values.filter(pl.col("set").is_in(counted)).with_columns(
        rank=pl.col("value").rank("average", descending=True).over("set")
    )
    for model in models:
        own = ranked.filter(model=model)
        ends = {end: own[end].mean() if own[end].null_count() == 0 else None for end in ("low", "high")}
        yield {
            "group": group,
            "model": model,
            "statistic": statistic,
            "value": own["value"].mean(),
            **ends,
            "mean_rank": own["rank"].mean(),
            "sets": len(counted),
            "left_out": left_out,
        }


class PairsResult(Result):
    """The values of all models on all sets."""

    model_config = ConfigDict(ignored_types=(cached_property,))

    results: Annotated[InstanceOf[pl.DataFrame], PlainSerializer(pl.DataFrame.to_dicts)]
    scored: InstanceOf[ScoredSets] = Field(exclude=True, repr=False)

    @cached_property
    def compared(self) -> tuple[RunComparison, dict[str, str]]:
        """Which differences are real, and for each set that cannot be compared the reason."""
        from termgauge.tasks.pairs.compare import stored_comparison

        return stored_comparison(self.scored)

    @cached_property
    def standings(self) -> Standings:
        """Where each model stands on each set."""
        return self.standings_by(self.compared[0])

    def standings_by(self, comparison: RunComparison | None) -> Standings:
        """Return where each model stands on each set, by a comparison that was made before."""
        from termgauge.tasks.pairs.sections.standings import standings

        compared, scored = comparison if comparison and comparison.models else None, self.scored
        return standings(self.results, scored.models, scored.sets, compared, alpha=scored.testing.alpha)

    def standings_by_best_measures(self) -> Standings | None:
        """Return where each model stands on the rated sets by the best measure; None if there are none."""
        from termgauge.tasks.pairs.compare import BEST, compare_sets

        rated = [name for name, about in self.scored.sets.items() if about.graded]
        scored = replace(self.scored, testing=self.scored.testing.model_copy(update={"measure": BEST}))
        if rated:
            with warnings.catch_warnings(), suppress(TermgaugeError):  # what cannot be compared was said before
                warnings.simplefilter("ignore", TermgaugeWarning)
                return self.standings_by(compare_sets(scored, rated, between_measures=False, power=False))
        return None

    @property
    def pairs(self) -> dict[str, int]:
        """How many pairs each set has."""
        return {name: about.pairs for name, about in self.scored.sets.items()}

    def to_frame(self) -> pl.DataFrame:
        """Return the values as a tidy table: model, set, measure, statistic, value, low, high, n, subset."""
        return self.results

    def values(self) -> Iterator[Value]:
        """Yield the values on the pairs that all models can score."""
        for row in self.results.iter_rows(named=True):
            if row["subset"] == SHARED or row["statistic"] == "coverage":
                item = f"{row['set']}, {row['measure']}"
                yield Value(row["model"], row["statistic"], row["value"], row["low"], row["high"], row["n"], item)
