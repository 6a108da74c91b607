"""The compiled part of Krippendorff's alpha: in each resample, disagreement within units over that of all values.

With n values that count, both are sums over ordered pairs of values, so a factor that they share is left away:
alpha = 1 - (n - 1) * within / between, where `within` divides each unit's sum by its number of values less one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
