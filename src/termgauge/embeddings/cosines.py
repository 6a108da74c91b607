"""Compiled kernels for exact searches: what a matrix product in single precision lets through is decided here."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[Any]
    Doubles = NDArray[np.float64]
    Numbers = NDArray[np.int64]

# Sums may be reordered, which lets the processor do several at once; NaN keeps its meaning.
REORDER = {"reassoc", "contract", "nsz"}
DECIMALS = 12
"""Cosines are rounded to so many before they are compared: equal directions of different lengths then tie."""
_SCALE = 10.0**DECIMALS
_PIECE = 1024


def rounding_margin(width: int) -> float:
    """Return twice what a cosine of two vectors, scaled and multiplied in single precision, can be off."""
    return 2 * (width + 8) * 2.0**-24


@njit(fastmath=REORDER)
def dot(x: Rows, y: Rows) -> float:
    """Return the dot product, summed in double precision."""
    total = 0.0
    for c in range(len(x)):
        total += np.float64(x[c]) * np.float64(y[c])
    return total


@njit()
def cosine(x: Rows, y: Rows) -> float:
    """Return the cosine of two vectors in single precision, exactly and rounded; NaN where it is not defined."""
    lengths = dot(x, x) * dot(y, y)  # of numbers in single precision: neither under- nor overflows
    return np.rint(dot(x, y) / math.sqrt(lengths) * _SCALE) / _SCALE if lengths > 0.0 else math.nan


@njit(fastmath=REORDER)
def any_above(values: Rows, least: Any) -> bool:  # noqa: ANN401
    """Say whether a number is at least so large."""
    count = 0
    for at in range(len(values)):  # unlike the first of them, several are looked at at once
        count += values[at] >= least
    return count > 0


@njit()
def keep_nearest(
    cosines: Rows,
    low: int,
    start: int,
    block: Rows,
    queries: tuple[Rows, Numbers, Numbers, Numbers],
    margin: float,
    rows: Numbers,
    nearest: Doubles,
) -> None:
    """Put the rows of a block, the first of which is `start`, among the nearest of the queries from number `low` on.

    A query has some of the vectors, as the offsets say; rows from `hidden` up to `hidden_ends` of any of them are none.
    """
    vectors, offsets, hidden, hidden_ends = queries
    k = rows.shape[1]
    for at in range(len(cosines)):
        query = low + at
        for piece in range(0, len(block), _PIECE):
            values = cosines[at, piece : piece + _PIECE]
            if not any_above(values, np.float32(nearest[query, k - 1] - margin)):
                continue
            for column in range(len(values)):
                if not values[column] >= np.float32(nearest[query, k - 1] - margin):
                    continue
                row = start + piece + column
                score = -math.inf
                for vector in range(offsets[query], offsets[query + 1]):
                    if hidden[vector] <= row < hidden_ends[vector]:
                        score = -math.inf
                        break
                    product = cosine(vectors[vector], block[piece + column])
                    score = score if math.isnan(product) else max(score, product)
                rank = k
                while rank > 0 and score > nearest[query, rank - 1]:  # rows come in order: of equals the first stays
                    if rank < k:
                        rows[query, rank], nearest[query, rank] = rows[query, rank - 1], nearest[query, rank - 1]
                    rank -= 1
                if rank < k:
                    rows[query, rank], nearest[query, rank] = row, score
