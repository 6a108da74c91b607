"""What a kernel makes of resamples: drawn in one place, computed by threads here or in blocks at an executor.

Whoever computes a block is not sent its draws, but the state of the generator before them, and draws them again. The
sender skips them, so that its generator is where it would be without an executor.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from termgauge.executor import current_executor, forget_when_done, load_arrays, save_arrays
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from termgauge.executor import Artifact, JobExecutor

DRAWS_AT_ONCE = 1 << 18
DRAW_NANOSECONDS = 6.0
BLOCK_NANOSECONDS = 3e8
LEAST_BLOCKS = 4
"""Fewer of them are not worth sending."""


class Kernel(Protocol):
    """A function of a module, which works without the lock of the interpreter."""

    def __call__(self, arrays: Mapping[str, NDArray[Any]], drawn: NDArray[np.int64], /) -> NDArray[Any]:
        """Return a row for each resample, given the items that are drawn in each (resamples x items)."""


def resampled(
    kernel: Kernel,
    arrays: Mapping[str, NDArray[Any]],
    items: int,
    resamples: int,
    generator: np.random.Generator,
    nanoseconds: float,
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Yield what a kernel makes of resamples of so many items: rows for a run of resamples, and which these are.

    Results do not depend on where they are computed, nor on how many threads do it. `nanoseconds` is about what the
    kernel takes for an item that is drawn.
    """
    executor, size = current_executor(), _block_size(items, nanoseconds)
    if executor is not None and resamples > (LEAST_BLOCKS - 1) * size:
        yield from _shared(kernel, executor, executor.artifact(save_arrays(arrays)), items, resamples, size, generator)
        return
    start = 0
    for rows in _by_threads(kernel, arrays, draws(items, resamples, generator)):
        yield slice(start, start + len(rows)), rows
        start += len(rows)


def draws(n: int, resamples: int, seed: int | np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield, for a run of resamples at a time, the `n` items drawn with replacement (resamples x items)."""
    generator = np.random.default_rng(seed)  # one that is given goes on where it is
    at_once = _at_once(n)
    for start in range(0, resamples, at_once):
        yield generator.integers(0, n, (min(at_once, resamples - start), n))


def resample_block(
    kernel: Kernel, bundle: Artifact, items: int, resamples: int, state: Mapping[str, Any]
) -> NDArray[Any]:
    """Return what a kernel makes of the next resamples of a generator that is in some state."""
    generator = np.random.default_rng(0)
    generator.bit_generator.state = state
    return np.concatenate(list(_by_threads(kernel, _arrays(bundle), draws(items, resamples, generator))))


@lru_cache(maxsize=2)
def _arrays(bundle: Artifact) -> dict[str, NDArray[Any]]:
    """Return arrays in memory: kernels are compiled for these, not for mapped ones."""
    forget_when_done(_arrays.cache_clear)
    return {name: np.array(array) for name, array in load_arrays(bundle).items()}


def _at_once(items: int) -> int:
    return max(1, DRAWS_AT_ONCE // items)


def _block_size(items: int, nanoseconds: float) -> int:
    """Return how many resamples make a block that is worth sending: whole runs of those that are drawn at once."""
    run = _at_once(items)
    takes = run * items * (nanoseconds + DRAW_NANOSECONDS)
    return run * max(1, round(BLOCK_NANOSECONDS / takes))


def _shared(
    kernel: Kernel,
    executor: JobExecutor,
    bundle: Artifact,
    items: int,
    resamples: int,
    size: int,
    generator: np.random.Generator,
) -> Iterator[tuple[slice, NDArray[Any]]]:
    def blocks() -> Iterator[tuple[Any, ...]]:
        for start in range(0, resamples, size):
            count = min(size, resamples - start)
            yield kernel, bundle, items, count, generator.bit_generator.state
            skip_draws(generator, items, items * count)

    for done in executor.map(resample_block, blocks(), label="bootstrap", inputs=[bundle]):
        rows = done.result()
        yield slice(done.number * size, done.number * size + len(rows)), rows


def _by_threads(
    kernel: Kernel, arrays: Mapping[str, NDArray[Any]], runs: Iterator[NDArray[np.int64]]
) -> Iterator[NDArray[Any]]:
    """Yield what a kernel makes of runs of resamples, in their order."""
    import numba

    if (threads := numba.get_num_threads()) == 1:
        yield from (kernel(arrays, drawn) for drawn in runs)
        return

    with ThreadPool(threads) as pool:
        waiting: deque[Future[NDArray[Any]]] = deque()
        for drawn in runs:
            waiting.append(pool.submit(kernel, arrays, drawn))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


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
