"""fastText models in Facebook's binary format: a vector for any word, from its character n-grams.

The file holds a header, a dictionary and one matrix with a row for each word and then one for each bucket of hashed
n-grams. The matrix is mapped where it lies and only the dictionary is indexed, so a 26 GB model opens in the time it
takes to hash it. A word's vector is the mean of its own row, if it is in the dictionary, and the rows of its n-grams,
that of the end of a sentence, ``</s>``, too, as in gensim. Files of the first year have no magic number and no version.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.embeddings.files.readers import WIDEST, cut_stream
from termgauge.embeddings.spec import require_plain
from termgauge.embeddings.store.vectors import Block, MappedMatrix, VectorStream, rows_not_finite
from termgauge.embeddings.store.vocabulary import MISSING, PackedWords
from termgauge.exceptions import TermgaugeError
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.store.vectors import Matrix
    from termgauge.io.source import SourceFile

MAGIC = (793712314).to_bytes(4, "little")
_VERSIONS = (11, 12)
_SUPERVISED = 3
_HEADER, _OLD_HEADER = struct.Struct("<2i12id3i2q"), struct.Struct("<12id3iq")
"""Up to the first word: the magic number and the version, the settings, the counts of the dictionary."""
_MATRIX, _OLD_MATRIX = struct.Struct("<?2q"), struct.Struct("<2q")
_TAIL_BYTES = 9
"""Of an entry of the dictionary: the count and the kind of a word."""
_WORDS_AT_ONCE = 2048
_LONGEST_NGRAM = 100


class Layout(NamedTuple):
    """What a file holds; n-grams from `least` to `most` characters have vectors in so many buckets."""

    dimension: int
    least: int
    most: int
    buckets: int
    words: int
    entries: int
    """Of the dictionary: words and labels."""
    start: int
    """Where the dictionary's first entry is."""
    matrix: struct.Struct
    """What stands before the numbers of the matrix; the last two are its rows and columns."""


