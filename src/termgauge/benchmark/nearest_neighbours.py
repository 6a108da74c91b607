"""The nearest terms of each group of rows: which may stand as a negative, in which order, and drawing among them.

For a group of rows with the same first term, rows that are linked to the group through a shared term are left out;
the candidates are the terms of the remaining rows, first terms before second ones, each at its first appearance. Nearly
all terms are candidates of nearly all groups at always the same place, so only the exceptions are worked out: the
terms that drop out, and those that appear later because their first rows were left out.

What is found does not depend on draws, but that a term may not take one whose negative it has become. The search leaves
out those that are known when it begins; the others are passed over when a group has its turn, and if too few are left,
the search goes on for that group alone. So batches are searched in the background, or by the workers of an executor,
while the groups before them draw.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numba
import numpy as np

from termgauge.benchmark.nearest.search import NearestTerms, artifact_of, search_block, search_index
from termgauge.benchmark.negatives import Chosen, Cursor, Found, chosen_by, draw_matches, give_back, pushed, taken_over
from termgauge.benchmark.positives import as_numbers, unordered
from termgauge.compiled import njit
from termgauge.executor import current_executor, in_order
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from termgauge.benchmark.nearest import Ints
    from termgauge.benchmark.nearest.kernel import Queries
    from termgauge.benchmark.nearest.search import Levels
    from termgauge.executor import JobExecutor


class Exceptions(NamedTuple):
    """For some groups: the terms, as candidate numbers, that are none, and those whose place is another than usual."""

    excluded_offsets: Ints
    excluded: Ints
    moved_offsets: Ints
    moved: Ints
    places: Ints
    """Where each moved term stands instead."""

    def of_group(self, group: int) -> Exceptions:
        """Return those of one group."""
        out, away = (slice(*offsets[group : group + 2]) for offsets in (self.excluded_offsets, self.moved_offsets))
        excluded, moved, places = self.excluded[out], self.moved[away], self.places[away]
        return Exceptions(as_numbers([0, len(excluded)]), excluded, as_numbers([0, len(moved)]), moved, places)


class CandidateTable:
    """The terms of a set, numbered in the usual order of candidates, and the groups of its rows.

    The two terms of each row are given as any integers.
    """

    def __init__(self, first: Ints, second: Ints) -> None:
        rows = len(first)
        terms, appearance = np.unique(np.concatenate([first, second]), return_index=True)
        order = np.argsort(appearance, kind="stable")
        self.terms = terms[order]
        """The terms themselves, in the usual order."""
        self.usual_places = appearance[order].astype(np.int64)
        """The row in which each first appears; that of a second term counts on after the last row."""
        number = np.empty(len(terms), dtype=np.int64)
        number[order] = np.arange(len(terms))
        self._first = number[np.searchsorted(terms, first)]
        self._second = number[np.searchsorted(terms, second)]
        self._rows_of = _rows_by_value(np.concatenate([self._first, self._second]), len(terms), rows)
        self.groups = _rows_by_value(self._first, len(terms), rows)
        """The rows that have each term as their first: where they start, and they."""

    @cached_property
    def group_sizes(self) -> Ints:
        """How many rows have each term as their first."""
        return np.diff(self.groups[0])

    def exceptions(self, queries: Ints) -> Exceptions:
        """Work out the exceptions of some groups, named by their first terms' numbers."""
        return Exceptions(*_exceptions(queries, self._first, self._second, *self._rows_of, *self.groups))


def _rows_by_value(values: Ints, count: int, rows: int) -> tuple[Ints, Ints]:
    """Return, for each value, the rows that hold it, as offsets and rows."""
    order = np.argsort(values, kind="stable").astype(np.int64)
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(values, minlength=count), out=offsets[1:])
    return offsets, order % rows if rows else order


