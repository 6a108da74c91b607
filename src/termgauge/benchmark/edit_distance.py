"""Levenshtein distance with a cut-off, many times against one query: the compiled kernels of the nearest-term search.

Myers' bit-parallel algorithm moves a whole column of the distance matrix at once. Of that matrix only the diagonal
that ends in the distance is followed: along a diagonal the values never fall, so a comparison stops as soon as the
cut-off is passed, usually after a few characters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD = 64
_ONE = np.uint64(1)
_TOP = np.uint64(WORD - 1)
_NONE = np.uint64(0)
_ALL = ~_NONE


@intrinsic  # type: ignore[untyped-decorator]
def popcount(typingctx: Any, word: Any) -> Any:  # noqa: ANN401, ARG001
    """Count the bits of a 64-bit word with the processor's own instruction."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ANN401, ARG001
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), codegen


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def mark_positions(positions: NDArray[np.uint64], query: NDArray[Any]) -> None:
    """Set, for each symbol of the query, the bits of the places where it stands (row: symbol, column: block)."""
    for i in range(len(query)):
        positions[query[i], i // WORD] |= _ONE << np.uint64(i % WORD)


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def clear_positions(positions: NDArray[np.uint64], query: NDArray[Any]) -> None:
    """Undo :func:`mark_positions`, touching only what it touched."""
    for i in range(len(query)):
        positions[query[i], i // WORD] = _NONE


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def may_be_near(positions: NDArray[np.uint64], length: int, text: NDArray[Any], cutoff: int) -> bool:
    """Tell whether enough symbols have a partner that an alignment within the cut-off could use.

    For a query of at most 64 symbols. Such an alignment leaves the diagonals 0 and ``shift`` only as far as it can
    pay for the way there and back, so a symbol's partner stands within that band. Unlike the distance itself this
    takes no step that waits for the one before.
    """
    size = len(text)
    shift = length - size
    longer = max(length, size)
    lowest, highest = -((cutoff - shift) // 2), (cutoff + shift) // 2
    width = highest - lowest + 1
    if width > WORD:
        return True
    band = _ALL >> np.uint64(WORD - width)
    covered = _NONE
    partnered = 0
    for j in range(size):
        first = j + lowest
        if first <= -WORD or first >= WORD:
            continue
        here = band << np.uint64(first) if first >= 0 else band >> np.uint64(-first)
        partners = positions[text[j], 0] & here
        covered |= partners
        partnered += partners != _NONE
    return longer - min(partnered, np.int64(popcount(covered))) <= cutoff


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def distance_in_word(positions: NDArray[np.uint64], length: int, text: NDArray[Any], cutoff: int) -> int:
    """Return the distance of a query of at most 64 symbols to a text, or some number above the cut-off."""
    shift = length - len(text)
    distance = abs(shift)
    if distance > cutoff:
        return distance
    vertical_up, vertical_down = _ALL, _NONE
    for j in range(len(text)):
        equal = positions[text[j], 0]
        same_diagonal = (((equal & vertical_up) + vertical_up) ^ vertical_up) | equal | vertical_down
        row = j + shift
        if row >= 0 and not (same_diagonal >> np.uint64(row)) & _ONE:
            distance += 1
            if distance > cutoff:
                return distance
        across_up = vertical_down | ~(same_diagonal | vertical_up)
        across_down = same_diagonal & vertical_up
        across_up = (across_up << _ONE) | _ONE
        vertical_up = (across_down << _ONE) | ~(same_diagonal | across_up)
        vertical_down = across_up & same_diagonal
    return distance


@njit(nogil=True, cache=True)  # type: ignore[untyped-decorator]
def distance_in_blocks(
    positions: NDArray[np.uint64],
    length: int,
    text: NDArray[Any],
    cutoff: int,
    columns: NDArray[np.uint64],
) -> int:
    """Return the distance of a query of any length to a text, or some number above the cut-off.

    A path of cost at most ``cutoff`` from corner to corner stays within a band of diagonals, so each column works
    on only those blocks of 64 rows that the band crosses. What lies outside enters as an upper estimate (one more for
    each step away), which cannot lower any value inside.
    """
    shift = length - len(text)
    distance = abs(shift)
    if distance > cutoff:
        return distance
    lowest = -((cutoff - shift) // 2)  # diagonals, as row minus column, that the band holds
    highest = (cutoff + shift) // 2
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
            equal = positions[text[j], b]
            entering = equal | carry_down
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
