"""How far raters agree: each with each other one (IAA-1), and each with the mean of the others (IAA-2).

Raters are compared within their group, over the pairs that both rated, by Spearman's rho. A bootstrap over pairs gives
intervals: the raters are taken as given, and the question is what other pairs of the same kind would have shown.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from termgauge.statistics.bootstrap import SEED, UNDEFINED, Bca, Interval
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

One = TypeVar("One")
Several = TypeVar("Several")
RESAMPLES = 2000
"""How many resamples intervals of agreement are made of."""
_NUMBERS_AT_ONCE = 1 << 19
_SAME = 1e-9
"""Means that differ by less than this share of the range of ratings are equal; rounding made them differ."""


@dataclass(frozen=True, eq=False)
class Rated:
    """Ratings of items, rater by rater, with the group of each rater."""

    starts: NDArray[np.int64]
    """Where the ratings of each rater start, and where the last ones end."""
    items: NDArray[np.int32]
    values: NDArray[np.float64]
    groups: NDArray[np.int64]
    """The group of each rater, from 0."""
    n_items: int

    @classmethod
    def from_ratings(
        cls, raters: ArrayLike, items: ArrayLike, values: ArrayLike, groups: ArrayLike | None = None, n_items: int = 0
    ) -> Rated:
        """Sort ratings by rater and item, both given as numbers from 0; a rater rates an item at most once.

        Without `groups`, one for each rater, all raters are one group.
        """
        rater, item = np.asarray(raters, np.int64), np.asarray(items, np.int64)
        count = int(rater.max(initial=-1)) + 1 if groups is None else len(np.asarray(groups))
        group = np.zeros(count, np.int64) if groups is None else np.asarray(groups, np.int64)
        order = np.lexsort((item, rater))
        starts = np.searchsorted(rater[order], np.arange(count + 1))
        most = max(n_items, int(item.max(initial=-1)) + 1)
        return cls(starts, item[order].astype(np.int32), np.asarray(values, np.float64)[order], group, most)

    @property
    def raters(self) -> NDArray[np.int64]:
        """The rater of each rating."""
        raters: NDArray[np.int64] = np.repeat(np.arange(len(self.groups)), np.diff(self.starts))
        return raters

    def some(self, kept: NDArray[np.bool_]) -> Rated:
        """Return the ratings of some raters; the others stay, without ratings."""
        mine = kept[self.raters]
        return Rated.from_ratings(self.raters[mine], self.items[mine], self.values[mine], self.groups, self.n_items)

    def on(self, chosen: NDArray[np.bool_]) -> Rated:
        """Return the ratings of some items, by all raters as one group."""
        mine = chosen[self.items]
        groups = np.zeros_like(self.groups)
        return Rated.from_ratings(self.raters[mine], self.items[mine], self.values[mine], groups, self.n_items)

    def strata(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where each stratum of items starts, and the items: those that the same groups rated are one.

        Resamples are drawn within strata, so that each group rates as many items as it did.
        """
        keys = np.unique(np.column_stack([self.items, self.groups[self.raters]]), axis=0)
        rated, first = np.unique(keys[:, 0], return_index=True)
        patterns = {item: tuple(part) for item, part in zip(rated, np.split(keys[:, 1], first[1:]), strict=True)}
        numbers = {pattern: number for number, pattern in enumerate(dict.fromkeys(patterns.values()))}
        stratum = np.array([numbers[patterns[item]] for item in rated], np.int64)
        order = np.argsort(stratum, kind="stable")
        return np.searchsorted(stratum[order], np.arange(len(numbers) + 1)), rated[order].astype(np.int64)

    def codes(self, values: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the number of each value among those of its rater (-1 for NaN), and how many each rater has."""
        raters = self.raters
        order = np.lexsort((values, raters))
        kept = order[~np.isnan(values[order])]
        new = np.ones(len(kept), np.int64)
        new[1:] = (values[kept][1:] != values[kept][:-1]) | (raters[kept][1:] != raters[kept][:-1])
        widths = np.bincount(raters[kept], weights=new, minlength=len(self.groups)).astype(np.int64)
        codes = np.full(len(values), -1, np.int32)
        codes[kept] = np.cumsum(new) - 1 - (np.cumsum(widths) - widths)[raters[kept]]
        return codes, widths

    def means_of_others(self) -> NDArray[np.float64]:
        """Return, beside each rating, the mean of the other ratings of the item in the group; NaN if there is none."""
        if not len(self.values):
            return np.empty(0)
        key = self.groups[self.raters] * self.n_items + self.items
        _, which = np.unique(key, return_inverse=True)
        others = np.bincount(which)[which] - 1
        sums = np.bincount(which, weights=self.values)[which] - self.values
        means: NDArray[np.float64] = np.divide(sums, others, out=np.full(len(sums), np.nan), where=others > 0)
        grain = _SAME * float(np.ptp(self.values))
        return np.round(means / grain) * grain if grain > 0 and (self.values % 1).any() else means


class Agreement(NamedTuple, Generic[One, Several]):
    """IAA-1 and IAA-2 of raters, of groups and of all (NaN where undefined), or their intervals."""

    iaa1: One
    iaa2: One
    rater_iaa1: Several
    rater_iaa2: Several
    group_iaa1: Several
    group_iaa2: Several
    undefined: NDArray[np.int64]
    """For each rater, with how many others of the group the correlation is undefined."""


Values = Agreement[float, "NDArray[np.float64]"]
Intervals = Agreement[Interval, list[Interval]]


def agreement_of(rated: Rated) -> Values:
    """Return how far raters agree.

    Examples
    --------
    >>> rated = Rated.from_ratings([0, 0, 0, 0, 1, 1, 1, 1], [0, 1, 2, 3, 0, 1, 2, 3], [1, 2, 3, 4, 1, 2, 4, 3])
    >>> agreement_of(rated).iaa1, agreement_of(rated).iaa2
    (0.8, 0.8)
    """
    statistics = _evaluation(rated)(np.ones((1, rated.n_items), np.int32))
    return Agreement(float(statistics[0][0]), float(statistics[1][0]), *(part[0] for part in statistics[2:]))


def agreement_intervals(
    rated: Rated, *, resamples: int = RESAMPLES, seed: int = SEED, level: float = 0.05
) -> Intervals:
    """Return intervals of agreement: bias-corrected quantiles over resamples of items, drawn within strata.

    They are undefined without resamples, and without ratings.
    """
    estimate = agreement_of(rated)
    iaas = estimate.iaa1, estimate.iaa2
    if not resamples or not len(rated.values):
        one, two, group_one, group_two = ([UNDEFINED] * len(values) for values in estimate[2:6])
        return Agreement(UNDEFINED, UNDEFINED, one, two, group_one, group_two, estimate.undefined)
    replicates = over_resamples(rated, resamples, seed, _evaluation(rated))
    one, two, group_one, group_two = (
        [interval_of(value, part[:, column], level) for column, value in enumerate(values)]
        for values, part in zip(estimate[2:6], replicates[2:6], strict=True)
    )
    iaa1, iaa2 = (interval_of(value, part, level) for value, part in zip(iaas, replicates[:2], strict=True))
    return Agreement(iaa1, iaa2, one, two, group_one, group_two, estimate.undefined)


def interval_of(estimate: float, replicates: NDArray[np.float64], level: float = 0.05) -> Interval:
    """Return the bias-corrected interval; undefined where the statistic is, or in more than half of the resamples."""
    if math.isnan(estimate) or np.isnan(replicates).mean() > 0.5:
        return UNDEFINED
    return Bca.from_replicates(float(estimate), replicates, np.empty(0)).interval(level)


def over_resamples(
    rated: Rated, resamples: int, seed: int, evaluate: Callable[[NDArray[np.int32]], tuple[NDArray[Any], ...]]
) -> list[NDArray[Any]]:
    """Return what a function makes of resamples (how often each item was drawn), one row for each of them."""
    with ThreadPool(os.cpu_count() or 1) as pool:
        parts = list(pool.map(evaluate, resampled_counts(rated, resamples, seed)))
    return [np.concatenate(chunks) for chunks in zip(*parts, strict=True)]


def resampled_counts(rated: Rated, resamples: int, seed: int) -> Iterator[NDArray[np.int32]]:
    """Yield, for a run of resamples at a time, how often each item was drawn."""
    from termgauge.statistics.agreement_kernels import counts_of

    strata, items = rated.strata()
    generator = np.random.default_rng(seed)
    at_once = max(1, min(_NUMBERS_AT_ONCE // max(rated.n_items, 1), -(-resamples // (os.cpu_count() or 1))))
    for start in range(0, resamples, at_once):
        size = (min(at_once, resamples - start), len(items))
        drawn = generator.integers(0, 1 << 32, size, dtype=np.uint32)
        yield counts_of(strata, items, drawn, rated.n_items)


def _evaluation(rated: Rated) -> Callable[[NDArray[np.int32]], tuple[NDArray[Any], ...]]:
    """Return a function that gives IAA-1 and IAA-2 in resamples; what does not change between them is made once."""
    from termgauge.statistics import agreement_kernels

    table = rated.starts, rated.items, *rated.codes(rated.values)
    means = rated.codes(rated.means_of_others())
    raters, groups = len(rated.groups), int(rated.groups.max(initial=0)) + 1
    rates = np.diff(rated.starts) > 0
    peers = np.where(rates, np.bincount(rated.groups[rates], minlength=groups)[rated.groups] - 1, 0)

    def evaluate(times: NDArray[np.int32]) -> tuple[NDArray[Any], ...]:
        sums = np.zeros((len(times), raters + groups))
        defined, two = np.zeros(sums.shape, np.int64), np.empty((len(times), raters))
        agreement_kernels.pairwise(*table, rated.groups, times, sums, defined)
        agreement_kernels.with_means(*table, *means, times, two)
        one, group = _over(sums[:, :raters], defined[:, :raters]), _over(sums[:, raters:], defined[:, raters:])
        total = _over(sums[:, raters:].sum(axis=1), defined[:, raters:].sum(axis=1))
        group_two = np.column_stack([_mean(two[:, rated.groups == number]) for number in range(groups)])
        return total, _mean(two), one, two, group, group_two, peers - defined[:, :raters]

    return evaluate


def _over(sums: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return means; NaN of nothing."""
    means: NDArray[np.float64] = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return means


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of the defined values of each row; NaN where there is none."""
    return _over(np.nansum(values, axis=1), (~np.isnan(values)).sum(axis=1))
