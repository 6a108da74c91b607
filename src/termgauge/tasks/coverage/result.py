"""What measuring the coverage of a domain gives: each model's figures, their intervals, and which seeds it lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from termgauge.statistics.json_values import finite
from termgauge.statistics.resampled_differences import wins_and_losses
from termgauge.tasks.coverage.measure import DISCOUNTED, GAIN, IN_VOCABULARY, Measure

if TYPE_CHECKING:
    from termgauge.domain.domain import Domain
    from termgauge.statistics.bootstrap import Interval
    from termgauge.tasks.coverage.measure import CoverageStatistics, ModelCoverage


@dataclass(frozen=True)
class CoverageReport:
    """How models cover a domain."""

    domain: Domain
    ks: tuple[int, ...]
    labels: str
    """Which labels stood for a concept under models of words: ``first`` or ``all``."""
    models: dict[str, ModelCoverage]
    statistics: CoverageStatistics
    left_out: tuple[str, ...] = ()
    """Models that could not be used, each with the reason."""

    def value(self, model: str, statistic: str, k: int = 0) -> float:
        """Return a measure of a model: ``in_vocabulary``, or ``cg`` or ``posdcg`` at some k."""
        return self.models[model].value(Measure(statistic, k))

    def interval(self, model: str, statistic: str, k: int = 0) -> Interval:
        """Return the interval of a measure."""
        return self.statistics.intervals[model, Measure(statistic, k)]

    def wins_and_losses(self, model: str, statistic: str, k: int = 0) -> tuple[int, int]:
        """Return how many other models a model significantly beats and loses to by a measure."""
        return wins_and_losses(model, self.statistics.differences[Measure(statistic, k)])

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values.

        Shares and measures are between 0 and 1. Lists of a model such as ``words`` and ``hits`` have an entry for each
        seed, in the order of ``domain.seeds``.
        """
        return {
            "domain": self.domain.as_dict(),
            "labels": self.labels,
            "k": list(self.ks),
            "alpha": self.statistics.alpha,
            "correction": self.statistics.correction,
            "resamples": self.statistics.resamples,
            "models": {name: self._model(found) for name, found in self.models.items()},
            "differences": [
                {"statistic": measure.statistic, "k": measure.k or None, **each.as_dict()}
                for measure, found in self.statistics.differences.items()
                for each in found
            ],
            "left_out": list(self.left_out),
        }

    def _model(self, found: ModelCoverage) -> dict[str, Any]:
        share = self._measure(found, IN_VOCABULARY)
        return {
            "seeds": len(found.known),
            "in_vocabulary": found.in_vocabulary,
            "out_of_vocabulary": len(found.known) - found.in_vocabulary,
            "share": share["value"],
            "share_interval": share["interval"],
            "share_wins": share["wins"],
            "share_losses": share["losses"],
            "k": {str(k): self._at(found, k) for k in self.ks},
            "kind": found.kind,
            "neighbourhood": found.neighbourhood,
            "neighbourhood_size": found.size,
            "missing": [seed for seed, known in zip(self.domain.seeds, found.known.tolist(), strict=True) if not known],
            "words": list(found.words),
            "hits": {str(k): found.hits[:, :k].sum(axis=1).tolist() for k in self.ks},
            "neighbours": [list(each) for each in found.neighbours],
            "map": found.map.as_dict() if found.map else None,
        }

    def _at(self, found: ModelCoverage, k: int) -> dict[str, Any]:
        document = {}
        for statistic in (GAIN, DISCOUNTED):
            measured = self._measure(found, statistic, k)
            document[statistic] = measured.pop("value")
            document |= {f"{statistic}_{name}": value for name, value in measured.items()}
        return document

    def _measure(self, found: ModelCoverage, statistic: str, k: int = 0) -> dict[str, Any]:
        low, high = self.interval(found.name, statistic, k)
        wins, losses = self.wins_and_losses(found.name, statistic, k)
        return {
            "value": self.value(found.name, statistic, k),
            "interval": [finite(low), finite(high)],
            "wins": wins,
            "losses": losses,
        }
