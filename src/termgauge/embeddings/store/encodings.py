"""Vectors of texts on disk, in chunks that are written whole: what a killed or a parallel process leaves is usable.

A store is a folder of chunks, each a folder of arrays with the checksums of `termgauge.io.store`. The hashes of a
chunk's texts have a file of their own, so that an index over millions of vectors is made by reading 16 bytes for each;
the vectors are mapped and read, and checked, only where they are wanted. Nobody ever changes a chunk, and each gets a
name of its own, so any number of processes may add chunks at once.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.atomic import TEMPORARY_PREFIX, whole_folder, write_text
from termgauge.io.store import (
    BlockGuard,
    damaged_files,
    mark_used,
    read_record,
    spare_path,
    write_record,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_HASH_BYTES = 16
_SUFFIX = ".chunk"
_HASHES, _CUT, _VECTORS = "hashes.npy", "cut.npy", "vectors.npy"


def text_hashes(texts: Sequence[str]) -> NDArray[np.bytes_]:
    """Return a hash of 120 bits for each text, as bytes that compare as a whole."""
    # The last byte is never 0, because NumPy takes zeros at the end of bytes for padding.
    digests = [
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES - 1).digest() + b"\x01"
        for text in texts
    ]
    return np.array(digests, dtype=f"S{_HASH_BYTES}")


class _Chunk(NamedTuple):
    folder: Path
    hashes: NDArray[np.bytes_]
    cut: NDArray[np.bool_]
    dimension: int


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
        self._index()

    def __len__(self) -> int:
        return len(self._hashes)

    @property
    def dimension(self) -> int | None:
        """Numbers in a vector, None while there is none."""
        return next((chunk.dimension for chunk in self._chunks.values()), None)

    def refresh(self) -> None:
        """Look for chunks that were added or deleted, by this process or another."""
        paths = {path.name: path for folder in (self._folder, self._spare) if folder for path in _chunks_in(folder)}
        if paths:
            mark_used(self._folder)
        if set(paths) - self._refused == set(self._chunks):
            return
        self._chunks = {name: chunk for name in sorted(paths) if (chunk := self._opened(paths[name])) is not None}
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
        numbers = self._numbers[places]
        order = np.lexsort((self._rows[places], numbers))
        for group in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
            if not len(group):
                continue
            path = chunks[int(numbers[group[0]])].folder / _VECTORS
            try:
                vectors = np.load(path, mmap_mode="r")
            except FileNotFoundError as error:
                raise TermgaugeError(f"{path}: was deleted while it was in use; run the command again.") from error
            into[rows[group]] = vectors[self._rows[places[group]]]

    def sound(self, places: NDArray[np.int64]) -> bool:
        """Say whether the vectors at some places are what was written; damaged chunks leave the index."""
        names = list(self._chunks)
        wanted = {names[number] for number in np.unique(self._numbers[places]).tolist()} - self._checked
        damaged = [name for name in wanted if damaged_files(self._chunks[name].folder)]
        self._checked |= wanted
        for name in damaged:
            self._refuse(self._chunks.pop(name).folder)
        if damaged:
            self._index()
        return not damaged

    def add(self, hashes: NDArray[np.bytes_], vectors: NDArray[np.float32], cut: NDArray[np.bool_]) -> None:
        """Write a chunk; the index knows it after the next `refresh`."""
        with np.errstate(over="ignore"):
            kept = vectors.astype(self._stored)
        if not np.isfinite(kept).all():
            raise TermgaugeError(
                f"{self._folder}: the vectors have numbers that float16 cannot hold; give ?store=float32."
            )
        with whole_folder(self._home() / f"{secrets.token_hex(8)}{_SUFFIX}") as folder:
            np.save(folder / _HASHES, hashes.astype(f"S{_HASH_BYTES}"))
            np.save(folder / _CUT, cut)
            np.save(folder / _VECTORS, kept)
            write_record(folder)

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
        chunk = _read_chunk(path)
        if chunk is None:
            if path.exists():  # else it was cleared just now
                self._refuse(path)
            return None
        if self.dimension not in (None, chunk.dimension):
            raise TermgaugeError(
                f"{path}: has vectors of {chunk.dimension} numbers where others of the same model have "
                f"{self.dimension}; the model changed under its name, so delete the folder {self._folder}."
            )
        self._chunks[path.name] = chunk
        return chunk

    def _refuse(self, path: Path) -> None:
        """Do without a damaged chunk, and delete it, so that nobody meets it again."""
        if path.name not in self._refused:
            self._refused.add(path.name)
            warn(f"{path}: is damaged and left out; its vectors are computed again.")
        shutil.rmtree(path, ignore_errors=True)

    def _index(self) -> None:
        """Sort the hashes of all texts, and note for each its chunk, its row there and whether it was cut."""
        chunks = list(self._chunks.values())
        counts = [len(chunk.hashes) for chunk in chunks]
        hashes = np.concatenate([np.empty(0, f"S{_HASH_BYTES}"), *(chunk.hashes for chunk in chunks)])
        self._hashes, first = np.unique(hashes, return_index=True)
        self._numbers = np.repeat(np.arange(len(counts)), counts)[first]
        self._rows = np.concatenate([np.empty(0, np.int64), *map(np.arange, counts)])[first]
        self._cut = np.concatenate([np.empty(0, np.bool_), *(chunk.cut for chunk in chunks)])[first]


def _chunks_in(folder: Path) -> list[Path]:
    try:
        paths = [path for path in folder.iterdir() if path.suffix == _SUFFIX]
    except (FileNotFoundError, PermissionError):
        return []
    return [path for path in paths if not path.name.startswith(TEMPORARY_PREFIX)]


def _read_chunk(folder: Path) -> _Chunk | None:
    """Return a chunk; None if it is damaged, as far as that is seen without reading all vectors."""
    try:
        if damaged_files(folder, without=(_VECTORS,)):
            return None
        if not BlockGuard(folder / _VECTORS, read_record(folder)[_VECTORS]).sound([0]):
            return None
        dimension = np.load(folder / _VECTORS, mmap_mode="r").shape[1]
        return _Chunk(folder, np.load(folder / _HASHES), np.load(folder / _CUT), dimension)
    except (OSError, ValueError, KeyError):  # cut off, or deleted meanwhile
        return None


def damaged_chunks(folder: Path) -> list[str]:
    """Return the chunks of a store that are not what was written."""
    return [path.name for path in sorted(_chunks_in(folder)) if damaged_files(path)]
