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

from bisect import bisect_right
from collections import deque
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numba
import numpy as np

from termgauge.benchmark.nearest import ranges
from termgauge.benchmark.nearest.search import NearestTerms, artifact_of, search_block, search_index
from termgauge.benchmark.positives import as_numbers, unordered_pair
from termgauge.executor import current_executor, in_order
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

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


class CandidateTable:
    """The terms of a set, numbered in the usual order of candidates, and the groups of its rows.

    The two terms of each row are given as any integers.
    """

    def __init__(self, first: Ints, second: Ints) -> None:
        rows = len(first)
        terms, appearance, inverse = np.unique(np.concatenate([first, second]), return_index=True, return_inverse=True)
        order = np.argsort(appearance, kind="stable")
        self.terms = terms[order]
        """The terms themselves, in the usual order."""
        self.usual_places = appearance[order].astype(np.int64)
        """The row in which each first appears; that of a second term counts on after the last row."""
        numbers = np.argsort(order)[inverse]
        self._first, self._second = numbers[:rows], numbers[rows:]
        self._rows_of = _rows_by_value(numbers, len(terms), rows)
        self.groups = _rows_by_value(self._first, len(terms), rows)
        """The rows that have each term as their first: where they start, and they."""
        self.group_sizes = np.diff(self.groups[0])
        """How many rows have each term as their first."""

    def exceptions(self, queries: Ints) -> Exceptions:
        """Work out the exceptions of some groups, named by their first terms' numbers.

        A group and a term, and a group and a row, are one number.
        """
        first, second, rows, terms = self._first, self._second, len(self._first), len(self.terms)
        row_offsets, rows_of = self._rows_of

        def rows_outside(group_terms: Ints) -> Ints:
            group, term = np.divmod(group_terms, terms)
            sizes, places = ranges(row_offsets, term)
            group, row = np.repeat(group, sizes), rows_of[places]
            outside = first[row] != queries[group]
            return np.unique(group[outside] * rows + row[outside])

        def terms_of(group_rows: Ints) -> Ints:
            group, row = np.divmod(group_rows, rows)
            return np.unique(np.concatenate([group * terms + first[row], group * terms + second[row]]))

        groups = np.arange(len(queries))
        sizes, places = ranges(self.groups[0], queries)
        group_terms = np.concatenate([queries, second[self.groups[1][places]]])
        members = np.concatenate([groups, np.repeat(groups, sizes)]) * terms + group_terms
        # The group's own terms, and all that share a row outside the group with one of them.
        linked = np.union1d(members, terms_of(rows_outside(members)))
        dropped = rows_outside(linked)
        # Other terms of the rows that are left out with them drop out too, or move to their next row.
        others = np.setdiff1d(terms_of(dropped), linked, assume_unique=True)
        group, term = np.divmod(others, terms)
        sizes, places = ranges(row_offsets, term)
        row, number = rows_of[places], np.repeat(np.arange(len(others)), sizes)
        stays = np.isin(group[number] * rows + row, dropped, invert=True)
        best = np.full(len(others), 2 * rows)
        np.minimum.at(best, number[stays], np.where(first[row] == term[number], row, rows + row)[stays])
        moves = best < 2 * rows
        bounds = np.arange(len(queries) + 1) * terms
        excluded, moved = np.union1d(linked, others[~moves]), others[moves]
        return Exceptions(
            np.searchsorted(excluded, bounds),
            excluded % terms,
            np.searchsorted(moved, bounds),
            moved % terms,
            best[moves],
        )


