"""Files with one token in each line: its fields between white space, and an empty line between sentences.

A file is read in portions of whole lines, and a portion is split at once; how many fields each line has is counted on
the side. So no line is looked at on its own, unless something is wrong with it.
"""

from __future__ import annotations

from itertools import chain, compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.exceptions import TermgaugeError
from termgauge.io.lines import line_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from termgauge.io.source import SourceFile

LONGEST_LINE = 1 << 16
"""No token is longer, in bytes."""
_PASSED_OVER = (b"-DOCSTART-", b"###MEDLINE:")
"""How lines begin that stand between documents."""
_IS_SPACE = np.isin(np.arange(256), list(b" \t\n\v\f\r"))
_NEWLINE = ord("\n")


class Columns(NamedTuple):
    """The tokens of a file in their sentences, and the numbers of their tags."""

    tokens: list[str]
    tags: tuple[NDArray[np.int32], ...]
    """For each column of tags, a number for each token."""
    starts: NDArray[np.int64]
    """The first token of each sentence, and in the end the number of tokens."""
    lines: NDArray[np.int64]
    """Where each token stands."""


def read_columns(
    file: SourceFile,
    fields: Sequence[str],
    numbers: dict[str, int],
    *,
    max_sentences: int | None = None,
    advance: Callable[[float], None] = lambda _size: None,
) -> Columns:
    """Read the named fields of a file: a token and its tags. New tags get the next numbers."""
    columns: list[list[bytes]] = [[] for _ in fields]
    begins, lines = [np.zeros(0, np.bool_)], [np.zeros(0, np.int64)]
    done = sentences = 0
    inside = False
    for portion in line_blocks(file, advance):
        flat, filled = _split(file, portion, done, fields)
        for number, column in enumerate(columns):
            column.extend(flat[number :: len(fields)])
        before = np.concatenate([[inside], filled[:-1]])
        begins.append(~before[filled])
        lines.append(np.flatnonzero(filled) + done + 1)
        done, inside = done + len(filled), bool(filled[-1])
        sentences += int(begins[-1].sum())
        if max_sentences is not None and sentences > max_sentences:
            break
    starts = np.append(np.flatnonzero(np.concatenate(begins)), len(columns[0]))
    starts = starts if max_sentences is None else starts[: max_sentences + 1]
    size = int(starts[-1])
    return Columns(
        b"\n".join(columns[0][:size]).decode().split("\n") if size else [],
        tuple(_numbered(column[:size], numbers) for column in columns[1:]),
        starts.astype(np.int64),
        np.concatenate(lines)[:size],
    )


def _split(file: SourceFile, portion: bytes, done: int, fields: Sequence[str]) -> tuple[list[bytes], NDArray[np.bool_]]:
    """Return the fields of all lines one after the other, and which lines have some.

    A line that stands between documents counts as an empty one. `done` lines were read before.
    """
    text = np.frombuffer(portion, np.uint8)
    ends = np.flatnonzero(text == _NEWLINE)
    refused = _refused(portion)
    if not refused and (long := np.flatnonzero(np.diff(ends, prepend=-1) > LONGEST_LINE)).size:
        refused = (
            int(long[0]),
            (
                f"is longer than {LONGEST_LINE >> 10} KB, so that this is no file with one token in each line; name "
                "another file."
            ),
        )
    if refused:
        raise TermgaugeError(f"{file.label}, line {done + 1 + refused[0]:,}: {refused[1]}")
    space = _IS_SPACE[text]
    first = ~space
    first[1:] &= space[:-1]
    lengths = np.diff(np.cumsum(first)[ends], prepend=0)
    flat = portion.split()
    if any(mark in portion for mark in _PASSED_OVER):
        at = np.cumsum(lengths) - lengths
        over = np.array([
            bool(length) and flat[place].startswith(_PASSED_OVER)
            for place, length in zip(at.tolist(), lengths.tolist(), strict=True)
        ])  # fmt: skip
        flat = list(compress(flat, np.repeat(~over, lengths)))
        lengths[over] = 0
    filled = lengths > 0
    width = len(fields)
    if (wrong := np.flatnonzero(filled & (lengths != width))).size:
        there = int(lengths[wrong[0]])
        raise TermgaugeError(
            f"{file.label}, line {done + 1 + int(wrong[0]):,}: has {there} field{'s' * (there > 1)} between white "
            f"space, but each line holds {width}: {', '.join(fields)}; "
            + ("keep only these columns." if there > width else "add what is missing.")
        )
    return flat, filled


def _refused(portion: bytes) -> tuple[int, str] | None:
    """Return which line of a portion is no text, counted from 0, and what is wrong with it."""
    try:
        portion.decode()
    except UnicodeDecodeError as error:
        return portion.count(b"\n", 0, error.start), "is not UTF-8; save the file as UTF-8."
    if b"\0" in portion:
        before = portion.count(b"\n", 0, portion.index(b"\0"))
        return before, "holds a zero byte, as UTF-16 text does; save the file as UTF-8."
    return None


def _numbered(tags: list[bytes], numbers: dict[str, int]) -> NDArray[np.int32]:
    """Return the number of each tag."""
    places = {tag: numbers.setdefault(tag.decode(), len(numbers)) for tag in dict.fromkeys(tags)}
    return np.fromiter(map(places.__getitem__, tags), np.int32, len(tags))


def first_place(file: SourceFile, columns: Columns, number: int) -> str:
    """Return where a tag stands first, as messages name it; nothing if it does not."""
    at = [np.flatnonzero(column == number)[:1] for column in columns.tags]
    lines = [int(columns.lines[place]) for place in chain.from_iterable(at)]
    return f"{file.label}, line {min(lines):,}" if lines else ""
