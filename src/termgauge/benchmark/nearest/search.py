"""Nearest terms by Levenshtein distance, exact, among hundreds of thousands of Unicode terms.

A few neighbours in alphabetical order, forwards and backwards, give a first cut-off; bitmaps of letters and letter
pairs then leave a small part of the terms, and those are compared, the likeliest first, so that the cut-off falls
early. Nothing is approximate: every term left out is proved to be farther away. The search is our own
because no library has an exact one: to compare every pair takes RapidFuzz a hundred times as long.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from termgauge.benchmark.nearest.kernel import Hits, Index, Queries, group_size, search_group
from termgauge.benchmark.nearest.term_bitmaps import NO_BITMAPS, Bitmaps, bitmaps_of
from termgauge.io.arrays import load_arrays, save_arrays
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.nearest import Flags, Ints, Ints32, Symbols
    from termgauge.executor import JobExecutor
    from termgauge.io.artifacts import Artifact

_CODE_POINTS = 0x110000
_NOTHING = Hits(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))
MOST_COMPARED = 2000
"""Among no more distinct texts, RapidFuzz compares each: that takes less time than to compile the kernels."""


@dataclass(frozen=True)
class Levels:
    """The texts found, by position, and their distances, query after query, by distance and then by id.

    Query i has the entries ``offsets[i]`` to ``offsets[i + 1]``.
    """

    offsets: Ints
    ids: Ints
    distances: Ints32
    exhausted: Flags
    """True where every text that may be returned was returned, so that asking for more is useless."""

    def of_query(self, query: int) -> tuple[list[int], list[int], bool]:
        """Return the ids and distances found for one query, and whether there are no more."""
        span = slice(self.offsets[query], self.offsets[query + 1])
        return self.ids[span].tolist(), self.distances[span].tolist(), bool(self.exhausted[query])


class NearestTerms:
    """An index of texts that answers which of them are nearest to a query.

    The texts are compared as they are given (in lower case, where case must not count). A text's id is its position;
    repeated texts are compared once.

    >>> import numpy as np
    >>> index = NearestTerms(["fever", "fewer", "never", "lever", "cough"])
    >>> none = np.zeros(2, np.int64)
    >>> found = index.search(["fever"], np.array([1]), none, none[:0])
    >>> found.ids.tolist(), found.distances.tolist()
    ([1, 2, 3], [1, 1, 1])
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._sorted = sorted(set(texts))
        rank_of = {text: rank for rank, text in enumerate(self._sorted)}
        by_length = np.argsort(list(map(len, self._sorted)), kind="stable")
        points, starts = _code_points([self._sorted[rank] for rank in by_length.tolist()])
        self._number_of, symbol_count = _numbered(points)
        # One type for nearly every terminology, since each type is compiled apart.
        self._symbol_type = np.dtype(np.uint16 if symbol_count <= 1 << 16 else np.uint32)
        symbols = self._symbols(points)
        positions = np.argsort(by_length).astype(np.int32)
        text_of = positions[np.fromiter(map(rank_of.__getitem__, texts), np.int64, len(texts))]
        backwards = [text[::-1] for text in self._sorted]
        by_end = np.array(sorted(range(len(backwards)), key=backwards.__getitem__), np.int64)
        self._sorted_backwards = [backwards[rank] for rank in by_end.tolist()]
        lengths = np.diff(starts)
        self.index = Index(
            symbols,
            starts,
            np.searchsorted(lengths, np.arange(int(lengths.max(initial=0)) + 2)),
            np.argsort(text_of, kind="stable"),
            np.concatenate([[0], np.cumsum(np.bincount(text_of, minlength=len(lengths)))]),
            positions,
            positions[by_end],
            bitmaps_of(symbols, starts) if len(lengths) > MOST_COMPARED else NO_BITMAPS,
            symbol_count,
        )

    def search(self, queries: Sequence[str], wanted: Ints, excluded_offsets: Ints, excluded_ids: Ints) -> Levels:
        """Find for each query the nearest texts, whole distances at a time.

        Query i, in the index or not, gets every text at distance 1 to r but those that are excluded for it,
        ``excluded_ids[excluded_offsets[i]:excluded_offsets[i + 1]]``, r being the smallest distance that gives at
        least ``wanted[i]`` texts, or every such text when there are fewer. Texts equal to the query are never
        returned. All processors work on groups of queries; beside the index and the result, each holds 64 MB or eight
        bytes for each distinct text, and at most four more bytes where everything has to be compared.
        """
        return search_index(self.index, self.prepared(queries, wanted), excluded_offsets, excluded_ids)

    def prepared(self, queries: Sequence[str], wanted: Ints) -> Queries:
        """Return queries in the order in which they are worked, with all that is known of their texts."""
        order = sorted(range(len(queries)), key=lambda i: (len(queries[i]), queries[i]))
        texts = [queries[i] for i in order]
        points, starts = _code_points(texts)
        forwards = np.array([bisect_left(self._sorted, text) for text in texts], np.int64)
        backwards = np.array([bisect_left(self._sorted_backwards, text[::-1]) for text in texts], np.int64)
        numbers = np.array(order, np.int64)
        return Queries(numbers, self._symbols(points), starts, forwards, backwards, wanted[numbers].astype(np.int64))

    def _symbols(self, points: NDArray[np.uint32]) -> Symbols:
        """Number the code points by the alphabet of the texts; one more number stands for all that it lacks."""
        return self._number_of[points].astype(self._symbol_type)


