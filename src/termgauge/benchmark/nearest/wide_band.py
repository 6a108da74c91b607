"""Levenshtein distances of one query to many texts of one length, for cut-offs that no machine word can hold.

Each column of the distance matrix is worked in blocks of 64 rows, as :mod:`termgauge.benchmark.nearest.edit_distance`
does it for one text. Texts of one length have the same band, so eight of them go side by side; those beyond the cut-off
are dropped.
"""

# ruff: noqa: ANN401, ARG001  (code generators see untyped objects)
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from termgauge.benchmark.nearest.edit_distance import WORD, blocks_of, lowest_diagonal
from termgauge.benchmark.nearest.narrow_band import RUN, Run, Vectors
from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LANES = 8
_STEP = 8  # columns between two looks at the cut-off, after the first one
_I64 = ir.IntType(64)
_ALL = ~np.uint64(0)


@njit()
def new_columns(length: int) -> NDArray[np.uint64]:
    """Make room for the columns (up and down of each block) of a run of texts."""
    return np.empty((2 * blocks_of(length), RUN), np.uint64)


def _walk_codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    b, vector = builder, ir.VectorType(_I64, _LANES)
    v = Vectors(b, vector)
    positions, symbols, bases, columns, state = (
        context.make_array(signature.args[a])(context, b, arguments[a]) for a in range(5)
    )
    at, start, stop, shift, lowest, highest, blocks = arguments[5:]
    stride, room = b.extract_value(positions.shape, 1), b.extract_value(columns.shape, 1)
    one, every, top = (v.spread(v.number(value)) for value in (1, -1, WORD - 1))

    def smaller(first: Any, second: Any) -> Any:
        return b.select(b.icmp_signed("<", first, second), first, second)

    def from_zero(number: Any) -> Any:
        return b.select(b.icmp_signed("<", number, v.number(0)), v.number(0), number)

    def place(array: Any, row: Any) -> Any:
        return b.bitcast(b.gep(array.data, [b.add(at, b.mul(room, row))]), vector.as_pointer())

    base = [b.load(b.gep(bases.data, [b.add(at, v.number(lane))])) for lane in range(_LANES)]
    distance, carry_up, carry_down = (cgutils.alloca_once(b, vector) for _ in range(3))
    b.store(b.load(place(state, v.number(2)), align=8), distance)
    with cgutils.for_range(b, b.sub(stop, start)) as loop:
        column = b.add(start, loop.index)
        row = b.add(column, shift)
        first = b.lshr(from_zero(b.add(column, lowest)), v.number(6))
        last = smaller(b.sub(blocks, v.number(1)), b.lshr(from_zero(b.add(column, highest)), v.number(6)))
        own = [
            b.gep(positions.data, [b.mul(b.zext(b.load(b.gep(symbols.data, [b.add(each, column)])), _I64), stride)])
            for each in base
        ]
        b.store(one, carry_up)
        b.store(v.spread(v.number(0)), carry_down)
        with cgutils.for_range_slice(b, first, b.add(last, v.number(1)), v.number(1), _I64) as (block, _):
            after = b.add(block, v.number(1))
            line = b.mul(block, v.number(2))
            places = place(columns, line), place(columns, b.add(line, v.number(1)))
            up, down = (b.load(each, align=8) for each in places)
            side_up, side_down = b.load(carry_up), b.load(carry_down)
            equal = b.or_(v.gathered([b.load(b.gep(each, [after])) for each in own]), side_down)
            same = v.same_diagonal(equal, up, down)
            here = b.and_(b.icmp_signed("==", b.ashr(row, v.number(6)), block), b.icmp_signed(">=", row, v.number(0)))
            bit = v.spread(b.and_(row, v.number(WORD - 1)))
            differs = b.and_(b.xor(b.lshr(same, bit), every), v.spread(b.zext(here, _I64)))
            b.store(b.add(b.load(distance), differs), distance)
            across_up, across_down = b.or_(down, b.xor(b.or_(same, up), every)), b.and_(same, up)
            b.store(b.lshr(across_up, top), carry_up)
            b.store(b.lshr(across_down, top), carry_down)
            across_up, across_down = b.or_(b.shl(across_up, one), side_up), b.or_(b.shl(across_down, one), side_down)
            b.store(b.or_(across_down, b.xor(b.or_(same, across_up), every)), places[0], align=8)
            b.store(b.and_(across_up, same), places[1], align=8)
    b.store(b.load(distance), place(state, v.number(2)), align=8)
    return context.get_dummy_value()


@intrinsic  # type: ignore[untyped-decorator]
def _walk(
    typingctx: Any,
    positions: Any,
    symbols: Any,
    bases: Any,
    columns: Any,
    state: Any,
    at: Any,
    start: Any,
    stop: Any,
    shift: Any,
    lowest: Any,
    highest: Any,
    blocks: Any,
) -> Any:
    i = types.int64
    return types.void(positions, symbols, bases, columns, state, i, i, i, i, i, i, i), _walk_codegen


@njit()
def _still_near(run: Run, columns: NDArray[np.uint64], rows: int, count: int, cutoff: int) -> int:
    """Move the texts whose distance has not passed the cut-off to the front, and return how many there are."""
    kept = 0
    for i in range(count):
        if np.int64(run.state[2, i]) <= cutoff:
            run.texts[kept], run.bases[kept], run.state[2, kept] = run.texts[i], run.bases[i], run.state[2, i]
            for row in range(rows):
                columns[row, kept] = columns[row, i]
            kept += 1
    return kept


@njit()
def far_texts(
    positions: NDArray[np.uint64],
    length: int,
    symbols: NDArray[Any],
    size: int,
    cutoff: int,
    run: Run,
    columns: NDArray[np.uint64],
    count: int,
) -> int:
    """Leave the texts within the cut-off of a query in a run, their distances in ``state[2]``; return how many.

    It takes what :func:`~termgauge.benchmark.nearest.narrow_band.near_texts` takes, with the table of positions of
    :func:`~termgauge.benchmark.nearest.edit_distance.mark_positions` for that of windows, and any cut-off.
    """
    shift, blocks = length - size, (length + WORD - 1) // WORD
    lowest, highest = lowest_diagonal(shift, cutoff), (cutoff + shift) // 2
    filled = (count + _LANES - 1) // _LANES * _LANES
    for i in range(count, filled):
        run.bases[i] = run.bases[0]
    for i in range(filled):
        for block in range(blocks):
            columns[2 * block, i], columns[2 * block + 1, i] = _ALL, 0
        run.state[2, i] = abs(shift)
    start, stop = 0, min(size, (cutoff - abs(shift)) * 5 // 4 + _STEP)
    while start < size and count > 0:
        for at in range(0, count, _LANES):
            _walk(positions, symbols, run.bases, columns, run.state, at, start, stop, shift, lowest, highest, blocks)
        count = _still_near(run, columns, 2 * blocks, count, cutoff)
        start, stop = stop, min(size, stop + _STEP)
    return count
