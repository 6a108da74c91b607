"""Kendall's tau-b by order codes: the compiled kernels.

Each vector is sorted once. To compare two, the components are taken in the order of the first and marked at their
places in the order of the second; how many marks already stand below a place is the number of pairs in the same order.
The marks are counted in a binary indexed tree (Fenwick 1994).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.compiled import njit
from termgauge.similarity.vector_kernels import tied_places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]
    Numbers = NDArray[np.int64]


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
