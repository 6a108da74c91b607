"""A matrix of vectors that stays on disk.

Rows that are asked for are gathered through a memory map, which every process that opens the file shares; a pass over
all rows reads the file in blocks instead, so that it never has more than one block resident.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.exceptions import TermgaugeError
from termgauge.io.store import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

    from termgauge.io.store import BlockGuard

BLOCK_BYTES = 32 << 20
_LONG_RUN = 1024
_ROWS_BETWEEN_RELEASES = 4096
"""Touching a row makes the 64 KB around it resident on Linux: so many rows take 256 MB at most."""


def mapped(path: Path, dtype: DTypeLike, shape: tuple[int, ...], offset: int) -> NDArray[Any]:
    """Map an array of a file; an empty one, which cannot be mapped, is made instead."""
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(np.memmap(path, np.dtype(dtype), mode="r", offset=offset, shape=shape))


class MappedMatrix:
    """Vectors in a file, one row after another, from an offset on.

    A number is stored as any floating point type of NumPy, or as ``"bfloat16"``. If there is a `guard`, it checks what
    is read for the first time; where it finds damage, `remake` writes the file anew.
    """

    def __init__(
        self,
        path: Path,
        shape: tuple[int, int],
        dtype: str = "<f4",
        offset: int = 0,
        *,
        guard: BlockGuard | None = None,
        remake: Callable[[], None] = lambda: None,
    ) -> None:
        self.path, self.shape, self.dtype, self.offset = path, shape, dtype, offset
        self._touched, self._guard, self._remake = 0, guard, remake
        self._bfloat16 = dtype == "bfloat16"
        self._dtype = np.dtype("<u2") if self._bfloat16 else np.dtype(dtype)
        self._row_bytes = shape[1] * self._dtype.itemsize
        self._end = offset + shape[0] * self._row_bytes
        self._map: mmap.mmap | None = None
        self._rows: NDArray[np.generic] = np.empty(shape if 0 in shape else 0, self._dtype)
        self._open()

    def _open(self) -> None:
        self._require_all()
        if 0 not in self.shape:
            with self.path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), self._end, access=mmap.ACCESS_READ)
            self._rows = np.ndarray(self.shape, self._dtype, buffer=self._map, offset=self.offset)

    def _require_all(self) -> None:
        """Refuse a file that is too short: to read what is not there any more through a map ends the process."""
        if (size := self.path.stat().st_size if self._map is None else self._map.size()) < self._end:
            raise TermgaugeError(
                f"{self.path}: is cut off: {self.shape[0]:,} vectors of {self.shape[1]} numbers end at byte "
                f"{self._end:,}, the file at {size:,}; get it again."
            )

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return some rows, in the order asked for, as a new array."""
        if len(rows) and int(rows.min()) < 0:
            raise IndexError("a missing word has no row")
        if len(rows) >= _LONG_RUN and bool((np.diff(rows) == 1).all()):
            # Read, not mapped: a pass over the whole matrix should not leave all of it resident.
            return np.concatenate([block for _, block in self.blocks(start=int(rows[0]), stop=int(rows[-1]) + 1)])
        self._check(rows)
        vectors = np.empty((len(rows), self.shape[1]), np.float32)
        for start in range(0, len(rows), _ROWS_BETWEEN_RELEASES):
            some = rows[start : start + _ROWS_BETWEEN_RELEASES]
            self._require_all()
            vectors[start : start + len(some)] = self._as_float32(self._rows[some])
            self._release(len(some))
        return vectors

    def _check(self, rows: NDArray[np.int64]) -> None:
        """See that some rows are what was written; else have the file written anew."""
        if self._guard is None or not len(rows):
            return
        starts = self.offset + rows * self._row_bytes
        first, last = starts // BLOCK, (starts + self._row_bytes - 1) // BLOCK
        spread = np.arange(int((last - first).max()) + 1)
        blocks = np.unique(np.minimum(first[:, None] + spread, last[:, None])).tolist()
        if self._guard.sound(blocks):
            return
        self._remake()
        self._open()
        if not self._guard.sound(blocks):
            raise TermgaugeError(f"{self.path}: does not stay what was written to it; see whether the disk is sound.")

    def _release(self, rows: int) -> None:
        """Now and then give back the pages that were touched; they stay in the system's cache, shared by all."""
        self._touched += rows
        if self._map is not None and self._touched >= _ROWS_BETWEEN_RELEASES and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)
            self._touched = 0

    def blocks(
        self, size: int = BLOCK_BYTES, start: int = 0, stop: int | None = None
    ) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Go through the rows in blocks of about so many bytes, each with the number of its first row."""
        count, width = self.shape
        count = count if stop is None else min(stop, count)
        step = max(1, size // max(1, width * self._dtype.itemsize))
        with self.path.open("rb") as file:
            file.seek(self.offset + start * width * self._dtype.itemsize)
            for first in range(start, count, step):
                rows = min(step, count - first)
                if not self._sound(first, first + rows):
                    yield from self._anew(size, first, stop)
                    return
                self._require_all()
                block = np.fromfile(file, self._dtype, rows * width).reshape(rows, width)
                yield first, self._as_float32(block)

    def _sound(self, first: int, stop: int) -> bool:
        start = self.offset + first * self._row_bytes
        return self._guard is None or self._guard.all_sound(start, start + (stop - first) * self._row_bytes)

    def _anew(self, size: int, start: int, stop: int | None) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Go on with the file written anew."""
        self._check(np.arange(start, self.shape[0] if stop is None else stop))
        yield from self.blocks(size, start, stop)

    def _as_float32(self, rows: NDArray[np.generic]) -> NDArray[np.float32]:
        if self._bfloat16:  # the upper half of a float32
            return (rows.astype(np.uint32) << np.uint32(16)).view(np.float32)
        with np.errstate(over="ignore"):  # what does not fit becomes infinite, which is refused by name
            return np.ascontiguousarray(rows, np.float32)
