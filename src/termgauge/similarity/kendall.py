"""Kendall's tau-b by order codes: the compiled kernels.

Each vector is sorted once. To compare two, the components are taken in the order of the first and marked at their
places in the order of the second; how many marks already stand below a place is the number of pairs in the same order.
The marks are bits, 64 to a word. How many stand in the lower ones of 4 words, and of 4 times 4 words, is kept in the
lanes of an integer each, so that a mark is counted by one addition and a question takes a few steps without a branch.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.benchmark.nearest.term_bitmaps import popcount
from termgauge.compiled import njit
from termgauge.embeddings.store.vectors import room_for
from termgauge.similarity.vector_kernels import all_finite

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]
    Numbers = NDArray[np.int64]

_ONE = np.uint64(1)
_LANE = np.uint64(0xFFFF)
# What to add to the four lanes after a mark in part 0, 1, 2 or 3: one for every part above it.
_ABOVE = np.array([0x0001_0001_0001_0000, 0x0001_0001_0000_0000, 0x0001_0000_0000_0000, 0], np.uint64)


class Orders(NamedTuple):
    """The order codes of some vectors."""

    columns: NDArray[Any]
    """The columns of each vector in ascending order of their values."""
    places: NDArray[Any]
    """For each column its place in that order; equal components all have the place of the first of them."""
    untied: NDArray[np.int64]
    """How many pairs of columns are not tied; 0 if the vector has no order, so that tau is undefined."""


class _Marks(NamedTuple):
    """Which places are marked, and how many of them in parts of growing size."""

    bits: NDArray[np.uint64]
    """A bit for each place, 64 to a word."""
    words: NDArray[np.uint64]
    """For each 256 places four lanes: the marks below each of their 4 words."""
    blocks: NDArray[np.uint64]
    """For each 1024 places four lanes: the marks below each of their 4 times 256 places."""
    totals: NDArray[np.int64]
    """The marks in each 1024 places."""


def empty_orders(count: int, width: int, most: int) -> Orders:
    """Return room for the order codes of some vectors, 4 bytes for each component of up to 65,536.

    What takes more than `most` bytes lies in files.
    """
    kind = np.uint16 if width <= 1 << 16 else np.uint32
    columns, places = (room_for((count, width), kind, most // 2) for _ in range(2))
    return Orders(columns, places, np.zeros(count, np.int64))


@njit()
def write_orders(rows: Doubles, sorting: Numbers, orders: Orders, at: int) -> None:
    """Write the order codes of rows from position ``at`` on; ``sorting`` holds the columns in ascending order."""
    width = rows.shape[1]
    for r in range(len(rows)):
        row, columns = rows[r], sorting[r]
        untied = width * (width - 1) // 2
        begin = 0
        for position in range(width):
            if position > 0 and row[columns[position]] != row[columns[position - 1]]:
                size = position - begin
                untied -= size * (size - 1) // 2
                begin = position
            orders.columns[at + r, position] = columns[position]
            orders.places[at + r, columns[position]] = begin
        size = width - begin
        untied -= size * (size - 1) // 2
        orders.untied[at + r] = untied if all_finite(row) else 0


def mean_taus(orders: Orders, offsets: Numbers, words: Numbers, first: Numbers, second: Numbers, out: Doubles) -> None:
    """Write for each pair of terms the mean of tau-b over all pairs of their words; NaN if one of them is NaN."""
    _mean_taus(orders, offsets, words, first, second, _empty_marks(orders), out)


@njit()
def _mean_taus(
    orders: Orders, offsets: Numbers, words: Numbers, first: Numbers, second: Numbers, marks: _Marks, out: Doubles
) -> None:
    for p in range(len(first)):
        begin, end = offsets[first[p]], offsets[first[p] + 1]
        other_begin, other_end = offsets[second[p]], offsets[second[p] + 1]
        total = 0.0
        for i in range(begin, end):
            for j in range(other_begin, other_end):
                total += _tau(orders, words[i], words[j], marks)
        pairs = (end - begin) * (other_end - other_begin)
        out[p] = total / pairs if pairs > 0 else np.nan


@njit()
def _tau(orders: Orders, x: int, y: int, marks: _Marks) -> Any:  # noqa: ANN401
    width = orders.columns.shape[1]
    untied_x, untied_y = orders.untied[x], orders.untied[y]
    if untied_x == 0 or untied_y == 0:
        return np.nan
    every = width * (width - 1) // 2
    _clear(marks)
    if untied_x == every and untied_y == every:
        same = _same_order(orders.columns[x], orders.places[y], marks)
        return (2 * same - every) / every
    balance = _balance(orders.columns[x], orders.places[x], orders.columns[y], orders.places[y], marks)
    return balance / math.sqrt(np.float64(untied_x) * np.float64(untied_y))


@njit()
def _same_order(columns: NDArray[Any], places: NDArray[Any], marks: _Marks) -> int:
    """Return how many pairs of columns have the same order in two vectors without ties."""
    same = 0
    for c in range(len(columns)):
        position = np.int64(places[columns[c]])
        same += _below(position, marks)
        _mark(position, marks)
    return same


@njit()
def _balance(
    columns: NDArray[Any], places: NDArray[Any], other_columns: NDArray[Any], other_places: NDArray[Any], marks: _Marks
) -> int:
    """Return how many pairs of columns have the same order in two vectors, less those in opposite orders.

    Columns that are tied in the first vector are marked together, after all of them have been counted. Columns tied in
    the second have the places from ``low`` up to ``high``, of which each takes one.
    """
    width = len(columns)
    high, positions = np.empty(width, np.int64), np.empty(width, np.int64)
    end = width
    for position in range(width - 1, -1, -1):
        column = other_columns[position]
        high[column], positions[column] = end, position
        if other_places[column] == position:
            end = position
    balance = 0
    begin = 0
    while begin < width:
        end = begin
        while end < width and places[columns[end]] == begin:
            column = columns[end]
            below, up_to = _below(np.int64(other_places[column]), marks), _below(high[column], marks)
            balance += below - (begin - up_to)
            end += 1
        for position in range(begin, end):
            _mark(positions[columns[position]], marks)
        begin = end
    return balance


def _empty_marks(orders: Orders) -> _Marks:
    """Return marks for one thread; not compiled, which would take longer than all that they are used for."""
    parts = orders.columns.shape[1] // 1024 + 1  # one place more than there are: all marks are below it
    return _Marks(
        np.zeros(16 * parts, np.uint64),
        np.zeros(4 * parts, np.uint64),
        np.zeros(parts, np.uint64),
        np.zeros(parts, np.int64),
    )


@njit()
def _clear(marks: _Marks) -> None:
    marks.bits[:] = np.uint64(0)
    marks.words[:] = np.uint64(0)
    marks.blocks[:] = np.uint64(0)
    marks.totals[:] = 0


@njit()
def _below(position: int, marks: _Marks) -> Any:  # noqa: ANN401
    """Return how many places below this one are marked."""
    word, block, part = position >> 6, position >> 8, position >> 10
    lower = (_ONE << np.uint64(position & 63)) - _ONE
    count = popcount(marks.bits[word] & lower)
    count += np.int64((marks.words[block] >> np.uint64(16 * (word & 3))) & _LANE)
    count += np.int64((marks.blocks[part] >> np.uint64(16 * (block & 3))) & _LANE)
    for p in range(part):
        count += marks.totals[p]
    return count


@njit()
def _mark(position: int, marks: _Marks) -> None:
    word, block, part = position >> 6, position >> 8, position >> 10
    marks.bits[word] |= _ONE << np.uint64(position & 63)
    marks.words[block] += _ABOVE[word & 3]
    marks.blocks[part] += _ABOVE[block & 3]
    marks.totals[part] += 1
