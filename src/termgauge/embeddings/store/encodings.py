"""Vectors of texts on disk, in chunks that are written whole: what a killed or a parallel process leaves is usable.

A store is a folder of chunk files. A chunk begins with a hash of each of its texts, so that an index over millions of
vectors is made by reading 16 bytes for each; the vectors behind them are mapped and read only where they are wanted.
Nobody ever changes a chunk, and each gets a name of its own, so any number of processes may add chunks at once.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from termgauge.atomic import TEMPORARY_PREFIX, whole_file, write_text
from termgauge.cache import mark_used
from termgauge.embeddings.store.matrix import mapped
from termgauge.exceptions import TermgaugeError, warn

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_HEADER = struct.Struct("<8s8sQQ32x")
_MAGIC = b"tgvecs1\n"
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
        self._chunks: dict[str, _Chunk] = {}
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
        try:
            names = sorted(path.name for path in self._folder.iterdir() if path.suffix == _SUFFIX)
        except FileNotFoundError:
            names = []
        names = [name for name in names if not name.startswith(TEMPORARY_PREFIX)]
        if names:
            mark_used(self._folder)
        if set(names) - self._refused == set(self._chunks):
            return
        self._chunks = {name: chunk for name in names if (chunk := self._opened(name)) is not None}
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

    def add(self, hashes: NDArray[np.bytes_], vectors: NDArray[np.float32], cut: NDArray[np.bool_]) -> None:
        """Write a chunk; the index knows it after the next `refresh`."""
        dtype = "<f4" if self._stored == "float32" else "<f2"
        with np.errstate(over="ignore"):
            kept = vectors.astype(dtype)
        if not np.isfinite(kept).all():
            raise TermgaugeError(
                f"{self._folder}: the vectors have numbers that float16 cannot hold; give ?store=float32."
            )
        if self._about is not None and not (self._folder / "about.json").is_file():
            write_text(self._folder / "about.json", json.dumps(self._about, indent=2, ensure_ascii=False) + "\n")
        path = self._folder / f"{secrets.token_hex(8)}{_SUFFIX}"
        chunk = _Chunk(path, len(kept), kept.shape[1], dtype)
        with whole_file(path) as temporary, temporary.open("wb") as file:
            file.write(_HEADER.pack(_MAGIC, dtype.encode("ascii"), chunk.rows, chunk.dimension))
            file.write(hashes.astype(f"S{_HASH_BYTES}").tobytes())
            file.write(cut.astype(np.uint8).tobytes())
            file.write(bytes(chunk.vectors_start - file.tell()))
            file.write(kept.tobytes())

    def _opened(self, name: str) -> _Chunk | None:
        if name in self._chunks:
            return self._chunks[name]
        path = self._folder / name
        try:
            with path.open("rb") as file:
                head = file.read(_HEADER.size)
                size = os.fstat(file.fileno()).st_size
        except FileNotFoundError:  # cleared just now
            return None
        magic, dtype, rows, dimension = _HEADER.unpack(head) if len(head) == _HEADER.size else (b"", b"", 0, 0)
        kind = dtype.rstrip(b"\0").decode("ascii", "replace")
        chunk = _Chunk(path, rows, dimension, kind)
        if magic != _MAGIC or kind not in ("<f4", "<f2") or size != chunk.size:
            if name not in self._refused:
                self._refused.add(name)
                warn(f"{path}: is damaged and left out; its vectors are computed again.")
            return None
        if (known := self.dimension) is not None and dimension != known:
            raise TermgaugeError(
                f"{path}: has vectors of {dimension} numbers where others of the same model have {known}; the model "
                f"changed under its name, so delete the folder {self._folder}."
            )
        self._chunks[name] = chunk
        return chunk

    def _index(self) -> None:
        parts = [_texts_of(chunk) for chunk in self._chunks.values()]
        hashes = np.concatenate([np.empty(0, f"S{_HASH_BYTES}"), *(part[0] for part in parts)])
        cut = np.concatenate([np.empty(0, np.bool_), *(part[1] for part in parts)])
        counts = [chunk.rows for chunk in self._chunks.values()]
        names = np.repeat(np.arange(len(counts)), counts)
        rows = np.concatenate([np.empty(0, np.int64), *(np.arange(count) for count in counts)])
        self._hashes, first = np.unique(hashes, return_index=True)
        self._names, self._rows, self._cut = names[first].astype(np.int64), rows[first].astype(np.int64), cut[first]


def _texts_of(chunk: _Chunk) -> tuple[NDArray[np.bytes_], NDArray[np.bool_]]:
    with chunk.path.open("rb") as file:
        file.seek(_HEADER.size)
        hashes = np.frombuffer(file.read(chunk.rows * _HASH_BYTES), f"S{_HASH_BYTES}")
        cut = np.frombuffer(file.read(chunk.rows), np.uint8).astype(np.bool_)
    return hashes, cut
