"""The compiled kernels of all measures but Kendall's: vectors prepared once for each word or term.

Pearson's correlation is the cosine of centred vectors, Spearman's is Pearson's of ranks. So each vector is centred or
ranked and brought to length 1 once; then one dot product is the similarity, and the mean over all pairs of words is the
dot product of two mean unit vectors. Of terms as fuzzy sets, how much a term's own words belong to it and the maximum
of its word vectors are computed once. What is undefined is a row of NaN, which every sum and product passes on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.compiled import njit
from termgauge.embeddings.cosines import REORDER, dot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[Any]
    Doubles = NDArray[np.float64]
    Numbers = NDArray[np.int64]


@njit()
def mean_rows(vectors: Rows, offsets: Numbers, rows: Numbers, out: Rows) -> None:
    """Write the mean of each term's rows; the error of each sum is kept and added, so that their order is no matter.

    Term t has the rows ``rows[offsets[t]:offsets[t + 1]]`` of ``vectors``. A term without words gets NaN.
    """
    width = vectors.shape[1]
    total, error = np.empty(width, np.float64), np.empty(width, np.float64)
    for t in range(len(offsets) - 1):
        begin, end = offsets[t], offsets[t + 1]
        if begin == end:
            out[t] = np.nan
            continue
        total[:] = 0.0
        error[:] = 0.0
        for index in range(begin, end):
            row = vectors[rows[index]]
            for c in range(width):
                value = np.float64(row[c])
                old = total[c]
                new = old + value
                added = new - old
                error[c] += (old - (new - added)) + (value - added)
                total[c] = new
        count = end - begin
        for c in range(width):
            out[t, c] = (total[c] + error[c]) / count


@njit(fastmath=REORDER)
def all_finite(row: Rows) -> bool:
    """Tell whether every component is a number, and not infinite."""
    total = 0.0
    for c in range(len(row)):
        total += np.float64(row[c]) * 0.0
    return total == 0.0


@njit(fastmath=REORDER)
def _write_unit(row: Doubles, out: Rows) -> None:
    """Write a vector of numbers near 1 at length 1, or NaN if it is zero."""
    square = 0.0
    for c in range(len(row)):
        square += row[c] * row[c]
    length = math.sqrt(square)
    for c in range(len(row)):
        out[c] = row[c] / length if length > 0.0 else np.nan


@njit()
def _scale(row: Doubles) -> None:
    """Multiply by the power of two that brings a vector near 1: exact, and no square under- or overflows."""
    largest = 0.0
    for c in range(len(row)):
        largest = max(largest, abs(row[c]))
    exponent = -math.frexp(largest)[1]
    half = math.ldexp(1.0, exponent // 2)  # all of it at once might be no number
    rest = math.ldexp(1.0, exponent - exponent // 2)
    for c in range(len(row)):
        row[c] = row[c] * half * rest


@njit()
def _centre(row: Doubles) -> None:
    """Subtract the first component, then the mean of what is left: equal components give exact zeros."""
    first = row[0]
    total = 0.0
    for c in range(len(row)):
        row[c] -= first
        total += row[c]
    mean = total / len(row)
    for c in range(len(row)):
        row[c] -= mean


@njit()
def unit_rows(rows: Doubles, centre: bool, out: Rows) -> None:
    """Write each row at length 1, centred before if asked for. The rows are overwritten."""
    for r in range(len(rows)):
        row = rows[r]
        if not all_finite(row):
            out[r] = np.nan
            continue
        _scale(row)
        if centre:
            _centre(row)
            _scale(row)
        _write_unit(row, out[r])


@njit()
def rank_unit_rows(rows: Doubles, sorting: Numbers, out: Rows) -> None:
    """Write each row's average ranks, centred and at length 1; ``sorting`` holds the columns in ascending order.

    The rows are overwritten. Twice the rank less its mean is an integer, so that nothing is rounded before the end.
    """
    width = rows.shape[1]
    for r in range(len(rows)):
        row, columns = rows[r], sorting[r]
        if not all_finite(row):
            out[r] = np.nan
            continue
        begin = 0
        while begin < width:
            end = begin + 1
            while end < width and row[columns[end]] == row[columns[begin]]:
                end += 1
            for index in range(begin, end):
                row[columns[index]] = begin + end - width
            begin = end
        _write_unit(row, out[r])


@njit()
def dots(prepared: Rows, first: Numbers, second: Numbers, out: Doubles) -> None:
    """Write the dot product of each pair of prepared vectors, without what rounding adds beyond -1 and 1."""
    for p in range(len(first)):
        value = dot(prepared[first[p]], prepared[second[p]])
        if value > 1.0:
            value = 1.0
        elif value < -1.0:
            value = -1.0
        out[p] = value


@njit()
def own_memberships(vectors: Rows, offsets: Numbers, rows: Numbers, out: Doubles) -> None:
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
    vectors: Rows, offsets: Numbers, rows: Numbers, weights: Doubles, first: Numbers, second: Numbers, out: Doubles
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
            shared += min(weights[i], largest)
            whole += max(weights[i], largest)  # NaN if the first one is
        for j in range(other_begin, other_end):
            other_shared += min(weights[j], memberships[j - other_begin])
            other_whole += max(weights[j], memberships[j - other_begin])
        out[p] = _ratio(shared + other_shared, whole + other_whole)


@njit()
def maximum_rows(vectors: Rows, offsets: Numbers, rows: Numbers, out: Rows) -> None:
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


@njit(fastmath=REORDER)
def maximum_ratios(maxima: Rows, first: Numbers, second: Numbers, out: Doubles) -> None:
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
