"""Vectors of texts on disk, in chunks that are written whole: what a killed or a parallel process leaves is usable.

A store is a folder of chunk files. A chunk begins with a hash of each of its texts, so that an index over millions of
vectors is made by reading 16 bytes for each; the vectors behind them are mapped and read only where they are wanted.
Nobody ever changes a chunk, and each gets a name of its own, so any number of processes may add chunks at once. A chunk
has two checksums: of what comes before its vectors, checked when it is opened, and of them, checked when one is wanted.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import struct
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.embeddings.store.matrix import mapped
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.atomic import TEMPORARY_PREFIX, mark_in, whole_file, write_text
from termgauge.io.store import mark_used, spare_path, writable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

_HEADER = struct.Struct("<8s8sQQII24x")
_MAGIC = b"tgvecs2\n"
_HASH_BYTES = 16
_SUFFIX = ".vectors"


def text_hashes(texts: Sequence[str]) -> NDArray[np.bytes_]:
    """Return a hash of 120 bits for each text, as bytes that compare as a whole."""
    # The last byte is never 0, because NumPy takes zeros at the end of bytes for padding.
    digests = [
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES - 1).digest() + b"\x01"
        for text in texts
    ]
    return np.array(digests, dtype=f"S{_HASH_BYTES}")


@dataclass(frozen=True)
class _Chunk:
    path: Path
    rows: int
    dimension: int
    dtype: str
    sum_of_vectors: int = 0

    @property
    def vectors_start(self) -> int:
        """Where the vectors begin: after the hashes and the marks, at a multiple of 64."""
        return -(-(_HEADER.size + self.rows * (_HASH_BYTES + 1)) // 64) * 64

    @property
    def size(self) -> int:
        """Bytes of the whole file."""
        return self.vectors_start + self.rows * self.dimension * np.dtype(self.dtype).itemsize


class EncodingStore:
    """The vectors of one model, by text, in a folder that need not be there yet.

    Numbers are stored as ``float32`` or as ``float16``, which takes half the room and keeps three digits; `about` is
    written beside the chunks for people: whose vectors these are.
    """

    def __init__(self, folder: Path, stored: str = "float32", about: Mapping[str, object] | None = None) -> None:
        self._folder, self._stored, self._about = folder, stored, about
        self._spare: Path | None = None
        """Where chunks are written if the folder may only be read."""
        self._chunks: dict[str, _Chunk] = {}
        self._checked: set[str] = set()
        self._refused: set[str] = set()
        self._hashes = np.empty(0, f"S{_HASH_BYTES}")
        """Of all texts, sorted; the next three say for each where its vector is and whether its text was cut."""
        self._names = np.empty(0, np.int64)
        self._rows = np.empty(0, np.int64)
        self._cut = np.empty(0, np.bool_)

    def __len__(self) -> int:
        return len(self._hashes)

    @property
    def dimension(self) -> int | None:
        """Numbers in a vector, None while there is none."""
        return next((chunk.dimension for chunk in self._chunks.values()), None)

    def refresh(self) -> None:
        """Look for chunks that were added or deleted, by this process or another."""
        paths = {path.name: path for folder in (self._folder, self._spare) if folder for path in _chunks_in(folder)}
        names = sorted(paths)
        if names:
            mark_used(self._folder)
        if set(names) - self._refused == set(self._chunks):
            return
        self._chunks = {name: chunk for name in names if (chunk := self._opened(paths[name])) is not None}
        self._index()

    def find(self, hashes: NDArray[np.bytes_]) -> NDArray[np.int64]:
        """Return where each text stands in the index, -1 where it is not there."""
        if not len(self._hashes):
            return np.full(len(hashes), -1, np.int64)
        at = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        return np.where(self._hashes[at] == hashes, at, -1).astype(np.int64)

    def cut(self, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Say which texts, by their places in the index, were longer than the model takes."""
        marks: NDArray[np.bool_] = self._cut[places]
        return marks

    def gather(self, places: NDArray[np.int64], into: NDArray[np.float32], rows: NDArray[np.int64]) -> None:
        """Copy vectors, by their places in the index, to some rows of a matrix; one chunk is mapped at a time."""
        chunks = list(self._chunks.values())
        of_chunk = self._names[places]
        order = np.lexsort((self._rows[places], of_chunk))
        bounds = np.flatnonzero(np.diff(of_chunk[order])) + 1
        for group in np.split(order, bounds):
            if not len(group):
                continue
            chunk = chunks[int(of_chunk[group[0]])]
            try:
                vectors = mapped(chunk.path, chunk.dtype, (chunk.rows, chunk.dimension), chunk.vectors_start)
            except FileNotFoundError as error:
                raise TermgaugeError(
                    f"{chunk.path}: was deleted while it was in use; run the command again."
                ) from error
            into[rows[group]] = vectors[self._rows[places[group]]]

    def sound(self, places: NDArray[np.int64]) -> bool:
        """Say whether the vectors at some places are what was written; damaged chunks leave the index."""
        names = list(self._chunks)
        wanted = {names[number] for number in np.unique(self._names[places]).tolist()} - self._checked
        damaged = [name for name in wanted if not _whole(self._chunks[name])]
        self._checked |= wanted
        for name in damaged:
            self._refuse(self._chunks.pop(name).path)
        if damaged:
            self._index()
        return not damaged

    def add(self, hashes: NDArray[np.bytes_], vectors: NDArray[np.float32], cut: NDArray[np.bool_]) -> None:
        """Write a chunk; the index knows it after the next `refresh`."""
        dtype = "<f4" if self._stored == "float32" else "<f2"
        with np.errstate(over="ignore"):
            kept = vectors.astype(dtype)
        if not np.isfinite(kept).all():
            raise TermgaugeError(
                f"{self._folder}: the vectors have numbers that float16 cannot hold; give ?store=float32."
            )
        path = self._home() / f"{secrets.token_hex(8)}{_SUFFIX}"
        chunk = _Chunk(path, len(kept), kept.shape[1], dtype)
        texts = hashes.astype(f"S{_HASH_BYTES}").tobytes() + cut.astype(np.uint8).tobytes()
        texts, numbers = texts.ljust(chunk.vectors_start - _HEADER.size, b"\0"), kept.tobytes()
        about = (dtype.encode("ascii"), chunk.rows, chunk.dimension, zlib.crc32(numbers))
        with whole_file(path) as temporary, temporary.open("wb") as file:
            file.write(_HEADER.pack(_MAGIC, *about, _sum_of_texts(about, texts)))
            file.write(texts)
            file.write(numbers)

    @contextmanager
    def marked(self) -> Iterator[MarkedStore]:
        """Mark the folder for as long as the block lasts, so that others can tell whether they see the same one."""
        home = self._home()
        with mark_in(home) as mark:
            yield MarkedStore(str(home), mark, self._stored)

    def _home(self) -> Path:
        """Return the folder that chunks are written to, once it says whose vectors they are."""
        self._spare = self._spare or spare_path(self._folder)
        home = self._spare or self._folder
        if self._about is not None and not (home / "about.json").is_file():
            write_text(home / "about.json", json.dumps(self._about, indent=2, ensure_ascii=False) + "\n")
        return home

    def _opened(self, path: Path) -> _Chunk | None:
        if path.name in self._chunks:
            return self._chunks[path.name]
        try:
            chunk = _read_chunk(path)
        except FileNotFoundError:  # cleared just now
            return None
        if chunk is None:
            self._refuse(path)
            return None
        dimension = chunk.dimension
        if (known := self.dimension) is not None and dimension != known:
            raise TermgaugeError(
                f"{path}: has vectors of {dimension} numbers where others of the same model have {known}; the model "
                f"changed under its name, so delete the folder {self._folder}."
            )
        self._chunks[path.name] = chunk
        return chunk

    def _refuse(self, path: Path) -> None:
        """Do without a damaged chunk, and delete it, so that nobody meets it again."""
        if path.name not in self._refused:
            self._refused.add(path.name)
            warn(f"{path}: is damaged and left out; its vectors are computed again.")
        with suppress(OSError):
            path.unlink()

    def _index(self) -> None:
        parts = [_texts_of(chunk) for chunk in self._chunks.values()]
        hashes = np.concatenate([np.empty(0, f"S{_HASH_BYTES}"), *(part[0] for part in parts)])
        cut = np.concatenate([np.empty(0, np.bool_), *(part[1] for part in parts)])
        counts = [chunk.rows for chunk in self._chunks.values()]
        names = np.repeat(np.arange(len(counts)), counts)
        rows = np.concatenate([np.empty(0, np.int64), *(np.arange(count) for count in counts)])
        self._hashes, first = np.unique(hashes, return_index=True)
        self._names, self._rows, self._cut = names[first].astype(np.int64), rows[first].astype(np.int64), cut[first]


