"""What scores vectors of words and terms is made of: compiled kernels, and the ties of ranks.

Of terms as fuzzy sets, how much a term's own words belong to it and the maximum of its word vectors are computed once.
What is undefined is a row of NaN, which every sum and product passes on.

For Kendall's tau-b each vector is sorted once. To compare two, the components are taken in the order of the first and
marked at their places in the order of the second; how many marks already stand below a place is the number of pairs in
the same order. The marks are counted in a binary indexed tree (Fenwick 1994).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[Any]
    Doubles = NDArray[np.float64]
    Numbers = NDArray[np.int64]

# Sums may be reordered, which lets the processor do several at once; NaN keeps its meaning.
REORDER = {"reassoc", "contract", "nsz"}


@njit(fastmath=REORDER)
def dot(x: Rows, y: Rows) -> float:
    """Return the dot product, summed in double precision."""
    total = 0.0
    for c in range(len(x)):
        total += np.float64(x[c]) * np.float64(y[c])
    return total


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


def tied_places(rows: Doubles) -> tuple[Numbers, Numbers, Numbers]:
    """Return each row's columns in ascending order, and for each place in it where the tied places begin and end."""
    order = np.argsort(rows, axis=1)
    ascending = np.take_along_axis(rows, order, axis=1)
    places = np.arange(rows.shape[1])
    new = np.ones((len(rows), rows.shape[1] + 1), np.bool_)
    new[:, 1:-1] = ascending[:, 1:] != ascending[:, :-1]
    begins = np.maximum.accumulate(np.where(new[:, :-1], places, 0), axis=1)
    ends = np.minimum.accumulate(np.where(new[:, 1:], places + 1, rows.shape[1])[:, ::-1], axis=1)[:, ::-1]
    return order, begins, ends


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
    vectors: Rows, offsets: Numbers, rows: Numbers, own: Doubles, first: Numbers, second: Numbers, out: Doubles
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


class Orders(NamedTuple):
    """The order codes of some vectors."""

    columns: NDArray[Any]
    """The columns of each vector in ascending order of their values."""
    places: NDArray[Any]
    """For each column its place in that order; equal components all have the place of the first of them."""
    untied: NDArray[np.int64]
    """How many pairs of columns are not tied; 0 if the vector has no order, so that tau is undefined."""

    @classmethod
    def empty(cls, count: int, width: int) -> Orders:
        """Return room for the order codes of some vectors, 4 bytes for each component of up to 65,536."""
        kind = np.uint16 if width <= 1 << 16 else np.uint32
        return cls(np.empty((count, width), kind), np.empty((count, width), kind), np.zeros(count, np.int64))

    def write(self, rows: Doubles, at: int) -> None:
        """Write the order codes of rows from position `at` on."""
        some, width = slice(at, at + len(rows)), rows.shape[1]
        order, begins, _ = tied_places(rows)
        self.columns[some] = order
        np.put_along_axis(self.places[some], order, begins.astype(self.places.dtype), axis=1)
        untied = width * (width - 1) // 2 - (np.arange(width) - begins).sum(axis=1)
        self.untied[some] = np.where(np.isfinite(rows).all(axis=1), untied, 0)


@njit()
def mean_taus(orders: Orders, offsets: Numbers, words: Numbers, first: Numbers, second: Numbers, out: Doubles) -> None:
    """Write for each pair of terms the mean of tau-b over all pairs of their words; NaN if one of them is NaN."""
    tree = np.empty(orders.columns.shape[1] + 1, np.int64)
    for p in range(len(first)):
        begin, end = offsets[first[p]], offsets[first[p] + 1]
        other_begin, other_end = offsets[second[p]], offsets[second[p] + 1]
        total = 0.0
        for i in range(begin, end):
            for j in range(other_begin, other_end):
                total += _tau(orders, words[i], words[j], tree)
        pairs = (end - begin) * (other_end - other_begin)
        out[p] = total / pairs if pairs > 0 else np.nan


@njit()
def _tau(orders: Orders, x: int, y: int, tree: Numbers) -> float:
    """Return tau-b of two vectors: the pairs of columns in the same order less those in opposite orders, as a share.

    Columns that are tied in the first vector are marked together, after all of them have been counted.
    """
    untied_x, untied_y = orders.untied[x], orders.untied[y]
    if untied_x == 0 or untied_y == 0:
        return np.nan
    columns, places, other_places = orders.columns[x], orders.places[x], orders.places[y]
    width = len(columns)
    distinct = untied_y == width * (width - 1) // 2
    tree[:] = 0
    balance = 0
    begin = 0
    while begin < width:
        end = begin
        while end < width and places[columns[end]] == begin:
            place = np.int64(other_places[columns[end]])
            below = _marks_below(place, tree)
            balance += below + (below if distinct else _marks_below(place + 1, tree)) - begin
            end += 1
        for position in range(begin, end):
            node = np.int64(other_places[columns[position]]) + 1
            while node <= width:
                tree[node] += 1
                node += node & -node
        begin = end
    return balance / math.sqrt(np.float64(untied_x) * np.float64(untied_y))


@njit()
def _marks_below(place: int, tree: Numbers) -> int:
    count = 0
    while place > 0:
        count += tree[place]
        place &= place - 1
    return count
