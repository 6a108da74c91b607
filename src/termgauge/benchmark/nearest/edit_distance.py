"""Levenshtein distance with a cut-off, many times against one query: the compiled kernels of the nearest-term search.

Myers' bit-parallel algorithm moves a whole column of the distance matrix at once. Of that matrix only the diagonal
that ends in the distance is followed: along a diagonal the values never fall, so a comparison stops as soon as the
cut-off is passed, usually after a few characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    from termgauge.benchmark.nearest import Symbols, Words

WORD = 64
_ONE = np.uint64(1)
_TOP = np.uint64(WORD - 1)
_NONE = np.uint64(0)
_ALL = ~_NONE


@njit()
def blocks_of(length: int) -> int:
    """Return how many words a row of the table of positions has: those of the query and an empty one at each end."""
    return (length + WORD - 1) // WORD + 2


@njit()
def mark_positions(positions: Words, query: Symbols) -> None:
    """Set, for each symbol of the query, the bits of the places where it stands.

    A row of ``positions`` belongs to a symbol; bit i of its words after the first, empty one is place i.
    """
    for i in range(len(query)):
        positions[query[i], i // WORD + 1] |= _ONE << np.uint64(i % WORD)


@njit()
def clear_positions(positions: Words, query: Symbols) -> None:
    """Undo :func:`mark_positions`, touching only what it touched."""
    for i in range(len(query)):
        positions[query[i], i // WORD + 1] = _NONE


@njit()
def distance_in_blocks(positions: Words, length: int, text: Symbols, cutoff: int, columns: Words) -> int:
    """Return the distance of a query of any length to a text, or some number above the cut-off.

    A path of cost at most ``cutoff`` from corner to corner stays within a band of diagonals, so each column works
    on only those blocks of 64 rows that the band crosses. What lies outside enters as an upper estimate (one more for
    each step away), which cannot lower any value inside.
    """
    shift = length - len(text)
    distance = abs(shift)
    if distance > cutoff:
        return distance
    lowest, highest = lowest_diagonal(shift, cutoff), (cutoff + shift) // 2
    blocks = (length + WORD - 1) // WORD
    ready = 0
    for j in range(len(text)):
        first = max(0, j + lowest) // WORD
        last = min(blocks - 1, max(0, j + highest) // WORD)
        while ready <= last:
            columns[ready, 0], columns[ready, 1] = _ALL, _NONE
            ready += 1
        row = j + shift
        carry_up, carry_down = _ONE, _NONE
        for b in range(first, last + 1):
            vertical_up, vertical_down = columns[b, 0], columns[b, 1]
            entering = positions[text[j], b + 1] | carry_down
            same_diagonal = (((entering & vertical_up) + vertical_up) ^ vertical_up) | entering | vertical_down
            if row >= 0 and row // WORD == b and not (same_diagonal >> np.uint64(row % WORD)) & _ONE:
                distance += 1
                if distance > cutoff:
                    return distance
            across_up = vertical_down | ~(same_diagonal | vertical_up)
            across_down = same_diagonal & vertical_up
            leaving_up, leaving_down = across_up >> _TOP, across_down >> _TOP
            across_up = (across_up << _ONE) | carry_up
            across_down = (across_down << _ONE) | carry_down
            columns[b, 0] = across_down | ~(same_diagonal | across_up)
            columns[b, 1] = across_up & same_diagonal
            carry_up, carry_down = leaving_up, leaving_down
    return distance


@njit()
def lowest_diagonal(shift: int, cutoff: int) -> int:
    """Return the lowest diagonal (row minus column) that a path of cost ``cutoff`` to diagonal ``shift`` can touch."""
    return -((cutoff - shift) // 2)
