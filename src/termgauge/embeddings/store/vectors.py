"""The vector store: a model's matrix and vocabulary index in the cache, converted once and then memory-mapped.

Rows that are asked for are gathered through a memory map, which every process that opens the file shares; a pass over
all rows reads the file in blocks instead, so that it never has more than one block resident.

A reader hands over its file as blocks of words and vectors; the store writes them down as they come, so that memory
stays small whatever the size of the file. An entry's key is the hash of the source's contents and of how it was
read, which is why a changed source never meets an old store. A store that is cut off or damaged is known by its
checksums and built again: the index is checked when it is opened, the matrix where it is read.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import shutil
import tempfile
import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from termgauge.embeddings.store.vocabulary import PackedWords, Vocabulary
from termgauge.exceptions import TermgaugeError, TermgaugeWarning, warn
from termgauge.io.identity import sha256_of_value
from termgauge.io.store import BLOCK, BlockGuard, damaged_files, entry_path, mark_used, new_entry, read_record
from termgauge.progress import track
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

NAMESPACE = "vectors"
LAYOUT = 2
"""Part of every key: a store of another layout is another store."""

_MANIFEST = "store.json"
_MATRIX = "vectors.f4"
_INDEX = ("data", "offsets", "hashes", "order", "repeated")
_INDEX_BYTES_PER_WORD = 40
"""Word, offset, hash and row of a word: what the index takes on disk, roughly."""


BLOCK_BYTES = 32 << 20
_LONG_RUN = 1024
_ROWS_BETWEEN_RELEASES = 4096
"""Touching a row makes the 64 KB around it resident on Linux: so many rows take 256 MB at most."""


def mapped(path: Path, dtype: DTypeLike, shape: tuple[int, ...], offset: int) -> NDArray[Any]:
    """Map an array of a file; an empty one, which cannot be mapped, is made instead."""
    if 0 in shape:
        return np.empty(shape, dtype)
    return np.asarray(np.memmap(path, np.dtype(dtype), mode="r", offset=offset, shape=shape))


def room_for(shape: tuple[int, int], dtype: DTypeLike, most: int) -> NDArray[Any]:
    """Return an array to be filled; one of more than `most` bytes lies in a temporary file that is mapped."""
    size = shape[0] * shape[1] * np.dtype(dtype).itemsize
    if size <= most:
        return np.empty(shape, dtype)
    with tempfile.TemporaryFile(prefix="termgauge-") as file:  # goes away with the last use of the array
        file.truncate(size)
        return np.asarray(np.memmap(file, dtype, "r+", shape=shape))


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
        starts = self.offset + rows * self._row_bytes
        first, last = starts // BLOCK, (starts + self._row_bytes - 1) // BLOCK
        spread = np.arange(int((last - first).max(initial=0)) + 1)
        self._require_sound(np.unique(np.minimum(first[:, None] + spread, last[:, None])).tolist())
        vectors = np.empty((len(rows), self.shape[1]), np.float32)
        for start in range(0, len(rows), _ROWS_BETWEEN_RELEASES):
            some = rows[start : start + _ROWS_BETWEEN_RELEASES]
            self._require_all()
            vectors[start : start + len(some)] = self._as_float32(self._rows[some])
            self._release(len(some))
        return vectors

    def _require_sound(self, blocks: Collection[int]) -> None:
        """See that some blocks of the file are what was written; else have it written anew."""
        if self._guard is None or self._guard.sound(blocks):
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
        step = max(1, size // max(1, self._row_bytes))
        for first in range(start, count, step):
            rows = min(step, count - first)
            begin = self.offset + first * self._row_bytes
            self._require_sound(range(begin // BLOCK, -(-(begin + rows * self._row_bytes) // BLOCK)))
            self._require_all()
            block = np.fromfile(self.path, self._dtype, rows * width, offset=begin).reshape(rows, width)
            yield first, self._as_float32(block)

    def _as_float32(self, rows: NDArray[np.generic]) -> NDArray[np.float32]:
        if self._bfloat16:  # the upper half of a float32
            return (rows.astype(np.uint32) << np.uint32(16)).view(np.float32)
        with np.errstate(over="ignore"):  # what does not fit becomes infinite, which is refused by name
            return np.ascontiguousarray(rows, np.float32)


@dataclass(frozen=True)
class Block:
    """Some consecutive words of a file with their vectors."""

    words: PackedWords
    vectors: NDArray[np.float32]
    numbers: NDArray[np.int64]
    """The line or record that each stands in, counted from 1."""


@dataclass(frozen=True)
class VectorStream:
    """A file of vectors as its reader gives it: block after block."""

    label: str
    """How messages name the file."""
    dimension: int
    blocks: Iterable[Block]
    expected_rows: int
    """About how many vectors will come: for the disk space to ask for."""
    unit: str = "line"
    """What the numbers of a block count."""
    in_place: MappedMatrix | None = None
    """The matrix, where it can be used as it lies on the disk: then only the index is stored."""


class Matrix(Protocol):
    """Vectors, wherever they are."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return some rows, in the order asked for, as a new array."""


