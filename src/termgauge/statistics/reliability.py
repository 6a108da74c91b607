"""How far the mean of some ratings can be trusted, and what that allows any model to reach.

Raters are split into halves at random, and the correlation of the halves' mean ratings tells how much of a rating is
noise (Spearman and Brown, here for pairs with different numbers of ratings). The ceiling is how far a model's ranks can
correlate with those of the mean ratings if it knows what raters agree on and nothing of their noise. That depends on
how pairs are spread, so it is worked out for the spreads that give mean ratings like those that were seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.statistics import student
from termgauge.statistics.bootstrap import SEED, UNDEFINED, Interval
from termgauge.statistics.correlation import spearman

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.statistics.agreement import Rated

SPLITS = 20
"""How many splits into halves are averaged."""
LEVELS = 64
"""Different scores that pairs may have in truth."""
STEPS = 300
_MANY = 16
"""Of more different numbers of ratings, nearly equal ones are taken as one."""
DROP = 5.0
"""A spread of true scores is possible if its log likelihood is less than this below that of the likeliest."""
PULLS = np.array([0.0, *(sign * pull for pull in np.geomspace(0.02, 3, 14) for sign in (1, -1))])[:, None]
"""How hard spreads are pulled towards higher and lower ceilings."""


@dataclass(frozen=True)
class Reliability:
    """How reliable mean ratings are, and what ratings vary by, on the rating scale; NaN where it cannot be said."""

    ratings_per_pair: float = math.nan
    """The harmonic mean, which is what counts for noise."""
    halves: float = math.nan
    """Spearman's rho of the mean ratings of two halves of the raters."""
    mean: float = math.nan
    """The reliability of the mean of all ratings of a pair."""
    single: float = math.nan
    """The reliability of one rating."""
    ceiling: float = math.nan
    """The correlation that a model reaches which knows what raters agree on and nothing of their noise."""
    interval: Interval = UNDEFINED
    """Of the ceiling."""
    pair_variance: float = math.nan
    """Between pairs: what is to be measured."""
    rater_variance: float = math.nan
    """Between raters, some of whom rate higher than others; NaN where raters of a group rated different pairs."""
    rest_variance: float = math.nan
    """What is left, or NaN like the former."""
    within_variance: float = math.nan
    """The variance of the ratings of one pair, which holds both."""


def reliability_of(rated: Rated, *, splits: int = SPLITS, seed: int = SEED) -> Reliability:
    """Return how reliable mean ratings are, from random halves of the raters of each group, and the ceiling.

    With u and v the means of 1 / (number of ratings) in the two halves, and L the variance of one rating's noise over
    that of what is measured, the halves correlate by 1 / sqrt((1 + L u) (1 + L v)). That is solved for L; the mean of
    m ratings then has the reliability 1 / (1 + L / m). With equal halves this is the formula of Spearman and Brown.
    """
    if not len(rated.values):
        return Reliability()
    counts = np.bincount(rated.items, minlength=rated.n_items)
    per_pair = 1 / float(np.mean(1 / counts[counts > 0]))
    generator = np.random.default_rng(seed)
    rhos, noise = [], []
    for _ in range(splits):
        first = _first_half(rated.groups, generator)[rated.raters]
        (sum_1, count_1), (sum_2, count_2) = (_sums(rated, half) for half in (first, ~first))
        both = (count_1 > 0) & (count_2 > 0)
        rhos.append(spearman(sum_1[both] / count_1[both], sum_2[both] / count_2[both]) if both.sum() > 2 else math.nan)
        noise.append([float(np.mean(1 / count[both])) if both.any() else 1.0 for count in (count_1, count_2)])
    reliability = replace(Reliability(per_pair), **_variances(rated))
    rho = float(np.mean(rhos))
    if math.isnan(rho):
        return reliability
    ratio = noise_ratio(rho, *map(float, np.mean(noise, axis=0)))
    ceiling, interval = _ceiling(rated)
    means = {"mean": 1 / (1 + ratio / per_pair), "single": 1 / (1 + ratio)}
    return replace(reliability, halves=rho, **means, ceiling=ceiling, interval=interval)


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


