"""The vocabulary index: which row of the matrix a word has.

It is a sorted array of the words' 64-bit hashes beside the rows they belong to. A batch of words is found by one
binary search and one comparison of bytes, all in NumPy and all on arrays that may be memory-mapped, so that opening
an index costs nothing whatever its size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

MISSING = -1


@dataclass(frozen=True)
class Vocabulary:
    """The words of a model, by row and by word; of a word that occurs twice the first row counts.

    Examples
    --------
    >>> vocabulary = Vocabulary.from_words(["fever", "cough", "fever"])
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
    def from_words(cls, words: Iterable[str | bytes] | PackedWords) -> Vocabulary:
        """Index words; row i is the i-th word."""
        packed = words if isinstance(words, PackedWords) else PackedWords.from_words(words)
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
        packed = words if isinstance(words, PackedWords) else PackedWords.from_words(words)
        rows = np.full(len(packed), MISSING, np.int64)
        for start, chunk in packed.chunks() if len(self.hashes) else ():
            self._find(chunk, rows[start : start + len(chunk)])
        return rows

    def _find(self, words: PackedWords, into: NDArray[np.int64]) -> None:
        wanted = words.hashes()
        sought = np.arange(len(words))
        positions = np.searchsorted(self.hashes, wanted)
        while len(sought):
            inside = positions < len(self.hashes)
            sought, positions = sought[inside], positions[inside]
            alike = self.hashes[positions] == wanted[sought]
            sought, positions = sought[alike], positions[alike]
            rows = np.asarray(self.order[positions])
            same = equal_words(self.words, rows, words, sought)
            into[sought[same]] = rows[same]
            # Two different words with one hash stand side by side: look at the next one too.
            sought, positions = sought[~same], positions[~same] + 1


def _repeated(words: PackedWords, hashes: NDArray[np.uint64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows whose word is in an earlier row; only words of equal hashes are looked at."""
    alike = np.isin(hashes, hashes[1:][hashes[1:] == hashes[:-1]])
    seen: set[bytes] = set()
    repeated = []
    for row in np.sort(order[alike]).tolist():
        word = words.raw(row)
        if word in seen:
            repeated.append(row)
        seen.add(word)
    return np.array(repeated, np.int64)


_CHUNK = 1 << 18
_MULTIPLIER = 0x9E3779B97F4A7C15 | 1


@dataclass(frozen=True)
class PackedWords:
    """Words as one array of bytes and one of offsets (one more than there are words)."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def from_words(cls, words: Iterable[str | bytes]) -> PackedWords:
        """Pack words."""
        raw = [word if isinstance(word, bytes) else word.encode("utf-8", "surrogatepass") for word in words]
        offsets = np.zeros(len(raw) + 1, np.int64)
        np.cumsum([len(word) for word in raw], out=offsets[1:])
        return cls(np.frombuffer(b"".join(raw), np.uint8), offsets)

    @classmethod
    def joined(cls, parts: Sequence[PackedWords]) -> PackedWords:
        """Put several lists of words after one another."""
        if not parts:
            return cls.from_words([])
        lengths = np.concatenate([np.diff(part.offsets) for part in parts])
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return cls(np.concatenate([part.data[part.offsets[0] : part.offsets[-1]] for part in parts]), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def raw(self, row: int) -> bytes:
        """Return the bytes of a word."""
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes()

    def text(self, row: int) -> str:
        """Return a word for people to read."""
        return self.raw(row).decode("utf-8", "replace")

    def part(self, start: int, stop: int) -> PackedWords:
        """Return a run of words, without copying."""
        return PackedWords(self.data, self.offsets[start : stop + 1])

    def chunks(self, size: int = _CHUNK) -> Iterable[tuple[int, PackedWords]]:
        """Go through the words in runs, each with the number of its first."""
        for start in range(0, len(self), size):
            yield start, self.part(start, min(start + size, len(self)))

    def hashes(self) -> NDArray[np.uint64]:
        """Return a 64-bit hash of each word.

        It is a polynomial in the bytes modulo 2^64: a running sum over all words gives each word's sum as a
        difference, which NumPy does without a loop over words.
        """
        hashes = np.empty(len(self), np.uint64)
        for start, chunk in self.chunks():
            hashes[start : start + len(chunk)] = _hashes(chunk)
        return hashes


def equal_words(
    one: PackedWords, one_rows: NDArray[np.int64], other: PackedWords, other_rows: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Say for each pair of rows whether the words are the same bytes."""
    starts, other_starts = one.offsets[one_rows], other.offsets[other_rows]
    lengths = one.offsets[one_rows + 1] - starts
    same: NDArray[np.bool_] = lengths == other.offsets[other_rows + 1] - other_starts
    picked = np.flatnonzero(same)
    lengths = lengths[picked]
    ends = np.cumsum(lengths)
    within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    differs = (
        one.data[np.repeat(starts[picked], lengths) + within]
        != other.data[np.repeat(other_starts[picked], lengths) + within]
    )
    running = np.concatenate([[0], np.cumsum(differs)])
    same[picked] = running[ends] == running[ends - lengths]
    return same


def _hashes(words: PackedWords) -> NDArray[np.uint64]:
    base = words.offsets[0]
    ends, starts = words.offsets[1:] - base, words.offsets[:-1] - base
    lengths = ends - starts
    within = np.arange(int(ends[-1])) - np.repeat(starts, lengths)
    powers = np.full(int(lengths.max(initial=0)) + 1, _MULTIPLIER, np.uint64)
    powers[0] = 1
    np.cumprod(powers, out=powers)
    # Plus one, so that a zero byte counts too.
    terms = (words.data[base : words.offsets[-1]].astype(np.uint64) + np.uint64(1)) * powers[within]
    running = np.concatenate([np.zeros(1, np.uint64), np.cumsum(terms, dtype=np.uint64)])
    value: NDArray[np.uint64] = running[ends] - running[starts]
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
