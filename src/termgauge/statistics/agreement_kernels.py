"""The compiled part of agreement: Spearman's rho of raters and Krippendorff's alpha, in resamples.

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
def _rho(n: int, points: NDArray[np.int32], counts: NDArray[np.int64], width_1: int, width_2: int) -> float:
    """Return rho of `n` points: the codes of both sides, and how often each stands there."""
    total = 0
    for k in range(width_1):
        counts[0, k] = 0
    for k in range(width_2):
        counts[1, k] = 0
    for i in range(n):
        total += points[2, i]
        counts[0, points[0, i]] += points[2, i]
        counts[1, points[1, i]] += points[2, i]
    square_1, square_2 = _ranked(counts, 0, width_1, total), _ranked(counts, 1, width_2, total)
    if total < LEAST_POINTS or square_1 == 0 or square_2 == 0:
        return np.nan
    product = 0.0
    for i in range(n):
        product += float(counts[0, points[0, i]]) * float(counts[1, points[1, i]]) * float(points[2, i])
    rho: float = product / np.sqrt(square_1 * square_2)
    return rho


@njit()
def _ranked(counts: NDArray[np.int64], side: int, width: int, total: int) -> float:
    """Turn counts into the ranks of their values, doubled and centred; return the sum of the squares of all ranks."""
    below = 0
    square = 0.0
    for k in range(width):
        count = counts[side, k]
        rank = 2 * below + count - total
        square += float(rank) * float(rank) * float(count)
        below += count
        counts[side, k] = rank
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
    largest, longest, width = 1, 1, 1
    for g in range(len(groups) - 1):
        largest = max(largest, groups[g + 1] - groups[g])
    for a in range(raters):
        longest, width = max(longest, starts[a + 1] - starts[a]), max(width, widths[a])
    # Plain loops and work space that is made once: slices and whole-array operations take long to compile.
    rhos, ranks, squares = np.empty((largest, largest)), np.empty((largest, longest)), np.empty(largest)
    points, weighted = np.empty((3, longest), np.int32), np.empty(longest)
    counts, place = np.empty((2, width), np.int64), np.empty(times.shape[1], np.int32)
    for k in range(len(place)):
        place[k] = -1
    defined = np.empty(raters, np.int64)
    for r in range(len(times)):
        for a in range(raters):
            by_rater[r, a] = 0
            defined[a] = 0
        all_sum, all_defined = 0.0, 0
        for g in range(len(groups) - 1):
            low, high = groups[g], groups[g + 1]
            if complete[g]:
                _same_items(
                    starts, items, codes, widths, members, low, high, times, r, counts, ranks, squares, weighted, rhos
                )
            else:
                _common_items(starts, items, codes, widths, members, low, high, times, r, counts, place, points, rhos)
            group_sum, group_defined = 0.0, 0
            for i in range(high - low):
                for j in range(i + 1, high - low):
                    a, b, rho = members[low + i], members[low + j], rhos[i, j]
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
    members: NDArray[np.int64], low: int, high: int, times: NDArray[np.int32], r: int,
    counts: NDArray[np.int64], place: NDArray[np.int32], points: NDArray[np.int32], rhos: NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill the rho of each two raters of a group, over the items that both rated."""
    for i in range(low, high):
        a = members[i]
        for k in range(starts[a], starts[a + 1]):
            place[items[k]] = codes[k]
        for j in range(i + 1, high):
            b = members[j]
            n = 0
            for k in range(starts[b], starts[b + 1]):
                item = items[k]
                if place[item] >= 0 and times[r, item] > 0:
                    points[0, n] = place[item]
                    points[1, n] = codes[k]
                    points[2, n] = times[r, item]
                    n += 1
            rhos[i - low, j - low] = _rho(n, points, counts, widths[a], widths[b])
        for k in range(starts[a], starts[a + 1]):
            place[items[k]] = -1


