"""At which rank is the right concept of a query, by cosine, exactly? One search for all who link names to concepts.

A rank needs no sorting: it is the number of wrong concepts that come before the right one. A block of names meets all
queries in one matrix product in single precision. Only a cosine that lies so close to the right one's that its rounding
could matter is computed again in double precision, and that alone decides: the ranks do not depend on how the names
were cut into blocks, and equal names are equally near. Memory stays at one block beside the vectors themselves.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.compiled import njit
from termgauge.embeddings.cosines import REORDER, cosine, rounding_margin
from termgauge.embeddings.neighbours import BLOCK_BYTES, NeighbourSearch
from termgauge.embeddings.units import unit_vectors
from termgauge.progress import track
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Doubles = NDArray[np.float64]
    Numbers = NDArray[np.int64]

NOBODY = -1
"""In place of a row that there is not."""
NOWHERE = -2.0
"""Less than any cosine: that of a name that does not count, and of a right concept that has no name."""
_NAMES_AT_ONCE = 1024
_QUERIES_AT_ONCE = 2560
"""Their cosines take 10 MB, so that they are counted before they leave the cache."""


@dataclass(frozen=True)
class NameIndex:
    """Names that stand for concepts: a vector for each, any length, and the concept's number.

    Names are in the order of their concepts, and a smaller number is a smaller id. A vector that is zero or not finite
    is that of a name that could not be encoded: it is in the way of nobody.
    """

    vectors: Floats
    concepts: Numbers

    def __post_init__(self) -> None:
        if len(self.vectors) != len(self.concepts) or (np.diff(self.concepts) < 0).any():
            raise ValueError("names must be in the order of their concepts, and each must have one")

    def spans(self, concepts: Numbers) -> tuple[Numbers, Numbers]:
        """Return the first name of each concept, and where its names end."""
        return np.searchsorted(self.concepts, concepts), np.searchsorted(self.concepts, concepts, "right")


class Listed(NamedTuple):
    """Some numbers for each of several things, such as queries: of i ``values[offsets[i]:offsets[i + 1]]``."""

    offsets: Numbers
    values: Numbers

    @classmethod
    def of_sizes(cls, sizes: NDArray[np.integer] | NDArray[np.bool_], values: Numbers) -> Listed:
        """Return numbers of which the first has so many, the next the following ones, and so on."""
        return cls(np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)]), values)

    @classmethod
    def from_lists(cls, lists: list[list[int]]) -> Listed:
        """Put lists into one."""
        sizes = np.array(list(map(len, lists)), np.int64)
        return cls.of_sizes(sizes, np.array([number for some in lists for number in some], np.int64))

    def of(self, query: int) -> Numbers:
        """Return the numbers of a query."""
        return self.values[self.offsets[query] : self.offsets[query + 1]]

    @property
    def owners(self) -> Numbers:
        """Whose each number is."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which have any number."""
        return np.asarray(np.diff(self.offsets) > 0)

    @property
    def first(self) -> Numbers:
        """The first number of each, -1 where it has none."""
        first = np.full(len(self.offsets) - 1, NOBODY, np.int64)
        first[self.known] = self.values[self.offsets[:-1][self.known]]
        return first


class Ranks(NamedTuple):
    """What came of each query. Rows are those of the index; cosines are rounded."""

    rank: Numbers
    """1 + how many wrong concepts come before the right one; 0 if the query has no vector or the right one no name."""
    right: Doubles
    """The cosine of the right concept's best name; NaN where there is none."""
    right_row: Numbers
    """That name; of several right concepts the best one's, of equal ones that of the smallest id; -1 for none."""
    wrong: Doubles
    """The cosine of the best name of any wrong concept; NaN where there is none."""
    wrong_row: Numbers
    """That name, of equal ones the one with the smallest id; -1 for none."""


def concept_ranks(index: NameIndex, queries: Floats, right: Listed, hidden: Listed, device: str = "cpu") -> Ranks:
    """Return the rank of the right concept of each query: 1 + wrong concepts that come before it.

    A concept scores as its best name does: their cosine, rounded to 12 decimals. The best of the right concepts counts,
    of equally good ones that with the smallest number. A wrong concept comes before it if it scores higher, or equally
    high with a smaller number. `right` lists the numbers of the right concepts of each query, `hidden` the rows of
    names that do not count for it. With the `device` ``cuda`` torch does the same on a GPU.
    """
    search = Search(index, queries, right, hidden)
    if device == "cpu":
        _count(search)
    else:
        from termgauge.similarity.torch_search import count_on_device

        count_on_device(search, device)
    return search.ranks()


