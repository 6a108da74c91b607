"""Near terms for one group of rows after the other, looked up ahead of the draws that choose among them.

What is found does not depend on draws, but that a term may not take one whose negative it has become. The search leaves
out those that are known when it begins; the others are passed over when a group has its turn, and if too few are left,
the search goes on for that group alone. So batches are searched in the background, or by the workers of an executor,
while the groups before them draw.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numba
import numpy as np

from termgauge.benchmark.lexicon import as_numbers, unordered
from termgauge.benchmark.matching import Chosen, Cursor, Found, chosen_by, draw_matches
from termgauge.benchmark.mersenne import give_back, taken_over
from termgauge.benchmark.nearest.blocks import MOST_REFUSED, artifact_of, search_batch, search_block
from termgauge.benchmark.nearest.search import NearestTerms
from termgauge.executor import current_executor, in_order

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from termgauge.benchmark.candidates import CandidateTable, Exceptions
    from termgauge.benchmark.nearest.candidates import Queries
    from termgauge.benchmark.nearest.search import Levels
    from termgauge.executor import JobExecutor

_LEAST_AT_ONCE = 256
"""Groups searched by a thread at a time. The more groups come early, the more are searched again."""
_IN_A_BLOCK = 1024
"""Groups in a block that goes to an executor, at most."""


class _Batch(NamedTuple):
    """Some groups, by their first terms, and what is sent to be searched for them."""

    queries: NDArray[np.int64]
    exceptions: Exceptions
    prepared: Queries
    offsets: NDArray[np.int64]
    excluded: NDArray[np.int64]


class NearTerms:
    """The matches of all groups of a set, drawn among the nearest terms.

    `known` pairs of `table.terms` are not made. `refused` says how many near terms each term will probably not take,
    and candidates are all terms, or those from a number `start` on.
    """

    def __init__(
        self,
        table: CandidateTable,
        lowered: list[str],
        known: AbstractSet[int],
        refused: NDArray[np.int64],
        start: int,
    ) -> None:
        self._table, self._lowered, self._known, self._refused = table, lowered, known, refused
        self._start, self._near = start, NearestTerms(lowered[start:])
        self._chosen = Chosen.none(len(table.terms), int(table.group_sizes.sum()))

    def matches(
        self, queries: NDArray[np.int64], size: int, draw: random.Random
    ) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Yield pairs, each a first term, its match and a row, of some groups at a time, and how many groups."""
        executor, state = current_executor(), taken_over(draw)
        size = min(size, max(_LEAST_AT_ONCE, size // _threads()) if executor is None else _IN_A_BLOCK)
        begun: deque[_Batch] = deque()

        def batches() -> Iterator[_Batch]:
            for at in range(0, len(queries), size):
                begun.append(self._batch(queries[at : at + size]))
                yield begun[-1]

        for levels in self._found_here(batches()) if executor is None else self._found_at(executor, batches()):
            batch = begun.popleft()
            yield self._drawn(batch, levels, state), len(batch.queries)
        give_back(draw, state)

    def _batch(self, queries: NDArray[np.int64]) -> _Batch:
        exceptions = self._table.exceptions(queries)
        wanted = self._table.group_sizes[queries] + np.minimum(self._refused[queries], MOST_REFUSED)
        offsets, excluded = self._in_index(*self._with_chosen(queries, exceptions))
        if self._start:
            prepared = self._near.prepared([self._lowered[query] for query in queries.tolist()], wanted)
        else:
            prepared = self._near.prepared_own(queries, wanted)
        return _Batch(queries, exceptions, prepared, offsets, excluded)

    def _found_here(self, batches: Iterable[_Batch]) -> Iterator[Levels]:
        """Search batches in the background, one in each thread."""
        waiting: deque[Future[Levels]] = deque()
        with ThreadPoolExecutor(_threads()) as background:
            try:
                for batch in batches:
                    own = (batch.prepared, batch.queries - self._start, batch.offsets, batch.excluded)
                    waiting.append(background.submit(search_batch, self._near.index, *own))
                    if len(waiting) > _threads():
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                background.shutdown(wait=False, cancel_futures=True)

    def _found_at(self, executor: JobExecutor, batches: Iterable[_Batch]) -> Iterator[Levels]:
        """Let an executor search batches."""
        artifact = artifact_of(self._near.index, executor)
        blocks = (
            (artifact, batch.prepared, batch.queries - self._start, batch.offsets, batch.excluded) for batch in batches
        )
        yield from in_order(executor.map(search_block, blocks, label="search", inputs=[artifact]))

    def _drawn(self, batch: _Batch, levels: Levels, state: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Draw for the groups of a batch; where one needs more than was found, search further out for it alone."""
        exceptions, table = batch.exceptions, self._table
        pairs = np.empty((int(table.group_sizes[batch.queries].sum()), 3), np.int64)

        def drawn(found: Found, cursor: Cursor) -> tuple[Cursor, int]:
            return draw_matches(found, table.groups, table.usual_places, self._chosen, state, cursor, pairs)  # type: ignore[no-any-return]

        found = self._found(batch.queries, levels, exceptions.moved_offsets, exceptions.moved, exceptions.places)
        cursor, wanted = drawn(found, Cursor())
        while wanted:
            (done, *rest), wanted = drawn(self._further(batch, cursor.group, wanted), cursor._replace(group=0))
            cursor = Cursor(cursor.group + done, *rest)
            if not wanted:
                cursor, wanted = drawn(found, cursor)
        return pairs[: cursor.made]

    def _further(self, batch: _Batch, group: int, wanted: int) -> Found:
        """Search again for one group of a batch, further out."""
        query, exceptions = batch.queries[group : group + 1], batch.exceptions
        own = slice(*exceptions.excluded_offsets[group : group + 2])
        excluded = np.concatenate([exceptions.excluded[own], chosen_by(self._chosen, query)[1]])
        offsets, excluded = self._in_index(as_numbers([0, len(excluded)]), excluded)
        levels = self._near.search([self._lowered[query[0]]], as_numbers([wanted]), offsets, excluded)
        away = slice(*exceptions.moved_offsets[group : group + 2])
        moved, places = exceptions.moved[away], exceptions.places[away]
        return self._found(query, levels, as_numbers([0, len(moved)]), moved, places)

    def _found(self, queries: NDArray[np.int64], levels: Levels, *moved: NDArray[np.int64]) -> Found:
        ids, terms = levels.ids + self._start, self._table.terms
        pairs = unordered(np.repeat(terms[queries], np.diff(levels.offsets)), terms[ids]).tolist()
        refused = np.fromiter(map(self._known.__contains__, pairs), np.bool_, len(pairs))
        return Found(queries, levels.offsets, ids, levels.distances, refused, levels.exhausted, *moved)

    def _in_index(
        self, offsets: NDArray[np.int64], excluded: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Number excluded terms as the index does, which holds only candidates."""
        if not self._start:
            return offsets, excluded
        kept = excluded >= self._start
        return np.concatenate([[0], np.cumsum(kept)])[offsets], excluded[kept] - self._start

    def _with_chosen(
        self, queries: NDArray[np.int64], exceptions: Exceptions
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Add to the excluded terms those whose negative a query has become so far."""
        counts, added = chosen_by(self._chosen, queries)
        where = np.repeat(exceptions.excluded_offsets[1:], counts)
        offsets = exceptions.excluded_offsets + np.concatenate([[0], np.cumsum(counts)])
        return offsets, np.insert(exceptions.excluded, where, added)


def _threads() -> int:
    return int(numba.get_num_threads())
