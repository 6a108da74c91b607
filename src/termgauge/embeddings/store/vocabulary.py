"""The vocabulary index: which row of the matrix a word has.

It is a sorted array of the words' 64-bit hashes beside the rows they belong to. A batch of words is found by one
binary search and one comparison of bytes, all in NumPy and all on arrays that may be memory-mapped, so that opening
an index costs nothing whatever its size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from termgauge.embeddings.store.packed import PackedWords, equal_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

MISSING = -1


@dataclass(frozen=True)
class Vocabulary:
    """The words of a model, by row and by word; of a word that occurs twice the first row counts.

    Examples
    --------
    >>> vocabulary = Vocabulary.of(["fever", "cough", "fever"])
    >>> len(vocabulary), "cough" in vocabulary, vocabulary.find(["fever", "rash"]).tolist()
    (2, True, [0, -1])
    """

    words: PackedWords
    """One word a row, repeated ones included."""
    hashes: NDArray[np.uint64]
    """Sorted."""
    order: NDArray[np.int64]
    """The row that each of the sorted hashes belongs to."""
    repeated: NDArray[np.int64]
    """Rows whose word stands in an earlier row already."""

    @classmethod
    def of(cls, words: Iterable[str | bytes] | PackedWords) -> Vocabulary:
        """Index words; row i is the i-th word."""
        packed = words if isinstance(words, PackedWords) else PackedWords.of(words)
        hashes = packed.hashes()
        order = np.argsort(hashes, kind="stable")
        hashes = hashes[order]
        repeated = _repeated(packed, hashes, order)
        if len(repeated):
            kept = ~np.isin(order, repeated)
            hashes, order = hashes[kept], order[kept]
        return cls(packed, hashes, order, repeated)

    def __len__(self) -> int:
        return len(self.hashes)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and bool(self.find([word])[0] != MISSING)

    def __iter__(self) -> Iterator[str]:
        skipped = set(self.repeated.tolist())
        return (self.words.text(row) for row in range(len(self.words)) if row not in skipped)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows that count, in the order of the file."""
        return np.setdiff1d(np.arange(len(self.words)), self.repeated, assume_unique=True)

    def text(self, rows: Iterable[int]) -> list[str]:
        """Return the words of some rows."""
        return [self.words.text(int(row)) for row in rows]

    def find(self, words: Sequence[str] | PackedWords) -> NDArray[np.int64]:
        """Return the row of each word, -1 where there is none."""
        packed = words if isinstance(words, PackedWords) else PackedWords.of(words)
        rows = np.full(len(packed), MISSING, np.int64)
        for start, chunk in packed.chunks() if len(self.hashes) else ():
            self._find(chunk, rows[start : start + len(chunk)])
        return rows

    def _find(self, words: PackedWords, into: NDArray[np.int64]) -> None:
        wanted = words.hashes()
        sought = np.arange(len(words))
        place = np.searchsorted(self.hashes, wanted)
        while len(sought):
            inside = place < len(self.hashes)
            sought, place = sought[inside], place[inside]
            alike = self.hashes[place] == wanted[sought]
            sought, place = sought[alike], place[alike]
            rows = np.asarray(self.order[place])
            same = equal_words(self.words, rows, words, sought)
            into[sought[same]] = rows[same]
            # Two different words with one hash stand side by side: look at the next one too.
            sought, place = sought[~same], place[~same] + 1


def _repeated(words: PackedWords, hashes: NDArray[np.uint64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows whose word is in an earlier row; equal hashes are in the order of their rows."""
    alike = np.flatnonzero(hashes[1:] == hashes[:-1]) + 1
    repeated = []
    for end in alike.tolist():
        start = end
        row, word = int(order[end]), words.raw(int(order[end]))
        while start > 0 and hashes[start - 1] == hashes[end]:
            start -= 1
            if words.raw(int(order[start])) == word:
                repeated.append(row)
                break
    return np.array(sorted(repeated), np.int64)
