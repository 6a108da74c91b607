"""Nearest terms by Levenshtein distance, exact, among hundreds of thousands of Unicode terms.

A few neighbours in alphabetical order, forwards and backwards, give a first cut-off; bitmaps of letters and letter
pairs then leave a small part of the terms, and those are compared in the order of their lower bounds, so that the
cut-off falls early. Nothing is approximate: every term left out is proved to be farther away.
"""

from __future__ import annotations

from bisect import bisect_left
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numba
import numpy as np

from termgauge.benchmark.nearest.candidates import Index, Queries
from termgauge.benchmark.nearest.kernel import CHUNK, search_chunk
from termgauge.benchmark.nearest.term_bitmaps import bitmaps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Levels:
    """The texts found, by position, and their distances, query after query, by distance and then by id.

    Query i has the entries ``offsets[i]`` to ``offsets[i + 1]``.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int64]
    distances: NDArray[np.int32]
    exhausted: NDArray[np.bool_]
    """True where every text that may be returned was returned, so that asking for more is useless."""

    def of(self, query: int) -> tuple[list[int], list[int], bool]:
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
        ids_of: dict[str, list[int]] = {}
        for i, text in enumerate(texts):
            ids_of.setdefault(text, []).append(i)
        self._sorted = sorted(ids_of)
        by_length = sorted(range(len(self._sorted)), key=lambda i: len(self._sorted[i]))
        ordered = [self._sorted[i] for i in by_length]
        points, starts = _code_points(ordered)
        self._alphabet, counts = np.unique(points, return_counts=True)
        # Frequent ones have low numbers, so that what is looked up for them lies close together.
        self._numbers = np.argsort(np.argsort(-counts, kind="stable"), kind="stable")
        # One type for nearly every terminology, since each type is compiled apart.
        self._symbol_type = np.dtype(np.uint16 if len(self._alphabet) < 1 << 16 else np.uint32)
        symbols = self._symbols(points)
        backwards = [text[::-1] for text in self._sorted]
        rank_backwards = sorted(range(len(backwards)), key=backwards.__getitem__)
        self._sorted_backwards = [backwards[i] for i in rank_backwards]
        place = np.empty(len(ordered), np.int32)
        place[by_length] = np.arange(len(ordered), dtype=np.int32)
        lengths = np.diff(starts)
        self._index = Index(
            symbols,
            starts,
            np.searchsorted(lengths, np.arange(int(lengths.max(initial=0)) + 2)),
            np.fromiter((i for text in ordered for i in ids_of[text]), np.int64, len(texts)),
            np.cumsum([0, *(len(ids_of[text]) for text in ordered)], dtype=np.int64),
            place,
            place[rank_backwards],
            bitmaps_of(symbols, starts),
            len(self._alphabet) + 1,
        )

    def search(
        self,
        queries: Sequence[str],
        wanted: NDArray[np.int64],
        excluded_offsets: NDArray[np.int64],
        excluded_ids: NDArray[np.int64],
    ) -> Levels:
        """Find for each query the nearest texts, whole distances at a time.

        Query i, in the index or not, gets every text at distance 1 to r but those that are excluded for it,
        ``excluded_ids[excluded_offsets[i]:excluded_offsets[i + 1]]``, r being the smallest distance that gives at
        least ``wanted[i]`` texts, or every such text when there are fewer. Texts equal to the query are never
        returned. All processors work on chunks of queries; beside the index and the result, each holds four bytes
        for each distinct text, and at most four more where everything has to be compared.
        """
        _check_shapes(len(queries), len(self._index.ids), wanted, excluded_offsets, excluded_ids)
        order = sorted(range(len(queries)), key=lambda i: (len(queries[i]), queries[i]))
        chunks = [np.array(order[at : at + CHUNK], np.int64) for at in range(0, len(order), CHUNK)]
        chunks.reverse()  # the longest take the longest: begin with them
        exclusions = (np.ascontiguousarray(excluded_offsets, np.int64), np.ascontiguousarray(excluded_ids, np.int64))

        def work(chunk: NDArray[np.int64]) -> Any:  # noqa: ANN401
            return search_chunk(self._index, self._prepared(queries, chunk, wanted), *exclusions)

        done: list[Any] = [None] * len(chunks)
        for c, levels in _in_threads(work, chunks):
            done[c] = levels
        return _gathered(len(queries), chunks, done)

    def _symbols(self, points: NDArray[np.uint32]) -> NDArray[Any]:
        """Number the code points by the alphabet of the texts; one more number stands for all that it lacks."""
        numbers = np.searchsorted(self._alphabet, points)
        if len(self._alphabet) == 0:
            return numbers.astype(self._symbol_type)
        numbers = np.minimum(numbers, len(self._alphabet) - 1)
        known = self._alphabet[numbers] == points
        return np.where(known, self._numbers[numbers], len(self._alphabet)).astype(self._symbol_type)

    def _prepared(self, queries: Sequence[str], chunk: NDArray[np.int64], wanted: NDArray[np.int64]) -> Queries:
        texts = [queries[i] for i in chunk]
        points, starts = _code_points(texts)
        forwards = np.array([bisect_left(self._sorted, text) for text in texts], np.int64)
        backwards = np.array([bisect_left(self._sorted_backwards, text[::-1]) for text in texts], np.int64)
        return Queries(chunk, self._symbols(points), starts, forwards, backwards, wanted[chunk].astype(np.int64))


def _code_points(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the code points of all texts in a row and where each text starts."""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    starts = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=starts[1:])
    return points, starts


