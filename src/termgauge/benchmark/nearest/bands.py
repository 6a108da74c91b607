"""Levenshtein distances of one query to many texts, with a cut-off: the compiled kernels of the nearest-term search.

Myers' bit-parallel algorithm moves a whole column of the distance matrix at once. Of that matrix only the diagonal
that ends in the distance is followed: along a diagonal the values never fall, so a comparison stops as soon as the
cut-off is passed, usually after a few characters.

A path of cost k touches k + 1 diagonals, so for cut-offs below 64 (*near* texts) a column of the distance matrix needs
only as many bits: eight or 16 texts of one length are compared side by side in the lanes of vector registers, each in
64, 32 or 16 bits. A table holds, for each symbol and each place of the band, where the query has that symbol. After the
columns in which most texts pass the cut-off, those that did are dropped. For greater cut-offs (*far* texts), which only
very long terms need, one text after the other is compared, each column in blocks of 64 rows.
"""

# ruff: noqa: ANN001, ANN202, ANN401, ARG001  (code generators see untyped objects)
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from termgauge.compiled import njit

if TYPE_CHECKING:
    from termgauge.benchmark.nearest import Ints, Ints32, Symbols, Words

WORD = BAND = 64
"""Texts below this cut-off are near."""
RUN = 512
"""Texts that are compared before the cut-off may fall: their state stays in the nearest memory."""
MOST_WINDOWS = 1 << 22
_LANES = 16
_STEP = 8  # columns between two looks at the cut-off, after the first one
_I64, _I32 = ir.IntType(64), ir.IntType(32)
_ONE, _NOTHING = np.uint64(1), np.uint64(0)
_TOP = np.uint64(WORD - 1)
_ALL = ~_NOTHING


@njit()
def blocks_of(length: int) -> int:
    """Return how many words a row of the table of positions has: those of the query and an empty one at each end."""
    return (length + WORD - 1) // WORD + 2


