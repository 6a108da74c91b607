"""word2vec files, text and binary: a first line with the number of words and of dimensions, then the vectors.

A binary record is a word, a space and the numbers as little-endian float32, with or without a line end between
records. Records are cut out of large blocks by a compiled kernel, since their length differs from word to word.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from termgauge.embeddings.files.lines import NUMBER, TextLayout, read_lines
from termgauge.embeddings.store.packed import PackedWords
from termgauge.embeddings.store.vectors import Block, VectorStream
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.source import COMPRESSED_SUFFIXES
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.io.source import SourceFile

BLOCK_BYTES = 16 << 20
LONGEST_WORD = 1 << 16
WIDEST = 100_000
"""No model has more dimensions."""
_HEADER = re.compile(rb"[ \t]*(\d{1,12})[ \t]+(\d{1,7})[ \t]*\r?\n")


def header_of(head: bytes) -> tuple[int, int, int] | None:
    r"""Return the number of words, of dimensions and of bytes that a file's first line states, if it does.

    Examples
    --------
    >>> header_of(b"3 2\nfever 0.1 0.2\n")
    (3, 2, 4)
    """
    stated = _HEADER.match(head)
    return (int(stated[1]), int(stated[2]), stated.end()) if stated else None


def is_text(head: bytes) -> bool:
    """Say whether the vectors behind the first line are text."""
    stated = header_of(head)
    if stated is None:
        return False
    words, dimension, start = stated
    line, ended, _ = head[start:].partition(b"\n")
    if words == 0 or (not ended and len(head) < 1 << 12):
        return b"\x00" not in line
    fields = line.rstrip().split(b" ")
    numbers = sum(1 for field in fields[1:] if NUMBER.fullmatch(field))
    # A text line that is too short or too long is still text, and will be complained of as such.
    return numbers >= max(1, min(dimension, len(fields) - 1) // 2)


def read_word2vec(file: SourceFile, head: bytes) -> VectorStream:
    """Read a word2vec file, text or binary."""
    stated = header_of(head)
    if stated is None:
        raise TermgaugeError(
            f"{file.label}, line 1: does not say how many words and dimensions follow, as word2vec files do; "
            "if it is GloVe, name it glove:… ."
        )
    words, dimension, start = stated
    if not 1 <= dimension <= WIDEST:
        raise TermgaugeError(f"{file.label}, line 1: states vectors of {dimension} numbers; is this a word2vec file?")
    if is_text(head):
        return read_lines(file, TextLayout(" ", dimension, 1, words), head)
    at_most = file.size // (4 * dimension) + 1
    compressed = file.path.suffix.lower() in COMPRESSED_SUFFIXES
    blocks = _records(file, words, dimension, start)
    return VectorStream(file.label, dimension, blocks, words if compressed else min(words, at_most), "record")


def _records(file: SourceFile, words: int, dimension: int, start: int) -> Iterator[Block]:
    from termgauge.embeddings.files.records import cut_records

    width = 4 * dimension
    done = 0
    rest = b""
    with track(f"Reading {file.base}", total=words, unit="words") as advance, file.open() as stream:
        stream.read(start)
        while done < words:
            data = stream.read(max(BLOCK_BYTES, 2 * width))
            block = rest + data if rest else data
            buffer = np.frombuffer(block, np.uint8)
            most = min(words - done, len(block) // (width + 1) + 1)
            vectors = np.empty((most, width), np.uint8)
            text = np.empty(len(block), np.uint8)
            ends = np.zeros(most + 1, np.int64)
            count, place = cut_records(buffer, vectors, text, ends)
            rest = block[place:]
            if count:
                packed = PackedWords(text[: ends[count]].copy(), ends[: count + 1])
                numbers = np.arange(done + 1, done + count + 1)
                yield Block(packed, vectors[:count].view("<f4"), numbers)
                done += count
                advance(count)
            elif len(rest) > LONGEST_WORD + width or not data:
                raise _broken(file, words, dimension, done, rest, ended=not data)
        rest += stream.read(2)
    if rest.strip(b"\r\n"):
        warn(f"{file.label}: goes on after the {words:,} words that its first line promises; the rest is left out.")


def _broken(file: SourceFile, words: int, dimension: int, done: int, rest: bytes, *, ended: bool) -> TermgaugeError:
    if not ended:
        return TermgaugeError(
            f"{file.label}, record {done + 1:,}: has a word of more than {LONGEST_WORD:,} bytes; "
            "is this a word2vec binary file?"
        )
    if rest.strip(b"\r\n"):
        return TermgaugeError(
            f"{file.label}, record {done + 1:,} of {words:,}: is cut off before its {dimension} numbers are complete; "
            "get the file again."
        )
    return TermgaugeError(
        f"{file.label}: its first line promises {words:,} words but it holds {done:,}; it is cut off, so get it again."
    )
