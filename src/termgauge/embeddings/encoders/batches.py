"""Texts in batches for an encoder, checked vectors of them, and their way to disk.

A batch is always made of the same texts, wherever it is encoded, because what stands beside a text may change the last
digits of its vector.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from termgauge.embeddings.store.encodings import text_hashes
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.encoders.encoding import TextEncoder
    from termgauge.embeddings.store.encodings import EncodingStore

CHUNK_ROWS = 4096
CHUNK_SECONDS = 20.0
"""A chunk is written when it has so many rows or took so long: a killed process loses no more than that."""


class Batch(NamedTuple):
    """Texts that are encoded together."""

    texts: list[str]
    cut: NDArray[np.bool_]
    """Which of them are longer than the encoder takes."""


def batches_of(
    texts: Sequence[str], lengths: NDArray[np.int64], longest: int | None, batch_size: int
) -> Iterator[Batch]:
    """Share texts out to batches of alike lengths.

    The longest go first: what does not fit into memory fails at once, and the time left is not underestimated.
    """
    order = np.argsort(-lengths, kind="stable")
    for start in range(0, len(order), batch_size):
        some = order[start : start + batch_size]
        cut = lengths[some] > longest if longest else np.zeros(len(some), np.bool_)
        yield Batch([texts[at] for at in some.tolist()], cut)


def encoded(
    encoder: TextEncoder, batches: Iterable[Batch], dimension: int | None
) -> Iterator[tuple[Batch, NDArray[np.float32]]]:
    """Yield batches with their vectors, which have as many numbers as those that are known, if any."""
    for batch in batches:
        vectors = checked_vectors(encoder.name, batch.texts, encoder.encode_batch(batch.texts), dimension)
        dimension = vectors.shape[1]
        yield batch, vectors


def checked_vectors(
    name: str, texts: Sequence[str], vectors: NDArray[np.float32], dimension: int | None = None
) -> NDArray[np.float32]:
    """Return the vectors that an encoder made of some texts, if there is a finite one for each, as long as others."""
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise TermgaugeError(f"{name}: gave {len(vectors):,} vectors for {len(texts):,} terms.")
    if dimension is not None and vectors.shape[1] != dimension:
        raise TermgaugeError(
            f"{name}: gave a vector of {vectors.shape[1]:,} numbers for '{texts[0]}' after vectors of "
            f"{dimension:,}; the model behind it is not the one it was."
        )
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        raise TermgaugeError(
            f"{name}: gave a vector that holds NaN or infinity for '{texts[int(bad[0])]}' "
            f"({len(bad):,} of {len(texts):,} terms of this batch); the model is damaged or its precision too low."
        )
    return vectors


class Chunk:
    """Vectors on their way to disk; leaving its block writes what there is, whatever went wrong: it was paid for."""

    def __init__(self, store: EncodingStore) -> None:
        self._store = store
        self._hashes: list[NDArray[np.bytes_]] = []
        self._vectors: list[NDArray[np.float32]] = []
        self._cut: list[NDArray[np.bool_]] = []
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.write()

    def append(self, batch: Batch, vectors: NDArray[np.float32]) -> None:
        """Add the vectors of a batch."""
        self.add(text_hashes(batch.texts), vectors, batch.cut)

    def add(self, hashes: NDArray[np.bytes_], vectors: NDArray[np.float32], cut: NDArray[np.bool_]) -> None:
        """Add vectors by the hashes of their texts."""
        self._hashes.append(hashes)
        self._vectors.append(vectors)
        self._cut.append(cut)
        rows = sum(len(each) for each in self._hashes)
        if rows >= CHUNK_ROWS or time.monotonic() - self._began >= CHUNK_SECONDS:
            self.write()

    def write(self) -> None:
        """Write what there is."""
        if self._hashes:
            self._store.add(np.concatenate(self._hashes), np.concatenate(self._vectors), np.concatenate(self._cut))
        self._hashes, self._vectors, self._cut = [], [], []
        self._began = time.monotonic()