@njit()
def flip_positions(positions: Words, query: Symbols) -> None:
    """Set, for each symbol of the query, the bits of the places where it stands; once more, and they are cleared.

    A row of ``positions`` belongs to a symbol; bit i of its words after the first, empty one is place i.
    """
    for i in range(len(query)):
        positions[query[i], i // WORD + 1] ^= _ONE << np.uint64(i % WORD)


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
            columns[ready, 0], columns[ready, 1] = _ALL, _NOTHING
            ready += 1
        row = j + shift
        carry_up, carry_down = _ONE, _NOTHING
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


class Run(NamedTuple):
    """Texts of one length under comparison: their numbers, where they start, and columns (up, down) and distances."""

    texts: Ints32
    bases: Ints
    state: Words


@njit()
def new_run() -> Run:
    """Make room for a run of texts."""
    return Run(np.zeros(RUN, np.int32), np.zeros(RUN, np.int64), np.zeros((3, RUN), np.uint64))


@njit()
def width_for(cutoff: int) -> int:
    """Return how many bits the lanes have for a cut-off.

    >>> [width_for(cutoff) for cutoff in (0, 15, 16, 32, 63, 99)]
    [16, 16, 32, 64, 64, 64]
    """
    return 16 if cutoff < 16 else 32 if cutoff < 32 else BAND


@njit()
def flip_windows(windows: Words, query: Symbols, width: int) -> None:
    """Set bit b of ``windows[top + BAND, symbol]`` where the query has the symbol at ``top + b``, b below a width.

    Done once more, it clears them.
    """
    for i in range(len(query)):
        for b in range(width):
            windows[i - b + BAND, query[i]] ^= _ONE << np.uint64(b)


def _walk_codegen(bits: int) -> Any:
    """Return the code generator of a walk over some columns, in lanes of some bits."""
    lanes, lane_type = min(_LANES, 8 * BAND // bits), ir.IntType(bits)
    vector, stored = ir.VectorType(lane_type, lanes), ir.VectorType(_I64, lanes)

    def codegen(context: Any, b: Any, signature: Any, arguments: Any) -> Any:
        def number(value: int) -> Any:
            return ir.Constant(_I64, value)

        def spread(scalar: Any) -> Any:
            empty = ir.Constant(vector, ir.Undefined)
            filled = b.insert_element(empty, scalar, ir.Constant(_I32, 0))
            return b.shuffle_vector(filled, empty, ir.Constant(ir.VectorType(_I32, lanes), None))

        windows, symbols, bases, state = (
            context.make_array(signature.args[a])(context, b, arguments[a]) for a in (0, 1, 2, 3)
        )
        at, start, stop, shift, lowest = arguments[4:]
        stride, room = b.extract_value(windows.shape, 1), b.extract_value(state.shape, 1)
        base = [b.load(b.gep(bases.data, [b.add(at, number(lane))])) for lane in range(lanes)]
        places = [
            b.bitcast(b.gep(state.data, [b.add(at, b.mul(room, number(s)))]), stored.as_pointer()) for s in range(3)
        ]
        up, down, distance = (cgutils.alloca_once(b, vector) for _ in range(3))
        for variable, pointer in zip((up, down, distance), places, strict=True):
            value = b.load(pointer, align=8)
            b.store(b.trunc(value, vector) if bits < BAND else value, variable)
        one, every = spread(ir.Constant(lane_type, 1)), spread(ir.Constant(lane_type, -1))
        diagonal = spread(b.trunc(b.sub(shift, lowest), lane_type))
        with cgutils.for_range(b, b.sub(stop, start)) as loop:
            column = b.add(start, loop.index)
            row = b.gep(windows.data, [b.mul(b.add(b.add(column, lowest), number(BAND)), stride)])
            equal = ir.Constant(vector, ir.Undefined)
            for lane in range(lanes):
                symbol = b.zext(b.load(b.gep(symbols.data, [b.add(base[lane], column)])), _I64)
                cell = b.bitcast(b.gep(row, [symbol]), lane_type.as_pointer())  # the low bits come first
                equal = b.insert_element(equal, b.load(cell), ir.Constant(_I32, lane))
            up_now, down_now = b.load(up), b.load(down)
            # Where the next value along the diagonal is the same (Myers' and Hyyrö's D0).
            same = b.or_(b.or_(b.xor(b.add(b.and_(equal, up_now), up_now), up_now), equal), down_now)
            inside = b.icmp_signed(">=", b.add(column, shift), number(0))
            step = spread(b.zext(inside, lane_type))
            b.store(b.add(b.load(distance), b.and_(b.xor(b.lshr(same, diagonal), every), step)), distance)
            across_up = b.or_(down_now, b.xor(b.or_(same, up_now), every))
            across_down = b.and_(same, up_now)
            same = b.lshr(same, one)
            b.store(b.or_(across_down, b.xor(b.or_(same, across_up), every)), up)
            b.store(b.and_(across_up, same), down)
        for variable, pointer in zip((up, down, distance), places, strict=True):
            value = b.load(variable)
            b.store(b.zext(value, stored) if bits < BAND else value, pointer, align=8)
        return context.get_dummy_value()

    return codegen


def _walk(bits: int) -> Any:
    """Make the function that walks over some columns, in lanes of some bits."""

    @intrinsic
    def walk(typingctx, windows, symbols, bases, state, at, start, stop, shift, lowest):  # type: ignore[no-untyped-def]
        i = types.int64
        return types.void(windows, symbols, bases, state, i, i, i, i, i), _walk_codegen(bits)

    return walk


_walk_16, _walk_32, _walk_64 = _walk(16), _walk(32), _walk(64)


@intrinsic  # type: ignore[untyped-decorator]
def _fetch(typingctx: Any, symbols: Any, base: Any) -> Any:
    """Ask for a text from memory before it is needed."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        prefetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        builder.call(prefetch, [address, flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(symbols, types.int64), codegen


@njit()
def load_run(run: Run, texts: Ints32, symbols: Symbols, starts: Ints) -> None:
    """Begin a run with some texts, no more than there is room for."""
    for i in range(len(texts)):
        run.texts[i] = texts[i]
        run.bases[i] = starts[texts[i]]
        _fetch(symbols, run.bases[i])


@njit()
def _still_near(run: Run, count: int, cutoff: int) -> int:
    """Move the texts whose distance has not passed the cut-off to the front, and return how many there are."""
    kept = 0
    for i in range(count):
        run.texts[kept], run.bases[kept] = run.texts[i], run.bases[i]
        run.state[0, kept], run.state[1, kept] = run.state[0, i], run.state[1, i]
        distance = run.state[2, i]
        run.state[2, kept] = distance
        kept += int(np.int64(distance) <= cutoff)
    return kept


@njit()
def near_texts(windows: Words, length: int, symbols: Symbols, size: int, cutoff: int, run: Run, count: int) -> int:
    """Leave the texts within the cut-off of a query in a run, their distances in ``state[2]``; return how many.

    The run's first ``count`` texts, one at least, have one size, which differs from the query's length by no more
    than the cut-off.
    """
    shift = length - size
    lowest, width = lowest_diagonal(shift, cutoff), width_for(cutoff)
    filled = (count + _LANES - 1) // _LANES * _LANES
    for i in range(count, filled):
        run.bases[i] = run.bases[0]
    above = _ALL << np.uint64(-lowest)  # what lies above the matrix
    for i in range(filled):
        run.state[0, i], run.state[1, i], run.state[2, i] = above, 0, abs(shift)
    start, stop = 0, min(size, (cutoff - abs(shift)) * 5 // 4 + _STEP)
    while start < size and count > 0:
        for at in range(0, count, 8 if width == BAND else _LANES):
            if width == 16:
                _walk_16(windows, symbols, run.bases, run.state, at, start, stop, shift, lowest)
            elif width == 32:
                _walk_32(windows, symbols, run.bases, run.state, at, start, stop, shift, lowest)
            else:
                _walk_64(windows, symbols, run.bases, run.state, at, start, stop, shift, lowest)
        count = _still_near(run, count, cutoff)
        start, stop = stop, min(size, stop + _STEP)
    return count