def _rows_by_value(values: Ints, count: int, rows: int) -> tuple[Ints, Ints]:
    """Return, for each value, the rows that hold it, as offsets and rows."""
    order = np.argsort(values, kind="stable").astype(np.int64)
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(values, minlength=count), out=offsets[1:])
    return offsets, order % rows if rows else order


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
        self, table: CandidateTable, lowered: list[str], excluded: AbstractSet[int], refused: Ints, start: int
    ) -> None:
        self._table, self._lowered, self._known, self._refused = table, lowered, excluded, refused
        self._start, self._near = start, NearestTerms(lowered[start:])
        self._terms = table.terms.tolist()
        self._chosen: dict[int, list[int]] = {}
        """By which first terms each term was chosen."""

    def matches(
        self, queries: Ints, size: int, draw: random.Random
    ) -> Iterator[tuple[list[tuple[int, int, int]], int]]:
        """Yield pairs, each a first term, its match and a row, of some groups at a time, and how many groups."""
        executor = current_executor()
        size = min(size, max(_LEAST_AT_ONCE, size // _threads()) if executor is None else _IN_A_BLOCK)
        begun: deque[_Batch] = deque()

        def batches() -> Iterator[_Batch]:
            for at in range(0, len(queries), size):
                begun.append(self._batch(queries[at : at + size]))
                yield begun[-1]

        for levels in self._searched(batches(), executor):
            batch = begun.popleft()
            yield self._drawn(batch, levels, draw), len(batch.queries)

    def _batch(self, queries: Ints) -> _Batch:
        exceptions = self._table.exceptions(queries)
        # One more than are needed, since the nearest may have taken the term itself before.
        wanted = self._table.group_sizes[queries] + 1 + np.minimum(self._refused[queries], _MOST_REFUSED)
        offsets, excluded = self._in_index(*self._with_chosen(queries, exceptions))
        prepared = self._near.prepared([self._lowered[query] for query in queries.tolist()], wanted)
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

    def _drawn(self, batch: _Batch, levels: Levels, draw: random.Random) -> list[tuple[int, int, int]]:
        """Draw for the rows of each group; a term that is drawn is taken out of its ties, allowed or not."""
        offsets, rows = self._table.groups
        terms, excluded, below = self._terms, self._known, draw.randrange
        pairs = []
        for group, query in enumerate(batch.queries.tolist()):
            tie_lists, ties = self._tie_lists(batch, levels, group, query), list[int]()
            for row in rows[offsets[query] : offsets[query + 1]].tolist():
                while ties or (ties := next(tie_lists, [])):
                    match = ties.pop(below(len(ties)))
                    if unordered_pair(terms[query], terms[match]) not in excluded:
                        self._chosen.setdefault(match, []).append(query)
                        pairs.append((query, match, row))
                        break
        return pairs

    def _tie_lists(self, batch: _Batch, levels: Levels, group: int, query: int) -> Iterator[list[int]]:
        """Yield the candidates of a group at each distance in the order of their places, without terms that chose it.

        Where the group needs more than was found, search further out for it alone.
        """
        exceptions, usual, reached = batch.exceptions, self._table.usual_places, 0
        away = slice(*exceptions.moved_offsets[group : group + 2])
        moved = dict(zip(exceptions.moved[away].tolist(), exceptions.places[away].tolist(), strict=True))
        chose = self._chosen.get(query, ())
        ids, distances, exhausted = levels.of_query(group)
        while True:
            candidates = [self._start + number for number in ids] if self._start else ids
            stop = 0
            while stop < len(candidates):
                start, distance = stop, distances[stop]
                stop = bisect_right(distances, distance, start)
                ties = [number for number in candidates[start:stop] if number not in chose]  # in the usual order
                if ties and distance > reached:
                    reached = distance
                    yield sorted(ties, key=lambda number: moved.get(number, usual[number])) if moved else ties
            if exhausted:
                return
            out = exceptions.excluded[slice(*exceptions.excluded_offsets[group : group + 2])]
            offsets, excluded = self._in_index(
                as_numbers([0, len(out) + len(chose)]), np.append(out, as_numbers(chose))
            )
            wanted = 1 + sum(number not in chose for number in candidates)
            further = self._near.search([self._lowered[query]], as_numbers([wanted]), offsets, excluded)
            ids, distances, exhausted = further.of_query(0)

    def _in_index(self, offsets: Ints, excluded: Ints) -> tuple[Ints, Ints]:
        """Number excluded terms as the index does, which holds only candidates."""
        if not self._start:
            return offsets, excluded
        kept = excluded >= self._start
        return np.concatenate([[0], np.cumsum(kept)])[offsets], excluded[kept] - self._start

    def _with_chosen(self, queries: Ints, exceptions: Exceptions) -> tuple[Ints, Ints]:
        """Add to the excluded terms those whose negative a query has become so far."""
        chose = [self._chosen.get(query, ()) for query in queries.tolist()]
        counts = as_numbers(list(map(len, chose)))
        where = np.repeat(exceptions.excluded_offsets[1:], counts)
        offsets = exceptions.excluded_offsets + np.concatenate([[0], np.cumsum(counts)])
        return offsets, np.insert(exceptions.excluded, where, as_numbers(list(chain.from_iterable(chose))))


def _threads() -> int:
    return int(numba.get_num_threads())
