"""The compiled part of the nearest-term search: one group of queries against the whole index, without the GIL.

A few neighbours in alphabetical order give a first cut-off. Only texts that share enough letters and letter pairs with
the query are compared: first those that share the most, which lowers the cut-off for the others. Queries of similar
length go through the bitmaps together, block after block, so that a block is read from memory once for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.benchmark.nearest import ranges
from termgauge.benchmark.nearest.bands import (
    BAND,
    MOST_WINDOWS,
    RUN,
    blocks_of,
    distance_in_blocks,
    flip_positions,
    flip_windows,
    load_run,
    near_texts,
    new_run,
    width_for,
)
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
    above ``cutoffs[g]`` need not be compared; a pass compares those up to ``ceilings[g]``. ``tally[g, d]`` counts the
    texts found at distance d. ``windows`` has no rows if there are too many symbols.
    """

    lengths: Ints
    rows: Ints
    row_counts: Ints
    cutoffs: Ints
    ceilings: Ints
    tally: Ints
    marks: Words
    positions: Words
    windows: Words
    columns: Words


def group_size(index: Index, most: int) -> int:
    """Return how many queries to work together: many, up to a number, unless their marks would take too much room."""
    marks = 8 * WORDS * max(1, len(index.bitmaps.rows))
    return max(_SMALLEST_GROUP, min(LARGEST_GROUP, most, _MARKS_BYTES // marks))


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


def new_group(index: Index, size: int, longest_query: int) -> Group:
    """Make room for a group of some queries up to a length."""
    most = min(longest_query + 1, MOST_FEATURES) + 7
    reach = max(longest_query, len(index.first_of_length) - 2) + 1
    windows = longest_query + BAND + 2  # one for each place of the band's top
    return Group(
        np.zeros(size, np.int64),
        np.zeros((2, size, most), np.int64),
        np.zeros((2, size), np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros((size, reach + 1), np.int64),
        np.zeros((size, len(index.bitmaps.rows), WORDS), np.uint64),
        np.zeros((index.symbol_count, blocks_of(longest_query)), np.uint64),
        np.zeros((windows if windows * index.symbol_count <= MOST_WINDOWS else 0, index.symbol_count), np.uint64),
        np.empty((blocks_of(longest_query), 2), np.uint64),
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
    """Find for each query of a group the span of texts whose lengths are near enough, and mark those to compare.

    What was marked in a former pass has been compared.
    """
    size = len(spans)
    first, last = len(index.starts), 0
    for g in range(size):
        n, ceiling = group.lengths[g], group.ceilings[g]
        spans[g, 0], spans[g, 1] = texts_of_lengths(index, n - ceiling, n + ceiling)
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
                passed[w] = _bits_between(base + 64 * w, spans[g, 0], spans[g, 1]) & ~group.marks[g, block, w]
            _sift_block(index.bitmaps.rows[block], group, g, max(group.lengths[g], shortest), passed)
            for w in range(WORDS):
                group.marks[g, block, w] = passed[w]


@njit()
def collect(marks: Words, span: Ints, candidates: Ints32) -> int:
    """Write the marked texts of a span in order and return their number."""
    count = 0
    if span[0] < span[1]:
        for block in range(span[0] // BLOCK, (span[1] + BLOCK - 1) // BLOCK):
            for w in range(WORDS):
                word = marks[block, w]
                base = block * BLOCK + 64 * w
                while word:
                    candidates[count] = base + popcount((word & (~word + _ONE)) - _ONE)
                    count += 1
                    word &= word - _ONE
    return count


_NEIGHBOURS = 16  # texts looked at in each direction of each alphabetical order, beside those wanted
_STEPS = 96  # steps taken for them at most, when many are excluded


class Hits(NamedTuple):
    """Ids found, each with the number of the query and the distance; and queries for which there are no others."""

    numbers: Ints
    ids: Ints
    distances: Ints32
    exhausted: Ints


@njit()
def _place_of(numbers: Symbols, number: int) -> int:
    """Return how many of sorted numbers are smaller than one."""
    low, high = 0, len(numbers)
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low


@njit()
def _is_among(excluded: Ints, number: int) -> bool:
    """Tell whether a number is among sorted ones."""
    at = _place_of(excluded, number)
    return bool(at < len(excluded) and excluded[at] == number)


@njit()
def _eligible(index: Index, text: int, excluded: Ints) -> int:
    """Count the ids of a distinct text that are not among the (sorted) excluded ones."""
    count = 0
    for i in range(index.id_starts[text], index.id_starts[text + 1]):
        if not _is_among(excluded, index.ids[i]):
            count += 1
    return count


@njit()
def _clear(numbers: Ints) -> None:
    for i in range(len(numbers)):
        numbers[i] = 0


@njit()
def _tightened(tally: Ints, wanted: int, cutoff: int) -> int:
    """Return the smallest distance up to which enough texts are known, or the cut-off if there is none."""
    total = 0
    for d in range(1, cutoff):
        total += tally[d]
        if total >= wanted:
            return d
    return cutoff


@njit()
def _holds(numbers: Ints, number: int) -> bool:
    for i in range(len(numbers)):  # noqa: SIM110  (the compiler knows no any())
        if numbers[i] == number:
            return True
    return False


@njit()
def _text(index: Index, number: int) -> Symbols:
    return index.symbols[index.starts[number] : index.starts[number + 1]]


@njit()
def _excluded(queries: Queries, g: int) -> Ints:
    number = queries.numbers[g]
    return queries.excluded[queries.excluded_starts[number] : queries.excluded_starts[number + 1]]


@njit()
def _first_cutoff(index: Index, queries: Queries, group: Group, g: int) -> int:
    """Return an upper bound of the distance that is needed, from the query's neighbours in alphabetical order."""
    query, wanted = queries.symbols[queries.starts[g] : queries.starts[g + 1]], queries.wanted[g]
    excluded = _excluded(queries, g)
    tally = group.tally[g]
    _clear(tally)
    cutoff = len(tally) - 1
    flip_positions(group.positions, query)
    tried = np.empty(4 * _STEPS, np.int64)
    count = 0
    for way in range(4):
        order = index.alphabetical if way < 2 else index.alphabetical_backwards
        step = 1 if way % 2 else -1
        rank = queries.forwards[g] if way < 2 else queries.backwards[g]
        at = rank + (0 if step == 1 else -1)
        total = 0
        for _ in range(_STEPS):
            if total == _NEIGHBOURS + wanted or not 0 <= at < len(order):
                break
            text = np.int64(order[at])
            at += step
            if _holds(tried[:count], text):
                continue
            tried[count] = text
            count += 1
            distance = distance_in_blocks(group.positions, len(query), _text(index, text), cutoff, group.columns)
            if distance > cutoff:
                total += 1
            elif distance > 0:
                eligible = _eligible(index, text, excluded)
                if eligible:
                    total += 1
                    tally[distance] += eligible
                    cutoff = _tightened(tally, wanted, cutoff)
    flip_positions(group.positions, query)
    return cutoff


@njit()
def load_queries(index: Index, queries: Queries, group: Group) -> None:
    """Look up the bitmap rows of the queries, and find their first cut-offs."""
    seen, codes = np.zeros(CODES, np.uint16), np.empty((2, longest_text(queries.starts) + 1), np.int64)
    for g in range(len(queries.numbers)):
        query = queries.symbols[queries.starts[g] : queries.starts[g + 1]]
        group.lengths[g] = len(query)
        feature_codes(query, seen, codes)
        for kind in range(2):
            of_kind = codes[kind, : len(query) + kind]
            group.row_counts[kind, g] = _chosen_rows(of_kind, index.bitmaps.row_of[kind], group.rows[kind, g])
        group.cutoffs[g] = _first_cutoff(index, queries, group, g) if queries.wanted[g] > 0 else -1
        _clear(group.tally[g])


@njit()
def _add_hit(
    index: Index, queries: Queries, group: Group, g: int, hit: tuple[int, int], hits: Ints32, count: int
) -> Ints32:
    """Add a text at a distance to the hits of query g, lower the query's cut-off, and return the hits."""
    if count == len(hits):
        hits = np.concatenate((hits, np.empty_like(hits)))
    text, distance = hit
    hits[count, 0], hits[count, 1], hits[count, 2] = g, text, distance
    group.tally[g, distance] += _eligible(index, text, _excluded(queries, g))
    group.cutoffs[g] = _tightened(group.tally[g], queries.wanted[g], group.cutoffs[g])
    return hits


@njit()
def _compare(
    index: Index, queries: Queries, group: Group, g: int, candidates: Ints32, hits: Ints32, count: int
) -> tuple[Ints32, int]:
    """Add query g's candidates within reach to the hits, lower its cut-off, and return the hits with their number.

    Texts as long as the query come first: they are the nearest more often, so that the cut-off falls early.
    """
    query, first_cutoff = queries.symbols[queries.starts[g] : queries.starts[g + 1]], group.cutoffs[g]
    length = len(query)
    narrow, width = len(group.windows) > 0, width_for(first_cutoff)
    flip_positions(group.positions, query)
    if narrow:
        flip_windows(group.windows, query, width)
    run = new_run()
    for turn in range(2 * first_cutoff + 1):
        away = (turn + 1) // 2
        size = length + (away if turn % 2 else -away)
        first, last = texts_of_lengths(index, size, size)
        c, end = _place_of(candidates, first), _place_of(candidates, last)
        while c < end and away <= group.cutoffs[g]:
            cutoff, texts = group.cutoffs[g], min(RUN, end - c)
            load_run(run, candidates[c : c + texts], index.symbols, index.starts)
            c += texts
            near = narrow and cutoff < BAND
            if near:
                texts = near_texts(group.windows, length, index.symbols, size, cutoff, run, texts)
            for i in range(texts):
                if near:
                    distance = np.int64(run.state[2, i])
                else:
                    text = _text(index, run.texts[i])
                    distance = distance_in_blocks(group.positions, length, text, group.cutoffs[g], group.columns)
                if distance <= group.cutoffs[g]:
                    hits = _add_hit(index, queries, group, g, (run.texts[i], distance), hits, count)
                    count += 1
    if narrow:
        flip_windows(group.windows, query, width)
    flip_positions(group.positions, query)
    return hits, count


@njit()
def _compare_all(
    index: Index, queries: Queries, group: Group, spans: Ints, hits: Ints32, count: int
) -> tuple[Ints32, int]:
    """Compare what was marked for each query, and return the hits with their number."""
    candidates = np.empty(len(index.starts), np.int32)
    for g in range(len(queries.numbers)):
        marked = collect(group.marks[g], spans[g], candidates)
        hits, count = _compare(index, queries, group, g, candidates[:marked], hits, count)
    return hits, count


def search_group(index: Index, queries: Queries) -> Hits:
    """Search for all queries of a group, in two passes.

    What is found comes in any order: sorting is left to NumPy, since a sort takes the compiler seconds. So does each
    level of kernels within kernels, for it is optimised anew with all that is in it: this function is therefore not
    compiled.
    """
    size = len(queries.numbers)
    group = new_group(index, size, int(np.diff(queries.starts).max()))
    load_queries(index, queries, group)
    hits, count = np.empty((256, 3), np.int32), 0
    spans = np.zeros((size, 2), np.int64)
    for quarters in (3, 4):  # most of the way first, then to the end
        group.ceilings[:] = group.cutoffs * quarters // 4
        sift(index, group, spans)
        hits, count = _compare_all(index, queries, group, spans, hits, count)
    return _eligible_hits(index, queries, group, hits[:count])


def _eligible_hits(index: Index, queries: Queries, group: Group, hits: Ints32) -> Hits:
    """Return the ids of texts within the last cut-offs, but those that are excluded.

    A hit is the number of a query, a text, and their distance.
    """
    query, text, distance = hits[(hits[:, 2] > 0) & (hits[:, 2] <= group.cutoffs[hits[:, 0]])].T
    sizes, places = ranges(index.id_starts, text)
    numbers, ids, distances = np.repeat(query, sizes), index.ids[places], np.repeat(distance, sizes)
    counts, places = ranges(queries.excluded_starts, queries.numbers)
    every = len(index.ids)
    excluded = np.append(np.repeat(np.arange(len(counts)), counts) * every + queries.excluded[places], -1)
    keys = numbers * np.int64(every) + ids
    kept = excluded[np.searchsorted(excluded[:-1], keys)] != keys
    totals = np.bincount(numbers[kept], minlength=len(counts))
    exhausted = (totals == every - counts - group.tally[:, 0]) & (queries.wanted > 0)
    return Hits(queries.numbers[numbers[kept]], ids[kept], distances[kept], queries.numbers[exhausted])