@njit()
def _exceptions(queries, first, second, row_offsets, rows_of, group_offsets, group_rows):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, C901, PLR0912
    rows, terms = len(first), len(row_offsets) - 1
    # A mark holds the number of the group that set it, so nothing has to be cleared between groups.
    linked = np.full(terms, -1, dtype=np.int64)  # the group's terms, and all that share another row with them
    settled = np.full(terms, -1, dtype=np.int64)
    dropped = np.full(rows, -1, dtype=np.int64)
    excluded_offsets = np.zeros(len(queries) + 1, dtype=np.int64)
    moved_offsets = np.zeros(len(queries) + 1, dtype=np.int64)
    excluded, excluded_size = np.empty(1024, dtype=np.int64), 0
    moved, places, moved_size = np.empty(1024, dtype=np.int64), np.empty(1024, dtype=np.int64), 0
    near, far = np.empty(64, dtype=np.int64), np.empty(64, dtype=np.int64)
    for at in range(len(queries)):
        query = queries[at]
        # The group's own terms.
        near_size = 0
        linked[query] = at
        near, near_size = pushed(near, near_size, query)
        for entry in range(group_offsets[query], group_offsets[query + 1]):
            term = second[group_rows[entry]]
            if linked[term] != at:
                linked[term] = at
                near, near_size = pushed(near, near_size, term)
        # Terms that share a row outside the group with one of them.
        group_size = near_size
        far_size = 0
        for index in range(group_size):
            for entry in range(row_offsets[near[index]], row_offsets[near[index] + 1]):
                row = rows_of[entry]
                if first[row] == query:
                    continue
                if dropped[row] != at:
                    dropped[row] = at
                    far, far_size = pushed(far, far_size, row)
                for term in (first[row], second[row]):
                    if linked[term] != at:
                        linked[term] = at
                        near, near_size = pushed(near, near_size, term)
        # All rows outside the group that hold a linked term are left out.
        for index in range(group_size, near_size):
            for entry in range(row_offsets[near[index]], row_offsets[near[index] + 1]):
                row = rows_of[entry]
                if first[row] != query and dropped[row] != at:
                    dropped[row] = at
                    far, far_size = pushed(far, far_size, row)
        for index in range(near_size):
            excluded, excluded_size = pushed(excluded, excluded_size, near[index])
        # Other terms of those rows drop out too, or move to their next row.
        for index in range(far_size):
            for term in (first[far[index]], second[far[index]]):
                if linked[term] == at or settled[term] == at:
                    continue
                settled[term] = at
                best = 2 * rows
                for entry in range(row_offsets[term], row_offsets[term + 1]):
                    row = rows_of[entry]
                    if dropped[row] != at:
                        best = min(best, row if first[row] == term else rows + row)
                if best == 2 * rows:
                    excluded, excluded_size = pushed(excluded, excluded_size, term)
                else:
                    moved, moved_size = pushed(moved, moved_size, term)
                    places, _size = pushed(places, moved_size - 1, best)
        excluded_offsets[at + 1] = excluded_size
        moved_offsets[at + 1] = moved_size
    return excluded_offsets, excluded[:excluded_size], moved_offsets, moved[:moved_size], places[:moved_size]


_LEAST_AT_ONCE = 256
"""Groups searched by a thread at a time. The more groups come early, the more are searched again."""
_MOST_REFUSED = 8
"""For the few terms that stand in many known pairs it is better to search again when they need it."""
_IN_A_BLOCK = 1024
"""Groups in a block that goes to an executor, at most."""


class _Batch(NamedTuple):
    """Some groups, by their first terms, and what is sent to be searched for them."""

    queries: Ints
    exceptions: Exceptions
    prepared: Queries
    offsets: Ints
    excluded: Ints


