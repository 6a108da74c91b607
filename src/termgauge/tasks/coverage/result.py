"""What measuring the coverage of a domain gives: each model's figures, their intervals, and which seeds it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from termgauge.domain.domain import DomainField
from termgauge.statistics.compare import SetOutcomes, compare, compare_set
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.tasks.coverage.measure import DISCOUNTED, GAIN, IN_VOCABULARY, NOBODY, DomainMap, Measure, discounts
from termgauge.tasks.results import DifferenceRecord, Ends, JointRecord, Record, Result, Value
from termgauge.tasks.shown import by_neighbourhood

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.domain.domain import Domain
    from termgauge.statistics.comparison import Joint, SetComparison
    from termgauge.tasks.coverage.measure import ModelCoverage
    from termgauge.tasks.coverage.task import CoverageOptions, DomainInputs

NAMES = {GAIN: "%CG", DISCOUNTED: "posDCG"}
_USUAL_K = 10


def main_k(ks: Sequence[int]) -> int:
    """Return the k of the verdict: the one that the paper shows its results for, else the first."""
    return _USUAL_K if _USUAL_K in ks else ks[0]


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
    encoders: JointRecord | None = Field(None, exclude_if=lambda joint: joint is None)
    """The verdict on encoders, where there are other models, too: these seek neighbours elsewhere."""

    def values(self) -> Iterator[Value]:
        """Yield the share in vocabulary, and %CG and posDCG for each k."""
        for name, model in self.models.items():
            yield Value(name, IN_VOCABULARY, model.share, *model.share_interval, model.seeds)
            for k in self.k:
                for statistic in (GAIN, DISCOUNTED):
                    value, interval, _wins, _losses = model.measured(statistic, k)
                    yield Value(name, statistic, value, *interval, model.seeds, item=f"k = {k}")


def outcomes_of(models: Mapping[str, ModelCoverage], ks: Sequence[int]) -> dict[Measure, SetOutcomes]:
    """Return which seeds are known, and for each k which neighbours of each seed are hits.

    A neighbour is a unit as the seed is, for seeds are each other's neighbours, and one word may stand in many lists. A
    word in the list of a single seed ties it to nothing, and is no unit.
    """
    (place,) = {model.neighbourhood for model in models.values()}
    known = {name: model.known.astype(np.float64) for name, model in models.items()}
    seeds = len(next(iter(known.values())))
    alone = Units(np.arange(seeds), np.full(seeds, NO_UNIT))
    label = "share of seeds in the vocabulary"
    found = {Measure(IN_VOCABULARY): SetOutcomes(f"{place}/{label}", "mean", alone, np.zeros(0), known, label=label)}
    for k in ks:
        units = _units({name: (model.same, model.nearest[:, :k]) for name, model in models.items()})
        for statistic, weights in ((GAIN, np.ones(k)), (DISCOUNTED, discounts(k))):
            values = {
                name: np.stack(np.broadcast_arrays(model.hits[:, :k] * weights, weights), axis=-1).reshape(-1, 2)
                for name, model in models.items()
            }
            label = f"{NAMES[statistic]} at {k}"
            name = f"{place}/{label}"
            found[Measure(statistic, k)] = SetOutcomes(name, "ratio", units, np.zeros(0), values, label=label)
    return found


def _units(lists: Mapping[str, tuple[NDArray[np.int64], NDArray[np.int64]]]) -> dict[str, Units]:
    """Return the seed and the neighbour of each item."""
    both = {name: Units(np.repeat(same, near.shape[1]), near.ravel()) for name, (same, near) in lists.items()}
    first, second = (np.concatenate([getattr(each, end) for each in both.values()]) for end in ("first", "second"))
    words, places = np.unique(second, return_inverse=True)
    width = int(first.max()) + 1
    lists_of_word = np.bincount(np.unique(places * width + first) // width)
    alone = words[(words < NOBODY) & (lists_of_word == 1)]
    return {
        name: Units(each.first, np.where(np.isin(each.second, alone), NO_UNIT, each.second))
        for name, each in both.items()
    }


def combined(measured: Mapping[str, ModelCoverage], inputs: DomainInputs, options: CoverageOptions) -> CoverageResult:
    """Add intervals, differences and the verdict; models that sought neighbours elsewhere are compared apart."""
    testing, main = inputs.testing, Measure(DISCOUNTED, main_k(options.k))
    compared: dict[tuple[str, Measure], SetComparison] = {}
    joints: list[Joint | None] = []
    for place, names in by_neighbourhood(measured).items():
        outcomes = outcomes_of({name: measured[name] for name in names}, options.k)
        for measure, each in outcomes.items():
            compared[place, measure] = compare_set(each, alpha=testing.alpha, correction=testing.correction)
        joints.append(compare([outcomes[main]], alpha=testing.alpha, margin=testing.margin, min_coverage=0.0).main)
    first, second, *_ = (*joints, None, None)
    return CoverageResult(
        domain=inputs.domain,
        labels=options.labels,
        k=options.k,
        alpha=testing.alpha,
        correction=testing.correction,
        models={name: _figures(name, inputs.domain, options.k, model, compared) for name, model in measured.items()},
        differences=[
            CoverageDifference.of(each, statistic=measure.statistic, k=measure.k or None)
            for (_place, measure), part in compared.items()
            for each in part.differences
        ],
        joint=first,
        encoders=second,
    )


def _figures(
    name: str,
    domain: Domain,
    ks: Sequence[int],
    model: ModelCoverage,
    compared: Mapping[tuple[str, Measure], SetComparison],
) -> CoverageFigures:
    known = model.known.tolist()

    def measured(statistic: str, k: int = 0, called: str = "") -> dict[str, object]:
        measure, called = Measure(statistic, k), called or statistic
        part = compared[model.neighbourhood, measure]
        estimate, (wins, losses) = part.by_model[name], part.counts[name]
        return {
            called: model.value(measure),
            f"{called}_interval": (estimate.low, estimate.high),
            f"{called}_wins": wins,
            f"{called}_losses": losses,
        }

    return CoverageFigures.model_validate(
        {
            "seeds": len(known),
            "in_vocabulary": model.in_vocabulary,
            "out_of_vocabulary": len(known) - model.in_vocabulary,
            **measured(IN_VOCABULARY, called="share"),
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
