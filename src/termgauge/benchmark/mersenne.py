"""Python's random generator in compiled code: its state is taken over, drawn from, and given back.

The generator is MT19937; whole numbers below a limit are drawn as :mod:`random` draws them, by rejection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.compiled import njit

if TYPE_CHECKING:
    import random

    from numpy.typing import NDArray

_WORDS, _AHEAD = 624, 397
_HIGHEST, _OTHERS = np.uint32(0x80000000), np.uint32(0x7FFFFFFF)
_MATRIX = np.uint32(0x9908B0DF)
_MASKS = np.uint32(0x9D2C5680), np.uint32(0xEFC60000)
_BITS = 32


def taken_over(draw: random.Random) -> NDArray[np.uint32]:
    """Return the state of a generator: its words, and how many of them are used up."""
    return np.array(draw.getstate()[1], np.uint32)


def give_back(draw: random.Random, state: NDArray[np.uint32]) -> None:
    """Let a generator go on where compiled code stopped."""
    version, _words, pending = draw.getstate()
    draw.setstate((version, tuple(state.tolist()), pending))


@njit()
def _renew(state: NDArray[np.uint32]) -> None:
    for i in range(_WORDS):
        joined = (state[i] & _HIGHEST) | (state[(i + 1) % _WORDS] & _OTHERS)
        state[i] = state[(i + _AHEAD) % _WORDS] ^ (joined >> np.uint32(1)) ^ (_MATRIX if joined & 1 else np.uint32(0))
    state[_WORDS] = 0


@njit()
def _word(state: NDArray[np.uint32]) -> np.uint32:
    """Draw 32 bits."""
    if state[_WORDS] >= _WORDS:
        _renew(state)
    word = state[state[_WORDS]]
    state[_WORDS] += np.uint32(1)
    word ^= word >> np.uint32(11)
    word ^= (word << np.uint32(7)) & _MASKS[0]
    word ^= (word << np.uint32(15)) & _MASKS[1]
    return np.uint32(word ^ (word >> np.uint32(18)))


@njit()
def below(state: NDArray[np.uint32], limit: int) -> int:
    """Draw a whole number from zero on, below a limit of one or more and less than 2 ** 32.

    >>> import random
    >>> draw = random.Random(42)
    >>> state = taken_over(draw)
    >>> [below(state, 10) for _ in range(3)] == [draw.randint(0, 9) for _ in range(3)]
    True
    """
    bits = 1
    while limit >> bits:
        bits += 1
    while True:
        drawn = int(_word(state) >> np.uint32(_BITS - bits))
        if drawn < limit:
            return drawn


@njit()
def shuffled(state: NDArray[np.uint32], size: int) -> NDArray[np.int64]:
    """Return the whole numbers below a size in the order in which :meth:`random.Random.shuffle` leaves them."""
    numbers = np.arange(size)
    for last in range(size - 1, 0, -1):
        drawn = below(state, last + 1)
        numbers[last], numbers[drawn] = numbers[drawn], numbers[last]
    return numbers


@njit()
def drawn_below(state: NDArray[np.uint32], limits: tuple[int, int], times: int) -> NDArray[np.int64]:
    """Draw below one limit and below another, in turns."""
    drawn = np.empty((times, 2), np.int64)
    for i in range(times):
        drawn[i, 0] = below(state, limits[0])
        drawn[i, 1] = below(state, limits[1])
    return drawn