class NearestNeighbours:
    """The matches of all groups of a set, drawn among the nearest terms.

    `known` pairs of `table.terms` are not made. `refused` says how many near terms each term will probably not take,
    and candidates are all terms, or those from a number `start` on.
    """

    def __init__(
        self, table: CandidateTable, lowered: list[str], known: AbstractSet[int], refused: Ints, start: int
    ) -> None:
        self._table, self._lowered, self._known, self._refused = table, lowered, known, refused
        self._start, self._near = start, NearestTerms(lowered[start:])
        self._chosen = Chosen.none(len(table.terms), int(table.group_sizes.sum()))

    def matches(self, queries: Ints, size: int, draw: random.Random) -> Iterator[tuple[Ints, int]]:
        """Yield pairs, each a first term, its match and a row, of some groups at a time, and how many groups."""
        executor, state = current_executor(), taken_over(draw)
        size = min(size, max(_LEAST_AT_ONCE, size // _threads()) if executor is None else _IN_A_BLOCK)
        begun: deque[_Batch] = deque()

        def batches() -> Iterator[_Batch]:
            for at in range(0, len(queries), size):
                begun.append(self._batch(queries[at : at + size]))
                yield begun[-1]

        for levels in self._searched(batches(), executor):
            batch = begun.popleft()
            yield self._drawn(batch, levels, state), len(batch.queries)
        give_back(draw, state)

    def _batch(self, queries: Ints) -> _Batch:
        exceptions = self._table.exceptions(queries)
        # One more than are needed, since the nearest may have taken the term itself before.
        wanted = self._table.group_sizes[queries] + 1 + np.minimum(self._refused[queries], _MOST_REFUSED)
        offsets, excluded = self._in_index(*self._with_chosen(queries, exceptions))
        if self._start:
            prepared = self._near.prepared([self._lowered[query] for query in queries.tolist()], wanted)
        else:
            prepared = self._near.prepared_own(queries, wanted)
        return _Batch(queries, exceptions, prepared, offsets, excluded)

    def _searched(self, batches: Iterable[_Batch], executor: JobExecutor | None) -> Iterator[Levels]:
        """Let an executor search batches, or search them in the background, one in each thread."""
        jobs = ((batch.prepared, batch.offsets, batch.excluded) for batch in batches)
        if executor is None:
            with ThreadPool(_threads()) as background:
                search = partial(search_index, self._near.index, threads=1)
                yield from background.map_ahead(lambda job: search(*job), jobs, _threads())
        else:
            artifact = artifact_of(self._near.index, executor)
            blocks = ((artifact, *job) for job in jobs)
            yield from in_order(executor.map(search_block, blocks, label="search", inputs=[artifact]))

    def _drawn(self, batch: _Batch, levels: Levels, state: NDArray[np.uint32]) -> Ints:
        """Draw for the groups of a batch; where one needs more than was found, search further out for it alone."""
        table = self._table
        pairs = np.empty((int(table.group_sizes[batch.queries].sum()), 3), np.int64)

        def drawn(neighbours: Found, cursor: Cursor) -> tuple[Cursor, int]:
            return draw_matches(neighbours, table.groups, table.usual_places, self._chosen, state, cursor, pairs)  # type: ignore[no-any-return]

        batch_neighbours = self._found(batch.queries, levels, batch.exceptions)
        cursor, wanted = drawn(batch_neighbours, Cursor())
        while wanted:
            (done, *rest), wanted = drawn(self._further(batch, cursor.group, wanted), cursor._replace(group=0))
            cursor = Cursor(cursor.group + done, *rest)
            if not wanted:
                cursor, wanted = drawn(batch_neighbours, cursor)
        return pairs[: cursor.made]

    def _further(self, batch: _Batch, group: int, wanted: int) -> Found:
        """Search again for one group of a batch, further out."""
        query = batch.queries[group : group + 1]
        exceptions = batch.exceptions.of_group(group)
        offsets, excluded = self._in_index(*self._with_chosen(query, exceptions))
        levels = self._near.search([self._lowered[query[0]]], as_numbers([wanted]), offsets, excluded)
        return self._found(query, levels, exceptions)

    def _found(self, queries: Ints, levels: Levels, exceptions: Exceptions) -> Found:
        ids, terms = levels.ids + self._start, self._table.terms
        pairs = unordered(np.repeat(terms[queries], np.diff(levels.offsets)), terms[ids]).tolist()
        refused = np.fromiter(map(self._known.__contains__, pairs), np.bool_, len(pairs))
        return Found(queries, levels.offsets, ids, levels.distances, refused, levels.exhausted, *exceptions[2:])

    def _in_index(self, offsets: Ints, excluded: Ints) -> tuple[Ints, Ints]:
        """Number excluded terms as the index does, which holds only candidates."""
        if not self._start:
            return offsets, excluded
        kept = excluded >= self._start
        return np.concatenate([[0], np.cumsum(kept)])[offsets], excluded[kept] - self._start

    def _with_chosen(self, queries: Ints, exceptions: Exceptions) -> tuple[Ints, Ints]:
        """Add to the excluded terms those whose negative a query has become so far."""
        counts, added = chosen_by(self._chosen, queries)
        where = np.repeat(exceptions.excluded_offsets[1:], counts)
        offsets = exceptions.excluded_offsets + np.concatenate([[0], np.cumsum(counts)])
        return offsets, np.insert(exceptions.excluded, where, added)


def _threads() -> int:
    return int(numba.get_num_threads())
