"""The compiled part of agreement: Spearman's rho of raters whose ratings are counted by their values, in resamples.

Ratings have few different values. Each is kept as its number among the values of its rater, so that the ranks of any
choice of pairs follow from counts, without sorting; a resample is a count for each pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_POINTS = 3
"""A correlation of fewer is undefined."""


@njit()
def counts_of(
    strata: NDArray[np.int64], items: NDArray[np.int64], drawn: NDArray[np.uint32], n_items: int
) -> NDArray[np.int32]:
    """Return how often each item was drawn: in each stratum as many as it has, by random 32-bit numbers.

    `items` are those of the first stratum, then those of the next; stratum s is ``items[strata[s] : strata[s + 1]]``.
    """
    counts = np.zeros((len(drawn), n_items), np.int32)
    for r in range(len(drawn)):
        for s in range(len(strata) - 1):
            size = strata[s + 1] - strata[s]
            for k in range(strata[s], strata[s + 1]):
                counts[r, items[strata[s] + ((np.int64(drawn[r, k]) * size) >> 32)]] += 1
    return counts


@njit()
def _rho(
    n: int, ones: NDArray[np.int32], others: NDArray[np.int32], times: NDArray[np.int32],
    count_1: NDArray[np.int64], count_2: NDArray[np.int64], width_1: int, width_2: int,
) -> float:  # fmt: skip
    """Return rho of `n` points, each so many times; counts become ranks, doubled and centred: whole numbers."""
    total = 0
    for k in range(width_1):
        count_1[k] = 0
    for k in range(width_2):
        count_2[k] = 0
    for i in range(n):
        total += times[i]
        count_1[ones[i]] += times[i]
        count_2[others[i]] += times[i]
    square_1 = _ranked(count_1, width_1, total)
    square_2 = _ranked(count_2, width_2, total)
    if total < LEAST_POINTS or square_1 == 0 or square_2 == 0:
        return np.nan
    product = 0.0
    for i in range(n):
        product += float(count_1[ones[i]]) * float(count_2[others[i]]) * float(times[i])
    rho: float = product / np.sqrt(square_1 * square_2)
    return rho


@njit()
def _ranked(counts: NDArray[np.int64], width: int, total: int) -> float:
    """Turn counts into the ranks of their values and return the sum of the squares of all ranks."""
    below = 0
    square = 0.0
    for k in range(width):
        count = counts[k]
        rank = 2 * below + count - total
        square += float(rank) * float(rank) * float(count)
        below += count
        counts[k] = rank
    return square


@njit()
def pairwise(
    starts: NDArray[np.int64], items: NDArray[np.int32], codes: NDArray[np.int32], widths: NDArray[np.int64],
    groups: NDArray[np.int64], members: NDArray[np.int64], complete: NDArray[np.bool_], times: NDArray[np.int32],
    by_rater: NDArray[np.float64], by_group: NDArray[np.float64], totals: NDArray[np.float64],
    undefined: NDArray[np.int64],
) -> None:  # fmt: skip
    """Fill the mean rho of the pairs of raters in each resample: by rater, by group, and of all.

    `members` are the raters of the first group, then those of the next (`groups` says where each starts). `undefined`
    counts the undefined correlations of each rater. Where a group is `complete`, its raters rated the same items.
    """
    raters = len(starts) - 1
    largest = 0
    for g in range(len(groups) - 1):
        largest = max(largest, groups[g + 1] - groups[g])
    rhos = np.empty((largest, largest))
    defined = np.empty(raters, np.int64)
    for r in range(len(times)):
        by_rater[r] = 0
        defined[:] = 0
        all_sum, all_defined = 0.0, 0
        for g in range(len(groups) - 1):
            own = members[groups[g] : groups[g + 1]]
            if complete[g]:
                _same_items(starts, items, codes, widths, own, times[r], rhos)
            else:
                _common_items(starts, items, codes, widths, own, times[r], rhos)
            group_sum, group_defined = 0.0, 0
            for i in range(len(own)):
                for j in range(i + 1, len(own)):
                    a, b, rho = own[i], own[j], rhos[i, j]
                    if np.isnan(rho):
                        undefined[r, a] += 1
                        undefined[r, b] += 1
                        continue
                    by_rater[r, a] += rho
                    by_rater[r, b] += rho
                    defined[a] += 1
                    defined[b] += 1
                    group_sum += rho
                    group_defined += 1
            by_group[r, g] = group_sum / group_defined if group_defined else np.nan
            all_sum += group_sum
            all_defined += group_defined
        totals[r] = all_sum / all_defined if all_defined else np.nan
        for a in range(raters):
            by_rater[r, a] = by_rater[r, a] / defined[a] if defined[a] else np.nan


@njit()
def _common_items(
    starts: NDArray[np.int64], items: NDArray[np.int32], codes: NDArray[np.int32], widths: NDArray[np.int64],
    own: NDArray[np.int64], times: NDArray[np.int32], rhos: NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill the rho of each two raters of a group, over the items that both rated."""
    longest, width = 1, 1
    for a in own:
        longest, width = max(longest, starts[a + 1] - starts[a]), max(width, widths[a])
    place = np.full(len(times), -1, np.int32)
    ones, others, often = np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(longest, np.int32)
    count_1, count_2 = np.empty(width, np.int64), np.empty(width, np.int64)
    for i in range(len(own)):
        a = own[i]
        for k in range(starts[a], starts[a + 1]):
            place[items[k]] = codes[k]
        for j in range(i + 1, len(own)):
            b = own[j]
            n = 0
            for k in range(starts[b], starts[b + 1]):
                item = items[k]
                if place[item] >= 0 and times[item] > 0:
                    ones[n], others[n], often[n] = place[item], codes[k], times[item]
                    n += 1
            rhos[i, j] = _rho(n, ones, others, often, count_1, count_2, widths[a], widths[b])
        for k in range(starts[a], starts[a + 1]):
            place[items[k]] = -1