class MarkedStore(NamedTuple):
    """A store on the machine of whoever sends work, and perhaps on a disk that others see, too."""

    folder: str
    mark: str
    """The name of a file in it that nobody else has."""
    stored: str

    def here(self) -> EncodingStore | None:
        """Return the store, if this machine sees it and may write to it."""
        folder = Path(self.folder)
        return EncodingStore(folder, self.stored) if (folder / self.mark).is_file() and writable(folder) else None


def _chunks_in(folder: Path) -> list[Path]:
    try:
        found = [path for path in folder.iterdir() if path.suffix == _SUFFIX]
    except (FileNotFoundError, PermissionError):
        return []
    return [path for path in found if not path.name.startswith(TEMPORARY_PREFIX)]


def _read_chunk(path: Path) -> _Chunk | None:
    """Return what a chunk says of itself; None if that is not what was written."""
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
        size = os.fstat(file.fileno()).st_size
        if len(head) < _HEADER.size:
            return None
        magic, dtype, rows, dimension, vectors_sum, texts_sum = _HEADER.unpack(head)
        kind = dtype.rstrip(b"\0").decode("ascii", "replace")
        if magic != _MAGIC or kind not in ("<f4", "<f2"):
            return None
        chunk = _Chunk(path, rows, dimension, kind, vectors_sum)
        if size != chunk.size:
            return None
        about = (dtype.rstrip(b"\0"), rows, dimension, vectors_sum)
        texts = file.read(chunk.vectors_start - _HEADER.size)
        return chunk if _sum_of_texts(about, texts) == texts_sum else None


