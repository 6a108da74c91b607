"""How far the coverage of analogies can be trusted, and whether two models differ in it.

Analogies of one pair with others are not independent, so pairs are what is drawn again, not analogies. Coverage is a
mean over ordered pairs of pairs; to first order (Hajek's projection) it is the mean of what each pair contributes on
either side, and that mean is what the bootstrap resamples: time is linear in the pairs.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.evaluation.bootstrap import SEED, Bca, Interval, multiplicities, resamples_for
from termgauge.evaluation.corrections import adjusted, corrected_level

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class CoverageDifference(NamedTuple):
    """How two models differ in the coverage of a relation."""

    relation: str
    one: str
    other: str
    difference: float
    """The first model's coverage less the second's."""
    low: float
    high: float
    """The interval at the corrected level."""
    p_value: float
    adjusted_p: float
    """After the correction for the number of pairs of models, to be held against alpha itself."""
    significant: bool


class Resampled(NamedTuple):
    """The coverage of one relation by several models, over resamples of its pairs that they share."""

    intervals: tuple[Interval, ...]
    """Of each model, at level 1 - alpha, not corrected; NaN where no analogy held: resamples cannot show what was never
    seen."""
    differences: tuple[CoverageDifference, ...]


def resample_pairs(
    relation: str,
    names: Sequence[str],
    held: NDArray[np.int64],
    *,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    seed: int = SEED,
) -> Resampled:
    """Return intervals of the coverage of a relation, and the differences of all pairs of models.

    Parameters
    ----------
    relation
        Its name.
    names
        Of the models.
    held
        Models x pairs: in how many of the analogies that held the pair stood on either side; 0 for pairs out of
        vocabulary.
    alpha, correction
        Of the tests; the correction is for the number of pairs of models.
    seed
        Of the draws.
    """
    contributions = _contributions(held)
    means = contributions.mean(axis=1)
    pairs = list(combinations(range(len(names)), 2))
    level = corrected_level(alpha, len(pairs), correction)
    resamples = resamples_for(level)
    count = held.shape[1]
    replicates = np.concatenate(
        [contributions @ drawn.T / count for drawn in multiplicities(count, resamples, seed)], axis=1
    )
    left_out = (count * means[:, None] - contributions) / (count - 1)
    intervals = tuple(
        _clipped(Bca.of(float(means[m]), replicates[m], left_out[m]).interval(alpha))
        if held[m].any()
        else Interval(math.nan, math.nan)
        for m in range(len(names))
    )
    found = [
        Bca.of(float(means[a] - means[b]), replicates[a] - replicates[b], left_out[a] - left_out[b]) for a, b in pairs
    ]
    p_values = [
        each.p_value() if (held[a] != held[b]).any() else 1.0 for each, (a, b) in zip(found, pairs, strict=True)
    ]
    differences = []
    for bca, (a, b), p, corrected in zip(found, pairs, p_values, adjusted(p_values, correction), strict=True):
        low, high = bca.interval(level)
        differences.append(
            CoverageDifference(
                relation, names[a], names[b], bca.estimate, low, high, p, float(corrected), bool(corrected < alpha)
            )
        )
    return Resampled(intervals, tuple(differences))


def _contributions(held: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return what each pair contributes; the mean over all pairs is the coverage.

    Of W pairs, each is in 2 (W - 1) of the W (W - 1) analogies.
    """
    count = held.shape[1]
    shares = held / (count - 1)
    coverage = held.sum(axis=1, keepdims=True) / (2 * count * (count - 1))
    found: NDArray[np.float64] = shares - coverage
    return found


def _clipped(interval: Interval) -> Interval:
    return Interval(max(0.0, interval.low), min(1.0, interval.high))
