"""Readers of word2vec, GloVe, fastText ``.vec`` and CSV files: a word and its vector, as text or in bytes.

Lines are parsed in large blocks: Polars reads the numbers of those that are laid out plainly, and any other line is
taken apart here. A number comes out as ``np.float32(float(text))`` would. The last fields of a line are its numbers and
what is before them is its word, which may contain the separator.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from termgauge.embeddings.store.vectors import Block, VectorStream
from termgauge.embeddings.store.vocabulary import PackedWords
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.decoding import TOO_LONG, long_line
from termgauge.io.source import COMPRESSED_SUFFIXES
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from termgauge.io.source import SourceFile

LINE_BLOCK_BYTES = 4 << 20
RECORD_BLOCK_BYTES = 16 << 20
NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
"""What counts as a number."""
_PLAIN = b"0123456789+-.eE "
"""What plain numbers are written with; Polars reads them, and leaves out those that are none."""
_SAMPLE_LINES = 200


@dataclass(frozen=True)
class TextLayout:
    """How the lines of a file are laid out."""

    separator: str
    dimension: int
    skipped: int = 0
    """Lines before the first vector."""
    stated_rows: int | None = None
    """How many vectors the header promises."""
    quoted: bool = False
    """Whether words may stand in quotation marks."""


def infer_dimension(head: bytes, separator: bytes, *, skipped: int = 0) -> int | None:
    r"""Return how many numbers most of the first lines end in, or None if there are none."""
    lines = head.split(b"\n")
    if len(lines) > 1:  # the last one may be cut off
        lines.pop()
    counts: Counter[int] = Counter()
    for line in lines[skipped : skipped + _SAMPLE_LINES]:
        fields = line.rstrip().split(separator)
        numbers = 0
        while numbers < len(fields) - 1 and NUMBER.fullmatch(fields[-1 - numbers].strip()):
            numbers += 1
        if numbers:
            counts[numbers] += 1
    return counts.most_common(1)[0][0] if counts else None


def read_lines(file: SourceFile, layout: TextLayout, head: bytes) -> VectorStream:
    """Read a text file of vectors; from its first bytes is guessed how many lines there are."""
    sample = head.split(b"\n")[layout.skipped : -1] or [head]
    width = max(2 * layout.dimension, sum(len(line) + 1 for line in sample) // len(sample))
    expected = file.size // width + 1
    if layout.stated_rows is not None:
        expected = min(expected * 4, layout.stated_rows)
    return VectorStream(file.label, layout.dimension, _blocks(file, layout), expected)


def _blocks(file: SourceFile, layout: TextLayout) -> Iterator[Block]:
    rows = 0
    for block in _parsed(file, layout):
        if layout.stated_rows is not None and rows + len(block.words) > layout.stated_rows:
            kept = layout.stated_rows - rows
            yield Block(block.words.part(0, kept), block.vectors[:kept], block.numbers[:kept])
            warn(
                f"{file.label}: holds more than the {layout.stated_rows:,} words that its first line promises; "
                "the rest is left out (correct the first line to have it)."
            )
            return
        rows += len(block.words)
        yield block
    if layout.stated_rows is not None and rows < layout.stated_rows:
        raise _cut_off(file, layout.stated_rows, rows)


def _parsed(file: SourceFile, layout: TextLayout) -> Iterator[Block]:
    total = None if file.path.suffix.lower() in COMPRESSED_SUFFIXES else file.size
    with track(f"Reading {file.base}", total=total, unit="bytes") as advance, file.open() as stream:
        for number, data in _whole_lines(stream, file, layout.skipped):
            advance(len(data))
            yield _parse_block(data, number, layout, file)


def _whole_lines(stream: BinaryIO, file: SourceFile, skipped: int) -> Iterator[tuple[int, bytes]]:
    """Cut a stream into blocks of whole lines, each with the number of its first line."""
    rest = b""
    number = 1
    while data := stream.read(LINE_BLOCK_BYTES):
        data = rest + data
        cut = data.rfind(b"\n") + 1
        rest = data[cut:]
        if (long := long_line(data)) is not None:
            raise TermgaugeError(f"{file.label}, line {number + long:,}: {TOO_LONG}")
        if cut == 0:
            continue
        data = data[:cut]
        lines = data.count(b"\n")
        if skipped:
            dropped = min(skipped, lines)
            data = data.split(b"\n", dropped)[-1]
            skipped -= dropped
            number, lines = number + dropped, lines - dropped
        if data:
            yield number, data
        number += lines
    if rest and not skipped:
        yield number, rest


def _parse_block(data: bytes, number: int, layout: TextLayout, file: SourceFile) -> Block:
    import polars as pl

    separator = layout.separator.encode()
    lines = [line.rstrip(b" \t\r") for line in data.split(b"\n")]
    filled = [at for at, line in enumerate(lines) if line]
    words, texts = [], []
    for at in filled:
        word, _, text = lines[at].partition(separator)
        if text.count(separator) != layout.dimension - 1 or text.translate(None, _PLAIN + separator):
            fields = _fields(lines[at], layout)
            if fields is None:
                break
            word, text = fields[0], separator.join(fields[1])
        words.append(word)
        texts.append(text)
    schema = dict.fromkeys(map(str, range(layout.dimension)), pl.Float64)
    options: dict[str, Any] = {"has_header": False, "quote_char": None, "ignore_errors": True}
    frame = (
        pl.read_csv(b"\n".join([*texts, b""]), separator=layout.separator, schema=schema, **options) if texts else None
    )
    with np.errstate(over="ignore"):  # what does not fit becomes infinite, which is refused by name
        vectors = pl.DataFrame(frame, schema).to_numpy().astype(np.float32)
    for row in np.flatnonzero(np.isnan(vectors).any(axis=1)).tolist():
        fields = _fields(lines[filled[row]], layout)
        if fields is None:
            raise _bad_line(file, number + filled[row], lines[filled[row]], layout)
        vectors[row] = [float(field) for field in fields[1]]
    if len(words) < len(filled):
        at = filled[len(words)]
        raise _bad_line(file, number + at, lines[at], layout)
    packed = PackedWords.from_words(words)
    return Block(_unquoted(packed) if layout.quoted else packed, vectors, np.array(filled, np.int64) + number)


def _fields(line: bytes, layout: TextLayout) -> tuple[bytes, list[bytes]] | None:
    """Return the word of a line and its numbers, the last fields; None if these are no numbers or there are more."""
    separator, dimension = layout.separator.encode(), layout.dimension
    if separator == b" ":  # several of them are one
        matches = list(re.finditer(rb"[^ ]+", line))[-dimension:]
        begin = matches[0].start() if len(matches) == dimension else 0
        word, numbers = line[:begin].rstrip(b" "), [match[0] for match in matches]
    else:
        fields = line.split(separator)
        begin = len(fields) - dimension
        word, numbers = separator.join(fields[:-dimension]), [field.strip(b" ") for field in fields[-dimension:]]
    if begin < 1 or not all(map(NUMBER.fullmatch, numbers)):
        return None
    _, inside, last = word.rpartition(separator)
    too_long = inside and b"." in last and NUMBER.fullmatch(last)  # a decimal number, rather than a part of the word
    return None if too_long else (word, numbers)


def _unquoted(words: PackedWords) -> PackedWords:
    if not (words.data == ord('"')).any():
        return words
    raw = (words.raw(row).strip() for row in range(len(words)))
    return PackedWords.from_words(
        word[1:-1].replace(b'""', b'"') if len(word) > 1 and word[:1] == word[-1:] == b'"' else word for word in raw
    )


def _bad_line(file: SourceFile, number: int, line: bytes, layout: TextLayout) -> TermgaugeError:
    """Say what is wrong with a line: a field that is no number, or how many numbers there are."""
    fields = [part for part in line.split(layout.separator.encode()) if part]
    last = fields[-layout.dimension :] if len(fields) > layout.dimension else []
    bad = [part[:40].decode("utf-8", "replace") for part in last if not NUMBER.fullmatch(part.strip())]
    count = sum(NUMBER.fullmatch(part) is not None for part in fields[1:])
    what = f"has {count} numbers where the lines before have {layout.dimension}"
    if bad:
        what = f"'{bad[0]}' stands where a number should"
    return TermgaugeError(
        f"{file.label}, line {number:,}: {what}; the file is "
        "damaged or cut off there, or of another format, which a scheme such as glove: or word2vec: names."
    )


LONGEST_WORD = 1 << 16
WIDEST = 100_000
"""No model has more dimensions."""
_HEADER = re.compile(rb"[ \t]*(\d{1,12})[ \t]+(\d{1,7})[ \t]*\r?\n")


def header_of(head: bytes) -> tuple[int, int, int] | None:
    r"""Return the number of words, of dimensions and of bytes that a file's first line states, if it does."""
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
    done, rest = 0, b""

    def broken(rest: bytes, ended: bool) -> TermgaugeError:
        record = f"{file.label}, record {done + 1:,} of {words:,}"
        if not ended:
            return TermgaugeError(
                f"{record}: has a word of over {LONGEST_WORD:,} bytes; is this a word2vec binary file?"
            )
        if rest.strip(b"\r\n"):
            return TermgaugeError(
                f"{record}: is cut off before its {dimension} numbers are complete; get the file again."
            )
        return _cut_off(file, words, done)

    with track(f"Reading {file.base}", total=words, unit="words") as advance, file.open() as stream:
        stream.read(start)
        for packed, numbers, rest in cut_stream(stream, words, b" ", 4 * dimension, broken):  # noqa: B007 - after it, too
            yield Block(packed, numbers.view("<f4"), np.arange(done + 1, done + len(packed) + 1))
            done += len(packed)
            advance(len(packed))
        rest += stream.read(2)
    if rest.strip(b"\r\n"):
        warn(f"{file.label}: goes on after the {words:,} words that its first line promises; the rest is left out.")


