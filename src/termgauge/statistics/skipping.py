"""Leaving a generator where drawing would leave it, in half the time: draws are not made, only counted.

A draw below `n` takes 32 bits of the generator, multiplies them by `n` and, rarely, takes others, where the lower half
of the product is below a threshold (Lemire 2019). How many bits were taken is known without the draws themselves.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

AT_ONCE = 1 << 18
_BITS = 1 << 32


def skip_draws(generator: np.random.Generator, n: int, count: int) -> None:
    """Leave a generator as if so many numbers below `n` had been drawn by ``generator.integers(0, n, count)``."""
    if _known():
        _skip(generator.bit_generator, n, count)
    else:
        deque(_drawn(generator, n, count), maxlen=0)


@lru_cache(maxsize=1)
def _known() -> bool:
    """Say whether this version of NumPy draws as described above."""
    one, other = np.random.default_rng(0), np.random.default_rng(0)
    for n, count in ((3, 7), (3 << 30, 200), (1 << 31, 3), (1, 5), (1000, 99)):
        one.integers(0, n, count)
        _skip(other.bit_generator, n, count)
    return bool(one.bit_generator.state == other.bit_generator.state)


def _drawn(generator: np.random.Generator, n: int, count: int) -> Iterator[NDArray[np.int64]]:
    for start in range(0, count, AT_ONCE):
        yield generator.integers(0, n, min(AT_ONCE, count - start))


def _skip(bits: Any, n: int, count: int) -> None:  # noqa: ANN401
    threshold = np.uint32((_BITS - n) % n)
    left = count if n > 1 else 0
    while left:
        numbers = _taken(bits, min(left, AT_ONCE))
        left += int(np.count_nonzero(numbers * np.uint32(n) < threshold)) - len(numbers)


def _taken(bits: Any, count: int) -> NDArray[np.uint32]:  # noqa: ANN401
    """Take 32 bits so many times: each 64 bits give their lower half first, and the other one waits for the next."""
    before = bits.state
    waiting = np.full(before["has_uint32"], before["uinteger"], np.uint32)
    halves = bits.random_raw((count - len(waiting) + 1) // 2).astype("<u8", copy=False).view("<u4")
    numbers = np.concatenate([waiting, halves])
    bits.state = {**bits.state, "has_uint32": len(numbers) - count, "uinteger": int(numbers[-1])}
    return numbers[:count]