def score_ranks(rows: Iterable[Doubles], concepts: Numbers, right: Listed, hidden: Listed) -> Ranks:
    """Return the ranks of :func:`concept_ranks` by any other score, whose rows come as tables, queries by names.

    A score that is NaN is that of a name which does not count. `concepts` has the concept of each name, ascending.
    """
    count, starts = len(right.offsets) - 1, np.flatnonzero(np.diff(concepts, prepend=-1))
    scores, rows_of = np.full((2, count), np.nan), np.full((2, count), NOBODY, np.int64)
    ranks = Ranks(np.zeros(count, np.int64), scores[0], rows_of[0], scores[1], rows_of[1])
    for query, row in enumerate(chain.from_iterable(rows)):
        if not len(row):
            continue
        row[hidden.of(query)] = np.nan
        spans = np.searchsorted(concepts, np.add.outer(np.sort(right.of(query)), [0, 1]))
        right_rows = np.concatenate([np.empty(0, np.int64), *(np.arange(*span) for span in spans)])
        right_scores = row[right_rows]
        row[right_rows] = np.nan
        best = np.fmax.reduceat(row, starts)
        if not np.isnan(best).all():
            ranks.wrong[query], begin = best[np.nanargmax(best)], starts[np.nanargmax(best)]
            ranks.wrong_row[query] = begin + np.argmax(row[begin:] == ranks.wrong[query])
        if not np.isnan(right_scores).all():
            score, aim = np.nanmax(right_scores), right_rows[np.nanargmax(right_scores)]
            ranks.right[query], ranks.right_row[query] = score, aim
            ranks.rank[query] = 1 + np.count_nonzero((best > score) | ((best == score) & (starts < aim)))
    return ranks


def nearest_of_others(index: NameIndex, k: int) -> tuple[Numbers, Doubles]:
    """Return for each name the k nearest names of other concepts: their rows (-1 for none) and rounded cosines.

    Of equally near names the one with the smaller row comes first.
    """
    first, end = index.spans(index.concepts)
    search = NeighbourSearch(index.vectors, np.arange(len(index.vectors) + 1), first, k, end)
    _offer_all(search, index)
    return search.rows, search.cosines


def nearest_concepts(index: NameIndex, queries: Floats, k: int) -> tuple[Numbers, Doubles]:
    """Return the k nearest concepts of each query by their best names: the rows of these (-1 for none) and cosines.

    Of equally near concepts the one with the smaller number comes first, as in :func:`concept_ranks`. Names are looked
    for until they are of k concepts.
    """
    rows, cosines = np.full((len(queries), k), NOBODY, np.int64), np.full((len(queries), k), np.nan)
    left, names = np.arange(len(queries)), k
    while len(left):
        search = NeighbourSearch(queries[left], np.arange(len(left) + 1), np.full(len(left), NOBODY), names)
        _offer_all(search, index)
        full = search.rows[:, -1] != NOBODY
        for query, near, scores in zip(left.tolist(), search.rows, search.cosines, strict=True):
            matches = near[near != NOBODY]
            first = np.sort(np.unique(index.concepts[matches], return_index=True)[1])[:k]
            rows[query, : len(first)], cosines[query, : len(first)] = matches[first], scores[first]
        left, names = left[full & (rows[left, -1] == NOBODY)], 2 * names
    return rows, cosines


