"""The nearest rows of many queries at once, exactly, in one pass over a vocabulary that does not fit into memory.

A block of rows meets all queries in one matrix product in single precision. What it lets through, a margin wider than
its rounding can be, is computed again in double precision, and only that decides: the answer does not depend on how the
rows were cut into blocks, and equal vectors are equally near.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from termgauge.embeddings.store.vocabulary import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

DECIMALS = 12
"""Cosines are rounded to so many before they are compared: equal directions of different lengths then tie."""
BLOCK_BYTES = 32 << 20
"""Rows of a block take about so much, in single precision."""

_COSINES_AT_ONCE = 1 << 25
_CANDIDATES_AT_ONCE = 1 << 20
_NUMBERS_AT_ONCE = 1 << 22
_NOWHERE = -2.0
"""Less than any cosine: what stands for a row that is no neighbour."""
_SAFE = (1e-30, 1e30)
"""Squared lengths that single precision holds well."""

_Item = TypeVar("_Item")


class NearestRows:
    """The k nearest rows by cosine of each of some queries, among those offered so far.

    A query is one vector, or several: then a row is as near as it is to the nearest of them. Of equally near rows the
    one with the lower number comes first. Rows that are zero or not finite are no neighbours; a query's vectors that
    are so do not count.

    Parameters
    ----------
    vectors
        Of all queries, one after another.
    offsets
        Query i has ``vectors[offsets[i]:offsets[i + 1]]``, at least one.
    own
        For each vector the number of its row, which is no neighbour of its query; -1 for none.
    k
        How many.

    Examples
    --------
    >>> queries = np.array([[1, 0]], np.float32)
    >>> nearest = NearestRows(queries, np.array([0, 1]), np.array([1]), k=2)
    >>> nearest.offer(0, np.array([[0, 1], [1, 0], [2, 1], [3, 0]], np.float32))
    >>> nearest.rows.tolist(), nearest.cosines.round(3).tolist()
    ([[3, 2]], [[1.0, 0.894]])
    """

    def __init__(
        self, vectors: NDArray[np.float32], offsets: NDArray[np.int64], own: NDArray[np.int64], k: int
    ) -> None:
        count, width = len(offsets) - 1, vectors.shape[1]
        self._k = k
        self._offsets = offsets
        self._own = own
        self._wide = _wide_units(vectors)
        self._usable: NDArray[np.bool_] = ~np.isnan(self._wide[:, 0])
        self._narrow = np.where(self._usable[:, None], self._wide, 0).astype(np.float32)
        # Twice what a sum of `width` products of two unit vectors, themselves rounded, can be off.
        self._margin = 2 * (width + 8) * 2.0**-24
        self.rows = np.full((count, k), MISSING, np.int64)
        """Their numbers, -1 where there are not so many."""
        self.cosines = np.full((count, k), -np.inf)
        """Their cosines, rounded."""

    def offer(self, start: int, block: NDArray[np.float32]) -> None:
        """Compare the queries with some rows, the first of which has the number `start`."""
        if not len(block) or not len(self.rows):
            return
        self.offer_units(start, block, narrow_units(block))

    def offer_units(self, start: int, block: NDArray[np.float32], units: NDArray[np.float32]) -> None:
        """Compare the queries with rows whose unit vectors are known, NaN for those that are no neighbours."""
        wrong = np.flatnonzero(np.isnan(units[:, 0])) if units.shape[1] else np.arange(len(units))
        for low, high in self._slabs(max(1, _COSINES_AT_ONCE // len(block))):
            cosines = self._cosines(low, high, units)
            cosines[:, wrong] = _NOWHERE
            self._leave_out_own(cosines, low, high, start)
            for query, row in self._candidates(cosines, low):
                self._take(query, row, self._exact(query, block, row), start)

    def _slabs(self, most: int) -> Iterator[tuple[int, int]]:
        """Cut the queries into runs with no more than so many vectors, or of one query."""
        low, count = 0, len(self._offsets) - 1
        while low < count:
            high = int(np.searchsorted(self._offsets, self._offsets[low] + most, "right")) - 1
            high = min(max(high, low + 1), count)
            yield low, high
            low = high

    def _cosines(self, low: int, high: int, units: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how near each row is to each query of a run."""
        first, last = int(self._offsets[low]), int(self._offsets[high])
        with np.errstate(invalid="ignore"):
            cosines: NDArray[np.float32] = self._narrow[first:last] @ units.T
        cosines[~self._usable[first:last]] = _NOWHERE
        if last - first > high - low:
            cosines = np.maximum.reduceat(cosines, self._offsets[low:high] - first, axis=0)
        return cosines

    def _leave_out_own(self, cosines: NDArray[np.float32], low: int, high: int, start: int) -> None:
        own = self._own[self._offsets[low] : self._offsets[high]]
        queries = np.repeat(np.arange(high - low), np.diff(self._offsets[low : high + 1]))
        here = (own >= start) & (own < start + cosines.shape[1])
        cosines[queries[here], own[here] - start] = _NOWHERE

    def _candidates(
        self, cosines: NDArray[np.float32], low: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield queries and places of rows that may be among the nearest, some at a time."""
        least = np.maximum(self.cosines[low : low + len(cosines), -1] - self._margin, (_NOWHERE - 1) / 2)
        passed = cosines >= least[:, None].astype(np.float32)
        counts = np.count_nonzero(passed, axis=1)
        for query in np.flatnonzero(counts > 4 * self._k + 64).tolist():
            bound = np.partition(cosines[query], -self._k)[-self._k]
            passed[query] &= cosines[query] >= bound - np.float32(self._margin)
            counts[query] = np.count_nonzero(passed[query])
        ends = np.cumsum(counts)
        first = 0
        while first < len(counts):
            before = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + _CANDIDATES_AT_ONCE, "right")))
            found = np.flatnonzero(passed[first:last].ravel())  # much faster than nonzero in two dimensions
            if len(found):
                yield found // cosines.shape[1] + (low + first), found % cosines.shape[1]
            first = last

    def _exact(
        self, queries: NDArray[np.int64], block: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the cosines of some queries with some rows, pair by pair, in double precision."""
        found = np.empty(len(queries))
        step = max(1, _NUMBERS_AT_ONCE // max(1, block.shape[1]))
        for low in range(0, len(queries), step):
            some = queries[low : low + step]
            others, places = np.unique(rows[low : low + step], return_inverse=True)
            wide = _wide_units(block[others])
            sizes = self._offsets[some + 1] - self._offsets[some]
            begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
            vectors = np.repeat(self._offsets[some] - begins, sizes) + np.arange(int(sizes.sum()))
            products = np.empty(len(vectors))
            which = np.repeat(places, sizes)
            for at in range(0, len(vectors), step):
                some_vectors, some_rows = vectors[at : at + step], which[at : at + step]
                products[at : at + step] = np.einsum("ij,ij->i", self._wide[some_vectors], wide[some_rows])
            products[np.isnan(products)] = -np.inf
            found[low : low + step] = np.maximum.reduceat(products, begins)
        return np.round(found, DECIMALS)

    def _take(
        self, queries: NDArray[np.int64], rows: NDArray[np.int64], cosines: NDArray[np.float64], start: int
    ) -> None:
        """Put new rows among the nearest, and keep the k nearest of each query."""
        asked = np.unique(queries)
        old = np.repeat(asked, self._k)
        all_queries = np.concatenate([old, queries])
        all_rows = np.concatenate([self.rows[asked].ravel(), rows + start])
        all_cosines = np.concatenate([self.cosines[asked].ravel(), cosines])
        order = np.lexsort((all_rows, -all_cosines, all_queries))
        all_queries = all_queries[order]
        begins = np.searchsorted(all_queries, asked)
        rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
        kept = order[rank < self._k]
        self.rows[asked] = all_rows[kept].reshape(len(asked), self._k)
        self.cosines[asked] = all_cosines[kept].reshape(len(asked), self._k)
        self.rows[asked] = np.where(np.isneginf(self.cosines[asked]), MISSING, self.rows[asked])


def narrow_units(block: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows with length 1 in single precision; those that are zero or not finite as NaN."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        squares = np.einsum("ij,ij->i", block, block)
        units: NDArray[np.float32] = block / np.sqrt(squares)[:, None]
    hard = np.flatnonzero(~((squares > _SAFE[0]) & (squares < _SAFE[1])))
    if len(hard):
        units[hard] = _wide_units(block[hard]).astype(np.float32)
    return units


def ahead(items: Iterable[_Item]) -> Iterator[_Item]:
    """Yield items, each next one being made by a thread while the last one is used."""
    source = iter(items)
    none = object()
    with ThreadPoolExecutor(1) as pool:
        coming = pool.submit(next, source, none)
        while (item := coming.result()) is not none:
            coming = pool.submit(next, source, none)
            yield item  # type: ignore[misc]


def _wide_units(vectors: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return vectors with length 1 in double precision; those that are zero or not finite as NaN."""
    wide = vectors.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Double precision holds the squares of all that single precision can be.
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))[:, None]
        units: NDArray[np.float64] = wide / np.where(np.isfinite(lengths), lengths, np.nan)
    return units