def cut_stream(
    stream: BinaryIO, count: int, end_of_word: bytes, width: int, broken: Callable[[bytes, bool], TermgaugeError]
) -> Iterator[tuple[PackedWords, NDArray[np.uint8], bytes]]:
    """Cut so many records, each a word and a tail of `width` bytes, out of a stream.

    It yields some words with their tails, and what of the stream was read beyond them; if there is no whole record in
    that, `broken` makes an error of it and of whether the stream ends there.
    """
    from termgauge.embeddings.files.kernels import cut_records

    rest = b""
    while count:
        data = stream.read(max(RECORD_BLOCK_BYTES, 2 * width))
        block = rest + data if rest else data
        most = min(count, len(block) // (width + 1) + 1)
        tails, text = np.empty((most, width), np.uint8), np.empty(len(block), np.uint8)
        ends = np.zeros(most + 1, np.int64)
        rows, position = cut_records(np.frombuffer(block, np.uint8), end_of_word[0], tails, text, ends)
        rest = block[position:]
        if rows:
            count -= rows
            yield PackedWords(text[: ends[rows]].copy(), ends[: rows + 1]), tails[:rows], rest
        elif len(rest) > LONGEST_WORD + width or not data:
            raise broken(rest, not data)


def _cut_off(file: SourceFile, words: int, done: int) -> TermgaugeError:
    return TermgaugeError(
        f"{file.label}: its first line promises {words:,} words but it holds {done:,}; it is cut off, so get it again "
        "(or correct the first line)."
    )


def read_glove(file: SourceFile, head: bytes) -> VectorStream:
    """Read a GloVe file."""
    dimension = infer_dimension(head, b" ")
    if dimension is None:
        raise TermgaugeError(
            f"{file.label}: its first lines hold no word followed by numbers, as GloVe files do; "
            "name its format with a scheme if it is another."
        )
    return read_lines(file, TextLayout(" ", dimension), head)


_SEPARATORS = (b",", b"\t", b";")


def separator_of(head: bytes) -> bytes | None:
    """Return what separates the columns of a file, or None if it is no such file."""
    lines = head.split(b"\n")[:2]
    return next((separator for separator in _SEPARATORS if any(_is_row(line, separator) for line in lines)), None)


def read_delimited(file: SourceFile, head: bytes) -> VectorStream:
    """Read a CSV or TSV file of vectors."""
    separator = separator_of(head)
    dimension = (infer_dimension(head, separator, skipped=1) or infer_dimension(head, separator)) if separator else None
    if separator is None or dimension is None:
        raise TermgaugeError(
            f"{file.label}: neither of its first two lines has an id and then numbers, separated by commas or tabs; "
            "name its format with a scheme if it is another."
        )
    skipped = 0 if _is_row(head.partition(b"\n")[0], separator) else 1
    return read_lines(file, TextLayout(separator.decode(), dimension, skipped, quoted=True), head)


def _is_row(line: bytes, separator: bytes) -> bool:
    fields = line.rstrip().split(separator)
    return len(fields) >= 3 and all(NUMBER.fullmatch(field.strip()) for field in fields[-2:])
