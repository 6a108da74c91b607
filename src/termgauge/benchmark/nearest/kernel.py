"""The compiled part of the nearest-term search: one group of queries against the whole index, without the GIL.

A few neighbours in alphabetical order give a first cut-off. A first pass compares only texts with a low bound, which
lowers the cut-off for the second, complete one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.benchmark.nearest.bands import (
    BAND,
    RUN,
    clear_windows,
    far_texts,
    load_run,
    mark_windows,
    near_texts,
    new_run,
    width_for,
)
from termgauge.benchmark.nearest.candidates import (
    Group,
    Index,
    Queries,
    collect,
    grown,
    load_features,
    new_group,
    sift,
    texts_of_lengths,
)
from termgauge.benchmark.nearest.edit_distance import (
    blocks_of,
    clear_positions,
    distance_in_blocks,
    mark_positions,
)
from termgauge.benchmark.nearest.term_bitmaps import BLOCK
from termgauge.compiled import njit

if TYPE_CHECKING:
    from termgauge.benchmark.nearest import Ints, Ints32, Symbols, Words

_NEIGHBOURS = 16  # texts looked at in each direction of each alphabetical order, beside those wanted
_STEPS = 96  # steps taken for them at most, when many are excluded


class Hits(NamedTuple):
    """Ids found, each with the number of the query and the distance; and queries for which there are no others."""

    numbers: Ints
    ids: Ints
    distances: Ints32
    exhausted: Ints


class TextHits(NamedTuple):
    """Texts found by a group: by which of its queries, at what distance."""

    queries: Ints32
    texts: Ints32
    distances: Ints32


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
def _marked(index: Index, group: Group, query: Symbols) -> Words:
    """Return the table of the query's positions, to be cleared after use."""
    blocks = blocks_of(len(query))
    positions = group.table[: index.symbol_count * blocks].reshape(index.symbol_count, blocks)
    mark_positions(positions, query)
    return positions


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
    positions = _marked(index, group, query)
    columns = np.empty((positions.shape[1], 2), np.uint64)
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
            distance = distance_in_blocks(
                positions, len(query), index.symbols[index.starts[text] : index.starts[text + 1]], cutoff, columns
            )
            if distance > cutoff:
                total += 1
            elif distance > 0:
                eligible = _eligible(index, text, excluded)
                if eligible:
                    total += 1
                    tally[distance] += eligible
                    cutoff = _tightened(tally, wanted, cutoff)
    clear_positions(positions, query)
    return cutoff


@njit()
def _add_hit(
    index: Index, queries: Queries, group: Group, g: int, hit: tuple[int, int], hits: TextHits, count: int
) -> TextHits:
    """Add a text at a distance to the hits of query g, lower the query's cut-off, and return the hits."""
    if count == len(hits.texts):
        hits = TextHits(grown(hits.queries), grown(hits.texts), grown(hits.distances))
    text, distance = hit
    hits.queries[count], hits.texts[count], hits.distances[count] = g, text, distance
    group.tally[g, distance] += _eligible(index, text, _excluded(queries, g))
    group.cutoffs[g] = _tightened(group.tally[g], queries.wanted[g], group.cutoffs[g])
    return hits


@njit()
def _compare(
    index: Index, queries: Queries, group: Group, g: int, candidates: Ints32, hits: TextHits, count: int
) -> tuple[TextHits, int]:
    """Add query g's candidates within reach to the hits, lower its cut-off, and return the hits with their number.

    Texts as long as the query come first: they are the nearest more often, so that the cut-off falls early.
    """
    query, first_cutoff = queries.symbols[queries.starts[g] : queries.starts[g + 1]], group.cutoffs[g]
    length = len(query)
    narrow, width = len(group.windows) > 0, width_for(first_cutoff)
    positions = _marked(index, group, query)
    if narrow:
        mark_windows(group.windows, query, width)
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
            if narrow and cutoff < BAND:
                texts = near_texts(group.windows, length, index.symbols, size, cutoff, run, texts)
            else:
                texts = far_texts(positions, length, index.symbols, size, cutoff, run, group.columns, texts)
            for i in range(texts):
                distance = np.int64(run.state[2, i])
                if distance <= group.cutoffs[g]:
                    hits = _add_hit(index, queries, group, g, (run.texts[i], distance), hits, count)
                    count += 1
    if narrow:
        clear_windows(group.windows, query, width)
    clear_positions(positions, query)
    return hits, count


