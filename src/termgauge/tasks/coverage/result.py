"""What measuring the coverage of a domain gives: each model's figures, their intervals, and which seeds it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.domain.domain import DomainField
from termgauge.statistics.comparison import wins_and_losses
from termgauge.tasks.coverage.measure import (
    DISCOUNTED,
    GAIN,
    IN_VOCABULARY,
    DomainMap,
    Measure,
    coverage_statistics,
)
from termgauge.tasks.results import DifferenceRecord, Ends, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.domain.domain import Domain
    from termgauge.tasks.coverage.measure import CoverageStatistics, ModelCoverage
    from termgauge.tasks.coverage.task import CoverageOptions, DomainInputs


class AtK(Record):
    """The neighbours of a domain's concepts, for some number of them."""

    cg: float
    cg_interval: Ends
    cg_wins: int
    cg_losses: int
    posdcg: float
    posdcg_interval: Ends
    posdcg_wins: int
    posdcg_losses: int
    negdcg: float = 0.0
    """Of neighbours that are no seeds, by the same weights; seeds without a vector count in full, so that it is what
    posDCG lacks to 1."""


class CoverageFigures(Record):
    """How one model covers a domain. Lists have an entry for each seed, in the order of the domain's seeds."""

    seeds: int
    in_vocabulary: int
    out_of_vocabulary: int
    out_share: float = 0.0
    """%OOV."""
    share: float
    share_interval: Ends
    share_wins: int
    share_losses: int
    k: dict[str, AtK]
    kind: str
    neighbourhood: str
    neighbourhood_size: int
    missing: list[str]
    """Seeds that are not in the vocabulary."""
    words: list[str | None]
    """What stands for each seed."""
    hits: dict[str, list[int]]
    """For each k, how many neighbours of each seed are seeds."""
    neighbours: list[list[str]]
    """The few nearest of each seed."""
    map: DomainMap | None = None

    def at(self, k: int) -> AtK:
        """Return the figures for some number of neighbours."""
        return self.k[str(k)]

    def measured(self, statistic: str, k: int) -> tuple[float, Ends, int, int]:
        """Return the share in vocabulary, or a measure for some k: its value, its interval, wins and losses."""
        name, at = ("share", self) if statistic == IN_VOCABULARY else (statistic, self.at(k))
        value, ends, wins, losses = (getattr(at, f"{name}{part}") for part in ("", "_interval", "_wins", "_losses"))
        return value, ends, wins, losses


class CoverageDifference(DifferenceRecord):
    """The difference of two models in a measure."""

    statistic: str
    k: int | None


class CoverageResult(Result):
    """How models cover a domain. Shares and measures are between 0 and 1."""

    domain: DomainField
    labels: str
    """Which labels stood for a concept under models of words: ``first`` or ``all``."""
    k: list[int]
    alpha: float
    correction: str
    resamples: int = 0
    """None are drawn; results of version 0.1 have a number here."""
    models: dict[str, CoverageFigures]
    differences: list[CoverageDifference]

    def values(self) -> Iterator[Value]:
        """Yield the share in vocabulary, and %CG and posDCG for each k."""
        for name, model in self.models.items():
            yield Value(name, IN_VOCABULARY, model.share, *model.share_interval, model.seeds)
            for k in self.k:
                for statistic in (GAIN, DISCOUNTED):
                    value, interval, _wins, _losses = model.measured(statistic, k)
                    yield Value(name, statistic, value, *interval, model.seeds, item=f"k = {k}")


def combined(measured: Mapping[str, ModelCoverage], inputs: DomainInputs, options: CoverageOptions) -> CoverageResult:
    """Add intervals, and which differences are real."""
    testing = inputs.testing
    models = list(measured.values())
    statistics = coverage_statistics(models, options.k, alpha=testing.alpha, correction=testing.correction)
    return CoverageResult(
        domain=inputs.domain,
        labels=options.labels,
        k=options.k,
        alpha=testing.alpha,
        correction=testing.correction,
        models={name: _figures(inputs.domain, options.k, model, statistics) for name, model in measured.items()},
        differences=[
            CoverageDifference(statistic=measure.statistic, k=measure.k or None, **difference.as_dict())
            for measure, differences in statistics.differences.items()
            for difference in differences
        ],
    )


def _figures(
    domain: Domain, ks: Sequence[int], model: ModelCoverage, statistics: CoverageStatistics
) -> CoverageFigures:
    known = model.known.tolist()

    def measured(statistic: str, k: int = 0, name: str = "") -> dict[str, object]:
        measure, name = Measure(statistic, k), name or statistic
        wins, losses = wins_and_losses(model.name, statistics.differences[measure])
        return {
            name: model.value(measure),
            f"{name}_interval": statistics.intervals[model.name, measure],
            f"{name}_wins": wins,
            f"{name}_losses": losses,
        }

    return CoverageFigures.model_validate(
        {
            "seeds": len(known),
            "in_vocabulary": model.in_vocabulary,
            "out_of_vocabulary": len(known) - model.in_vocabulary,
            **measured(IN_VOCABULARY, name="share"),
            "out_share": (len(known) - model.in_vocabulary) / len(known),
            "k": {
                str(k): measured(GAIN, k)
                | measured(DISCOUNTED, k)
                | {"negdcg": 1 - model.value(Measure(DISCOUNTED, k))}
                for k in ks
            },
            "kind": model.kind,
            "neighbourhood": model.neighbourhood,
            "neighbourhood_size": model.size,
            "missing": [seed for seed, there in zip(domain.seeds, known, strict=True) if not there],
            "words": list(model.words),
            "hits": {str(k): model.hits[:, :k].sum(axis=1).tolist() for k in ks},
            "neighbours": [list(each) for each in model.neighbours],
            "map": model.map,
        }
    )
