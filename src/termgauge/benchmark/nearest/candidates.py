"""Which texts a nearest-term search has to compare: those that share enough letters and letter pairs with the query.

Queries of similar length go through the bitmaps together, block after block, so that a block is read from memory
once for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.benchmark.nearest.bands import MOST_WINDOWS, new_columns, window_rows
from termgauge.benchmark.nearest.edit_distance import blocks_of
from termgauge.benchmark.nearest.term_bitmaps import (
    BLOCK,
    CODES,
    EMPTY_ROW,
    MOST_FEATURES,
    WORDS,
    Bitmaps,
    feature_codes,
    keep_sharing,
    longest_text,
    popcount,
)
from termgauge.compiled import njit

if TYPE_CHECKING:
    from termgauge.benchmark.nearest import Ints, Ints32, Symbols, Words

LARGEST_GROUP, _SMALLEST_GROUP = 256, 64
"""Queries that go through the bitmaps together."""
_MARKS_BYTES = 1 << 26
_LOW_CEILING = 12
_ONE = np.uint64(1)


class Index(NamedTuple):
    """Distinct texts ordered by length, with all that the search needs to know of them."""

    symbols: Symbols
    starts: Ints
    first_of_length: Ints
    ids: Ints
    id_starts: Ints
    alphabetical: Ints32
    alphabetical_backwards: Ints32
    bitmaps: Bitmaps
    symbol_count: int


class Queries(NamedTuple):
    """Some queries: their numbers, symbols, places in the two alphabetical orders, and texts wanted.

    The ids that a query must not get are sorted; query number n has those from ``excluded_starts[n]`` on.
    """

    numbers: Ints
    symbols: Symbols
    starts: Ints
    forwards: Ints
    backwards: Ints
    wanted: Ints
    excluded_starts: Ints = np.zeros(1, np.int64)
    excluded: Ints = np.zeros(0, np.int64)


class Group(NamedTuple):
    """The state of queries that are worked together.

    ``rows[kind, g]`` are the bitmap rows of query g's letters (kind 0) and pairs (kind 1). Texts whose lower bound is
    at most ``done[g]`` have been compared, those up to ``ceilings[g]`` come next, and none above ``cutoffs[g]`` need
    be. ``tally[g, d]`` counts the texts found at distance d. ``windows`` has no rows if there are too many symbols.
    """

    lengths: Ints
    rows: Ints
    row_counts: Ints
    cutoffs: Ints
    done: Ints
    ceilings: Ints
    tally: Ints
    marks: Words
    table: Words
    windows: Words
    columns: Words


def group_size(index: Index, most: int) -> int:
    """Return how many queries to work together: many, up to a number, unless their marks would take too much room."""
    marks = 8 * WORDS * max(1, len(index.bitmaps.rows))
    return max(_SMALLEST_GROUP, min(LARGEST_GROUP, most, _MARKS_BYTES // marks))


@njit()
def grown(array: Symbols) -> Symbols:
    """Return a copy with room for twice as many entries."""
    larger = np.empty(2 * len(array), array.dtype)
    for i in range(len(array)):
        larger[i] = array[i]
    return larger


@njit()
def _chosen_rows(codes: Ints, row_of: Ints, chosen: Ints) -> int:
    """Write the rows of a query's features, filled up to a multiple of 8, and return how many there are."""
    count = 0
    for i in range(min(len(codes), MOST_FEATURES)):
        row = row_of[codes[i]]
        if row >= 0:
            chosen[count] = row
            count += 1
    while count % 8:
        chosen[count] = EMPTY_ROW
        count += 1
    return count


@njit()
def load_features(index: Index, queries: Queries, group: Group) -> None:
    """Look up the bitmap rows of the queries."""
    longest = longest_text(queries.starts)
    seen = np.zeros(CODES, np.uint16)
    letters, pairs = np.empty(longest, np.int64), np.empty(longest + 1, np.int64)
    for g in range(len(queries.numbers)):
        query = queries.symbols[queries.starts[g] : queries.starts[g + 1]]
        n = len(query)
        group.lengths[g] = n
        feature_codes(query, seen, letters, pairs)
        group.row_counts[0, g] = _chosen_rows(letters[:n], index.bitmaps.letter_row, group.rows[0, g])
        group.row_counts[1, g] = _chosen_rows(pairs[: n + 1], index.bitmaps.pair_row, group.rows[1, g])


