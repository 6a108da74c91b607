"""Terms as fuzzy sets: the compiled kernels of the two Jaccard ratios.

How much a term's own words belong to it, and the maximum of its word vectors, are the same whatever it is compared
with; they are computed once for each term.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.compiled import njit
from termgauge.similarity.units import all_finite, dot

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit()
def own_memberships(
    vectors: NDArray[Any], offsets: NDArray[np.int64], rows: NDArray[np.int64], out: NDArray[np.float64]
) -> None:
    """Write, for each word of each term, how much it belongs to its own term.

    That is the largest dot product with a word of the term (at least 0), or NaN if the word is not all numbers.
    """
    for t in range(len(offsets) - 1):
        begin, end = offsets[t], offsets[t + 1]
        for i in range(begin, end):
            largest = 0.0
            for j in range(begin, end):
                largest = max(largest, dot(vectors[rows[j]], vectors[rows[i]]))
            out[i] = largest if all_finite(vectors[rows[i]]) else np.nan


@njit()
def fuzzy_ratios(
    vectors: NDArray[Any],
    offsets: NDArray[np.int64],
    rows: NDArray[np.int64],
    own: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """Write the fuzzy Jaccard ratio of each pair of terms."""
    longest = 0
    for p in range(len(second)):
        longest = max(longest, offsets[second[p] + 1] - offsets[second[p]])
    memberships = np.empty(longest, np.float64)
    for p in range(len(first)):
        begin, end = offsets[first[p]], offsets[first[p] + 1]
        other_begin, other_end = offsets[second[p]], offsets[second[p] + 1]
        if begin == end or other_begin == other_end:
            out[p] = np.nan
            continue
        # Sums over the words of either term, kept apart so that the order of the pair is no matter.
        shared, whole, other_shared, other_whole = 0.0, 0.0, 0.0, 0.0
        memberships[:] = 0.0
        for i in range(begin, end):
            largest = 0.0
            for j in range(other_begin, other_end):
                product = dot(vectors[rows[i]], vectors[rows[j]])
                largest = max(largest, product)
                memberships[j - other_begin] = max(memberships[j - other_begin], product)
            shared += min(own[i], largest)
            whole += max(own[i], largest)  # NaN if the first one is
        for j in range(other_begin, other_end):
            other_shared += min(own[j], memberships[j - other_begin])
            other_whole += max(own[j], memberships[j - other_begin])
        out[p] = _ratio(shared + other_shared, whole + other_whole)


@njit()
def maximum_rows(vectors: NDArray[Any], offsets: NDArray[np.int64], rows: NDArray[np.int64], out: NDArray[Any]) -> None:
    """Write for each term the component-wise maximum of its words, at least 0; NaN if it has none or not numbers."""
    for t in range(len(offsets) - 1):
        begin, end = offsets[t], offsets[t + 1]
        out[t] = 0.0
        defined = begin < end
        for i in range(begin, end):
            row = vectors[rows[i]]
            defined = defined and all_finite(row)
            for c in range(len(row)):
                out[t, c] = max(out[t, c], row[c])
        if not defined:
            out[t] = np.nan


@njit(fastmath={"reassoc", "contract", "nsz"})
def maximum_ratios(
    maxima: NDArray[Any], first: NDArray[np.int64], second: NDArray[np.int64], out: NDArray[np.float64]
) -> None:
    """Write the Jaccard ratio of each pair of component-wise maxima."""
    width = maxima.shape[1]
    for p in range(len(first)):
        x, y = maxima[first[p]], maxima[second[p]]
        if np.isnan(x[0]) or np.isnan(y[0]):
            out[p] = np.nan
            continue
        shared, whole = 0.0, 0.0
        for c in range(width):
            shared += np.float64(min(x[c], y[c]))
            whole += np.float64(max(x[c], y[c]))
        out[p] = _ratio(shared, whole)


@njit()
def _ratio(shared: float, whole: float) -> float:
    """Return the ratio, or NaN if there is nothing to divide by."""
    if whole > 0.0:
        return min(shared / whole, 1.0)
    return np.nan
