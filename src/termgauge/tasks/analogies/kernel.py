"""The compiled part of analogies: how many words beat the right answer, without the GIL.

The score of a word for an analogy is a sum of two numbers that were computed beforehand, one of the first pair and the
word, one of the second pair and the word. For each pair the words with its greatest numbers are listed. A word that
beats the answer has a great number of one pair or the other, so that the two lists are gone through together until
the next numbers of both are too small in sum (the threshold algorithm of Fagin et al. 2003). Where the lists are too
short for that, all words are looked at, in chunks: one in which even the greatest numbers are too small in sum costs
one addition. Sums are in single precision: words that are too near to call are scored again in double precision from
the vectors themselves.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK = 64
"""Words whose greatest numbers are kept; the vocabulary comes in blocks of a multiple of it."""
_CHUNKS_AT_ONCE = 16
LISTED = 1024
"""The most words of a block that are listed for each pair."""
_DEVIATIONS = (2.3, 2.6, 3.0, 4.0, 6.0)
_STEPS_AT_ONCE = 32
_UNRANKED = np.float32(-1e30)
TIE = 1e-9
"""Scores this close are a tie, whatever the order in which their parts were added."""
EPSILON = 0.001
"""Of 3CosMul, so that nothing is divided by zero."""
SHORT = 1e-6
"""A difference of vectors shorter than this has no direction."""
ADD, MUL, DIRECTION = 0, 1, 2


class Table(NamedTuple):
    """What pairs add to the scores of the words of a block, a pair in each row."""

    numbers: NDArray[np.float32]
    maxima: NDArray[np.float32]
    """The greatest of each chunk, by :func:`chunk_maxima`."""
    greatest: NDArray[np.float32]
    """The greatest of each row, where they are and how many, by :func:`list_greatest`."""
    places: NDArray[np.int32]
    lengths: NDArray[np.int32]


class Words(NamedTuple):
    """The words of a block, and what their exact scores need."""

    vectors: NDArray[np.float32]
    """As given."""
    inverse_lengths: NDArray[np.float64]
    rows: NDArray[np.int64]
    """In the whole vocabulary."""
    places: NDArray[np.int64]
    """Where each end is in the block; negative if it is in another."""
    units: NDArray[np.float64]
    """The ends, scaled to length 1."""
    ends: NDArray[np.int64]
    """For each pair the numbers of its x and its y among the ends, and the row of x."""
    method: int


@njit()
def scale_rows(
    vectors: NDArray[np.float32],
    units: NDArray[np.float32],
    inverse_lengths: NDArray[np.float64],
    start: int,
    stop: int,
) -> None:
    """Scale some vectors to length 1, and keep 1 / length; 0 for a vector that has no direction."""
    for row in range(start, stop):
        square = 0.0
        for place in range(vectors.shape[1]):
            square += np.float64(vectors[row, place]) * np.float64(vectors[row, place])
        inverse = 1 / np.sqrt(square) if square > 0 and np.isfinite(square) else 0.0
        inverse_lengths[row] = inverse
        for place in range(vectors.shape[1]):
            units[row, place] = np.float64(vectors[row, place]) * inverse if inverse else 0.0


@njit()
def chunk_maxima(table: NDArray[np.float32], maxima: NDArray[np.float32], start: int, stop: int) -> None:
    """Fill rows of `maxima` with the greatest number of each chunk of a row of `table`."""
    for row in range(start, stop):
        for chunk in range(maxima.shape[1]):
            some = table[row, chunk * CHUNK : (chunk + 1) * CHUNK]
            greatest = some[0]
            for place in range(1, CHUNK):
                greatest = max(greatest, some[place])
            maxima[row, chunk] = greatest


@njit()
def list_greatest(
    table: NDArray[np.float32],
    greatest: NDArray[np.float32],
    places: NDArray[np.int32],
    lengths: NDArray[np.int32],
    start: int,
    stop: int,
) -> None:
    """List the greatest numbers of rows of `table`, descending, and where they are; of equal ones the earlier first.

    A list holds all numbers that stand out by so many standard deviations that they fit into it.
    """
    most = greatest.shape[1]
    found = np.empty(most, np.float32)
    where = np.empty(most, np.int32)
    for row in range(start, stop):
        numbers = table[row]
        total = square = 0.0
        finite = 0
        for place in range(len(numbers)):
            if numbers[place] > _UNRANKED:
                total += numbers[place]
                square += numbers[place] * numbers[place]
                finite += 1
        mean = total / max(1, finite)
        spread = math.sqrt(max(0.0, square / max(1, finite) - mean * mean))
        count = most + 1
        for deviations in _DEVIATIONS:
            bound = np.float32(mean + deviations * spread)
            count = 0
            for place in range(len(numbers)):
                if numbers[place] >= bound:
                    if count == most:
                        count += 1
                        break
                    found[count] = -numbers[place]
                    where[count] = place
                    count += 1
            if count <= most:
                break
        lengths[row] = count if count <= most else 0
        order = np.argsort(found[: lengths[row]], kind="mergesort")
        for rank in range(lengths[row]):
            greatest[row, rank] = -found[order[rank]]
            places[row, rank] = where[order[rank]]


@njit()
def count_beaters(
    table_rows: NDArray[np.int32], first: Table, second: Table, analogies: NDArray[np.void], words: Words, limit: int
) -> None:
    """Add to the count of each analogy the words of a block that beat its answer, until there are `limit`.

    `table_rows` are, for each pair, its row in `first`, and in `second` (in the first of several variants). The tables
    hold what a first pair, or the second's y, adds to the score of each word of the block; `first` has minus infinity
    for words that never rank. `analogies` are as :data:`~termgauge.tasks.analogies.search.ANALOGY` says.
    """
    chunks = first.maxima.shape[1]
    variant_rows = table_rows[1].max() + 1
    for number in range(len(analogies)):
        analogy = analogies[number]
        if analogy["count"] >= limit:
            continue
        row_a = table_rows[0, analogy["h"]]
        row_b = table_rows[1, analogy["j"]] + variant_rows * analogy["variant"]
        weight, low = analogy["weight"], analogy["low"]
        count = analogy["count"]
        listed = _beaters_in_lists(first, row_a, second, row_b, analogy, words, limit - count)
        if listed >= 0:
            analogies[number]["count"] = min(count + listed, limit)
            continue
        maxima_a, maxima_b = first.maxima[row_a], second.maxima[row_b]
        numbers_a, numbers_b = first.numbers[row_a], second.numbers[row_b]
        chunk = 0
        while chunk < chunks and count < limit:
            stop = min(chunk + _CHUNKS_AT_ONCE, chunks)
            if _any_reaches(maxima_a, maxima_b, chunk, stop, weight, low):
                for c in range(chunk, stop):
                    if maxima_a[c] + weight * maxima_b[c] >= low and _any_reaches(
                        numbers_a, numbers_b, c * CHUNK, (c + 1) * CHUNK, weight, low
                    ):
                        count += _beaters_in_chunk(numbers_a, numbers_b, c * CHUNK, analogy, words, limit - count)
                        if count >= limit:
                            break
            chunk = stop
        analogies[number]["count"] = min(count, limit)


@njit()
def _any_reaches(
    numbers_a: NDArray[np.float32],
    numbers_b: NDArray[np.float32],
    begin: int,
    end: int,
    weight: np.float32,
    low: np.float32,
) -> bool:
    """Say whether any sum reaches the bound: all are looked at, for that is quicker than to stop at the first."""
    some_a, some_b = numbers_a[begin:end], numbers_b[begin:end]
    found = False
    for place in range(len(some_a)):
        found |= some_a[place] + weight * some_b[place] >= low
    return found


@njit()
def _beaters_in_lists(
    first: Table, row_a: int, second: Table, row_b: int, analogy: np.void, words: Words, wanted: int
) -> int:
    """Return how many words beat the answer, no more than are wanted; -1 if the lists are too short to tell."""
    numbers_a, greatest_a, places_a = first.numbers[row_a], first.greatest[row_a], first.places[row_a]
    numbers_b, greatest_b, places_b = second.numbers[row_b], second.greatest[row_b], second.places[row_b]
    weight, low = analogy["weight"], analogy["low"]
    length = min(first.lengths[row_a], second.lengths[row_b])
    if length == 0 or greatest_a[length - 1] + weight * greatest_b[length - 1] >= low:
        return -1
    found = begin = 0
    while greatest_a[begin] + weight * greatest_b[begin] >= low:
        stop = begin + 1
        while stop < begin + _STEPS_AT_ONCE and greatest_a[stop] + weight * greatest_b[stop] >= low:
            stop += 1
        possible = 0
        for step in range(begin, stop):
            possible += greatest_a[step] + weight * numbers_b[places_a[step]] >= low
        for step in range(begin, stop):
            possible += numbers_a[places_b[step]] + weight * greatest_b[step] >= low
        step = begin
        while possible and step < stop:
            for which in range(2):
                place = places_b[step] if which else places_a[step]
                score = numbers_a[place] + weight * numbers_b[place]
                if score < low:
                    continue
                possible -= 1
                # A word is met once: in the first list, unless it came earlier in the second.
                if which:
                    met = _listed(numbers_a[place], place, greatest_a[step], places_a[step])
                else:
                    met = step > 0 and _listed(numbers_b[place], place, greatest_b[step - 1], places_b[step - 1])
                if not met and not _left_out(place, analogy, words):
                    found += score > analogy["high"] or _beats(place, analogy, words)
            if found >= wanted:
                return found
            step += 1
        begin = stop
    return found


@njit()
def _listed(number: np.float32, place: int, last: np.float32, last_place: int) -> bool:
    """Return whether a word is in a list that goes down to a certain one."""
    return bool(number > last or (number == last and place <= last_place))


@njit()
def _ends_of(analogy: np.void, words: Words) -> tuple[int, int, int, int]:
    """Return where x and y of the two pairs are in the block."""
    h, j = words.ends[analogy["h"]], words.ends[analogy["j"]]
    return words.places[h[0]], words.places[h[1]], words.places[j[0]], words.places[j[1]]


@njit()
def _left_out(place: int, analogy: np.void, words: Words) -> bool:
    """Return whether a word is an end of the two pairs."""
    return place in _ends_of(analogy, words)


@njit()
def _beats(place: int, analogy: np.void, words: Words) -> bool:
    """Return whether a word beats the answer in double precision; of equal scores the earlier row does."""
    h, j = words.ends[analogy["h"]], words.ends[analogy["j"]]
    x_h, y_h, y_j = words.units[h[0]], words.units[h[1]], words.units[j[1]]
    score = _score(words.vectors[place], words.inverse_lengths[place], x_h, y_h, y_j, words.method)
    truth = analogy["truth"]
    reach = TIE * max(1.0, abs(truth))
    return bool(score > truth + reach or (score >= truth - reach and words.rows[place] < j[2]))


@njit()
def _beaters_in_chunk(
    numbers_a: NDArray[np.float32],
    numbers_b: NDArray[np.float32],
    begin: int,
    analogy: np.void,
    words: Words,
    wanted: int,
) -> int:
    """Return how many words of a chunk beat the answer; no more than are wanted need be counted."""
    weight, low, high = analogy["weight"], analogy["low"], analogy["high"]
    some_a, some_b = numbers_a[begin : begin + CHUNK], numbers_b[begin : begin + CHUNK]
    possible = sure = 0
    for place in range(CHUNK):
        score = some_a[place] + weight * some_b[place]
        possible += score >= low
        sure += score > high
    x_h, y_h, x_j, y_j = _ends_of(analogy, words)
    # The left-out words, each once, counted above as if they took part.
    for which in range(4):
        place = (x_h, y_h, x_j, y_j)[which]
        if place < begin or place >= begin + CHUNK:
            continue
        if (which > 0 and place == x_h) or (which > 1 and place == y_h) or (which > 2 and place == x_j):
            continue
        score = numbers_a[place] + weight * numbers_b[place]
        possible -= score >= low
        sure -= score > high
    if sure >= wanted or possible == sure:
        return sure
    for place in range(begin, begin + CHUNK):
        score = numbers_a[place] + weight * numbers_b[place]
        if not low <= score <= high or place in (x_h, y_h, x_j, y_j):
            continue
        if _beats(place, analogy, words):
            sure += 1
            if sure >= wanted:
                break
    return sure


@njit()
def _score(
    vector: NDArray[np.float32],
    inverse_length: float,
    x_h: NDArray[np.float64],
    y_h: NDArray[np.float64],
    y_j: NDArray[np.float64],
    method: int,
) -> float:
    """Return the score of one word in double precision; NaN where it has none."""
    to_x = to_y = to_z = apart = between = span = 0.0
    for place in range(len(vector)):
        here = np.float64(vector[place]) * inverse_length
        to_x += here * x_h[place]
        to_y += here * y_h[place]
        to_z += here * y_j[place]
        if method == DIRECTION:
            step, way = here - y_j[place], x_h[place] - y_h[place]
            apart += step * step
            span += way * way
            between += step * way
    if method == ADD:
        return to_x - to_y + to_z
    if method == MUL:
        return (1 + to_x) / 2 * ((1 + to_z) / 2) / ((1 + to_y) / 2 + EPSILON)
    if apart <= SHORT * SHORT:
        return np.nan
    return between / math.sqrt(apart * span)