def _check_shapes(
    queries: int, texts: int, wanted: NDArray[np.int64], offsets: NDArray[np.int64], excluded_ids: NDArray[np.int64]
) -> None:
    if len(wanted) != queries or len(offsets) != queries + 1:
        raise ValueError(f"{queries} queries need {queries} numbers wanted and {queries + 1} offsets of exclusions")
    if len(excluded_ids) and not 0 <= int(excluded_ids.min()) <= int(excluded_ids.max()) < texts:
        raise ValueError(f"excluded ids must be positions of the {texts} texts")


def _in_threads(work: Callable[[NDArray[np.int64]], Any], chunks: list[NDArray[np.int64]]) -> Iterator[tuple[int, Any]]:
    """Yield each chunk's number and result as they come, with no more chunks begun than threads can work on."""
    threads = max(1, min(numba.get_num_threads(), len(chunks)))
    with ThreadPoolExecutor(threads) as pool:
        running: dict[Future[Any], int] = {}
        todo = iter(range(len(chunks)))
        try:
            while True:
                for c in todo:
                    running[pool.submit(work, chunks[c])] = c
                    if len(running) > threads:
                        break
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    yield running.pop(future), future.result()
        finally:
            for future in running:
                future.cancel()


def _gathered(queries: int, chunks: list[NDArray[np.int64]], done: list[Any]) -> Levels:
    """Put the results of the chunks in the order of the queries."""
    counts = np.zeros(queries + 1, np.int64)
    exhausted = np.zeros(queries, np.bool_)
    for chunk, (ends, _, _, all_found) in zip(chunks, done, strict=True):
        counts[chunk + 1] = np.diff(ends, prepend=0)
        exhausted[chunk] = all_found
    offsets = np.cumsum(counts)
    ids = np.empty(int(offsets[-1]), np.int64)
    distances = np.empty(int(offsets[-1]), np.int32)
    for chunk, (ends, chunk_ids, chunk_distances, _) in zip(chunks, done, strict=True):
        sizes = np.diff(ends, prepend=0)
        target = np.repeat(offsets[chunk] - (ends - sizes), sizes) + np.arange(len(chunk_ids))
        ids[target] = chunk_ids
        distances[target] = chunk_distances
    return Levels(offsets, ids, distances, exhausted)