@njit()
def _same_items(
    starts: NDArray[np.int64], items: NDArray[np.int32], codes: NDArray[np.int32], widths: NDArray[np.int64],
    own: NDArray[np.int64], times: NDArray[np.int32], rhos: NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill the rho of each two raters of a group who rated the same items: each is ranked once."""
    n = starts[own[0] + 1] - starts[own[0]]
    often = times[items[starts[own[0]] : starts[own[0] + 1]]]
    total = often.sum()
    ranks, squares = np.empty((len(own), n)), np.empty(len(own))
    weighted = np.empty(n)
    for i in range(len(own)):
        a = own[i]
        counts = np.zeros(widths[a], np.int64)
        for k in range(n):
            counts[codes[starts[a] + k]] += often[k]
        squares[i] = _ranked(counts, widths[a], total)
        for k in range(n):
            ranks[i, k] = counts[codes[starts[a] + k]]
    for i in range(len(own)):
        for k in range(n):
            weighted[k] = ranks[i, k] * often[k]
        for j in range(i + 1, len(own)):
            if total < LEAST_POINTS or squares[i] == 0 or squares[j] == 0:
                rhos[i, j] = np.nan
            else:
                rhos[i, j] = _product(weighted, ranks[j]) / np.sqrt(squares[i] * squares[j])


@njit(fastmath={"reassoc"})
def _product(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the sum of products of whole numbers, in any order."""
    total = 0.0
    for k in range(len(one)):
        total += one[k] * other[k]
    return total


@njit()
def with_means(
    starts: NDArray[np.int64], items: NDArray[np.int32], codes: NDArray[np.int32], widths: NDArray[np.int64],
    means: NDArray[np.int32], mean_widths: NDArray[np.int64], times: NDArray[np.int32], by_rater: NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill each rater's rho with what stands beside each rating (a code, or -1 for nothing) in each resample."""
    longest, width = 1, 1
    for a in range(len(widths)):
        longest = max(longest, starts[a + 1] - starts[a])
        width = max(width, widths[a], mean_widths[a])
    ones, others, often = np.empty(longest, np.int32), np.empty(longest, np.int32), np.empty(longest, np.int32)
    count_1, count_2 = np.empty(width, np.int64), np.empty(width, np.int64)
    for r in range(len(times)):
        for a in range(len(widths)):
            n = 0
            for k in range(starts[a], starts[a + 1]):
                if means[k] >= 0 and times[r, items[k]] > 0:
                    ones[n], others[n], often[n] = codes[k], means[k], times[r, items[k]]
                    n += 1
            by_rater[r, a] = _rho(n, ones, others, often, count_1, count_2, widths[a], mean_widths[a])
