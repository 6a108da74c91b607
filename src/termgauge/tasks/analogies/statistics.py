"""How far the coverage of analogies can be trusted, and whether two models differ in it.

Analogies of one pair with others are not independent, so pairs are what is drawn again, not analogies: in a resample in
which pair h stands a times and pair j b times, an analogy between them that holds counts a b times. Pairs without any
analogy that holds are drawn but add nothing, so that the sums run over the others only.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.bootstrap import SEED, UNDEFINED, Bca, Interval, multiplicities, resamples_for
from termgauge.statistics.corrections import corrected_level
from termgauge.statistics.resampled_differences import resampled_differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.statistics.significance import Difference

    Analogies = NDArray[np.int32]

MOST_INVOLVED = 3_000
"""Pairs with analogies that hold up to which resamples are summed in full. Beyond, coverage is taken to be the mean of
what each pair contributes (Hajek's projection), which so many pairs make as good."""


class Resampled(NamedTuple):
    """The coverage of one relation by several models, over resamples of its pairs that they share."""

    intervals: tuple[Interval, ...]
    """Of each model, at level 1 - alpha, not corrected; NaN where no analogy held: resamples cannot show what was never
    seen."""
    differences: tuple[Difference, ...]


def resample_pairs(
    names: Sequence[str],
    pairs: int,
    holding: Sequence[Analogies],
    *,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    seed: int = SEED,
    sorts: Sequence[str] | None = None,
) -> Resampled:
    """Return intervals of the coverage of a relation, and the differences of the pairs of models that are of one sort.

    `pairs` counts those out of vocabulary, too, and is at least 2; `holding` has a line with h and j for each analogy
    that holds; where no `sorts` are named, all models are of one.
    """
    both = [(a, b) for a, b in combinations(range(len(names)), 2) if sorts is None or sorts[a] == sorts[b]]
    level = corrected_level(alpha, len(both), correction)
    quadratics = [_Quadratic.of(pairs, each) for each in holding]
    parts = [[each.values(drawn) for each in quadratics] for drawn in multiplicities(pairs, resamples_for(level), seed)]
    replicates = np.concatenate([np.stack(part) for part in parts], axis=1)
    intervals = tuple(
        _clipped(Bca.of(each.coverage, some, each.left_out).interval(alpha)) if len(held) else UNDEFINED
        for each, some, held in zip(quadratics, replicates, holding, strict=True)
    )
    apart = []
    for a, b in both:
        one, other = quadratics[a], quadratics[b]
        left_out = one.left_out - other.left_out
        bca = Bca.of(one.coverage - other.coverage, replicates[a] - replicates[b], left_out)
        apart.append((names[a], names[b], bca))
    return Resampled(intervals, resampled_differences(apart, alpha=alpha, level=level, correction=correction))


class _Quadratic(NamedTuple):
    """Coverage as a function of how often each pair is drawn."""

    pairs: int
    coverage: float
    left_out: NDArray[np.float64]
    """The coverage without each pair; empty if there would be no analogies."""
    involved: NDArray[np.int64]
    matrix: NDArray[np.float32] | None
    """Of the pairs involved, which analogies hold; None for too many of them."""
    held: NDArray[np.float64]
    """Of the pairs involved, in how many analogies that hold each stands."""

    @classmethod
    def of(cls, pairs: int, holding: Analogies) -> _Quadratic:
        held = np.bincount(holding.ravel(), minlength=pairs).astype(np.float64)
        left_out = (len(holding) - held) / ((pairs - 1) * (pairs - 2)) if pairs > 2 else np.empty(0)
        involved = np.flatnonzero(held)
        matrix = None
        if len(involved) <= MOST_INVOLVED:
            matrix = np.zeros((len(involved), len(involved)), np.float32)
            matrix[tuple(np.searchsorted(involved, holding.T))] = 1
        return cls(pairs, len(holding) / (pairs * (pairs - 1)), left_out, involved, matrix, held[involved])

    def values(self, drawn: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the coverage in some resamples (resamples x pairs)."""
        all_there_could_be = self.pairs * (self.pairs - 1)
        if self.matrix is None:
            return np.asarray(drawn[:, self.involved] @ self.held / all_there_could_be - self.coverage, np.float64)
        own = drawn[:, self.involved].astype(np.float32)
        held = np.einsum("ij,ij->i", own @ self.matrix, own, dtype=np.float64)
        return np.asarray(held / all_there_could_be, np.float64)


def _clipped(interval: Interval) -> Interval:
    low, high = max(0.0, interval.low), min(1.0, interval.high)
    # Of a few pairs nearly all resamples may give one value: that says nothing about other pairs.
    return Interval(low, high) if low < high else UNDEFINED
