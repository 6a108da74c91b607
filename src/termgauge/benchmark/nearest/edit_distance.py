"""Levenshtein distance with a cut-off, many times against one query: the compiled kernels of the nearest-term search.

Myers' bit-parallel algorithm moves a whole column of the distance matrix at once. Of that matrix only the diagonal
that ends in the distance is followed: along a diagonal the values never fall, so a comparison stops as soon as the
cut-off is passed, usually after a few characters. Eight texts of one length are compared at a time, one in each lane
of a vector.
"""

# ruff: noqa: ANN401, ARG001  (code generators see untyped objects; compiled functions take positions)
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

WORD = 64
LANES = 8
_COLUMNS = 8  # columns between two looks at the cut-off
_ONE = np.uint64(1)
_TOP = np.uint64(WORD - 1)
_NONE = np.uint64(0)
_ALL = ~_NONE
_I64 = ir.IntType(64)
_VECTOR = ir.VectorType(_I64, LANES)


@njit()
def blocks_of(length: int) -> int:
    """Return how many words a row of the table of positions has: those of the query and an empty one at each end."""
    return (length + WORD - 1) // WORD + 2


@njit()
def mark_positions(positions: NDArray[np.uint64], query: NDArray[Any]) -> None:
    """Set, for each symbol of the query, the bits of the places where it stands.

    A row of ``positions`` belongs to a symbol; bit i of its words after the first, empty one is place i.
    """
    for i in range(len(query)):
        positions[query[i], i // WORD + 1] |= _ONE << np.uint64(i % WORD)


@njit()
def clear_positions(positions: NDArray[np.uint64], query: NDArray[Any]) -> None:
    """Undo :func:`mark_positions`, touching only what it touched."""
    for i in range(len(query)):
        positions[query[i], i // WORD + 1] = _NONE


@njit()
def distance_in_blocks(
    positions: NDArray[np.uint64], length: int, text: NDArray[Any], cutoff: int, columns: NDArray[np.uint64]
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


class Vectors:
    """Vector arithmetic, here on eight 64-bit lanes, written into the function that is being compiled.

    The searches of ``python -m benchmarks nearest`` take 1.4 (1 wanted) to 1.8 times (4 wanted) as much processor time
    when both walks are plain compiled loops over the lanes (175,000 terms, best of three runs in turns).
    """

    def __init__(self, builder: Any, vector: Any = _VECTOR) -> None:
        self.builder, self.vector = builder, vector

    def number(self, value: int) -> Any:
        return ir.Constant(_I64, value)

    def spread(self, scalar: Any) -> Any:
        """Put one number in every lane."""
        empty = ir.Constant(self.vector, ir.Undefined)
        vector = self.builder.insert_element(empty, scalar, ir.Constant(ir.IntType(32), 0))
        nowhere = ir.Constant(ir.VectorType(ir.IntType(32), self.vector.count), None)
        return self.builder.shuffle_vector(vector, empty, nowhere)

    def gathered(self, scalars: list[Any]) -> Any:
        """Put a number of its own in every lane."""
        vector = ir.Constant(self.vector, ir.Undefined)
        for lane, scalar in enumerate(scalars):
            vector = self.builder.insert_element(vector, scalar, ir.Constant(ir.IntType(32), lane))
        return vector

    def same_diagonal(self, equal: Any, up: Any, down: Any) -> Any:
        """Return where the next value along the diagonal is the same (Myers' and Hyyrö's D0)."""
        b = self.builder
        return b.or_(b.or_(b.xor(b.add(b.and_(equal, up), up), up), equal), down)


def _lanes_codegen(banded: bool) -> Any:
    """Return the code generator of a walk over some columns for eight texts.

    Plain: the word holds rows 0 to 63. Banded: it holds the 64 rows from ``column + lowest`` on, so that it moves
    down with the diagonal, and the word of the symbol's positions is cut out of two neighbours.
    """

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        v, b = Vectors(builder), builder
        positions, symbols, bases, state = (
            context.make_array(signature.args[a])(context, builder, arguments[a]) for a in (0, 1, 2, 3)
        )
        start, stop, shift, lowest = arguments[4:]
        stride = b.extract_value(positions.shape, 1)
        base = [b.load(b.gep(bases.data, [v.number(lane)])) for lane in range(LANES)]
        places = [b.bitcast(b.gep(state.data, [v.number(LANES * s)]), _VECTOR.as_pointer()) for s in range(3)]
        up, down, distance = (cgutils.alloca_once(b, _VECTOR) for _ in range(3))
        for variable, place in zip((up, down, distance), places, strict=True):
            b.store(b.load(place, align=8), variable)
        one, every = v.spread(v.number(1)), v.spread(v.number(-1))
        with cgutils.for_range(b, b.sub(stop, start)) as loop:
            column = b.add(start, loop.index)
            top = b.add(column, lowest)
            word = b.add(b.ashr(top, v.number(6)), v.number(1)) if banded else v.number(1)
            cells = []
            for lane in range(LANES):
                symbol = b.zext(b.load(b.gep(symbols.data, [b.add(base[lane], column)])), _I64)
                cells.append(b.gep(positions.data, [b.add(b.mul(symbol, stride), word)]))
            equal = v.gathered([b.load(cell) for cell in cells])
            if banded:
                cut = b.and_(top, v.number(63))
                after = v.gathered([b.load(b.gep(cell, [v.number(1)])) for cell in cells])
                # Shifted in two steps, since a shift by 64 is undefined.
                after = b.shl(b.shl(after, one), v.spread(b.sub(v.number(63), cut)))
                equal = b.or_(b.lshr(equal, v.spread(cut)), after)
            up_now, down_now = b.load(up), b.load(down)
            same = v.same_diagonal(equal, up_now, down_now)
            row = b.sub(shift, lowest) if banded else b.add(column, shift)
            inside = b.icmp_signed(">=", b.add(column, shift), v.number(0))
            step = v.spread(b.zext(inside, _I64))
            place_of_row = v.spread(b.select(inside, row, v.number(0)))
            b.store(b.add(b.load(distance), b.and_(b.xor(b.lshr(same, place_of_row), every), step)), distance)
            across_up = b.or_(down_now, b.xor(b.or_(same, up_now), every))
            across_down = b.and_(same, up_now)
            if banded:
                same = b.lshr(same, one)
            else:
                across_up = b.or_(b.shl(across_up, one), one)
                across_down = b.shl(across_down, one)
            b.store(b.or_(across_down, b.xor(b.or_(same, across_up), every)), up)
            b.store(b.and_(across_up, same), down)
        for variable, place in zip((up, down, distance), places, strict=True):
            b.store(b.load(variable), place, align=8)
        return context.get_dummy_value()

    return codegen


@intrinsic  # type: ignore[untyped-decorator]
def _walk_word(
    typingctx: Any, positions: Any, symbols: Any, bases: Any, state: Any, start: Any, stop: Any, shift: Any, lowest: Any
) -> Any:
    i = types.int64
    return types.void(positions, symbols, bases, state, i, i, i, i), _lanes_codegen(banded=False)


@intrinsic  # type: ignore[untyped-decorator]
def _walk_band(
    typingctx: Any, positions: Any, symbols: Any, bases: Any, state: Any, start: Any, stop: Any, shift: Any, lowest: Any
) -> Any:
    i = types.int64
    return types.void(positions, symbols, bases, state, i, i, i, i), _lanes_codegen(banded=True)


@njit()
def distances_in_lanes(
    positions: NDArray[np.uint64],
    length: int,
    symbols: NDArray[Any],
    bases: NDArray[np.int64],
    size: int,
    cutoff: int,
    state: NDArray[np.uint64],
) -> None:
    """Write to ``state[2]`` the distances of a query to eight texts of one size, or numbers above the cut-off.

    The texts begin at ``bases`` of ``symbols``. A query of more than 64 symbols needs a cut-off below 64.
    """
    shift = length - size
    lowest = lowest_diagonal(shift, cutoff)
    banded = length > WORD
    above = min(WORD - 1, max(0, -lowest)) if banded else 0  # rows of the band that lie above the matrix
    for lane in range(LANES):
        state[0, lane] = _ALL << np.uint64(above)
        state[1, lane] = _NONE
        state[2, lane] = abs(shift)
    if abs(shift) > cutoff:
        return
    for start in range(0, size, _COLUMNS):
        stop = min(start + _COLUMNS, size)
        if banded:
            _walk_band(positions, symbols, bases, state, start, stop, shift, lowest)
        else:
            _walk_word(positions, symbols, bases, state, start, stop, shift, 0)
        nearest = state[2, 0]
        for lane in range(1, LANES):
            nearest = min(nearest, state[2, lane])
        if nearest > np.uint64(cutoff):
            return
