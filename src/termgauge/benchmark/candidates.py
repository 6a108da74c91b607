"""Which terms may stand as an edit-distance negative of a term, and in which order.

For a group of rows with the same first term, rows that are linked to the group through a shared term are left out;
the candidates are the terms of the remaining rows, first terms before second ones, each at its first appearance. Nearly
all terms are candidates of nearly all groups at always the same place, so only the exceptions are worked out: the
terms that drop out, and those that appear later because their first rows were left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Exceptions:
    """For some groups: the terms, as candidate numbers, that are none, and those whose place is another than usual."""

    excluded_offsets: NDArray[np.int64]
    excluded: NDArray[np.int64]
    moved_offsets: NDArray[np.int64]
    moved: NDArray[np.int64]
    places: NDArray[np.int64]
    """Where each moved term stands instead."""


class CandidateTable:
    """The terms of a set, numbered in the usual order of candidates, and the groups of its rows.

    The two terms of each row are given as any integers.
    """

    def __init__(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> None:
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
        self._sizes = _component_sizes(self._first, self._second, len(terms))
        self._rows_of = _rows_by_value(np.concatenate([self._first, self._second]), len(terms), rows)
        self.groups = _rows_by_value(self._first, len(terms), rows)
        """The rows that have each term as their first: where they start, and they."""

    @cached_property
    def group_sizes(self) -> NDArray[np.int64]:
        """How many rows have each term as their first."""
        return np.diff(self.groups[0])

    def exceptions(self, queries: NDArray[np.int64]) -> Exceptions:
        """Work out the exceptions of some groups, named by their first terms' numbers."""
        return Exceptions(*_exceptions(queries, self._first, self._second, self._sizes, *self._rows_of, *self.groups))


def _rows_by_value(values: NDArray[np.int64], count: int, rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each value, the rows that hold it, as offsets and rows."""
    order = np.argsort(values, kind="stable").astype(np.int64)
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(np.bincount(values, minlength=count), out=offsets[1:])
    return offsets, order % rows if rows else order


@njit()
def pushed(array: NDArray[np.int64], size: int, value: int) -> tuple[NDArray[np.int64], int]:
    """Append to a growing array."""
    if size == len(array):
        bigger = np.empty(2 * len(array), dtype=np.int64)
        bigger[:size] = array
        array = bigger
    array[size] = value
    return array, size + 1


@njit()
def _component_sizes(first, second, terms):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Return, for each term, how many terms hang together with it by rows."""
    parent = np.arange(terms)
    for row in range(len(first)):
        one, other = first[row], second[row]
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        while parent[other] != other:
            parent[other] = parent[parent[other]]
            other = parent[other]
        parent[max(one, other)] = min(one, other)
    sizes = np.zeros(terms, dtype=np.int64)
    for term in range(terms):
        root = term
        while parent[root] != root:
            root = parent[root]
        parent[term] = root
        sizes[root] += 1
    return sizes[parent]


@njit()
def _exceptions(queries, first, second, sizes, row_offsets, rows_of, group_offsets, group_rows):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, C901, PLR0912
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
        for place in range(group_offsets[query], group_offsets[query + 1]):
            term = second[group_rows[place]]
            if linked[term] != at:
                linked[term] = at
                near, near_size = pushed(near, near_size, term)
        # Terms that share a row outside the group with one of them.
        own = near_size
        far_size = 0
        for index in range(own):
            if near_size == sizes[query]:  # all that hang together: what follows could only find them again
                break
            for place in range(row_offsets[near[index]], row_offsets[near[index] + 1]):
                row = rows_of[place]
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
        for index in range(own, near_size if near_size < sizes[query] else own):
            for place in range(row_offsets[near[index]], row_offsets[near[index] + 1]):
                row = rows_of[place]
                if first[row] != query and dropped[row] != at:
                    dropped[row] = at
                    far, far_size = pushed(far, far_size, row)
        for index in range(near_size):
            excluded, excluded_size = pushed(excluded, excluded_size, near[index])
        # Other terms of those rows drop out too, or move to their next row.
        for index in range(far_size if near_size < sizes[query] else 0):
            for term in (first[far[index]], second[far[index]]):
                if linked[term] == at or settled[term] == at:
                    continue
                settled[term] = at
                best = 2 * rows
                for place in range(row_offsets[term], row_offsets[term + 1]):
                    row = rows_of[place]
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