def _sum_of_texts(about: tuple[bytes, int, int, int], texts: bytes) -> int:
    return zlib.crc32(texts, zlib.crc32(repr(about).encode("ascii")))


def _whole(chunk: _Chunk) -> bool:
    """Say whether the vectors of a chunk are what was written."""
    total = 0
    try:
        with chunk.path.open("rb", buffering=0) as file:
            file.seek(chunk.vectors_start)
            while block := file.read(1 << 20):
                total = zlib.crc32(block, total)
    except FileNotFoundError:
        return False
    return total == chunk.sum_of_vectors


def damaged_chunks(folder: Path) -> list[str]:
    """Return the chunks of a store that are not what was written."""
    chunks = {path.name: _read_chunk(path) for path in sorted(_chunks_in(folder))}
    return [name for name, chunk in chunks.items() if chunk is None or not _whole(chunk)]


def _texts_of(chunk: _Chunk) -> tuple[NDArray[np.bytes_], NDArray[np.bool_]]:
    with chunk.path.open("rb") as file:
        file.seek(_HEADER.size)
        hashes = np.frombuffer(file.read(chunk.rows * _HASH_BYTES), f"S{_HASH_BYTES}")
        cut = np.frombuffer(file.read(chunk.rows), np.uint8).astype(np.bool_)
    return hashes, cut
