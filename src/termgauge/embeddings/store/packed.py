"""Many words in two arrays: their UTF-8 bytes end to end, and where each begins.

Words stay the bytes they were in their file, so a vocabulary of 16 million words takes a few hundred megabytes that
can be memory-mapped, and invalid UTF-8 loses nothing; only what is shown to people is decoded (with U+FFFD for bytes
that are no text).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_CHUNK = 1 << 18
_MULTIPLIER = 0x9E3779B97F4A7C15 | 1


@dataclass(frozen=True)
class PackedWords:
    """Words as one array of bytes and one of offsets (one more than there are words)."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, words: Iterable[str | bytes]) -> PackedWords:
        """Pack words."""
        raw = [word if isinstance(word, bytes) else word.encode("utf-8", "surrogatepass") for word in words]
        offsets = np.zeros(len(raw) + 1, np.int64)
        np.cumsum([len(word) for word in raw], out=offsets[1:])
        return cls(np.frombuffer(b"".join(raw), np.uint8), offsets)

    @classmethod
    def joined(cls, parts: Sequence[PackedWords]) -> PackedWords:
        """Put several lists of words after one another."""
        if not parts:
            return cls.of([])
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