@dataclass(frozen=True)
class VectorStore:
    """What is known of a file of vectors once it was read."""

    vocabulary: Vocabulary
    matrix: Matrix
    zeros: int
    """How many words have a vector of zeros, for which no similarity is defined."""

    @property
    def duplicates(self) -> int:
        """How many rows repeat the word of an earlier row; they are never used."""
        return len(self.vocabulary.repeated)


def open_store(
    identity: Any,  # noqa: ANN401
    read: Callable[[], VectorStream],
    label: str,
    source: Path,
    unchanged: Callable[[], None] = lambda: None,
) -> VectorStore:
    """Open the store of a file, or build it first.

    The identity is all that determines the result (content hash, format and its options) as a JSON-like value. `read`
    begins to read the file and is only called if there is no store yet; `source` is where the file is on disk, for a
    matrix that is used in place, and `label` how messages name it. `unchanged` raises an error if the file is not the
    one any more that the identity is of.
    """
    key = sha256_of_value({"layout": LAYOUT, "source": identity})
    entry = entry_path(NAMESPACE, key)

    def make(*, again: bool) -> None:
        if again:
            warn(f"{label}: its store in the cache was damaged and is built again.")
        stream = read()
        _require_space(stream)
        with new_entry(NAMESPACE, key) as folder:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", TermgaugeWarning)
                _build(stream, folder, caught)
            unchanged()

    manifest = _manifest(entry)
    if manifest is None:
        make(again=entry.exists())
        manifest = _manifest(entry)
        if manifest is None:
            raise TermgaugeError(f"{entry}: was changed by somebody else while it was written; try again.")
    else:
        mark_used(entry)
    for note in manifest.get("notes", []):
        warn(note)
    store = _opened(entry, manifest, source, lambda: make(again=True))
    unchanged()
    return store


def _opened(folder: Path, manifest: dict[str, Any], source: Path, remake: Callable[[], None]) -> VectorStore:
    data, offsets, hashes, order, repeated = (_array(folder / f"{name}.npy") for name in _INDEX)
    vocabulary = Vocabulary(PackedWords(data, offsets), hashes, order, repeated)
    rows, columns = manifest["shape"]
    home, guard = source, None
    if not manifest["in_place"]:
        home = folder / _MATRIX
        guard = BlockGuard(home, read_record(folder)[_MATRIX])
    matrix = MappedMatrix(home, (rows, columns), manifest["dtype"], manifest["offset"], guard=guard, remake=remake)
    return VectorStore(vocabulary, matrix, manifest["zeros"])


def _array(path: Path) -> NDArray[Any]:
    small = path.stat().st_size < 1 << 12  # may be empty, which not every NumPy can map
    array: NDArray[Any] = np.load(path, None if small else "r")
    return array


def _manifest(folder: Path) -> dict[str, Any] | None:
    """Return what a store says of itself, or None if it is not there or not whole."""
    try:
        manifest: dict[str, Any] = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        rows, columns = manifest["shape"]
        whole = manifest["in_place"] or (folder / _MATRIX).stat().st_size == 4 * rows * columns
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return manifest if whole and not damaged_files(folder, without=(_MATRIX,)) else None


def _require_space(stream: VectorStream) -> None:
    width = 0 if stream.in_place else stream.dimension * 4
    needed = stream.expected_rows * (width + _INDEX_BYTES_PER_WORD)
    namespace = home = entry_path(NAMESPACE, "x").parent
    while not home.exists() and home != home.parent:
        home = home.parent
    free = shutil.disk_usage(home).free
    if needed > free:
        raise TermgaugeError(
            f"{stream.label}: its store takes about {needed / 1e9:,.1f} GB and {namespace} has {free / 1e9:,.1f} GB "
            "free; make room or set TERMGAUGE_CACHE_DIR to a folder on another disk."
        )