def search_index(
    index: Index, queries: Queries, excluded_offsets: Ints, excluded_ids: Ints, threads: int | None = None
) -> Levels:
    """Search for prepared queries; see :meth:`NearestTerms.search`. Threads are as many as processors, or so many."""
    total, ids = len(queries.numbers), max(len(index.ids), 1)
    excluded = np.unique(np.repeat(np.arange(total), np.diff(excluded_offsets)) * ids + excluded_ids)
    queries = queries._replace(
        excluded_starts=np.searchsorted(excluded, np.arange(total + 1) * ids), excluded=excluded % ids
    )
    if not len(index.bitmaps.rows):
        return _levels(total, _compared(index, queries))
    threads = numba.get_num_threads() if threads is None else threads
    size = group_size(index, total // threads)
    groups = [_some(queries, start, min(start + size, total)) for start in range(0, total, size)]
    groups.reverse()  # the longest take the longest: begin with them
    if threads == 1 or len(groups) == 1:
        return _levels(total, (search_group(index, group) for group in groups))
    with ThreadPool(threads) as pool:
        return _levels(total, pool.map(partial(search_group, index), groups))


def _compared(index: Index, queries: Queries) -> Iterator[Hits]:
    """Do the same by comparing every query with every text."""
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    query_texts, texts = (_as_texts(side.symbols, side.starts) for side in (queries, index))
    table = process.cdist(query_texts, texts, scorer=Levenshtein.distance, dtype=np.int32)
    text_of_id = np.repeat(np.arange(len(texts)), np.diff(index.id_starts))
    for row, number, wanted in zip(table, queries.numbers.tolist(), queries.wanted.tolist(), strict=True):
        if wanted > 0:
            eligible = row[text_of_id] > 0
            eligible &= ~np.isin(index.ids, queries.excluded[slice(*queries.excluded_starts[number : number + 2])])
            ids, distances = index.ids[eligible], row[text_of_id[eligible]]
            near = distances <= (np.sort(distances)[:wanted][-1] if len(ids) else 0)
            every = np.full(int(near.all()), number)
            yield Hits(np.full(np.count_nonzero(near), number), ids[near], distances[near], every)


def _levels(queries: int, hits: Iterable[Hits]) -> Levels:
    """Put what was found in the order of the queries, by distance and then by id."""
    numbers, ids, distances, exhausted = map(np.concatenate, zip(_NOTHING, *hits, strict=True))
    order = np.lexsort((ids, distances, numbers))
    offsets = np.concatenate([[0], np.cumsum(np.bincount(numbers, minlength=queries))])
    flags = np.zeros(queries, np.bool_)
    flags[exhausted] = True
    return Levels(offsets, ids[order], distances[order], flags)


def _as_texts(symbols: Symbols, starts: Ints) -> list[str]:
    """Return texts in which each symbol is the character of its number."""
    letters = symbols.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return [letters[start:stop] for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]


def _some(queries: Queries, start: int, stop: int) -> Queries:
    """Return the queries from one place to another."""
    first, last = queries.starts[start], queries.starts[stop]
    numbers, forwards, backwards, wanted = (
        array[start:stop] for array in (queries.numbers, queries.forwards, queries.backwards, queries.wanted)
    )
    starts = queries.starts[start : stop + 1] - first
    return Queries(numbers, queries.symbols[first:last], starts, forwards, backwards, wanted, *queries[6:])


def _code_points(texts: Sequence[str]) -> tuple[NDArray[np.uint32], Ints]:
    """Return the code points of all texts in a row and where each text starts."""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    return points, np.cumsum([0, *map(len, texts)], dtype=np.int64)


def _numbered(points: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], int]:
    """Return a number for every code point there is, and how many numbers there are.

    Frequent ones have low numbers, so that what is looked up for them lies close together. The last number stands for
    all code points that do not occur.
    """
    counts = np.bincount(points, minlength=_CODE_POINTS)
    alphabet = np.flatnonzero(counts)
    alphabet = alphabet[np.argsort(-counts[alphabet], kind="stable")]
    numbers = np.full(_CODE_POINTS, len(alphabet), np.uint32)
    numbers[alphabet] = np.arange(len(alphabet))
    return numbers, len(alphabet) + 1


def artifact_of(index: Index, executor: JobExecutor) -> Artifact:
    """Make an artifact of an index."""
    arrays: dict[str, NDArray[Any]] = index._asdict() | index.bitmaps._asdict()
    del arrays["bitmaps"]
    return executor.artifact(save_arrays(arrays | {"symbol_count": np.array([index.symbol_count])}))


@lru_cache(maxsize=2)
def index_in(artifact: Artifact) -> Index:
    """Return the index of an artifact, mapped from the disk; the last ones are kept at hand."""
    arrays: dict[str, Any] = load_arrays(artifact.here)
    arrays["symbol_count"] = int(arrays["symbol_count"][0])
    arrays["bitmaps"] = Bitmaps(*(arrays.pop(name) for name in Bitmaps._fields))
    return Index(**arrays)


def search_block(artifact: Artifact, queries: Queries, offsets: Ints, excluded: Ints) -> Levels:
    """Do :func:`search_index` in one thread, with the index of an artifact."""
    arrays = Queries(*(np.require(array, requirements=["C", "W"]) for array in queries))  # as the kernels know them
    return search_index(index_in(artifact), arrays, offsets, excluded, threads=1)