def _offer_all(search: NeighbourSearch, index: NameIndex) -> None:
    step = max(1, BLOCK_BYTES // (4 * max(1, index.vectors.shape[1])))
    with track("Looking for the nearest names", total=len(index.vectors), unit="names") as advance:
        for start in range(0, len(index.vectors), step):
            block = index.vectors[start : start + step]
            search.offer(start, block)
            advance(len(block))


def best_concepts(table: Doubles, concepts: Numbers, k: int) -> tuple[Numbers, Doubles]:
    """Return what :func:`nearest_concepts` does by any other score: a table of queries by names, NaN for none."""
    rows, scores = np.full((len(table), k), NOBODY, np.int64), np.full((len(table), k), np.nan)
    starts = np.flatnonzero(np.diff(concepts, prepend=-1))
    for query, values in enumerate(np.nan_to_num(table, nan=-np.inf)):
        best = np.maximum.reduceat(values, starts)
        least = np.partition(best, -k)[-k] if len(best) > k else -np.inf
        near = np.flatnonzero((best >= least) & (best > -np.inf))
        near = near[np.argsort(-best[near], kind="stable")][:k]
        ends = np.append(starts, len(values))
        rows[query, : len(near)] = [starts[at] + values[starts[at] : ends[at + 1]].argmax() for at in near]
        scores[query, : len(near)] = best[near]
    return rows, scores


class Search:
    """A search under way: what is asked, which names count for whom, and what was found so far."""

    def __init__(self, index: NameIndex, queries: Floats, right: Listed, hidden: Listed) -> None:
        """Look up the right concepts' names, and score them: the best is the aim, to be beaten by a wrong one."""
        self.index = index
        self.raw = raw = np.ascontiguousarray(queries, np.float32)
        count, width = raw.shape
        self.queries = unit_vectors(raw, np.float32)
        first, end = index.spans(right.values)
        owners = np.repeat(right.owners, end - first)
        rows = np.repeat(first - np.cumsum(end - first) + (end - first), end - first) + np.arange(len(owners))
        # Rows that do not count, ascending, each with a query: those of right concepts, and hidden ones.
        passed, passed_by = np.concatenate([rows, hidden.values]), np.concatenate([owners, hidden.owners])
        order = np.lexsort((passed_by, passed))
        self._passed, self._passed_by = passed[order], passed_by[order]
        shown = ~np.isin(owners * len(index.concepts) + rows, hidden.owners * len(index.concepts) + hidden.values)
        self.aim, self.aim_row = np.full(count, NOWHERE), np.full(count, NOBODY, np.int64)
        best_of(index.vectors, raw, owners[shown], rows[shown], self.aim, self.aim_row)
        concepts = index.concepts[self.aim_row] if len(index.concepts) else NOBODY
        self.aim_concept = np.where(self.aim_row == NOBODY, NOBODY, concepts)
        self.margin = rounding_margin(width)
        self.before = np.zeros(count, np.int64)
        self.best, self.best_row = np.full(count, NOWHERE), np.full(count, NOBODY, np.int64)

    def blocks(self, most: int) -> Iterator[tuple[int, int]]:
        """Cut the names into blocks of about so many, never between two names of one concept."""
        concepts, low = self.index.concepts, 0
        while low < len(concepts):
            high = min(low + most, len(concepts))
            if high < len(concepts):
                high = int(np.searchsorted(concepts, concepts[high - 1], "right"))
            yield low, high
            low = high

    def passed(self, low: int, high: int) -> tuple[Numbers, Numbers]:
        """Return the rows of a block that do not count, and for which queries, in the order of these."""
        begin, end = np.searchsorted(self._passed, [low, high])
        rows, queries = self._passed[begin:end], self._passed_by[begin:end]
        order = np.argsort(queries, kind="stable")
        return rows[order], queries[order]

    def ranks(self) -> Ranks:
        """Return what was found."""
        answered = self.aim_row != NOBODY
        return Ranks(
            np.where(answered, self.before + 1, 0),
            np.where(self.aim_row == NOBODY, np.nan, self.aim),
            self.aim_row,
            np.where(self.best_row == NOBODY, np.nan, self.best),
            self.best_row,
        )


def _count(search: Search) -> None:
    """Go through all names, some at a time, and count those that come before the right one of each query."""
    count, index, threads = len(search.queries), search.index, os.cpu_count() or 1
    aims, out = (search.aim, search.aim_concept), (search.before, search.best, search.best_row)
    arrays = ((index.vectors, index.concepts), search.raw, aims, search.margin, out)
    scratch = np.empty((min(count, _QUERIES_AT_ONCE), 0), np.float32)
    # Few queries meet more names at once: a product pays only if it is large.
    most = max(_NAMES_AT_ONCE, min(8 * _NAMES_AT_ONCE, _NAMES_AT_ONCE * _QUERIES_AT_ONCE // max(1, count)))
    with ThreadPool(threads) as pool, track("Linking", total=len(search.index.concepts), unit="names") as done:
        for low, high in search.blocks(most):
            units = unit_vectors(search.index.vectors[low:high], np.float32)
            unknown = np.flatnonzero(np.isnan(units[:, 0]))
            groups = np.flatnonzero(np.diff(search.index.concepts[low:high], prepend=-1, append=-1))
            rows, hidden_from = search.passed(low, high)
            if scratch.shape[1] != high - low:
                scratch = np.empty((len(scratch), high - low), np.float32)
            for start in range(0, count, _QUERIES_AT_ONCE):
                stop = min(count, start + _QUERIES_AT_ONCE)
                cosines = scratch[: stop - start]
                np.matmul(search.queries[start:stop], units.T, out=cosines)
                cosines[:, unknown] = NOWHERE
                begin, end = np.searchsorted(hidden_from, [start, stop])
                cosines[hidden_from[begin:end] - start, rows[begin:end] - low] = NOWHERE
                ends = np.linspace(start, stop, threads + 1).astype(np.int64).tolist()
                work = partial(count_before, cosines, groups, low, start, *arrays)
                list(pool.map(work, ends, ends[1:]))
            done(high - low)


@njit()
def best_of(vectors: Floats, queries: Floats, owners: Numbers, rows: Numbers, best: Doubles, best_row: Numbers) -> None:
    """Find the best of some rows of each query, of equal ones the smallest."""
    for at in range(len(rows)):
        row, query = rows[at], owners[at]
        value = cosine(queries[query], vectors[row])
        if value > best[query] or (value == best[query] and row < best_row[query]):
            best[query], best_row[query] = value, row


@njit(fastmath=REORDER)
def _above(row: Floats, low: Any, high: Any, least: Any) -> tuple[int, int, int]:  # noqa: ANN401
    """Count cosines from `low` on, above `high`, and from `least` on: unlike the greatest, by several at once."""
    from_low, from_high, from_least = 0, 0, 0
    for j in range(len(row)):
        from_low += row[j] >= low
        from_high += row[j] > high
        from_least += row[j] >= least
    return from_low, from_high, from_least


@njit()
def count_before(
    cosines: Floats,
    groups: Numbers,
    first: int,
    start: int,
    names: tuple[Floats, Numbers],
    queries: Floats,
    aims: tuple[Doubles, Numbers],
    margin: float,
    out: tuple[Numbers, Doubles, Numbers],
    begin: int,
    end: int,
) -> None:
    """Add to some queries how many concepts of a block come before the right one, and see to the best wrong names.

    Cosines are those of the queries from `start` on. A concept has the names from ``groups[i]`` up to
    ``groups[i + 1]``, counted from row `first`.
    """
    vectors, concepts = names
    aim, aim_concept = aims
    before, best, best_row = out
    alone = len(groups) == cosines.shape[1] + 1
    for q in range(begin, end):
        row = cosines[q - start]
        low, high = np.float32(aim[q] - margin), np.float32(aim[q] + margin)
        from_low, from_high, from_best = _above(row, low, high, np.float32(best[q] - margin))
        if from_low and (from_low > from_high or not alone):
            for g in range(len(groups) - 1):
                begin, end = groups[g], groups[g + 1]
                near, sure = False, False
                for j in range(begin, end):
                    near |= row[j] >= low
                    sure |= row[j] > high
                if near and not sure:
                    score = NOWHERE
                    for j in range(begin, end):
                        if row[j] >= low:
                            score = max(score, cosine(queries[q], vectors[first + j]))
                    sure = score > aim[q] or (score == aim[q] and concepts[first + begin] < aim_concept[q])
                before[q] += near and sure
        else:
            before[q] += from_high
        if from_best:
            least = np.float32(max(best[q], np.max(row) - margin) - margin)
            for j in range(len(row)):
                if row[j] >= least and row[j] > NOWHERE:
                    score = cosine(queries[q], vectors[first + j])
                    if score > best[q]:
                        best[q], best_row[q] = score, first + j