class FastTextMatrix(NamedTuple):
    """The vectors of a dictionary, and of any word that has an n-gram of the right length."""

    matrix: Matrix
    """As it lies in the file: a row for each word, then one for each bucket."""
    words: PackedWords
    layout: Layout

    @property
    def shape(self) -> tuple[int, int]:
        """Words and numbers in a vector."""
        return len(self.words), self.layout.dimension

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of some words of the dictionary."""
        return self._compose([self.words.raw(row) for row in rows.tolist()], rows)

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say which words have an n-gram that is long enough."""
        _, ends = self._buckets([word.encode("utf-8", "surrogatepass") for word in words])
        return np.diff(ends) > 0

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each word that is not in the dictionary; zeros, as fastText gives, without an n-gram."""
        raw = [word.encode("utf-8", "surrogatepass") for word in words]
        return self._compose(raw, np.full(len(raw), MISSING, np.int64))

    def _compose(self, words: list[bytes], rows: NDArray[np.int64]) -> NDArray[np.float32]:
        vectors = np.zeros((len(words), self.layout.dimension), np.float32)
        for low in range(0, len(words), _WORDS_AT_ONCE):
            high = min(low + _WORDS_AT_ONCE, len(words))
            buckets, ends = self._buckets(words[low:high])
            word_rows = rows[low:high]
            counts = np.diff(ends) + (word_rows != MISSING)
            # The word's own row, if it has one, stands before those of its n-grams.
            gathered = np.insert(
                buckets + len(self.words), ends[:-1][word_rows != MISSING], word_rows[word_rows != MISSING]
            )
            filled = np.flatnonzero(counts)
            if len(filled):
                starts = np.concatenate([[0], np.cumsum(counts[filled])[:-1]])
                sums = np.add.reduceat(self.matrix.gather(gathered), starts, axis=0, dtype=np.float64)
                vectors[low + filled] = sums / counts[filled, None]
        return vectors

    def _buckets(self, words: list[bytes]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        layout = self.layout
        if layout.buckets == 0:
            return np.empty(0, np.int64), np.zeros(len(words) + 1, np.int64)
        from termgauge.embeddings.files.kernels import subword_buckets

        bordered = PackedWords.from_words(b"<" + word + b">" for word in words)
        return subword_buckets(bordered.data, bordered.offsets, layout.least, layout.most, layout.buckets)


def read_fasttext(file: SourceFile, layout: Layout) -> VectorStream:
    """Read a fastText binary: its dictionary, and where its matrix is."""
    words, start = _dictionary(file, layout)
    with file.path.open("rb") as stream:
        stream.seek(start)
        if len(head := stream.read(layout.matrix.size)) < layout.matrix.size:
            raise _cut_off(file)
    *quantized, rows, columns = layout.matrix.unpack(head)
    if any(quantized):
        raise TermgaugeError(
            f"{file.label}: is a quantized fastText model (.ftz), whose vectors are only approximate; "
            "use the unquantized .bin."
        )
    if columns != layout.dimension or rows < layout.words + layout.buckets:
        raise TermgaugeError(
            f"{file.label}: its header promises {layout.words:,} words and {layout.buckets:,} buckets of "
            f"{layout.dimension} numbers but its matrix is {rows:,} x {columns:,}; the file is damaged, get it again."
        )
    shape = (layout.words + layout.buckets, columns)
    matrix = MappedMatrix(file.path, shape, offset=start + layout.matrix.size)
    return VectorStream(file.label, columns, _checked(matrix, words, file), len(words), "word", matrix)


def looks_like_fasttext(head: bytes) -> bool:
    """Say whether a file is a fastText binary: by its magic number, or by settings and counts that go together."""
    if head.startswith(MAGIC) or len(head) < _OLD_HEADER.size:
        return head.startswith(MAGIC)
    dimension, _, _, _, _, _, loss, model, buckets, least, most, _, _, *counts = _OLD_HEADER.unpack_from(head)
    entries, words, labels, tokens = counts
    return (
        1 <= dimension <= WIDEST
        and {loss, model} <= {1, 2, _SUPERVISED}
        and min(buckets, least, most) >= 0
        and max(least, most) <= _LONGEST_NGRAM
        and entries == words + labels
        and 0 < words <= entries <= tokens
    )


def read_layout(file: SourceFile) -> Layout:
    """Return what the header of a fastText binary says."""
    head = require_plain(file, "a fastText binary ").head(_HEADER.size)
    old = not head.startswith(MAGIC)
    kind = _OLD_HEADER if old else _HEADER
    if len(head) < kind.size:
        raise _cut_off(file)
    _, version, *settings = (0, _VERSIONS[0], *kind.unpack_from(head), -1) if old else kind.unpack_from(head)
    dimension, model, buckets, least, most = settings[0], *settings[7:11]
    entries, words, _, _, pruned = settings[13:]
    if version not in _VERSIONS:
        raise TermgaugeError(
            f"{file.label}: is of fastText's format {version}; formats 11, 12 and the one before them can be read."
        )
    if pruned > 0:
        raise TermgaugeError(
            f"{file.label}: has a pruned dictionary, so most n-grams have no vector; use the model before pruning."
        )
    if dimension < 1 or not 0 <= words <= entries or buckets < 0 or least < 0 or not 0 <= most <= _LONGEST_NGRAM:
        raise TermgaugeError(f"{file.label}: its header makes no sense; the file is damaged, get it again.")
    if version == _VERSIONS[0] and model == _SUPERVISED:  # such models had no n-grams, whatever they say
        most = 0
    used, matrix = buckets if most else 0, _OLD_MATRIX if old else _MATRIX
    return Layout(dimension, max(least, 1), most, used, words, entries, kind.size, matrix)


def _dictionary(file: SourceFile, layout: Layout) -> tuple[PackedWords, int]:
    """Return the words, and where the dictionary ends: each entry is a word, a zero, its count and its kind."""
    parts, kinds = [PackedWords.from_words([])], [np.empty(0, np.uint8)]
    with file.open() as stream, track("Reading the dictionary", total=layout.entries, unit="words") as advance:
        stream.read(layout.start)
        for packed, tails, _ in cut_stream(stream, layout.entries, b"\0", _TAIL_BYTES, lambda *_: _cut_off(file)):
            parts.append(packed)
            kinds.append(tails[:, -1])
            advance(len(packed))
    entries, kind = PackedWords.joined(parts), np.concatenate(kinds)
    words = int(np.count_nonzero(kind == 0))
    if words != layout.words or kind[:words].any():
        raise TermgaugeError(
            f"{file.label}: its dictionary should begin with {layout.words:,} words but holds {words:,}; "
            "the file is damaged, get it again."
        )
    return entries.part(0, words), layout.start + len(entries.data) + (1 + _TAIL_BYTES) * len(entries)


def _checked(matrix: MappedMatrix, words: PackedWords, file: SourceFile) -> Iterator[Block]:
    with track(f"Checking {file.base}", total=matrix.shape[0], unit="vectors") as advance:
        for first, vectors in matrix.blocks(stop=len(words)):
            numbers = np.arange(first + 1, first + 1 + len(vectors))
            yield Block(words.part(first, first + len(vectors)), vectors, numbers)
            advance(len(vectors))
        for first, vectors in matrix.blocks(start=len(words)):
            for row in rows_not_finite(vectors):
                raise TermgaugeError(
                    f"{file.label}: the vector of n-gram bucket {first - len(words) + row:,} holds a value "
                    "that is no finite number; get the file again."
                )
            advance(len(vectors))


def _cut_off(file: SourceFile) -> TermgaugeError:
    return TermgaugeError(f"{file.label}: is cut off inside its header or dictionary; get it again.")
