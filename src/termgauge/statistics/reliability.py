"""How far the mean of some ratings can be trusted, and what that allows any model to reach.

Raters are split into halves at random, and the correlation of the halves' mean ratings tells how much of a rating is
noise (Spearman and Brown, here for pairs with different numbers of ratings). A mean rating of reliability R correlates
with what it measures by the square root of R; a model that knows nothing of the raters' noise cannot reach more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.statistics.agreement import RESAMPLES, Rated, interval_of, over_resamples
from termgauge.statistics.bootstrap import SEED, UNDEFINED, Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

SPLITS = 20
"""How many splits into halves are averaged."""


@dataclass(frozen=True)
class Reliability:
    """How reliable mean ratings are; NaN where it cannot be said."""

    halves: float
    """Spearman's rho of the mean ratings of two halves of the raters."""
    mean: float
    """The reliability of the mean of all ratings of a pair."""
    single: float
    """The reliability of one rating."""
    ceiling: float
    """The correlation that a model reaches which knows what raters agree on and nothing of their noise."""
    interval: Interval
    """Of the ceiling."""
    per_pair: float
    """Ratings of a pair: the harmonic mean, which is what counts for noise."""


class Components(NamedTuple):
    """What ratings vary by, as variances on the rating scale; NaN where it cannot be said."""

    pair: float
    """Between pairs: what is to be measured."""
    rater: float
    """Between raters, some of whom rate higher than others; NaN where raters of a group rated different pairs."""
    rest: float
    """What is left, or NaN like the former."""
    within: float
    """The variance of the ratings of one pair, which holds both."""


def reliability_of(
    rated: Rated, *, splits: int = SPLITS, resamples: int = RESAMPLES, seed: int = SEED, level: float = 0.05
) -> Reliability:
    """Return how reliable mean ratings are, from random halves of the raters of each group.

    With u and v the means of 1 / (number of ratings) in the two halves, and L the variance of one rating's noise over
    that of what is measured, the halves correlate by 1 / sqrt((1 + L u) (1 + L v)). That is solved for L; the mean of
    m ratings then has the reliability 1 / (1 + L / m). With equal halves this is the formula of Spearman and Brown.
    """
    counts = np.bincount(rated.items, minlength=rated.n_items)
    per_pair = 1 / float(np.mean(1 / counts[counts > 0])) if counts.any() else math.nan
    halves = _Halves(rated, splits, seed)
    rho = float(halves(np.ones((1, rated.n_items), np.int32))[0][0])
    if math.isnan(rho):
        return Reliability(math.nan, math.nan, math.nan, math.nan, UNDEFINED, per_pair)
    interval = interval_of(rho, over_resamples(rated, resamples, seed, halves)[0], level) if resamples else UNDEFINED
    mean, low, high = (_stepped_up(each, halves.noise, per_pair) for each in (rho, *interval))
    single = _stepped_up(rho, halves.noise, 1)
    ceilings = Interval(math.sqrt(low), math.sqrt(high))
    return Reliability(rho, mean, single, math.sqrt(mean), ceilings, per_pair)


def noise_ratio(rho: float, one: float, other: float) -> float:
    """Return the variance of one rating's noise over that of what is measured, from the correlation of two means.

    `one` and `other` are the means of 1 / (number of ratings) on the two sides.

    Examples
    --------
    >>> noise_ratio(0.5, 1, 1)
    1.0
    """
    if rho <= 0:
        return math.inf
    # (1 + L u) (1 + L v) = 1 / rho^2, of which the positive root is wanted.
    square, linear, constant = one * other, one + other, 1 - 1 / min(rho, 1) ** 2
    return (math.sqrt(max(linear**2 - 4 * square * constant, 0.0)) - linear) / (2 * square)


def _stepped_up(rho: float, noise: tuple[float, float], ratings: float) -> float:
    return math.nan if math.isnan(rho) else 1 / (1 + noise_ratio(rho, *noise) / ratings)


