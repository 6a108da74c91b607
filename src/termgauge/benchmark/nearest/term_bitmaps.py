"""Lower bounds of the edit distance for a thousand texts at a time.

Texts within an edit distance of k share all but k of their letters and all but 2k of their letter pairs. Each letter
and pair (the first, second, ... occurrence apart) has a bitmap that tells which texts hold it; adding up the bitmaps
of a query's features as bit-sliced numbers counts what it shares with 64 texts in each machine word.
"""

# ruff: noqa: ANN401, ARG001  (code generators see untyped objects)
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from termgauge.compiled import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.benchmark.nearest import Ints, Symbols, Words

WORDS = 8  # machine words in one bitmap row: a cache line, and what the vector adder takes at once
BLOCK = 64 * WORDS
LETTER_ROWS = 256
PAIR_ROWS = 768
EMPTY_ROW = LETTER_ROWS + PAIR_ROWS
DIGITS = 11  # binary digits of a count
MOST_FEATURES = 1000  # features of a query that are counted; any further ones count as shared
CODES = 1 << 16
_ONE = np.uint64(1)
_I64, _I32 = ir.IntType(64), ir.IntType(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd numbers without pattern
_STIR = np.uint64(0xC2B2AE3D27D4EB4F)


class Bitmaps(NamedTuple):
    """Which texts hold which feature: ``rows[block, row]`` has one bit for each of the block's texts.

    ``row_of[kind, code]`` is the row of a letter (kind 0) or a pair (kind 1), -1 if no text holds it.
    """

    rows: Words
    row_of: Ints


@njit()
def popcount(word: np.uint64) -> np.int64:
    """Count the bits that are set: in pairs, fours, bytes. The compiler makes one instruction of it."""
    word -= (word >> _ONE) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit()
def _mixed(one: int, other: int) -> np.int64:
    """Return a feature code of 16 bits for two numbers."""
    code = (np.uint64(one) * _MIX) ^ ((np.uint64(other) + _ONE) * _STIR)
    code = (code ^ (code >> np.uint64(29))) * _MIX
    return np.int64(code >> np.uint64(48))


@njit()
def feature_codes(text: Symbols, seen: NDArray[np.uint16], codes: Ints) -> None:
    """Write the codes of a text's letters and, in the second row, of its pairs (with both ends); n-th ones apart.

    ``seen`` counts occurrences; it must hold zeros and holds zeros again on return. Two features with one code only
    make texts look more alike, which a lower bound may.
    """
    before = np.int64(0)
    for i in range(len(text) + 1):
        after = np.int64(text[i]) + 1 if i < len(text) else np.int64(0)
        codes[0, i] = _mixed(after - 1, 0)  # the last of these is not looked at
        codes[1, i] = _mixed(before, after)
        before = after
    for kind in range(2):
        of_kind = codes[kind, : len(text) + kind]
        for i in range(len(of_kind)):
            code = of_kind[i]
            seen[code] += 1
            of_kind[i] |= np.int64(seen[code]) << 16
        for i in range(len(of_kind)):
            code, nth = of_kind[i] & 0xFFFF, of_kind[i] >> 16
            seen[code] = 0
            of_kind[i] = _mixed(code, nth)


@njit()
def longest_text(starts: Ints) -> int:
    """Return the length of the longest of some texts; what NumPy does in one line takes the compiler seconds."""
    longest = 0
    for t in range(len(starts) - 1):
        longest = max(longest, starts[t + 1] - starts[t])
    return longest


@njit()
def _go_through(symbols: Symbols, starts: Ints, numbers: Ints, rows: Words) -> None:
    """Count in how many places texts have each feature or, if there are bitmaps, mark the texts in its row."""
    seen, codes = np.zeros(CODES, np.uint16), np.empty((2, longest_text(starts) + 1), np.int64)
    for t in range(len(starts) - 1):
        size = starts[t + 1] - starts[t]
        feature_codes(symbols[starts[t] : starts[t + 1]], seen, codes)
        block, word, bit = t // BLOCK, t % BLOCK // 64, _ONE << np.uint64(t % 64)
        for kind in range(2):
            for i in range(size + kind):
                if len(rows):
                    rows[block, numbers[kind, codes[kind, i]], word] |= bit
                else:
                    numbers[kind, codes[kind, i]] += 1


def _assign(counts: Ints, rows: int, first: int) -> Ints:
    """Give frequent features a row of their own and let the rare ones share the last eighth; absent ones get -1."""
    boundary = rows - rows // 8
    rank = np.empty(len(counts), np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    row = np.where(rank < boundary, rank, boundary + (rank - boundary) % (rows - boundary)) + first
    return np.where(counts > 0, row, -1)


NO_BITMAPS = Bitmaps(np.zeros((0, EMPTY_ROW + 1, WORDS), np.uint64), np.full((2, 1), -1))
"""Those of an index whose texts are all compared."""


def bitmaps_of(symbols: Symbols, starts: Ints) -> Bitmaps:
    """Make the bitmaps of texts that stand one after the other in ``symbols``."""
    counts = np.zeros((2, CODES), np.int64)
    _go_through(symbols, starts, counts, NO_BITMAPS.rows)
    row_of = np.stack([_assign(counts[0], LETTER_ROWS, 0), _assign(counts[1], PAIR_ROWS, LETTER_ROWS)])
    rows = np.zeros((-(-(len(starts) - 1) // BLOCK), EMPTY_ROW + 1, WORDS), np.uint64)
    if len(rows):
        _go_through(symbols, starts, row_of, rows)
    return Bitmaps(rows, row_of)


@intrinsic  # type: ignore[untyped-decorator]
def _keep(typingctx: Any, rows: Any, chosen: Any, groups: Any, start: Any, kept: Any) -> Any:
    """Do the additions of :func:`keep_sharing`."""
    vector = ir.VectorType(_I64, WORDS // 2)  # as wide as the registers that most processors have

    def codegen(context: Any, b: Any, signature: Any, arguments: Any) -> Any:
        rows, chosen, kept = (context.make_array(signature.args[a])(context, b, arguments[a]).data for a in (0, 1, 4))
        groups, start = arguments[2:4]

        def full_adder(one: Any, two: Any, three: Any) -> tuple[Any, Any]:
            odd = b.xor(one, two)
            return b.xor(odd, three), b.or_(b.and_(one, two), b.and_(odd, three))

        def lanes_at(data: Any, word: Any) -> Any:
            return b.bitcast(b.gep(data, [word]), vector.as_pointer())

        def spread(bit: Any) -> Any:
            empty = ir.Constant(vector, ir.Undefined)
            filled = b.insert_element(empty, b.sub(ir.Constant(_I64, 0), bit), ir.Constant(_I32, 0))
            return b.shuffle_vector(filled, empty, ir.Constant(ir.VectorType(_I32, WORDS // 2), None))

        for half in (0, WORDS // 2):
            sums = [cgutils.alloca_once(b, vector) for _ in range(DIGITS)]
            for d, digit in enumerate(sums):
                b.store(spread(b.and_(b.lshr(start, ir.Constant(_I64, d)), ir.Constant(_I64, 1))), digit)
            with cgutils.for_range(b, groups) as loop:
                eight = []
                for offset in range(8):
                    number = b.add(b.mul(loop.index, ir.Constant(_I64, 8)), ir.Constant(_I64, offset))
                    word = b.mul(b.load(b.gep(chosen, [number])), ir.Constant(_I64, WORDS))
                    eight.append(b.load(lanes_at(rows, b.add(word, ir.Constant(_I64, half))), align=8))
                ones, twos, fours = (b.load(sums[d]) for d in range(3))
                ones, twos_a = full_adder(ones, eight[0], eight[1])
                ones, twos_b = full_adder(ones, eight[2], eight[3])
                twos, fours_a = full_adder(twos, twos_a, twos_b)
                ones, twos_a = full_adder(ones, eight[4], eight[5])
                ones, twos_b = full_adder(ones, eight[6], eight[7])
                twos, fours_b = full_adder(twos, twos_a, twos_b)
                fours, carry = full_adder(fours, fours_a, fours_b)
                for d, value in enumerate((ones, twos, fours)):
                    b.store(value, sums[d])
                for digit in sums[3:]:
                    value = b.load(digit)
                    b.store(b.xor(value, carry), digit)
                    carry = b.and_(value, carry)
            target = lanes_at(kept, ir.Constant(_I64, half))
            b.store(b.and_(b.load(target, align=8), b.load(sums[-1])), target, align=8)
        return context.get_dummy_value()

    return types.void(rows, chosen, types.int64, types.int64, kept), codegen


@njit()
def keep_sharing(rows: Words, chosen: Ints, needed: int, kept: Words) -> None:
    """Clear the bits of those texts of a block that stand in fewer than ``needed`` of the chosen rows.

    ``len(chosen)`` must be a multiple of 8; an empty row fills it up. The rows are added up as numbers of a few binary
    digits, all texts at once: seven full adders turn eight rows and three digits into three digits and one carry, which
    ripples upwards. The sum starts so that it reaches its highest digit just where it is enough. It is written
    as vector instructions because a loop over eight words is too short for the compiler to find them itself.
    """
    if needed > len(chosen):
        for w in range(WORDS):
            kept[w] = 0
    elif needed > 0:
        _keep(rows, chosen, len(chosen) // 8, (1 << DIGITS - 1) - needed, kept)
