"""All analogies between the pairs of a relation, exactly, over a vocabulary of any size.

The score of a word for ``x_h - y_h + y_j`` is the sum of a dot product that belongs to the pair h and one that belongs
to the pair j: two tables of pairs by words, instead of a search for each analogy. The vocabulary comes in blocks, and
an analogy is dropped as soon as `limit` words have beaten its answer, so that later blocks meet few of them. In a block
words are looked at in chunks: one in which even the greatest numbers are too small in sum costs one addition.

3CosMul is a sum of logarithms. PairDirection is a quotient: with ``a = (x_h - y_h) v``, ``c = (x_h - y_h) y_j``,
``r = |v - y_j|`` and ``s = |x_h - y_h|`` the score ``(a - c) / (r s)`` is at least t where ``a - t s r >= c``, a sum in
which r has the weight ``-t s``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from termgauge.compiled import njit
from termgauge.embeddings.units import unit_vectors
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    Double = NDArray[np.float64]
    Rows = NDArray[np.int64]

TIE = 1e-9
"""Scores this close are a tie, whatever the order in which their parts were added."""
EPSILON = 0.001
"""Of 3CosMul, so that nothing is divided by zero."""
SHORT = 1e-6
"""A difference of vectors shorter than this has no direction."""
_CLOSE = 1e-4
"""The square of a distance below which it does not follow from a dot product with all its digits."""
_TINY = 1e-300

Method = Literal["add", "mul", "direction"]
"""3CosAdd, 3CosMul and PairDirection; Levy and Goldberg 2014 name and compare them."""


class Bounds(NamedTuple):
    """For each analogy (pairs h by pairs j) what decides whether a word beats its answer."""

    low: Double
    """A word whose sum is below loses to the answer."""
    high: Double
    """A word whose sum is above beats the answer; between the two is a tie, and the earlier row wins."""
    weight: Double | float = 1.0
    """Of the second number in the sum."""
    slack: Double | float = 0.0
    """By how much both bounds move apart for each unit of the second number."""


def bounds_of(method: Method, x_h: Double, y_h: Double, x: Double, y: Double) -> Bounds:
    """Return what decides the analogies of some first pairs with all second pairs; NaN where nothing can be found.

    The ends of pairs have length 1, or are NaN.
    """
    way = x_h - y_h
    if method == "add":
        truth = way @ x.T + np.einsum("ij,ij->i", x, y)
        # |x_h - y_h + y_j|^2
        square = np.einsum("ij,ij->i", way, way)[:, None] + 2 * (way @ y.T) + 1
        truth[square <= SHORT * SHORT] = np.nan
        tie = TIE * np.maximum(1, np.abs(truth))
        return Bounds(truth - tie, truth + tie)
    if method == "mul":
        to_y_j = np.einsum("ij,ij->i", x, y)
        truth = (1 + x_h @ x.T) / 2 * ((1 + to_y_j) / 2) / ((1 + y_h @ x.T) / 2 + EPSILON)
        tie = TIE * np.maximum(1, np.abs(truth))
        with np.errstate(divide="ignore"):
            return Bounds(np.log(np.maximum(truth - tie, 0)), np.log(truth + tie))
    span, step = np.linalg.norm(way, axis=1)[:, None], x - y
    apart = np.linalg.norm(step, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        truth = way @ step.T / (span * apart)
    truth[(span <= SHORT) | (apart <= SHORT)] = np.nan
    least = way @ y.T + 0 * truth
    return Bounds(least, least, -truth * span, np.broadcast_to(TIE * span, truth.shape))


def tables_of(method: Method, words: Double, x_h: Double, y_h: Double, y: Double) -> tuple[Double, Double]:
    """Return what first pairs, and second pairs, add to the scores of words; NaN for words that never rank."""
    if method == "mul":
        below = (1 + y_h @ words.T) / 2 + EPSILON
        return _log_half(x_h @ words.T) - np.log(below), _log_half(y @ words.T)
    first, second = (x_h - y_h) @ words.T, y @ words.T
    if method == "direction":
        second = np.maximum(2 - 2 * second, 0)  # |v - y_j|^2
        close = np.nonzero(second < _CLOSE)
        second = np.sqrt(second, out=second)
        second[close] = np.linalg.norm(words[close[1]] - y[close[0]], axis=1)
        second[second <= SHORT] = np.nan
    return first, second


def _log_half(cosines: Double) -> Double:
    """Return the logarithms of cosines that are shifted to lie between 0 and 1."""
    cosines += 1
    cosines *= 0.5
    np.maximum(cosines, _TINY, out=cosines)
    return np.log(cosines, out=cosines)


ANALOGY = np.dtype([
    ("h", "i4"),  # the pairs
    ("j", "i4"),
    ("count", "i4"),  # words that beat the answer, so far
    *((name, "f8") for name in Bounds._fields),
], align=True)  # fmt: skip

_ANALOGIES_AT_ONCE = 1 << 21
_TABLE_BYTES = 256 << 20
_FIRST_WORDS, _MOST_WORDS = 4096, 1 << 16
_SLICE = 2048
_TOGETHER = 32
_CHUNK, _CHUNKS_AT_ONCE = 64, 16


@dataclass(frozen=True)
class Vectors:
    """The vectors of a vocabulary by row, wherever they are kept."""

    size: int
    """How many rows there are."""
    gather: Callable[[Rows], NDArray[np.float32]]
    """Returns the vectors of some rows."""
    unranked: Rows
    """Rows that are no words of their own (a word that stands in the file twice) and never rank."""

    @classmethod
    def of(cls, matrix: NDArray[np.float32]) -> Vectors:
        """Take the rows of a matrix in memory."""
        return cls(len(matrix), lambda rows: matrix[rows], np.empty(0, np.int64))

    def units(self, rows: Rows) -> Double:
        """Return the vectors of some rows scaled to length 1; NaN for those that do not rank."""
        units = unit_vectors(self.gather(rows), np.float64)
        units[np.isin(rows, self.unranked)] = np.nan
        return units


def beaters(
    vectors: Vectors,
    x: Rows,
    y: Rows,
    limit: int,
    *,
    method: Method = "add",
    groups: Rows | None = None,
    advance: Callable[[float], None] = lambda _share: None,
) -> Iterator[tuple[int, NDArray[np.int32]]]:
    """Count, for every ordered pair of distinct pairs h and j, the words that beat ``x_j``.

    The analogy holds among the k nearest if the count is below k. `x` and `y` are the rows of the ends of each pair;
    counting stops at `limit`, which analogies have that cannot hold: those in which ``x_j`` is a left-out word or has
    no direction, and those without a target. Pairs of the same group (ascending, in one part; by default each pair is
    one) are no analogy with each other. `advance` is called with the share done since the last call. Yields the counts
    of some pairs h, from a number on, with all pairs j.

    >>> words = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]], np.float32)  # king, queen, man, woman, say
    >>> [(start, counts)] = beaters(Vectors.of(words), np.array([0, 2]), np.array([1, 3]), limit=10)
    >>> counts
    array([[10,  0],
           [ 0, 10]], dtype=int32)
    """
    ends = np.column_stack([x, y]).astype(np.int64)
    groups = np.arange(len(x)) if groups is None else groups
    rows, numbers = np.unique(ends, return_inverse=True)
    numbers = numbers.reshape(ends.shape)
    units = vectors.units(rows)
    step = max(1, _ANALOGIES_AT_ONCE // max(1, len(x)))
    with ThreadPool(os.cpu_count() or 1) as pool:
        start = 0
        while start < len(x):
            # The last group goes to its end.
            stop = int(np.searchsorted(groups, groups[min(start + step, len(x)) - 1], "right"))
            counts = np.full((stop - start, len(x)), limit, np.int32)
            analogies = _possible(method, units, numbers, groups, slice(start, stop))
            low, size = 0, _FIRST_WORDS
            while low < vectors.size and len(analogies):
                high = min(low + size, vectors.size)
                words = np.full((-(-(high - low) // _CHUNK) * _CHUNK, units.shape[1]), np.nan)
                words[: high - low] = vectors.units(np.arange(low, high))
                pairs = _count_in_block(method, words, low, analogies, units, numbers, ends, limit, pool)
                analogies = analogies[analogies["count"] < limit]
                advance((stop - start) / len(x) * (high - low) / vectors.size)
                low, size = high, min(4 * size, _MOST_WORDS, max(_CHUNK, _TABLE_BYTES // (8 * pairs)))
            advance((stop - start) / len(x) * (vectors.size - low) / vectors.size)
            counts[analogies["h"] - start, analogies["j"]] = analogies["count"]
            yield start, counts
            start = stop


def _possible(method: Method, units: Double, numbers: Rows, groups: Rows, some: slice) -> NDArray[np.void]:
    """Return the analogies of some pairs h whose answer can be found at all, each with the bounds that decide it."""
    x, y = numbers.T
    bounds = bounds_of(method, units[x[some]], units[y[some]], units[x], units[y])
    possible = ~np.isnan(bounds.low) & (groups[some, None] != groups)
    possible &= (x != y) & (x[some, None] != x) & (y[some, None] != x)
    h, j = np.nonzero(possible)
    # A few j at a time with all h, so that their rows of the tables stay in the processor's cache.
    order = np.argsort((j // _TOGETHER).astype(np.int32), kind="stable")
    h, j = h[order], j[order]
    analogies = np.zeros(len(h), ANALOGY)
    analogies["h"], analogies["j"] = h + some.start, j
    for name, values in zip(Bounds._fields, bounds, strict=True):
        analogies[name] = values[h, j] if isinstance(values, np.ndarray) else values
    return analogies


def _count_in_block(
    method: Method,
    words: Double,
    start: int,
    analogies: NDArray[np.void],
    units: Double,
    numbers: Rows,
    ends: Rows,
    limit: int,
    pool: ThreadPool,
) -> int:
    """Count the beaters among some words, from a row on; return how many rows the tables had."""
    h, j = (np.flatnonzero(np.bincount(analogies[name], minlength=len(ends))) for name in "hj")
    table_rows = np.zeros((2, len(ends)), np.int64)
    table_rows[0, h] = np.arange(len(h))
    # Pairs with the same y share a row of the second table.
    y_numbers, table_rows[1, j] = np.unique(numbers[j, 1], return_inverse=True)
    first, second = tables_of(method, words, units[numbers[h, 0]], units[numbers[h, 1]], units[y_numbers])
    greatest, other_greatest = (np.fmax.reduce(part.reshape(len(part), -1, _CHUNK), axis=2) for part in (first, second))
    least = np.fmin.reduce(second.reshape(len(second), -1, _CHUNK), axis=2) if method == "direction" else other_greatest

    def count(low: int) -> None:
        some = analogies[low : low + _SLICE]
        count_beaters(some, ends, table_rows, first, greatest, second, other_greatest, least, start, limit)

    for _done in pool.map(count, range(0, len(analogies), _SLICE)):
        pass
    return len(first) + len(second)


@njit()
def count_beaters(
    analogies: NDArray[np.void],
    ends: Rows,
    table_rows: Rows,
    first: Double,
    greatest: Double,
    second: Double,
    second_greatest: Double,
    second_least: Double,
    start: int,
    limit: int,
) -> None:
    """Add to the count of each analogy the words of a block that beat its answer, until there are `limit`.

    `table_rows` are the rows of each pair in the first and in the second table. Beside the tables stand the greatest
    and the least number of each chunk.
    """
    chunks = greatest.shape[1]
    for number in range(len(analogies)):
        h, j, count = analogies[number]["h"], analogies[number]["j"], analogies[number]["count"]
        low, high = analogies[number]["low"], analogies[number]["high"]
        weight, slack = analogies[number]["weight"], analogies[number]["slack"]
        x_h, y_h, x_j, y_j = ends[h, 0], ends[h, 1], ends[j, 0], ends[j, 1]
        one, other = first[table_rows[0, h]], second[table_rows[1, j]]
        tops = greatest[table_rows[0, h]]
        other_tops = (second_greatest if weight > 0 else second_least)[table_rows[1, j]]
        least = low - 2 * slack  # no distance is more than 2
        for some in range(0, chunks, _CHUNKS_AT_ONCE):
            upto = min(some + _CHUNKS_AT_ONCE, chunks)
            if count >= limit or not _any_reaches(tops[some:upto], other_tops[some:upto], weight, least):
                continue
            for begin in range(some * _CHUNK, upto * _CHUNK, _CHUNK):
                end = begin + _CHUNK
                if not _any_reaches(one[begin:end], other[begin:end], weight, least):
                    continue
                for word in range(begin, end):
                    score, margin = one[word] + weight * other[word], slack * other[word]
                    if score >= low - margin:
                        row = start + word
                        beats = score > high + margin or row < x_j
                        count += beats and row not in (x_h, y_h, x_j, y_j)
        analogies[number]["count"] = min(count, limit)


@njit()
def _any_reaches(one: Double, other: Double, weight: float, least: float) -> bool:
    """Say whether any sum reaches a bound: all are looked at, for that is quicker than to stop at the first."""
    reaches = False
    for word in range(len(one)):
        reaches |= one[word] + weight * other[word] >= least
    return reaches