def _ceiling(rated: Rated) -> tuple[float, Interval]:
    """Return the ceiling and its interval.

    The spread of true scores is estimated by maximum likelihood (the EM algorithm). The interval goes from the lowest
    to the highest ceiling of all spreads that are nearly as likely, which the same algorithm finds while it is pulled
    to either side; what other raters, less or more noisy, would change is added to it.
    """
    sums, all_counts = _sums(rated, np.ones(len(rated.values), np.bool_))
    counts = all_counts[all_counts > 0]
    means = sums[all_counts > 0] / counts
    if means.min() == means.max():
        return 0.0, UNDEFINED
    _, tied = np.unique(means.round(9), return_counts=True)
    untied = 1 - float(np.sum((tied / len(means)) ** 3))
    grid = np.linspace(means.min(), means.max(), LEVELS)
    step = float(grid[1] - grid[0])
    low = np.minimum(((means - grid[0]) / step).astype(np.int64), LEVELS - 2)
    beyond = (means - grid[low]) / step
    sizes, size = np.unique(counts, return_inverse=True)
    if len(sizes) > _MANY:
        sizes, size = np.unique(np.exp2(np.round(4 * np.log2(counts)) / 4), return_inverse=True)
    seen = np.zeros((len(sizes), LEVELS))
    np.add.at(seen, (size, low), 1 - beyond)
    np.add.at(seen, (size, low + 1), beyond)
    seen /= len(means)
    noise, doubt = _noise(rated, grid)
    below = np.tri(LEVELS, k=-1) + np.eye(LEVELS) / 2

    def outcomes(level: float) -> NDArray[np.float64]:
        """Return how likely each mean rating is (number of ratings x true score x mean), at a level of noise."""
        spread = np.maximum(level * noise / sizes[:, None], step**2 / 4)[:, :, None]
        density = np.exp(-((grid - grid[:, None]) ** 2) / (2 * spread))
        return np.asarray(density / density.sum(axis=2, keepdims=True))

    def ranked(likely: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the chance that the mean rating of one true score is above that of another."""
        mixed = np.tensordot(seen.sum(axis=1), likely, 1)
        return np.asarray(mixed @ below @ mixed.T)

    def ceilings(weights: NDArray[np.float64], above: NDArray[np.float64]) -> NDArray[np.float64]:
        product = (weights @ below.T - 0.5) * (weights @ above.T - 0.5)
        return np.asarray(12 * np.sum(weights * product, axis=1) / math.sqrt(untied))

    likely = outcomes(1.0)
    flat, above, shares = likely.transpose(1, 0, 2).reshape(LEVELS, -1), ranked(likely), seen.ravel()
    weights = np.full((len(PULLS), LEVELS), 1 / LEVELS)
    for _ in range(STEPS):
        gain = (shares / np.maximum(weights @ flat, 1e-300)) @ flat.T
        ranks, others = weights @ below.T - 0.5, weights @ above.T - 0.5
        slope = 12 / math.sqrt(untied) * (ranks * others + (weights * others) @ below + (weights * ranks) @ above)
        slope -= np.sum(weights * slope, axis=1, keepdims=True)
        weights *= np.maximum(gain + PULLS * slope, 1e-3)
        weights /= weights.sum(axis=1, keepdims=True)
    likelihood = len(means) * (np.log(np.maximum(weights @ flat, 1e-300)) @ shares)
    values = ceilings(weights, above)
    possible, best = values[likelihood > likelihood.max() - DROP], float(values[0])
    noisier, calmer = (float(ceilings(weights[:1], ranked(outcomes(math.exp(end))))[0]) for end in (doubt, -doubt))
    reach = student.quantile(0.975, max(1, int(np.sum(np.diff(rated.starts) > 0)) - 1))
    least = best - math.hypot(best - float(possible.min()), reach * (best - noisier))
    most = best + math.hypot(float(possible.max()) - best, reach * (calmer - best))
    return min(max(best, 0.0), 1.0), Interval(max(least, 0.0), min(most, 1.0))


def _noise(rated: Rated, grid: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the variance of the noise of one rating about each score, and how far its level depends on who rates.

    The latter is the standard error of its logarithm. Where all raters rated all pairs, who rates higher throughout
    changes no rank and is no noise.
    """
    sums, counts = _sums(rated, np.ones(len(rated.values), np.bool_))
    means = sums / np.maximum(counts, 1)
    rates = np.diff(rated.starts) > 0
    raters, residuals = rated.raters, rated.values - means[rated.items]
    if (counts[counts > 0] == rates.sum()).all():
        residuals -= (np.bincount(raters, weights=residuals) / np.maximum(np.bincount(raters), 1))[raters]
    squares = np.bincount(rated.items, weights=residuals**2, minlength=rated.n_items)
    order = np.argsort(means, kind="stable")
    order = order[counts[order] > 1]
    window = min(len(order), max(10, len(order) // 4))
    start = np.clip(np.arange(len(order)) - window // 2, 0, len(order) - window)
    total, free = (np.concatenate([[0], np.cumsum(part[order])]) for part in (squares, counts - 1.0))
    local = (total[start + window] - total[start]) / (free[start + window] - free[start])
    noise = np.interp(grid, means[order], local)
    by_rater = np.bincount(raters, weights=residuals**2, minlength=len(rates))[rates] / np.diff(rated.starts)[rates]
    together = float(np.mean(by_rater))
    typical = float(np.mean(counts[counts > 0]))
    noises = np.maximum(by_rater - together / typical, 0) / (1 - 2 / typical) if typical > 2 else by_rater
    if len(noises) <= 2:
        return noise, 0.0
    doubt = float(np.std(noises, ddof=1)) / math.sqrt(len(noises)) / max(float(np.mean(noises)), 1e-12)
    return noise, min(doubt, 2.0)


def _first_half(groups: NDArray[np.int64], generator: np.random.Generator) -> NDArray[np.bool_]:
    """Draw half of the raters of each group."""
    order = np.lexsort((generator.random(len(groups)), groups))
    position = np.empty(len(groups), np.int64)
    position[order] = np.arange(len(groups))
    starts = np.searchsorted(groups[order], groups)
    half: NDArray[np.bool_] = (position - starts) % 2 == generator.integers(0, 2, groups.max(initial=0) + 1)[groups]
    return half


def _sums(rated: Rated, chosen: NDArray[np.bool_]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    items = rated.items[chosen]
    sums = np.bincount(items, weights=rated.values[chosen], minlength=rated.n_items).astype(np.float64)
    return sums, np.bincount(items, minlength=rated.n_items)


def _variances(rated: Rated) -> dict[str, Any]:
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
    rater, rest = _raters_and_rest(rated)
    return {
        "pair_variance": max((between - within) / size, 0.0), "rater_variance": rater, "rest_variance": rest,
        "within_variance": within,
    }  # fmt: skip


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
