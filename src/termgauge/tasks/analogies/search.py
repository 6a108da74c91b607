"""All analogies between the pairs of a relation, exactly, over a vocabulary of any size.

``x_h - y_h + y_j`` is compared with a word by three dot products, of which the first two belong to the pair h and the
third to the pair j: tables of pairs by words instead of a search for each analogy. The vocabulary comes in blocks, and
an analogy is dropped as soon as `limit` words have beaten its answer, so that later blocks meet few of them. Words that
single precision cannot tell from the answer are scored again in double precision (:mod:`.kernel`);
:mod:`.reference` says what is computed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from termgauge.tasks.analogies.kernel import (
    ADD,
    CHUNK,
    DIRECTION,
    EPSILON,
    LISTED,
    MUL,
    SHORT,
    TIE,
    Table,
    Words,
    chunk_maxima,
    count_beaters,
    list_greatest,
    scale_rows,
)
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Single = NDArray[np.float32]
    Double = NDArray[np.float64]
    from collections.abc import Callable, Iterator

    Rows = NDArray[np.int64]

UNIT = 2.0**-24
"""How far rounding to single precision moves a number, relative to it."""
_SLACK = 1e-5
"""More than what a few operations in single precision, on numbers below 10, can be off by."""
_LEAST = -1e30


class Bounds(NamedTuple):
    """For each analogy (pairs h by pairs j) what decides it."""

    truth: Double
    """The score of the right answer."""
    low: Double
    """A word whose sum is below certainly loses to the answer."""
    high: Double | float
    """A word whose sum is above certainly beats the answer."""
    defined: NDArray[np.bool_]
    """Whether there is a target, and the answer has a score."""
    weight: Double | float = 1.0
    """Of the second number in the sum; never negative."""
    variant: NDArray[np.int32] | int = 0
    """Which of the second tables is summed."""


def reach(width: int) -> float:
    """Return how far a dot product of vectors of length 1 can be off in single precision, in whatever order summed."""
    return 1.05 * (width + 8) * UNIT


def _products(ends: Double, words: Single) -> Single:
    products: Single = ends.astype(np.float32) @ words.T
    return products


class CosAdd:
    """3CosAdd: ``cos(v, x_h - y_h + y_j)``, whose order is that of the dot product."""

    code, variants = ADD, 1

    def bounds(self, x_h: Double, y_h: Double, x: Double, y: Double) -> Bounds:
        """Return what decides the analogies of some first pairs with all second pairs, all ends of length 1."""
        way = x_h - y_h
        truth = way @ x.T + np.einsum("ij,ij->i", x, y)
        # |x_h - y_h + y_j|^2
        square = np.einsum("ij,ij->i", way, way)[:, None] + 2 * (way @ y.T) + 1
        off = 3 * reach(x.shape[1]) + TIE
        return Bounds(truth, truth - off, truth + off, square > SHORT * SHORT)

    def first(self, words: Single, x_h: Double, y_h: Double) -> Single:
        """Return the dot products with ``x_h - y_h``."""
        return _products(x_h - y_h, words)

    def second(self, words: Single, y: Double) -> Single:
        """Return the dot products with ``y_j``."""
        return _products(y, words)


class CosMul:
    """3CosMul: ``c(v, x_h) c(v, y_j) / (c(v, y_h) + 0.001)``, where c is ``(1 + cos) / 2``."""

    code, variants = MUL, 1

    def bounds(self, x_h: Double, y_h: Double, x: Double, y: Double) -> Bounds:
        """Return what decides, in logarithms."""
        to_y_j = np.einsum("ij,ij->i", x, y)
        truth = (1 + x_h @ x.T) / 2 * ((1 + to_y_j) / 2) / ((1 + y_h @ x.T) / 2 + EPSILON)
        with np.errstate(divide="ignore"):
            low = np.log(np.maximum(truth - TIE * np.maximum(1, np.abs(truth)), 0)) - 4 * _SLACK
        low = np.maximum(low, _LEAST)  # finite, for words that never rank have minus infinity
        return Bounds(truth, low, np.inf, np.ones(truth.shape, np.bool_))

    def first(self, words: Single, x_h: Double, y_h: Double) -> Single:
        """Return ``log c(v, x_h) - log(c(v, y_h) + 0.001)``, no less than it is."""
        off = np.float32(2 * reach(words.shape[1]))
        above, below = _log_shifted(_products(x_h, words), off), _products(y_h, words)
        below += np.float32(1) - off
        np.maximum(below, 0, out=below)
        below *= np.float32(0.5)
        below += np.float32(EPSILON * (1 - 1e-3))
        above -= np.log(below, out=below)
        return above

    def second(self, words: Single, y: Double) -> Single:
        """Return ``log c(v, y_j)``, no less than it is."""
        return _log_shifted(_products(y, words), np.float32(2 * reach(words.shape[1])))


def _log_shifted(cosines: Single, off: np.float32) -> Single:
    """Return ``log((1 + cos + off) / 2)`` in place."""
    cosines += np.float32(1) + off
    np.maximum(cosines, off / 2, out=cosines)
    cosines *= np.float32(0.5)
    return np.log(cosines, out=cosines)


class PairDirection:
    """PairDirection: ``cos(v - y_j, x_h - y_h)``.

    With ``a = (x_h - y_h) v``, ``c = (x_h - y_h) y_j``, ``r = |v - y_j|`` and ``s = |x_h - y_h|``, the score
    ``(a - c) / (r s)`` is at least t where ``a - t s r >= c``: a sum of two numbers, the second of which has the
    weight ``t s``.
    """

    code, variants = DIRECTION, 2

    def bounds(self, x_h: Double, y_h: Double, x: Double, y: Double) -> Bounds:
        """Return what decides."""
        way = x_h - y_h
        span = np.sqrt(np.einsum("ij,ij->i", way, way))
        step = x - y
        apart = np.sqrt(np.einsum("ij,ij->i", step, step))
        defined = (span > SHORT)[:, None] & (apart > SHORT)
        with np.errstate(invalid="ignore", divide="ignore"):
            truth = np.where(defined, way @ step.T / (span[:, None] * apart), 0.0)
        low = way @ y.T - 2 * reach(x.shape[1]) - _SLACK
        weight = np.abs(truth) * span[:, None]
        return Bounds(truth, low, np.inf, defined, weight, (truth < 0).astype(np.int32))

    def first(self, words: Single, x_h: Double, y_h: Double) -> Single:
        """Return the dot products with ``x_h - y_h``."""
        return _products(x_h - y_h, words)

    def second(self, words: Single, y: Double) -> Single:
        """Return ``-|v - y_j|``, for scores of the answer of 0 or more, and below it ``|v - y_j|``, for the others."""
        off = np.float32(2 * reach(words.shape[1]))
        both = np.empty((2 * len(y), len(words)), np.float32)
        near, far = both[: len(y)], both[len(y) :]
        np.matmul(y.astype(np.float32), words.T, out=near)
        # |v - y_j|^2 = 2 - 2 v y_j
        near *= np.float32(-2)
        near += np.float32(2)
        np.add(near, 2 * off, out=far)
        near -= 2 * off
        np.maximum(both, 0, out=both)
        np.sqrt(both, out=both)
        np.negative(near, out=near)
        return both


Scoring = CosAdd | CosMul | PairDirection
"""A way to score a word for an analogy, as a sum of two numbers that tables can hold, by first and by second pairs.

