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
    CHUNK,
    LISTED,
    Table,
    Words,
    chunk_maxima,
    count_beaters,
    list_greatest,
    scale_rows,
)
from termgauge.tasks.analogies.methods import SCORINGS
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from termgauge.tasks.analogies.methods import Scoring

    Rows = NDArray[np.int64]
    Single = NDArray[np.float32]

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

    The analogy holds among the k nearest if the count is below k.

    Parameters
    ----------
    vectors
        The vocabulary.
    x, y
        The rows of the ends of each pair.
    limit
        Where counting stops: the largest k of interest. Analogies that cannot hold have the limit: those in which
        ``x_j`` is a left-out word or has no direction, and those without a target.
    method
        ``add`` (3CosAdd), ``mul`` (3CosMul) or ``direction`` (PairDirection).
    groups
        Ascending; pairs of the same group, which come in one part, are no analogy with each other. By default each
        pair is a group.
    advance
        Called with the share done since the last call, in all 1.

    Yields
    ------
    start, counts
        The counts of some pairs h, from number `start` on, with all pairs j.

    Examples
    --------
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
        units: NDArray[np.float64] = self.units[self.numbers[:, 0]]
        return units

    @property
    def y(self) -> NDArray[np.float64]:
        units: NDArray[np.float64] = self.units[self.numbers[:, 1]]
        return units


class _Block(NamedTuple):
    """Some words, prepared."""

    vectors: NDArray[np.float32]
    units: NDArray[np.float32]
    inverse_lengths: NDArray[np.float64]
    rows: Rows
    unranked: Rows
    """Places of words that do not rank in this block."""
    places: Rows
    """Where each end is in the block; -1 for an end that is not in it."""


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
            block = self._ends_block(low, high) if done < ends else self._words_block(low, high)
            analogies = self._undecided_after(block, analogies)
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

    def _ends_block(self, low: int, high: int) -> _Block:
        places = np.arange(len(self._pairs.rows)) - low
        places[places >= high - low] = -1
        return self._block(self._pairs.rows[low:high], places, self._vectors.unranked)

    def _words_block(self, low: int, high: int) -> _Block:
        places = np.full(len(self._pairs.rows), -1)
        return self._block(np.arange(low, high), places, np.union1d(self._vectors.unranked, self._pairs.rows))

    def _block(self, rows: Rows, places: Rows, unranked: Rows) -> _Block:
        size = -(-len(rows) // CHUNK) * CHUNK
        vectors = np.zeros((size, self._pairs.units.shape[1]), np.float32)
        vectors[: len(rows)] = self._vectors.gather(rows)
        units, inverse_lengths = np.empty_like(vectors), np.empty(size)
        self._in_slices(size, lambda low, high: scale_rows(vectors, units, inverse_lengths, low, high))
        ranked = inverse_lengths > 0
        ranked[: len(rows)] &= ~np.isin(rows, unranked)
        return _Block(vectors, units, inverse_lengths, rows, np.flatnonzero(~ranked), places)

    def _undecided_after(self, block: _Block, analogies: NDArray[np.void]) -> NDArray[np.void]:
        """Count the beaters in a block; return the analogies without the decided ones, if those are many."""
        pairs = self._pairs
        h, j = self._used(analogies["h"]), self._used(analogies["j"])
        rows = np.zeros((2, len(pairs.numbers)), np.int32)
        rows[0, h] = np.arange(len(h))
        # Pairs with the same y share a row of the second table.
        y_numbers, rows[1, j] = np.unique(pairs.numbers[j, 1], return_inverse=True)
        first = self._scoring.first(block.units, pairs.units[pairs.numbers[h, 0]], pairs.units[pairs.numbers[h, 1]])
        second = self._scoring.second(block.units, pairs.units[y_numbers])
        first[:, block.unranked] = -np.inf
        tables = [Table(numbers, self._maxima(numbers), *self._lists(numbers)) for numbers in (first, second)]
        words = Words(
            block.vectors,
            block.inverse_lengths,
            block.rows,
            block.places,
            pairs.units,
            pairs.numbers,
            self._scoring.code,
        )

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
