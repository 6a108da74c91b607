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
from termgauge.tasks.pairs.results import SHARED
from termgauge.tasks.pairs.scored import ScoredSets
from termgauge.tasks.results import Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.tasks.pairs.run_comparison import RunComparison
    from termgauge.tasks.pairs.sections.standings import Standings


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