class _Halves:
    """The mean ratings of random halves of the raters, and their correlation in resamples."""

    def __init__(self, rated: Rated, splits: int, seed: int) -> None:
        generator = np.random.default_rng(seed)
        ones, others, split, items = [], [], [], []
        noise = []
        for number in range(splits):
            first = _first_half(rated.groups, generator)[rated.raters]
            (sum_1, count_1), (sum_2, count_2) = (_sums(rated, half) for half in (first, ~first))
            both = np.flatnonzero((count_1 > 0) & (count_2 > 0))
            ones.append(sum_1[both] / count_1[both])
            others.append(sum_2[both] / count_2[both])
            items.append(both)
            split.append(np.full(len(both), number))
            if len(both):
                noise.append((np.mean(1 / count_1[both]), np.mean(1 / count_2[both])))
        self.noise: tuple[float, float] = tuple(map(float, np.mean(noise, axis=0))) if noise else (1.0, 1.0)  # type: ignore[assignment]
        groups = np.zeros(splits, np.int64)
        self.table = Rated.from_ratings(
            np.concatenate(split), np.concatenate(items), np.concatenate(ones), groups, rated.n_items
        )
        self.codes = self.table.codes(self.table.values)
        self.others = self.table.codes(np.concatenate(others))  # splits and items are in order already

    def __call__(self, times: NDArray[np.int32]) -> tuple[NDArray[Any], ...]:
        """Return the mean correlation of the halves in each resample."""
        from termgauge.statistics import agreement_kernels

        rhos = np.empty((len(times), len(self.table.groups)))
        agreement_kernels.with_means(self.table.starts, self.table.items, *self.codes, *self.others, times, rhos)
        return (rhos.mean(axis=1),)


def _first_half(groups: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.bool_]:
    """Draw half of the raters of each group."""
    order = np.lexsort((generator.random(len(groups)), groups))
    place = np.empty(len(groups), np.int64)
    place[order] = np.arange(len(groups))
    starts = np.searchsorted(groups[order], groups)
    half: NDArray[np.bool_] = (place - starts) % 2 == generator.integers(0, 2, groups.max(initial=0) + 1)[groups]
    return half


def _sums(rated: Rated, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    items = rated.items[chosen]
    sums = np.bincount(items, weights=rated.values[chosen], minlength=rated.n_items).astype(np.float64)
    return sums, np.bincount(items, minlength=rated.n_items)


def components_of(rated: Rated) -> Components:
    """Return what ratings vary by, from an analysis of variance.

    Pairs are one factor. Where all raters of each group rated the same pairs, raters are the other, within groups.
    """
    sums, counts = _sums(rated, np.ones(len(rated.values), np.bool_))
    used = counts > 0
    means = np.divide(sums, counts, out=np.zeros_like(sums), where=used)
    n, pairs = len(rated.values), int(used.sum())
    within = _over(float(np.sum((rated.values - means[rated.items]) ** 2)), n - pairs)
    between = _over(float(np.sum(counts * (means - rated.values.mean()) ** 2)), pairs - 1)
    size = _over(n - float(np.sum(counts**2)) / n, pairs - 1)
    return Components(max((between - within) / size, 0.0), *_raters_and_rest(rated), within)


def _raters_and_rest(rated: Rated) -> tuple[float, float]:
    """Return the variances of raters and of what is left, over groups that are complete; NaN if one is not."""
    squares = np.zeros(2)
    freedom = np.zeros(2)
    weight = 0.0
    for group in np.unique(rated.groups[np.diff(rated.starts) > 0]):
        raters = np.flatnonzero((rated.groups == group) & (np.diff(rated.starts) > 0))
        parts = [slice(rated.starts[rater], rated.starts[rater + 1]) for rater in raters]
        if any(not np.array_equal(rated.items[part], rated.items[parts[0]]) for part in parts):
            return math.nan, math.nan
        table = np.array([rated.values[part] for part in parts])
        by_rater, by_item = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True)
        m, n = table.shape
        squares += (
            n * float(np.sum((by_rater - table.mean()) ** 2)),
            np.sum((table - by_rater - by_item + table.mean()) ** 2),
        )
        freedom += m - 1, (m - 1) * (n - 1)
        weight += n * (m - 1)
    mean_raters, rest = (_over(float(part), float(free)) for part, free in zip(squares, freedom, strict=True))
    return float(max((mean_raters - rest) / (weight / freedom[0]), 0.0)) if freedom[0] else math.nan, rest


def _over(sum_: float, freedom: float) -> float:
    return sum_ / freedom if freedom > 0 else math.nan
