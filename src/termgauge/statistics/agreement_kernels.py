"""The compiled part of agreement: Spearman's rho of raters in resamples.

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
def _rho(n: int, points: NDArray[np.int32], times: NDArray[np.int32], ranks: NDArray[np.int64], width: int) -> float:
    """Return rho in a resample of `n` points: both codes and the item of each, and how often each item was drawn."""
    total = 0
    for k in range(width):
        ranks[0, k] = 0
        ranks[1, k] = 0
    for i in range(n):
        drawn = times[points[2, i]]
        points[3, i] = drawn
        total += drawn
        ranks[0, points[0, i]] += drawn
        ranks[1, points[1, i]] += drawn
    square_1, square_2 = _ranked(ranks, 0, width, total), _ranked(ranks, 1, width, total)
    if total < LEAST_POINTS or square_1 == 0 or square_2 == 0:
        return np.nan
    product = 0.0
    for i in range(n):
        product += float(ranks[0, points[0, i]]) * float(ranks[1, points[1, i]]) * float(points[3, i])
    rho: float = product / np.sqrt(square_1 * square_2)
    return rho


@njit()
def _ranked(ranks: NDArray[np.int64], side: int, width: int, total: int) -> float:
    """Turn counts into the ranks of their values, doubled and centred; return the sum of the squares of all ranks."""
    below = 0
    square = 0.0
    for k in range(width):
        count = ranks[side, k]
        rank = 2 * below + count - total
        square += float(rank) * float(rank) * float(count)
        below += count
        ranks[side, k] = rank
    return square


@njit()
def pairwise(
    starts: NDArray[np.int64], items: NDArray[np.int32], codes: NDArray[np.int32], widths: NDArray[np.int64],
    groups: NDArray[np.int64], times: NDArray[np.int32], sums: NDArray[np.float64], defined: NDArray[np.int64],
) -> None:  # fmt: skip
    """Add up rho over the pairs of raters of a group in each resample, and count those that are defined.

    Columns are raters, then groups. Whoever rated nothing is compared with nobody.
    """
    raters = len(groups)
    longest, width = 1, 1
    for a in range(raters):
        longest, width = max(longest, starts[a + 1] - starts[a]), max(width, widths[a])
    # Plain loops and work space that is made once: slices and whole-array operations take long to compile.
    points, ranks = np.empty((4, longest), np.int32), np.empty((2, width), np.int64)
    beside = np.full(times.shape[1], -1, np.int32)
    for a in range(raters):
        for k in range(starts[a], starts[a + 1]):
            beside[items[k]] = codes[k]
        for b in range(a + 1, raters):
            if groups[a] != groups[b]:
                continue
            n = 0
            for k in range(starts[b], starts[b + 1]):
                if beside[items[k]] >= 0:
                    points[0, n], points[1, n], points[2, n] = beside[items[k]], codes[k], items[k]
                    n += 1
            for r in range(len(times)):
                rho = _rho(n, points, times[r], ranks, max(widths[a], widths[b]))
                if not np.isnan(rho):
                    for column in (a, b, raters + groups[a]):
                        sums[r, column] += rho
                        defined[r, column] += 1
        for k in range(starts[a], starts[a + 1]):
            beside[items[k]] = -1


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
    points, ranks = np.empty((4, longest), np.int32), np.empty((2, width), np.int64)
    for a in range(len(widths)):
        n = 0
        for k in range(starts[a], starts[a + 1]):
            if means[k] >= 0:
                points[0, n], points[1, n], points[2, n] = codes[k], means[k], items[k]
                n += 1
        for r in range(len(times)):
            by_rater[r, a] = _rho(n, points, times[r], ranks, max(widths[a], mean_widths[a]))
