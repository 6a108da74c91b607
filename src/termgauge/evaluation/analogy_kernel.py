"""The compiled part of analogies: how many words beat the right answer, without the GIL.

The score of a word for an analogy is a sum of two numbers that were computed beforehand, one of the first pair and the
word, one of the second pair and the word. Words stand in chunks with the greatest numbers of each chunk beside them,
so that a chunk in which no word can beat the answer costs one addition. Sums are in single precision: words that are
too near to call are scored again in double precision from the vectors themselves.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK = 64
"""Words whose greatest numbers are kept; the vocabulary comes in blocks of a multiple of it."""
_CHUNKS_AT_ONCE = 16
TIE = 1e-9
"""Scores this close are a tie, whatever the order in which their parts were added."""
EPSILON = 0.001
"""Of 3CosMul, so that nothing is divided by zero."""
SHORT = 1e-6
"""A difference of vectors shorter than this has no direction."""
ADD, MUL, DIRECTION = 0, 1, 2


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
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


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def chunk_maxima(table: NDArray[np.float32], maxima: NDArray[np.float32], start: int, stop: int) -> None:
    """Fill rows of `maxima` with the greatest number of each chunk of a row of `table`."""
    for row in range(start, stop):
        for chunk in range(maxima.shape[1]):
            some = table[row, chunk * CHUNK : (chunk + 1) * CHUNK]
            greatest = some[0]
            for place in range(1, CHUNK):
                greatest = max(greatest, some[place])
            maxima[row, chunk] = greatest


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def count_beaters(
    first: NDArray[np.float32],
    first_maxima: NDArray[np.float32],
    second: NDArray[np.float32],
    second_maxima: NDArray[np.float32],
    analogies: NDArray[np.void],
    vectors: NDArray[np.float32],
    inverse_lengths: NDArray[np.float64],
    rows: NDArray[np.int64],
    places: NDArray[np.int64],
    units: NDArray[np.float64],
    ends: NDArray[np.int64],
    method: int,
    limit: int,
) -> None:
    """Add to the count of each analogy the words of a block that beat its answer, until there are `limit`.

    Parameters
    ----------
    first, second
        What a first pair, or the second's y, adds to the score of each word of the block; minus infinity in `first`
        for words that never rank.
    first_maxima, second_maxima
        Of each chunk.
    analogies
        What :data:`~termgauge.evaluation.analogy_search.ANALOGY` says; `count` is added to.
    vectors, inverse_lengths, rows
        Of the words of the block: as given, 1 / length, and their rows in the whole vocabulary.
    places
        Where each end is in the block; negative if it is in another.
    units
        The ends, scaled to length 1.
    ends
        For each pair the numbers of its x and its y among the ends, and their rows.
    method, limit
        Which score; where counting stops.
    """
    chunks = first_maxima.shape[1]
    for number in range(len(analogies)):
        analogy = analogies[number]
        row_a, row_b = analogy["a"], analogy["b"]
        weight, low, high = analogy["weight"], analogy["low"], analogy["high"]
        count = analogy["count"]
        maxima_a, maxima_b = first_maxima[row_a], second_maxima[row_b]
        numbers_a, numbers_b = first[row_a], second[row_b]
        chunk = 0
        while chunk < chunks and count < limit:
            stop = min(chunk + _CHUNKS_AT_ONCE, chunks)
            if _any_reaches(maxima_a, maxima_b, chunk, stop, weight, low):
                for c in range(chunk, stop):
                    if maxima_a[c] + weight * maxima_b[c] >= low and _any_reaches(
                        numbers_a, numbers_b, c * CHUNK, (c + 1) * CHUNK, weight, low
                    ):
                        count += _beaters_in_chunk(
                            numbers_a,
                            numbers_b,
                            c * CHUNK,
                            weight,
                            low,
                            high,
                            analogy["truth"],
                            analogy["h"],
                            analogy["j"],
                            vectors,
                            inverse_lengths,
                            rows,
                            places,
                            units,
                            ends,
                            method,
                            limit - count,
                        )
                        if count >= limit:
                            break
            chunk = stop
        analogies[number]["count"] = min(count, limit)


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
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


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def _beaters_in_chunk(
    numbers_a: NDArray[np.float32],
    numbers_b: NDArray[np.float32],
    begin: int,
    weight: np.float32,
    low: np.float32,
    high: np.float32,
    truth: float,
    h: int,
    j: int,
    vectors: NDArray[np.float32],
    inverse_lengths: NDArray[np.float64],
    rows: NDArray[np.int64],
    places: NDArray[np.int64],
    units: NDArray[np.float64],
    ends: NDArray[np.int64],
    method: int,
    wanted: int,
) -> int:
    """Return how many words of a chunk beat the answer; no more than are wanted need be counted."""
    some_a, some_b = numbers_a[begin : begin + CHUNK], numbers_b[begin : begin + CHUNK]
    possible = sure = 0
    for place in range(CHUNK):
        score = some_a[place] + weight * some_b[place]
        possible += score >= low
        sure += score > high
    x_h, y_h, x_j, y_j = places[ends[h, 0]], places[ends[h, 1]], places[ends[j, 0]], places[ends[j, 1]]
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
        exact = _score(
            vectors[place],
            inverse_lengths[place],
            units[ends[h, 0]],
            units[ends[h, 1]],
            units[ends[j, 1]],
            method,
        )
        reach = TIE * max(1.0, abs(truth))
        if exact > truth + reach or (exact >= truth - reach and rows[place] < ends[j, 2]):
            sure += 1
            if sure >= wanted:
                break
    return sure


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
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