@njit()
def _first_cutoffs(index: Index, queries: Queries, group: Group) -> None:
    for g in range(len(queries.numbers)):
        group.done[g] = -1
        group.cutoffs[g] = _first_cutoff(index, queries, group, g)
        _clear(group.tally[g])


@njit()
def _next_spans(index: Index, queries: Queries, group: Group, spans: Ints) -> bool:
    """Say up to which bound, and in which texts, each query looks next; return whether any does."""
    left = False
    for g in range(len(spans)):
        _clear(spans[g])
        if group.done[g] < group.cutoffs[g] and queries.wanted[g] > 0:
            left = True
            group.ceilings[g] = _next_ceiling(group.done[g], group.cutoffs[g])
            n, ceiling = group.lengths[g], group.ceilings[g]
            spans[g, 0], spans[g, 1] = texts_of_lengths(index, n - ceiling, n + ceiling)
    return left


@njit()
def _compare_all(
    index: Index, queries: Queries, group: Group, spans: Ints, hits: TextHits, count: int
) -> tuple[TextHits, int]:
    """Compare what was marked for each query, and return the hits with their number."""
    candidates = np.empty(2 * BLOCK, np.int32)
    for g in range(len(queries.numbers)):
        if group.done[g] < group.cutoffs[g]:
            candidates, marked = collect(group.marks[g], spans[g], candidates)
            hits, count = _compare(index, queries, group, g, candidates[:marked], hits, count)
            group.done[g] = group.ceilings[g]
    return hits, count


@njit()
def _next_ceiling(done: int, cutoff: int) -> int:
    """Return how far the next pass goes: more than half of the way first, then to the end."""
    return cutoff if done >= 0 else cutoff * 3 // 4


def search_group(index: Index, queries: Queries) -> Hits:
    """Search for all queries of a group, pass after pass, until no text below any cut-off is left.

    What is found comes in any order: sorting is left to NumPy, since a sort takes the compiler seconds. So does each
    level of kernels within kernels, for it is optimised anew with all that is in it: this function is therefore not
    compiled.
    """
    size = len(queries.numbers)
    group = new_group(index, size, int(np.diff(queries.starts).max()))
    load_features(index, queries, group)
    _first_cutoffs(index, queries, group)
    hits, count = TextHits(*(np.empty(256, np.int32) for _ in range(3))), 0
    spans = np.zeros((size, 2), np.int64)
    while _next_spans(index, queries, group, spans):
        sift(index, group, spans)
        hits, count = _compare_all(index, queries, group, spans, hits, count)
    return _eligible_hits(index, queries, group, TextHits(*(array[:count] for array in hits)))


def _eligible_hits(index: Index, queries: Queries, group: Group, hits: TextHits) -> Hits:
    """Return the ids of texts within the last cut-offs, but those that are excluded."""
    near = (hits.distances > 0) & (hits.distances <= group.cutoffs[hits.queries])
    sizes, places = _ranges(index.id_starts, hits.texts[near])
    numbers, ids, distances = (
        np.repeat(hits.queries[near], sizes),
        index.ids[places],
        np.repeat(hits.distances[near], sizes),
    )
    counts, places = _ranges(queries.excluded_starts, queries.numbers)
    every = len(index.ids)
    excluded = np.append(np.repeat(np.arange(len(counts)), counts) * every + queries.excluded[places], -1)
    keys = numbers * np.int64(every) + ids
    kept = excluded[np.searchsorted(excluded[:-1], keys)] != keys
    totals = np.bincount(numbers[kept], minlength=len(counts))
    exhausted = (totals == every - counts - group.tally[:, 0]) & (queries.wanted > 0)
    return Hits(queries.numbers[numbers[kept]], ids[kept], distances[kept], queries.numbers[exhausted])


def _ranges(starts: Ints, which: Symbols) -> tuple[Ints, Ints]:
    """Return, for some of the ranges that starts divide, how long they are, and all that is in them in a row."""
    sizes = starts[which + 1] - starts[which]
    return sizes, np.repeat(starts[which + 1] - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
