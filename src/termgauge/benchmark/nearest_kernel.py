"""The compiled part of the nearest-term search: one chunk of queries against the whole index, without the GIL.

Queries of similar length go through the bitmaps together, block after block, so that a block is read from memory
once for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import njit

from termgauge.benchmark.edit_distance import (
    LANES,
    WORD,
    blocks_of,
    clear_positions,
    distance_in_blocks,
    distances_in_lanes,
    mark_positions,
    popcount,
)
from termgauge.benchmark.term_bitmaps import (
    BLOCK,
    CODES,
    DIGITS,
    EMPTY_ROW,
    MOST_FEATURES,
    WORDS,
    Bitmaps,
    add_rows,
    feature_codes,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK = 256
GROUP = 16
_NEIGHBOURS = 8
_STEPS = 64
_PASSED = 1 << DIGITS - 1  # a sum that reaches this has as many shared features as are needed


class Index(NamedTuple):
    """Distinct texts ordered by length, with all that the search needs to know of them."""

    symbols: NDArray[Any]
    starts: NDArray[np.int64]
    first_of_length: NDArray[np.int64]
    ids: NDArray[np.int64]
    id_starts: NDArray[np.int64]
    alphabetical: NDArray[np.int32]
    alphabetical_backwards: NDArray[np.int32]
    bitmaps: Bitmaps
    symbol_count: int


class Queries(NamedTuple):
    """A chunk of queries: their numbers, symbols, places in the two alphabetical orders, and texts wanted."""

    numbers: NDArray[np.int64]
    symbols: NDArray[Any]
    starts: NDArray[np.int64]
    forwards: NDArray[np.int64]
    backwards: NDArray[np.int64]
    wanted: NDArray[np.int64]


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _eligible(index: Index, text: int, excluded: NDArray[np.int64]) -> int:
    """Count the ids of a distinct text that are not among the (sorted) excluded ones."""
    count = 0
    for i in range(index.id_starts[text], index.id_starts[text + 1]):
        at = np.searchsorted(excluded, index.ids[i])
        if at == len(excluded) or excluded[at] != index.ids[i]:
            count += 1
    return count


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _tightened(tally: NDArray[np.int64], wanted: int, cutoff: int) -> int:
    """Return the smallest distance up to which enough texts are known, or the cut-off if there is none."""
    total = 0
    for d in range(1, cutoff):
        total += tally[d]
        if total >= wanted:
            return d
    return cutoff


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _holds(numbers: NDArray[np.int64], number: int) -> bool:
    for i in range(len(numbers)):
        if numbers[i] == number:
            return True
    return False


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _first_cutoff(
    index: Index,
    positions: NDArray[np.uint64],
    query: NDArray[Any],
    places: tuple[int, int],
    excluded: NDArray[np.int64],
    wanted: int,
    tally: NDArray[np.int64],
    columns: NDArray[np.uint64],
) -> int:
    """Return an upper bound of the distance that is needed, from the query's neighbours in alphabetical order."""
    cutoff = len(tally) - 1
    tally[:] = 0
    tried = np.empty(4 * _STEPS, np.int64)
    count = 0
    for way in range(4):
        order = index.alphabetical if way < 2 else index.alphabetical_backwards
        step = 1 if way % 2 else -1
        at = places[way // 2] + (0 if step == 1 else -1)
        found = 0
        for _ in range(_STEPS):
            if found == _NEIGHBOURS + wanted or not 0 <= at < len(order):
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
                found += 1
            elif distance > 0:
                eligible = _eligible(index, text, excluded)
                if eligible:
                    found += 1
                    tally[distance] += eligible
                    cutoff = _tightened(tally, wanted, cutoff)
    return cutoff


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _chosen_rows(codes: NDArray[np.int64], row_of: NDArray[np.int64], chosen: NDArray[np.int64]) -> int:
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


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _digits_at(sums: NDArray[np.uint64], word: int, bit: int, digits: int) -> int:
    value = 0
    for d in range(digits):
        value |= np.int64(sums[d, word] >> np.uint64(bit) & np.uint64(1)) << d
    return value


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _bits_for(number: int) -> int:
    bits = 1
    while number >> bits:
        bits += 1
    return bits


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _grown(array: NDArray[Any]) -> NDArray[Any]:
    larger = np.empty(2 * len(array), array.dtype)
    larger[: len(array)] = array
    return larger


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _candidates(
    index: Index,
    lengths: NDArray[np.int64],
    cutoffs: NDArray[np.int64],
    letters: NDArray[np.int64],
    letter_counts: NDArray[np.int64],
    pairs: NDArray[np.int64],
    pair_counts: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the texts that may be within each query's cut-off, by query and then by lower bound.

    Texts of query g whose lower bound is b are those from ``ends[g * width + b]`` on, ``width`` being the greatest
    cut-off plus 1.
    """
    width = np.max(cutoffs) + 1
    starts, rows = index.starts, index.bitmaps.rows
    longest = len(index.first_of_length) - 2
    from_text, to_text = np.empty(len(lengths), np.int64), np.empty(len(lengths), np.int64)
    for g in range(len(lengths)):
        from_text[g] = index.first_of_length[min(max(0, lengths[g] - cutoffs[g]), longest + 1)]
        to_text[g] = index.first_of_length[min(longest, lengths[g] + cutoffs[g]) + 1]
    texts, keys = np.empty(4096, np.int32), np.empty(4096, np.int32)
    count = 0
    letter_sums, pair_sums = np.empty((DIGITS, WORDS), np.uint64), np.empty((DIGITS, WORDS), np.uint64)
    one = np.uint64(1)
    for block in range(np.min(from_text) // BLOCK, (np.max(to_text) + BLOCK - 1) // BLOCK):
        shortest = starts[block * BLOCK + 1] - starts[block * BLOCK]
        for g in range(len(lengths)):
            if block * BLOCK >= to_text[g] or (block + 1) * BLOCK <= from_text[g]:
                continue
            n, cutoff = lengths[g], cutoffs[g]
            longer = max(n, shortest)
            letters_free, pairs_free = max(0, n - MOST_FEATURES), max(0, n + 1 - MOST_FEATURES)
            letters_needed = max(0, longer - cutoff - letters_free)
            pairs_needed = max(0, longer + 1 - 2 * cutoff - pairs_free)
            add_rows(rows[block], letters[g, : letter_counts[g]], _PASSED - letters_needed, letter_sums)
            if pairs_needed:
                add_rows(rows[block], pairs[g, : pair_counts[g]], _PASSED - pairs_needed, pair_sums)
            letter_digits, pair_digits = min(_bits_for(n), DIGITS - 1), min(_bits_for(n + 1), DIGITS - 1)
            while len(texts) < count + BLOCK:
                texts, keys = _grown(texts), _grown(keys)
            for w in range(WORDS):
                passing = letter_sums[DIGITS - 1, w]
                if pairs_needed:
                    passing &= pair_sums[DIGITS - 1, w]
                while passing:
                    lowest = passing & (~passing + one)
                    bit = np.int64(popcount(lowest - one))
                    passing ^= lowest
                    text = block * BLOCK + w * 64 + bit
                    if text < from_text[g] or text >= to_text[g]:
                        continue
                    m = starts[text + 1] - starts[text]
                    bound = max(n, m) - letters_free - letters_needed - _digits_at(letter_sums, w, bit, letter_digits)
                    if pairs_needed:
                        shared = pairs_needed + pairs_free + _digits_at(pair_sums, w, bit, pair_digits)
                        bound = max(bound, (max(n, m) + 2 - shared) // 2)
                    bound = max(bound, abs(n - m))
                    if bound <= cutoff:
                        texts[count], keys[count] = text, g * width + bound
                        count += 1
    ends = np.zeros(len(lengths) * width + 1, np.int64)
    for i in range(count):
        ends[keys[i] + 1] += 1
    for i in range(len(ends) - 1):
        ends[i + 1] += ends[i]
    ordered = np.empty(count, np.int32)
    fill = ends.copy()
    for i in range(count):
        ordered[fill[keys[i]]] = texts[i]
        fill[keys[i]] += 1
    return ordered, ends


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _load_lanes(index: Index, candidates: NDArray[np.int32], bases: NDArray[np.int64]) -> int:
    """Set ``bases`` to the starts of the first candidates that have one length; return how many they are."""
    size = index.starts[candidates[0] + 1] - index.starts[candidates[0]]
    lanes = 0
    while lanes < min(LANES, len(candidates)):
        start = index.starts[candidates[lanes]]
        if index.starts[candidates[lanes] + 1] - start != size:
            break
        bases[lanes] = start
        lanes += 1
    bases[lanes:] = bases[0]
    return lanes


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _compare(
    index: Index,
    positions: NDArray[np.uint64],
    length: int,
    candidates: NDArray[np.int32],
    ends: NDArray[np.int64],
    excluded: NDArray[np.int64],
    wanted: int,
    cutoff: int,
    tally: NDArray[np.int64],
    columns: NDArray[np.uint64],
) -> tuple[NDArray[np.int32], NDArray[np.int32], int, int]:
    """Return the texts within reach, their distances, the cut-off reached, and the eligible texts at distance 0."""
    tally[:] = 0
    near, distances = np.empty(64, np.int32), np.empty(64, np.int32)
    bases, state = np.empty(LANES, np.int64), np.empty((3, LANES), np.uint64)
    count, equal, bound = 0, 0, 0
    while bound <= cutoff:
        c = ends[bound]
        while c < ends[bound + 1] and bound <= cutoff:
            lanes = _load_lanes(index, candidates[c : ends[bound + 1]], bases)
            size = index.starts[candidates[c] + 1] - bases[0]
            if length > WORD and cutoff >= WORD:
                for lane in range(lanes):
                    text = index.symbols[bases[lane] : bases[lane] + size]
                    state[2, lane] = distance_in_blocks(positions, length, text, cutoff, columns)
            else:
                distances_in_lanes(positions, length, index.symbols, bases, size, cutoff, state)
            for lane in range(lanes):
                distance = np.int64(state[2, lane])
                if distance > cutoff:
                    continue
                eligible = _eligible(index, candidates[c + lane], excluded)
                if distance == 0:
                    equal = eligible
                elif eligible:
                    if count == len(near):
                        near, distances = _grown(near), _grown(distances)
                    near[count], distances[count] = candidates[c + lane], distance
                    count += 1
                    tally[distance] += eligible
                    cutoff = _tightened(tally, wanted, cutoff)
            c += lanes
        bound += 1
    return near[:count], distances[:count], cutoff, equal


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _distinct(sorted_numbers: NDArray[np.int64]) -> int:
    count = 0
    for i in range(len(sorted_numbers)):
        count += i == 0 or sorted_numbers[i] != sorted_numbers[i - 1]
    return count


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _in_order(
    index: Index,
    near: NDArray[np.int32],
    distances: NDArray[np.int32],
    cutoff: int,
    excluded: NDArray[np.int64],
    tally: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the eligible ids of the near texts and their distances, by distance and then id."""
    place = np.zeros(cutoff + 2, np.int64)
    for d in range(1, cutoff + 1):
        place[d + 1] = place[d] + tally[d]
    ids = np.empty(place[cutoff + 1], np.int64)
    ordered_distances = np.empty(len(ids), np.int32)
    fill = place.copy()
    for t in range(len(near)):
        if distances[t] > cutoff:
            continue
        for i in range(index.id_starts[near[t]], index.id_starts[near[t] + 1]):
            at = np.searchsorted(excluded, index.ids[i])
            if at == len(excluded) or excluded[at] != index.ids[i]:
                ids[fill[distances[t]]] = index.ids[i]
                ordered_distances[fill[distances[t]]] = distances[t]
                fill[distances[t]] += 1
    for d in range(1, cutoff + 1):
        ids[place[d] : place[d + 1]].sort()
    return ids, ordered_distances


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def search_chunk(
    index: Index, queries: Queries, excluded_offsets: NDArray[np.int64], excluded_ids: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
    """Search for all queries of a chunk; return the end of each query's results, ids, distances and exhaustion."""
    total = len(queries.numbers)
    longest_query = np.max(np.diff(queries.starts))
    reach = max(longest_query, len(index.first_of_length) - 2) + 1
    blocks = blocks_of(longest_query)
    table = np.zeros(index.symbol_count * blocks, np.uint64)
    columns = np.empty((blocks, 2), np.uint64)
    tally = np.empty(reach + 1, np.int64)
    seen = np.zeros(CODES, np.uint16)
    letter_codes, pair_codes = np.empty(longest_query + 1, np.int64), np.empty(longest_query + 1, np.int64)
    most = min(longest_query + 1, MOST_FEATURES) + 7
    letters, pairs = np.empty((GROUP, most), np.int64), np.empty((GROUP, most), np.int64)
    letter_counts, pair_counts = np.empty(GROUP, np.int64), np.empty(GROUP, np.int64)
    lengths, cutoffs = np.empty(GROUP, np.int64), np.empty(GROUP, np.int64)
    ends, exhausted = np.zeros(total, np.int64), np.zeros(total, np.bool_)
    ids, distances = np.empty(4 * total + 64, np.int64), np.empty(4 * total + 64, np.int32)
    count = 0
    for start in range(0, total, GROUP):
        group = min(GROUP, total - start)
        for g in range(group):
            q = start + g
            query = queries.symbols[queries.starts[q] : queries.starts[q + 1]]
            n = len(query)
            number = queries.numbers[q]
            excluded = np.sort(excluded_ids[excluded_offsets[number] : excluded_offsets[number + 1]])
            own_blocks = blocks_of(n)
            positions = table[: index.symbol_count * own_blocks].reshape(index.symbol_count, own_blocks)
            mark_positions(positions, query)
            places = (queries.forwards[q], queries.backwards[q])
            lengths[g] = n
            cutoffs[g] = _first_cutoff(
                index, positions, query, places, excluded, queries.wanted[q], tally, columns
            )
            clear_positions(positions, query)
            feature_codes(query, seen, letter_codes, pair_codes)
            letter_counts[g] = _chosen_rows(letter_codes[:n], index.bitmaps.letter_row, letters[g])
            pair_counts[g] = _chosen_rows(pair_codes[: n + 1], index.bitmaps.pair_row, pairs[g])
        candidates, bounds = _candidates(
            index, lengths[:group], cutoffs[:group], letters, letter_counts, pairs, pair_counts
        )
        width = np.max(cutoffs[:group]) + 1
        for g in range(group):
            q = start + g
            query = queries.symbols[queries.starts[q] : queries.starts[q + 1]]
            number = queries.numbers[q]
            excluded = np.sort(excluded_ids[excluded_offsets[number] : excluded_offsets[number + 1]])
            own_blocks = blocks_of(len(query))
            positions = table[: index.symbol_count * own_blocks].reshape(index.symbol_count, own_blocks)
            mark_positions(positions, query)
            near, near_distances, cutoff, equal = _compare(
                index,
                positions,
                len(query),
                candidates,
                bounds[g * width : (g + 1) * width + 1],
                excluded,
                queries.wanted[q],
                cutoffs[g],
                tally,
                columns,
            )
            clear_positions(positions, query)
            if queries.wanted[q] > 0:
                found, found_distances = _in_order(index, near, near_distances, cutoff, excluded, tally)
                while count + len(found) > len(ids):
                    ids, distances = _grown(ids), _grown(distances)
                ids[count : count + len(found)] = found
                distances[count : count + len(found)] = found_distances
                count += len(found)
                exhausted[q] = len(found) == len(index.ids) - _distinct(excluded) - equal
            ends[q] = count
    return ends, ids[:count].copy(), distances[:count].copy(), exhausted