3CosMul is a sum of logarithms. PairDirection is a quotient, but to compare it with a known score is a weighted sum, for
which there are two `variants` of the second table. Of these two the tables hold upper limits, so that words which may
beat the answer are found and decided exactly.
"""
SCORINGS: dict[str, Scoring] = {"add": CosAdd(), "mul": CosMul(), "direction": PairDirection()}
"""Levy and Goldberg 2014 name and compare them."""


Method = Literal["add", "mul", "direction"]
ANALOGY = np.dtype(
    [
        ("h", "i4"),  # the pairs
        ("j", "i4"),
        ("variant", "i4"),  # which of several tables the second is
        ("count", "i4"),  # words that beat the answer, so far
        ("weight", "f4"),  # the score of a word is first + weight * second
        ("low", "f4"),  # below it a word certainly loses to the answer
        ("high", "f4"),  # above it a word certainly beats the answer
        ("truth", "f8"),  # the score of the answer
    ],
    align=True,
)

_ANALOGIES_AT_ONCE = 1 << 21
_TABLE_BYTES = 256 << 20
_FIRST_WORDS, _MOST_WORDS = 4096, 1 << 16
_SLICE = 2048
_TOGETHER = 32
_WORTH_SWEEPING = 0.9


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


def beaters(
    vectors: Vectors,
    x: Rows,
    y: Rows,
    limit: int,
    *,
    method: Method = "add",
    groups: Rows | None = None,
    advance: Callable[[float], None] | None = None,
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
    pairs = _Pairs.of(vectors, np.asarray(x, np.int64), np.asarray(y, np.int64), groups)
    step = max(1, _ANALOGIES_AT_ONCE // max(1, len(x)))
    with ThreadPool(os.cpu_count() or 1) as pool:
        search = _Search(vectors, pairs, SCORINGS[method], limit, pool)
        start = 0
        while start < len(x):
            # The last group goes to its end.
            stop = int(np.searchsorted(pairs.groups, pairs.groups[min(start + step, len(x)) - 1], "right"))
            yield start, search.counts(start, stop, (stop - start) / len(x), advance or (lambda _share: None))
            start = stop


class _Pairs(NamedTuple):
    """The pairs, by their distinct ends."""

    rows: Rows
    """Of the distinct ends, ascending."""
    units: NDArray[np.float64]
    """The ends scaled to length 1; zeros for one that has no direction."""
    numbers: Rows
    """A line for each pair: the numbers of x and y among the ends, and the row of x."""
    usable: NDArray[np.bool_]
    groups: Rows

    @classmethod
    def of(cls, vectors: Vectors, x: Rows, y: Rows, groups: Rows | None) -> _Pairs:
        rows, places = np.unique(np.concatenate([x, y]), return_inverse=True)
        given = vectors.gather(rows).astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            lengths = np.sqrt((given**2).sum(axis=1))
            good = (lengths > 0) & np.isfinite(lengths) & ~np.isin(rows, vectors.unranked)
            units = np.where(good[:, None], given / lengths[:, None], 0.0)
        numbers = np.column_stack([places[: len(x)], places[len(x) :], x])
        usable = good[numbers[:, 0]] & good[numbers[:, 1]]
        return cls(rows, units, numbers, usable, np.arange(len(x)) if groups is None else groups)

    @property
    def x(self) -> NDArray[np.float64]:
        return np.asarray(self.units[self.numbers[:, 0]])

    @property
    def y(self) -> NDArray[np.float64]:
        return np.asarray(self.units[self.numbers[:, 1]])


class _Search:
    """The analogies of some pairs h with all pairs j."""

    def __init__(self, vectors: Vectors, pairs: _Pairs, scoring: Scoring, limit: int, pool: ThreadPool) -> None:
        self._vectors, self._pairs, self._scoring, self._limit, self._pool = vectors, pairs, scoring, limit, pool

    def counts(self, start: int, stop: int, share: float, advance: Callable[[float], None]) -> NDArray[np.int32]:
        """Return the counts of some pairs h, with all j."""
        counts = np.full((stop - start, len(self._pairs.numbers)), self._limit, np.int32)
        analogies = self._possible(start, stop)
        # The ends come first: words of the domain are the likeliest to beat the answer.
        ends, words = len(self._pairs.rows), self._vectors.size
        done, size = 0, _FIRST_WORDS
        while done < ends + words and len(analogies):
            low = done if done < ends else done - ends
            high = min(low + size, ends if done < ends else words)
            analogies = self._undecided_after(*self._block(low, high, of_ends=done < ends), analogies)
            advance(share * (high - low) / (ends + words))
            done += high - low
            size = min(4 * size, self._most_words(analogies))
        advance(share * (ends + words - done) / (ends + words))
        counts[analogies["h"] - start, analogies["j"]] = analogies["count"]
        return counts

    def _possible(self, start: int, stop: int) -> NDArray[np.void]:
        """Return the analogies whose answer can be found at all, each with the bounds that decide it."""
        pairs, some = self._pairs, slice(start, stop)
        x, y = pairs.x, pairs.y
        bounds = self._scoring.bounds(x[some], y[some], x, y)
        x_number, y_number = pairs.numbers[:, 0], pairs.numbers[:, 1]
        possible = bounds.defined & pairs.usable[some, None] & (pairs.usable & (x_number != y_number))
        possible &= pairs.groups[some, None] != pairs.groups
        possible &= (x_number[some, None] != x_number) & (y_number[some, None] != x_number)
        h, j = np.nonzero(possible)
        # A few j at a time with all h, so that their rows of the tables stay in the processor's cache.
        order = np.argsort((j // _TOGETHER).astype(np.int32), kind="stable")
        h, j = h[order], j[order]
        analogies = np.zeros(len(h), ANALOGY)
        analogies["h"], analogies["j"] = h + start, j
        for name in ("weight", "low", "high", "truth", "variant"):
            values = getattr(bounds, name)
            analogies[name] = values[h, j] if isinstance(values, np.ndarray) else values
        # Rounded outwards: a bound in single precision must not be tighter than the one in double.
        analogies["low"] = np.nextafter(analogies["low"], np.float32(-np.inf))
        analogies["high"] = np.nextafter(analogies["high"], np.float32(np.inf))
        return analogies

    def _most_words(self, analogies: NDArray[np.void]) -> int:
        """Return how many words a block may have for its tables to stay within bounds."""
        pairs = len(self._used(analogies["h"])) + self._scoring.variants * len(self._used(analogies["j"]))
        words = _TABLE_BYTES // (8 * max(1, pairs))
        return min(_MOST_WORDS, max(CHUNK, words // CHUNK * CHUNK))

    def _used(self, numbers: NDArray[np.int32]) -> Rows:
        """Return the distinct numbers of pairs, ascending."""
        there = np.zeros(len(self._pairs.numbers), np.bool_)
        there[numbers] = True
        return np.flatnonzero(there)

    def _block(self, low: int, high: int, *, of_ends: bool) -> tuple[Words, Single, Rows]:
        """Return the words of a block, their unit vectors, and the places of those that do not rank in it."""
        ends, unranked = self._pairs.rows, self._vectors.unranked
        if of_ends:
            rows, places = ends[low:high], np.arange(len(ends)) - low
            places[places >= high - low] = -1
        else:
            rows, places = np.arange(low, high), np.full(len(ends), -1)
            unranked = np.union1d(unranked, ends)
        size = -(-len(rows) // CHUNK) * CHUNK
        vectors = np.zeros((size, self._pairs.units.shape[1]), np.float32)
        vectors[: len(rows)] = self._vectors.gather(rows)
        units, inverse_lengths = np.empty_like(vectors), np.empty(size)
        self._in_slices(size, lambda low, high: scale_rows(vectors, units, inverse_lengths, low, high))
        ranked = inverse_lengths > 0
        ranked[: len(rows)] &= ~np.isin(rows, unranked)
        pairs = self._pairs
        words = Words(vectors, inverse_lengths, rows, places, pairs.units, pairs.numbers, self._scoring.code)
        return words, units, np.flatnonzero(~ranked)

    def _undecided_after(
        self, words: Words, units: Single, unranked: Rows, analogies: NDArray[np.void]
    ) -> NDArray[np.void]:
        """Count the beaters in a block; return the analogies without the decided ones, if those are many."""
        pairs = self._pairs
        h, j = self._used(analogies["h"]), self._used(analogies["j"])
        rows = np.zeros((2, len(pairs.numbers)), np.int32)
        rows[0, h] = np.arange(len(h))
        # Pairs with the same y share a row of the second table.
        y_numbers, rows[1, j] = np.unique(pairs.numbers[j, 1], return_inverse=True)
        first = self._scoring.first(units, pairs.units[pairs.numbers[h, 0]], pairs.units[pairs.numbers[h, 1]])
        second = self._scoring.second(units, pairs.units[y_numbers])
        first[:, unranked] = -np.inf
        tables = [Table(numbers, self._maxima(numbers), *self._lists(numbers)) for numbers in (first, second)]

        def count(low: int, high: int) -> None:
            count_beaters(rows, *tables, analogies[low:high], words, self._limit)

        self._in_slices(len(analogies), count)
        undecided = analogies["count"] < self._limit
        left = int(undecided.sum())
        return analogies if left > _WORTH_SWEEPING * len(analogies) else analogies[undecided]

    def _maxima(self, table: Single) -> Single:
        maxima = np.empty((len(table), table.shape[1] // CHUNK), np.float32)
        self._in_slices(len(table), lambda low, high: chunk_maxima(table, maxima, low, high), size=64)
        return maxima

    def _lists(self, table: Single) -> tuple[Single, NDArray[np.int32], NDArray[np.int32]]:
        """Return the greatest numbers of each row, where they are, and how many."""
        greatest, places = np.empty((len(table), LISTED), np.float32), np.empty((len(table), LISTED), np.int32)
        lengths = np.empty(len(table), np.int32)
        self._in_slices(
            len(table), lambda low, high: list_greatest(table, greatest, places, lengths, low, high), size=64
        )
        return greatest, places, lengths

    def _in_slices(self, total: int, work: Callable[[int, int], None], size: int = _SLICE) -> None:
        """Do a piece of work on all processors."""
        jobs = [self._pool.submit(work, low, min(low + size, total)) for low in range(0, total, size)]
        for job in jobs:
            job.result()
