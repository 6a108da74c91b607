"""Vectors of words or concepts that are in memory already, in the form of those that are read from files."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from termgauge.embeddings.store.vectors import VectorStore, rows_not_finite
from termgauge.embeddings.store.vocabulary import Vocabulary
from termgauge.exceptions import TermgaugeError
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_BLOCK_ROWS = 1 << 14


class HeldMatrix:
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


def held_store(words: Sequence[str], vectors: NDArray[np.floating], label: str) -> VectorStore:
    """Index the words of a matrix; a vector that holds no finite number is refused by its word."""
    if not len(words):
        raise TermgaugeError(f"{label}: holds no vectors; give one that does.")
    matrix, zeros = HeldMatrix(vectors), 0
    for first, block in matrix.blocks():
        for row in rows_not_finite(block):
            raise TermgaugeError(
                f"{label}: the vector of '{words[first + row]}' holds NaN or infinity; remove the word or mend it."
            )
        zeros += int((~block.any(axis=1)).sum())
    return VectorStore(Vocabulary.of(words), matrix, zeros)


def sha256_of_rows(vectors: NDArray[np.floating], name: str) -> str:
    """Return the SHA-256 of the shape and the numbers of a matrix, in single precision."""
    matrix = HeldMatrix(vectors)
    digest = hashlib.sha256(repr(matrix.shape).encode("ascii"))
    with track(f"Identifying {name}", total=matrix.shape[0], unit="vectors") as advance:
        for _first, block in matrix.blocks():
            digest.update(block.astype("<f4", copy=False).tobytes())
            advance(len(block))
    return digest.hexdigest()


def _single(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    with np.errstate(over="ignore"):  # what does not fit becomes infinite, which is refused by name
        return np.ascontiguousarray(rows, np.float32)
