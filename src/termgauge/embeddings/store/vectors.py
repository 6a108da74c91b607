"""The vector store: a model's matrix and vocabulary index in the cache, converted once and then memory-mapped.

A reader hands over its file as blocks of words and vectors; the store writes them down as they come, so that memory
stays small whatever the size of the file. An entry's key is the hash of the source's contents and of how it was
read, which is why a changed source never meets an old store. A store that is cut off or damaged is known by its
checksums and built again: the index is checked when it is opened, the matrix where it is read.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import numpy as np

from termgauge.embeddings.store.matrix import MappedMatrix, mapped
from termgauge.embeddings.store.vocabulary import PackedWords, Vocabulary
from termgauge.exceptions import TermgaugeError, TermgaugeWarning, warn
from termgauge.io.identity import sha256_of_value
from termgauge.io.store import BlockGuard, damaged_files, entry_path, mark_used, new_entry, read_record
from termgauge.progress import track
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future
    from pathlib import Path

    from numpy.typing import NDArray

NAMESPACE = "vectors"
LAYOUT = 1
"""Part of every key: a store of another layout is another store."""

_MANIFEST = "store.json"
_MATRIX = "vectors.npy"
_INDEX = ("data", "offsets", "hashes", "order", "repeated")
_NPY_HEADER_BYTES = 128
_INDEX_BYTES_PER_WORD = 40
"""Word, offset, hash and row of a word: what the index takes on disk, roughly."""


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
    place = entry_path(NAMESPACE, key)

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

    manifest = _manifest(place)
    if manifest is None:
        make(again=place.exists())
        manifest = _manifest(place)
        if manifest is None:
            raise TermgaugeError(f"{place}: was changed by somebody else while it was written; try again.")
    else:
        mark_used(place)
    for note in manifest.get("notes", []):
        warn(note)
    store = _opened(place, manifest, source, lambda: make(again=True))
    unchanged()
    return store


def _opened(place: Path, manifest: dict[str, Any], source: Path, remake: Callable[[], None]) -> VectorStore:
    data, offsets, hashes, order, repeated = (_array(place / f"{name}.npy") for name in _INDEX)
    vocabulary = Vocabulary(PackedWords(data, offsets), hashes, order, repeated)
    home = source if manifest["in_place"] else place / _MATRIX
    rows, columns = manifest["shape"]
    sums = read_record(place).get(_MATRIX) if home != source else None
    guard = BlockGuard(home, sums) if sums else None
    matrix = MappedMatrix(home, (rows, columns), manifest["dtype"], manifest["offset"], guard=guard, remake=remake)
    return VectorStore(vocabulary, matrix, manifest["zeros"])


def _array(path: Path) -> NDArray[Any]:
    # Not np.load(mmap_mode="r"), which cannot map an empty array.
    with path.open("rb") as file:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        return mapped(path, dtype, shape, file.tell())


def _manifest(place: Path) -> dict[str, Any] | None:
    """Return what a store says of itself, or None if it is not there or not whole."""
    try:
        manifest: dict[str, Any] = json.loads((place / _MANIFEST).read_text(encoding="utf-8"))
        whole = all((place / name).stat().st_size == size for name, size in manifest["files"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return manifest if whole and not damaged_files(place, without=(_MATRIX,)) else None


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
    progress = _Progress()
    if stream.in_place is not None:
        for block in stream.blocks:
            progress.take(block, stream)
    else:
        with (folder / _MATRIX).open("w+b") as file:
            _write_header(file, 0, stream.dimension)
            _write_rows(file, stream, progress)
            file.seek(0)
            _write_header(file, progress.rows, stream.dimension)
    if progress.rows == 0:
        raise TermgaugeError(f"{stream.label}: holds no vectors; give a file that does.")
    vocabulary = Vocabulary.from_words(PackedWords.joined(progress.words))
    progress.words.clear()
    words = vocabulary.words
    index: list[Any] = [words.data, words.offsets, vocabulary.hashes, vocabulary.order, vocabulary.repeated]
    for name, array in zip(_INDEX, index, strict=True):
        np.save(folder / f"{name}.npy", array)
    matrix = stream.in_place
    manifest = {
        "in_place": matrix is not None,
        "shape": matrix.shape if matrix else (progress.rows, stream.dimension),
        "dtype": matrix.dtype if matrix else "<f4",
        "offset": matrix.offset if matrix else _NPY_HEADER_BYTES,
        "zeros": progress.zeros,
        "notes": [str(note.message) for note in notes if issubclass(note.category, TermgaugeWarning)],
        "files": {path.name: path.stat().st_size for path in sorted(folder.iterdir())},
    }
    (folder / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


@dataclass
class _Progress:
    words: list[PackedWords] = field(default_factory=list)
    rows: int = 0
    zeros: int = 0

    def take(self, block: Block, stream: VectorStream) -> None:
        """Note the words of a block and look at its vectors."""
        squared = _squared_lengths(block.vectors)
        for row in rows_not_finite(block.vectors, squared):
            values = block.vectors[row]
            raise TermgaugeError(
                f"{stream.label}, {stream.unit} {int(block.numbers[row]):,}: the vector of '{block.words.text(row)}' "
                f"holds {values[~np.isfinite(values)][0]}, which is no finite number; remove the word or get the file "
                "again."
            )
        self.zeros += sum(not block.vectors[row].any() for row in np.flatnonzero(squared == 0).tolist())
        self.words.append(block.words)
        self.rows += len(block.vectors)


def rows_not_finite(vectors: NDArray[np.float32], squared: NDArray[np.float32] | None = None) -> list[int]:
    """Return the rows that hold a NaN or an infinity, in one pass: the squared length of such a row is not finite."""
    suspects = np.flatnonzero(~np.isfinite(_squared_lengths(vectors) if squared is None else squared))
    return [row for row in suspects.tolist() if not np.isfinite(vectors[row]).all()]


def _squared_lengths(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        squared: NDArray[np.float32] = np.einsum("ij,ij->i", vectors, vectors)
    return squared


def _write_rows(file: BinaryIO, stream: VectorStream, progress: _Progress) -> None:
    """Write one block while the next one is read."""
    with ThreadPool(1) as writer:
        written: Future[int] | None = None
        for block in stream.blocks:
            progress.take(block, stream)
            if written is not None:
                written.result()
            written = writer.submit(file.write, np.ascontiguousarray(block.vectors, "<f4").data)
        if written is not None:
            written.result()


def _write_header(file: BinaryIO, rows: int, dimension: int) -> None:
    """Write a header of always the same length, so that the number of rows can be filled in at the end."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {dimension}), }}"
    file.write(b"\x93NUMPY\x01\x00" + (_NPY_HEADER_BYTES - 10).to_bytes(2, "little"))
    file.write(text.ljust(_NPY_HEADER_BYTES - 11).encode("ascii") + b"\n")


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
    if not len(words):
        raise TermgaugeError(f"{label}: holds no vectors; give one that does.")
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
