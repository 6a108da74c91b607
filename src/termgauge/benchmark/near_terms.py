"""Near terms for one group of rows after the other, looked up ahead of the draws that choose among them.

What is found does not depend on draws, but that a term may not take one whose negative it has become. The search leaves
out those that are known when it begins; the others are passed over when a group has its turn, and if too few are left,
the search goes on for that group alone. So batches are searched in the background, or by the workers of a workplace,
while the groups before them draw.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.benchmark.lexicon import as_numbers
from termgauge.benchmark.nearest.blocks import MOST_REFUSED, parcel_of, search_batch, search_block
from termgauge.benchmark.nearest.search import NearestTerms
from termgauge.sharing import in_order, workplace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from termgauge.benchmark.candidates import CandidateTable, Exceptions
    from termgauge.benchmark.nearest.candidates import Queries
    from termgauge.benchmark.nearest.search import Levels
    from termgauge.sharing import Workplace

_AHEAD = 1
"""Batches that are searched in the background while one draws; more come too early, and more is searched again."""
_IN_A_BLOCK = 1024
"""Groups in a block that goes to a workplace, at most."""


class _Batch(NamedTuple):
    """Some groups, by their first terms, and what is sent to be searched for them."""

    queries: NDArray[np.int64]
    exceptions: Exceptions
    prepared: Queries
    offsets: NDArray[np.int64]
    excluded: NDArray[np.int64]


class NearTerms:
    """The candidates of all groups of a set, nearest first.

    `refused` says how many near terms each term will probably not take, and candidates are all terms, or those from a
    number `start` on.
    """

    def __init__(self, table: CandidateTable, lowered: list[str], refused: NDArray[np.int64], start: int) -> None:
        self._table, self._lowered, self._refused = table, lowered, refused
        self._start, self._near = start, NearestTerms(lowered[start:])
        self._chosen_by: dict[int, list[int]] = {}
        self._places: list[int] = table.usual_places.tolist()

    def made(self, query: int, match: int) -> None:
        """Note that a pair was made: its reverse is no candidate any more."""
        self._chosen_by.setdefault(match, []).append(query)

    def chosen_by(self, query: int) -> list[int]:
        """Return the terms whose negative this one has become."""
        return self._chosen_by.get(query, [])

    def place(self, number: int) -> int:
        """Return where a candidate usually stands."""
        return self._places[number]

    def batches(self, queries: NDArray[np.int64], size: int) -> Iterator[list[tuple[int, Ties]]]:
        """Yield groups' first terms, a batch of some size at a time, each with its candidates."""
        place = workplace()
        size = size if place is None else min(size, _IN_A_BLOCK)
        begun: deque[_Batch] = deque()

        def batches() -> Iterator[_Batch]:
            for at in range(0, len(queries), size):
                begun.append(self._batch(queries[at : at + size]))
                yield begun[-1]

        for levels in self._found_here(batches()) if place is None else self._found_at(place, batches()):
            yield self._ties(begun.popleft(), levels)

    def _batch(self, queries: NDArray[np.int64]) -> _Batch:
        exceptions = self._table.exceptions(queries)
        wanted = self._table.group_sizes[queries] + np.minimum(self._refused[queries], MOST_REFUSED)
        offsets, excluded = self._in_index(*self._with_chosen(queries, exceptions))
        texts = [self._lowered[query] for query in queries.tolist()]
        return _Batch(queries, exceptions, self._near.prepared(texts, wanted), offsets, excluded)

    def _found_here(self, batches: Iterable[_Batch]) -> Iterator[Levels]:
        """Search batches in the background, a few ahead."""
        waiting: deque[Future[Levels]] = deque()
        with ThreadPoolExecutor(1) as background:
            try:
                for batch in batches:
                    own = (batch.prepared, batch.queries - self._start, batch.offsets, batch.excluded)
                    waiting.append(background.submit(search_batch, self._near.index, *own))
                    if len(waiting) > _AHEAD:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                background.shutdown(wait=False, cancel_futures=True)

    def _found_at(self, place: Workplace, batches: Iterable[_Batch]) -> Iterator[Levels]:
        """Let a workplace search batches."""
        parcel = parcel_of(self._near.index, place)
        blocks = (
            (parcel, batch.prepared, batch.queries - self._start, batch.offsets, batch.excluded) for batch in batches
        )
        yield from in_order(place.each(search_block, blocks, called="search", inputs=[parcel]))

    def _ties(self, batch: _Batch, levels: Levels) -> list[tuple[int, Ties]]:
        exceptions = batch.exceptions
        bounds, ids, distances = levels.offsets.tolist(), (levels.ids + self._start).tolist(), levels.distances.tolist()
        left_out, moved = exceptions.excluded_offsets.tolist(), exceptions.moved_offsets.tolist()
        moved_terms, places = exceptions.moved.tolist(), exceptions.places.tolist()
        groups = []
        for at, query in enumerate(batch.queries.tolist()):
            own, away = slice(bounds[at], bounds[at + 1]), slice(moved[at], moved[at + 1])
            found = (ids[own], distances[own], bool(levels.exhausted[at]))
            ties = Ties(
                self,
                query,
                left_out=exceptions.excluded[left_out[at] : left_out[at + 1]],
                places=dict(zip(moved_terms[away], places[away], strict=True)),
                found=found,
            )
            groups.append((query, ties))
        return groups

    def more(self, query: int, wanted: int, left_out: NDArray[np.int64]) -> tuple[list[int], list[int], bool]:
        """Search again for one group, further out."""
        excluded = np.concatenate([left_out, as_numbers(self.chosen_by(query))])
        offsets, excluded = self._in_index(as_numbers([0, len(excluded)]), excluded)
        levels = self._near.search([self._lowered[query]], as_numbers([wanted]), offsets, excluded)
        return replace(levels, ids=levels.ids + self._start).of(0)

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
        chosen = [self.chosen_by(query) for query in queries.tolist()]
        counts = as_numbers([len(each) for each in chosen])
        if not counts.any():
            return exceptions.excluded_offsets, exceptions.excluded
        where = np.repeat(exceptions.excluded_offsets[1:], counts)
        added = as_numbers([term for each in chosen for term in each])
        offsets = exceptions.excluded_offsets + np.concatenate([[0], np.cumsum(counts)])
        return offsets, np.insert(exceptions.excluded, where, added)


