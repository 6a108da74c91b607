"""What scoring pairs gives: the values of all models on all sets, and from them where each model stands."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

import polars as pl
from pydantic import ConfigDict, Field, InstanceOf, PlainSerializer

from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.reporting.set_names import groups_by_name
from termgauge.tasks.pairs.results import OF_BINARY, OF_GRADED, SHARED
from termgauge.tasks.pairs.scored import ScoredSets
from termgauge.tasks.results import Result, Value, finite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.statistics.comparison import Joint
    from termgauge.tasks.pairs.compare import RunComparison
    from termgauge.tasks.pairs.sections.standings import Standings


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


def group_means(standings: Standings) -> pl.DataFrame:
    """Return the mean of each model over the sets of each group, for each statistic, and its mean rank.

    A mean is over the sets on which all models have a value that have any in the group; the others are named under
    ``left_out``. Values are on the pairs that all models can score, each model by its measure. The intervals are those
    of the comparison, which there are by what models are compared by.
    """
    rows: list[dict[str, object]] = []
    joints = {joint.name: joint for joint in (standings.comparison.whole.groups if standings.comparison else ())}
    for name, sets in groups_by_name(standings.sets, standings.testing.groups).items():
        for entry in (*OF_GRADED, *OF_BINARY):
            some = [one for one in sets if one.graded == (entry in OF_GRADED)]
            values = standings.frame(some, [entry]).filter(pl.col("value").is_not_null())
            models = values["model"].unique(maintain_order=True).to_list()
            counted = values.filter(pl.col("model").n_unique().over("set") == len(models)).with_columns(
                rank=pl.col("value").rank("average", descending=True).over("set")
            )
            missing = [one.id for one in some if one.id not in set(counted["set"])]
            tested = some and entry == some[0].statistic and some == list(sets) and not missing
            ends = {row.model: row for row in joints[name].ranking} if tested and name in joints else {}
            rows += (
                {
                    "group": name,
                    "model": model,
                    "statistic": entry,
                    "value": part["value"].mean(),
                    "low": finite(ends[model].low) if model in ends else None,
                    "high": finite(ends[model].high) if model in ends else None,
                    "mean_rank": part["rank"].mean(),
                    "sets": part.height,
                    "left_out": ", ".join(missing),
                }
                for model in models
                if (part := counted.filter(model=model)).height
            )
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


class PairsResult(Result):
    """The values of all models on all sets."""

    model_config = ConfigDict(ignored_types=(cached_property,))

    results: Annotated[InstanceOf[pl.DataFrame], PlainSerializer(pl.DataFrame.to_dicts)]
    scored: InstanceOf[ScoredSets] = Field(exclude=True, repr=False)

    @cached_property
    def compared(self) -> RunComparison:
        """The comparison of the run."""
        from termgauge.tasks.pairs.compare import run_comparison

        return run_comparison(self.scored)

    def main_comparison(self) -> Joint | None:
        """Return the verdict of the run."""
        return self.compared.main

    @cached_property
    def standings(self) -> Standings:
        """Where each model stands on each set."""
        return self.standings_by(self.compared)

    def standings_by(self, comparison: RunComparison | None) -> Standings:
        """Return where each model stands on each set, by a comparison that was made before."""
        from termgauge.tasks.pairs.sections.standings import standings

        scored = self.scored
        return standings(self.results, scored.models, scored.sets, comparison, scored.testing)

    def standings_by_best_measures(self) -> Standings | None:
        """Return where each model stands on the rated sets by the best measure; None if there are none."""
        from termgauge.tasks.pairs.compare import BEST, compare_sets

        rated = [name for name, about in self.scored.sets.items() if about.graded]
        scored = replace(self.scored, testing=self.scored.testing.model_copy(update={"measure": BEST}))
        if rated:
            with warnings.catch_warnings(), suppress(TermgaugeError):  # what cannot be compared was said before
                warnings.simplefilter("ignore", TermgaugeWarning)
                return self.standings_by(compare_sets(scored, rated, between_measures=False))
        return None

    def to_frame(self) -> pl.DataFrame:
        """Return the values as a tidy table: model, set, measure, statistic, value, low, high, n, subset."""
        return self.results

    def values(self) -> Iterator[Value]:
        """Yield the values on the pairs that all models can score."""
        for row in self.results.iter_rows(named=True):
            if row["subset"] == SHARED or row["statistic"] == "coverage":
                item = f"{row['set']}, {row['measure']}"
                yield Value(row["model"], row["statistic"], row["value"], row["low"], row["high"], row["n"], item)