def _build(stream: VectorStream, folder: Path, notes: Sequence[warnings.WarningMessage]) -> None:
    """Write what the blocks of a file hold; one is written while the next one is read."""
    parts: list[PackedWords] = []
    zeros = 0
    matrix, written = stream.in_place, None
    with nullcontext() if matrix else (folder / _MATRIX).open("wb") as file, ThreadPool(1) as writer:
        for block in stream.blocks:
            zeros += _zeros(block, stream)
            parts.append(block.words)
            if written is not None:
                written.result()
            if file is not None:
                written = writer.submit(file.write, np.ascontiguousarray(block.vectors, "<f4").data)
        if written is not None:
            written.result()
    if not any(map(len, parts)):
        raise TermgaugeError(f"{stream.label}: holds no vectors; give a file that does.")
    vocabulary = Vocabulary.from_words(PackedWords.joined(parts))
    parts.clear()
    words = vocabulary.words
    index: list[NDArray[Any]] = [words.data, words.offsets, vocabulary.hashes, vocabulary.order, vocabulary.repeated]
    for name, array in zip(_INDEX, index, strict=True):
        np.save(folder / f"{name}.npy", array)
    manifest = {
        "in_place": matrix is not None,
        "shape": matrix.shape if matrix else (len(words), stream.dimension),
        "dtype": matrix.dtype if matrix else "<f4",
        "offset": matrix.offset if matrix else 0,
        "zeros": zeros,
        "notes": [str(note.message) for note in notes if issubclass(note.category, TermgaugeWarning)],
    }
    (folder / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def _zeros(block: Block, stream: VectorStream) -> int:
    """Return how many vectors of a block are zero; one that is not finite is refused."""
    squared = _squared_lengths(block.vectors)
    for row in rows_not_finite(block.vectors, squared):
        values = block.vectors[row]
        raise TermgaugeError(
            f"{stream.label}, {stream.unit} {int(block.numbers[row]):,}: the vector of '{block.words.text(row)}' "
            f"holds {values[~np.isfinite(values)][0]}, which is no finite number; remove the word or get the file "
            "again."
        )
    return sum(not block.vectors[row].any() for row in np.flatnonzero(squared == 0).tolist())


def rows_not_finite(vectors: NDArray[np.float32], squared: NDArray[np.float32] | None = None) -> list[int]:
    """Return the rows that hold a NaN or an infinity, in one pass: the squared length of such a row is not finite."""
    suspects = np.flatnonzero(~np.isfinite(_squared_lengths(vectors) if squared is None else squared))
    return [row for row in suspects.tolist() if not np.isfinite(vectors[row]).all()]


def _squared_lengths(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        squared: NDArray[np.float32] = np.einsum("ij,ij->i", vectors, vectors)
    return squared


_BLOCK_ROWS = 1 << 14


class InMemoryMatrix:
    """A matrix that somebody else holds; it is neither copied nor changed."""

    def __init__(self, rows: NDArray[np.floating]) -> None:
        self._rows = rows
        self.shape: tuple[int, int] = (rows.shape[0], rows.shape[1])

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return some rows, in the order asked for, as a new array."""
        if len(rows) and int(rows.min()) < 0:
            raise IndexError("a missing word has no row")
        return _single(self._rows[rows])

    def blocks(self) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Go through the rows in blocks, each with the number of its first row."""
        for first in range(0, self.shape[0], _BLOCK_ROWS):
            yield first, _single(self._rows[first : first + _BLOCK_ROWS])


def in_memory_store(words: Sequence[str], vectors: NDArray[np.floating], label: str) -> VectorStore:
    """Index the words of a matrix; a vector that holds no finite number is refused by its word."""
    matrix, zeros = InMemoryMatrix(vectors), 0
    for first, block in matrix.blocks():
        for row in rows_not_finite(block):
            raise TermgaugeError(
                f"{label}: the vector of '{words[first + row]}' holds NaN or infinity; remove the word or mend it."
            )
        zeros += int((~block.any(axis=1)).sum())
    return VectorStore(Vocabulary.from_words(words), matrix, zeros)


def sha256_of_rows(vectors: NDArray[np.floating], name: str) -> str:
    """Return the SHA-256 of the shape and the numbers of a matrix, in single precision."""
    matrix = InMemoryMatrix(vectors)
    digest = hashlib.sha256(repr(matrix.shape).encode("ascii"))
    with track(f"Identifying {name}", total=matrix.shape[0], unit="vectors") as advance:
        for _first, block in matrix.blocks():
            digest.update(block.astype("<f4", copy=False).tobytes())
            advance(len(block))
    return digest.hexdigest()


def _single(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # what does not fit becomes infinite, which is refused by name
        return np.ascontiguousarray(rows, np.float32)