class Ties:
    """The candidates of one group: the tie list in use, and those at greater distances."""

    def __init__(
        self,
        search: NearTerms,
        query: int,
        *,
        left_out: NDArray[np.int64],
        places: dict[int, int],
        found: tuple[list[int], list[int], bool],
    ) -> None:
        self.current: list[int] = []
        self._search, self._query, self._left_out, self._places = search, query, left_out, places
        self._ids, self._distances, self._exhausted = found
        self._next = self._reached = 0
        self._chosen_by: set[int] | None = None

    def form_next(self) -> bool:
        """Make the candidates at the next distance the tie list; return whether there are any."""
        if self._chosen_by is None:  # when its turn comes: the search was too early for some
            self._chosen_by = set(self._search.chosen_by(self._query))
        while not self.current:
            if self._next == len(self._ids) and not self._search_on(self._chosen_by):
                return False
            self._reached = self._distances[self._next]
            end = bisect_right(self._distances, self._reached)  # they come in order
            level = self._ids[self._next : end]
            self._next = end
            if self._places and not self._places.keys().isdisjoint(level):
                level.sort(key=lambda each: self._places.get(each, self._search.place(each)))
            self.current = [each for each in level if each not in self._chosen_by]
        return True

    def _search_on(self, chosen_by: set[int]) -> bool:
        """Search further out; all nearer terms come again and are passed over."""
        if self._exhausted:
            return False
        wanted = sum(each not in chosen_by for each in self._ids) + 1
        self._ids, self._distances, self._exhausted = self._search.more(self._query, wanted, self._left_out)
        self._next = bisect_right(self._distances, self._reached)
        return self._next < len(self._ids) or self._search_on(chosen_by)