@njit()
def _same_items(
    starts: NDArray[np.int64], items: NDArray[np.int32], codes: NDArray[np.int32], widths: NDArray[np.int64],
    members: NDArray[np.int64], low: int, high: int, times: NDArray[np.int32], r: int, counts: NDArray[np.int64],
    ranks: NDArray[np.float64], squares: NDArray[np.float64], weighted: NDArray[np.float64], rhos: NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill the rho of each two raters of a group who rated the same items: each is ranked once."""
    first = starts[members[low]]
    n = starts[members[low] + 1] - first
    total = 0
    for k in range(n):
        total += times[r, items[first + k]]
    for i in range(low, high):
        a = members[i]
        for c in range(widths[a]):
            counts[0, c] = 0
        for k in range(n):
            counts[0, codes[starts[a] + k]] += times[r, items[first + k]]
        squares[i - low] = _ranked(counts, 0, widths[a], total)
        for k in range(n):
            ranks[i - low, k] = counts[0, codes[starts[a] + k]]
    for i in range(high - low):
        for k in range(n):
            weighted[k] = ranks[i, k] * times[r, items[first + k]]
        for j in range(i + 1, high - low):
            if total < LEAST_POINTS or squares[i] == 0 or squares[j] == 0:
                rhos[i, j] = np.nan
            else:
                rhos[i, j] = _product(weighted, ranks, j, n) / np.sqrt(squares[i] * squares[j])


@njit(fastmath={"reassoc"})
def _product(one: NDArray[np.float64], others: NDArray[np.float64], which: int, n: int) -> float:
    """Return the sum of products of whole numbers, in any order."""
    total = 0.0
    for k in range(n):
        total += one[k] * others[which, k]
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
    points, counts = np.empty((3, longest), np.int32), np.empty((2, width), np.int64)
    for r in range(len(times)):
        for a in range(len(widths)):
            n = 0
            for k in range(starts[a], starts[a + 1]):
                if means[k] >= 0 and times[r, items[k]] > 0:
                    points[0, n] = codes[k]
                    points[1, n] = means[k]
                    points[2, n] = times[r, items[k]]
                    n += 1
            by_rater[r, a] = _rho(n, points, counts, widths[a], mean_widths[a])


@njit()
def nominal(
    starts: NDArray[np.int64],
    codes: NDArray[np.int32],
    width: int,
    times: NDArray[np.int32],
    found: NDArray[np.float64],
) -> None:
    """Fill alpha of values that are equal or not."""
    units = len(starts) - 1
    apart = np.zeros(units)
    counts = np.zeros(width)
    for u in range(units):
        size = starts[u + 1] - starts[u]
        equal = 0.0
        for k in range(starts[u], starts[u + 1]):
            counts[codes[k]] += 1
        for k in range(starts[u], starts[u + 1]):
            equal += counts[codes[k]]
        for k in range(starts[u], starts[u + 1]):
            counts[codes[k]] = 0
        apart[u] = (size * size - equal) / (size - 1)
    for r in range(len(times)):
        n = _counted(starts, codes, times[r], counts)
        within = 0.0
        for u in range(units):
            within += times[r, u] * apart[u]
        between = n * n
        for c in range(width):
            between -= counts[c] * counts[c]
        found[r] = 1 - (n - 1) * within / between if between > 0 else np.nan


@njit()
def distance(
    starts: NDArray[np.int64], codes: NDArray[np.int32], scale: NDArray[np.float64], ranks: bool,
    times: NDArray[np.int32], found: NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill alpha of squared distances: of the values, or of their mean ranks in the resample."""
    width = len(scale)
    counts, place = np.zeros(width), scale.copy()
    for r in range(len(times)):
        n = _counted(starts, codes, times[r], counts)
        below, mean, used = 0.0, 0.0, 0
        for c in range(width):
            used += counts[c] > 0
            if ranks:
                place[c] = below + counts[c] / 2
                below += counts[c]
            mean += counts[c] * place[c] / n
        between = 0.0
        for c in range(width):
            between += counts[c] * (place[c] - mean) ** 2
        within = 0.0
        for u in range(len(starts) - 1):
            if times[r, u]:
                size = starts[u + 1] - starts[u]
                own, spread = 0.0, 0.0
                for k in range(starts[u], starts[u + 1]):
                    own += place[codes[k]] / size
                for k in range(starts[u], starts[u + 1]):
                    spread += (place[codes[k]] - own) ** 2
                within += times[r, u] * spread * size / (size - 1)
        # Ordered pairs of n values: twice n times their sum of squares about the mean.
        found[r] = 1 - (n - 1) * within / (n * between) if used > 1 else np.nan


@njit()
def ratio(
    starts: NDArray[np.int64], codes: NDArray[np.int32], scale: NDArray[np.float64], times: NDArray[np.int32],
    found: NDArray[np.float64],
) -> None:  # fmt: skip
    """Fill alpha of squared differences over squared sums."""
    units, width = len(starts) - 1, len(scale)
    apart, counts = np.zeros(units), np.zeros(width)
    for u in range(units):
        used = np.unique(codes[starts[u] : starts[u + 1]])
        for k in range(starts[u], starts[u + 1]):
            counts[codes[k]] += 1
        for c in used:
            for k in used:
                apart[u] += counts[c] * counts[k] * _ratio(scale[c], scale[k]) / (starts[u + 1] - starts[u] - 1)
        counts[used] = 0
    for r in range(len(times)):
        n = _counted(starts, codes, times[r], counts)
        within, between = 0.0, 0.0
        for u in range(units):
            within += times[r, u] * apart[u]
        for c in range(width):
            for k in range(c):
                between += 2 * counts[c] * counts[k] * _ratio(scale[c], scale[k])
        found[r] = 1 - (n - 1) * within / between if between > 0 else np.nan


@njit()
def _ratio(one: float, other: float) -> float:
    return ((one - other) / (one + other)) ** 2 if one != other else 0.0


@njit()
def _counted(
    starts: NDArray[np.int64], codes: NDArray[np.int32], times: NDArray[np.int32], counts: NDArray[np.float64]
) -> float:
    """Count the values of a resample and return how many there are."""
    counts[:] = 0
    n = 0.0
    for u in range(len(starts) - 1):
        if times[u]:
            for k in range(starts[u], starts[u + 1]):
                counts[codes[k]] += times[u]
            n += times[u] * (starts[u + 1] - starts[u])
    return n