def new_group(index: Index, size: int, longest_query: int) -> Group:
    """Make room for a group of some queries up to a length."""
    most = min(longest_query + 1, MOST_FEATURES) + 7
    reach = max(longest_query, len(index.first_of_length) - 2) + 1
    windows = window_rows(longest_query)
    return Group(
        np.zeros(size, np.int64),
        np.zeros((2, size, most), np.int64),
        np.zeros((2, size), np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros((size, reach + 1), np.int64),
        np.zeros((size, len(index.bitmaps.rows), WORDS), np.uint64),
        np.zeros(index.symbol_count * blocks_of(longest_query), np.uint64),
        np.zeros((windows if windows * index.symbol_count <= MOST_WINDOWS else 0, index.symbol_count), np.uint64),
        new_columns(longest_query),
    )


@njit()
def texts_of_lengths(index: Index, low: int, high: int) -> tuple[int, int]:
    """Return the range of texts whose lengths are ``low`` to ``high``."""
    longest = len(index.first_of_length) - 2
    if high < 0 or low > longest or low > high:
        return 0, 0
    return index.first_of_length[max(0, low)], index.first_of_length[min(longest, high) + 1]


@njit()
def _bits_between(base: int, start: int, stop: int) -> np.uint64:
    """Return a word with the bits of those texts among ``base`` to ``base + 63`` that lie in a range."""
    low, high = max(0, start - base), min(64, stop - base)
    if low >= high:
        return np.uint64(0)
    return (~np.uint64(0) >> np.uint64(64 - (high - low))) << np.uint64(low)


@njit()
def _sift_block(rows: Words, group: Group, g: int, longer: int, passed: Words) -> None:
    """Clear the bits of the texts of a block whose lower bound is above query g's ceiling.

    ``longer`` is a lower bound of the greater length of query and text. What leaves less over comes first: pairs for
    a low ceiling, letters for a high one. Often nothing is left for the other.
    """
    ceiling = group.ceilings[g]
    for turn in range(2):
        kind = 1 - turn if ceiling < _LOW_CEILING else turn
        needed = longer + kind - max(0, group.lengths[g] + kind - MOST_FEATURES) - (1 + kind) * ceiling
        keep_sharing(rows, group.rows[kind, g, : group.row_counts[kind, g]], needed, passed)
        left = np.uint64(0)
        for w in range(WORDS):
            left |= passed[w]
        if left == 0:
            return


@njit()
def sift(index: Index, group: Group, spans: Ints) -> None:
    """Mark for each query of a group the texts, within its span, that come next: those not marked the last time."""
    size = len(spans)
    blocks_before = np.zeros((size, 2), np.int64)
    first, last = len(index.starts), 0
    for g in range(size):
        n, done = group.lengths[g], group.done[g]
        start, stop = texts_of_lengths(index, n - done, n + done)
        blocks_before[g, 0], blocks_before[g, 1] = start // BLOCK, (stop + BLOCK - 1) // BLOCK
        if spans[g, 0] < spans[g, 1]:
            first, last = min(first, spans[g, 0]), max(last, spans[g, 1])
    passed = np.empty(WORDS, np.uint64)
    for block in range(first // BLOCK, (last + BLOCK - 1) // BLOCK):
        base = block * BLOCK
        shortest = index.starts[base + 1] - index.starts[base]
        for g in range(size):
            if base >= spans[g, 1] or base + BLOCK <= spans[g, 0]:
                continue
            for w in range(WORDS):
                passed[w] = _bits_between(base + 64 * w, spans[g, 0], spans[g, 1])
            if blocks_before[g, 0] <= block < blocks_before[g, 1]:
                for w in range(WORDS):
                    passed[w] &= ~group.marks[g, block, w]
            _sift_block(index.bitmaps.rows[block], group, g, max(group.lengths[g], shortest), passed)
            for w in range(WORDS):
                group.marks[g, block, w] = passed[w]


@njit()
def collect(marks: Words, span: Ints, candidates: Ints32) -> tuple[Ints32, int]:
    """Write the marked texts of a span in order and return them with their number."""
    count = 0
    if span[0] >= span[1]:
        return candidates, 0
    for block in range(span[0] // BLOCK, (span[1] + BLOCK - 1) // BLOCK):
        if len(candidates) < count + BLOCK:
            candidates = grown(candidates)
        for w in range(WORDS):
            word = marks[block, w]
            base = block * BLOCK + 64 * w
            while word:
                candidates[count] = base + popcount((word & (~word + _ONE)) - _ONE)
                count += 1
                word &= word - _ONE
    return candidates, count
