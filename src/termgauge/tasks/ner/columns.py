"""Files with one token in each line: its fields between white space, and an empty line between sentences.

A file is read in portions of whole lines and split by the fast methods of bytes; a line is looked at on its own only
where something is wrong with it.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.benchmark.words.tagged import portions
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from termgauge.source import SourceFile

LONGEST_LINE = 1 << 16
"""No token is longer, in bytes."""
_PASSED_OVER = (b"-DOCSTART-", b"###MEDLINE:")
"""How lines begin that stand between documents."""


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
    pieces: list[list[list[bytes]]] = []
    begins, lines = [np.zeros(0, np.bool_)], [np.zeros(0, np.int64)]
    done = sentences = 0
    inside = False
    for portion in portions(file, advance):
        rows = _rows(file, portion, done, fields)
        filled = np.fromiter(map(bool, rows), np.bool_, len(rows))
        before = np.concatenate([[inside], filled[:-1]])
        begins.append(~before[filled])
        lines.append(np.flatnonzero(filled) + done + 1)
        pieces.append([row for row in rows if row])
        done, inside = done + len(rows), bool(filled[-1])
        sentences += int(begins[-1].sum())
        if max_sentences is not None and sentences > max_sentences:
            break
    first = np.flatnonzero(np.concatenate(begins))
    starts = np.append(first, sum(map(len, pieces)))
    if max_sentences is not None:
        starts = starts[: max_sentences + 1]
    size = int(starts[-1])
    columns = [[row[column] for piece in pieces for row in piece][:size] for column in range(len(fields))]
    texts = [b"\n".join(column).decode().split("\n") if size else [] for column in columns]
    return Columns(
        texts[0],
        tuple(_numbered(column, numbers) for column in texts[1:]),
        starts.astype(np.int64),
        np.concatenate(lines)[:size],
    )


def _rows(file: SourceFile, portion: bytes, done: int, fields: Sequence[str]) -> list[list[bytes]]:
    """Return the fields of each line; none of a line that is empty or stands between documents."""
    try:
        portion.decode()
    except UnicodeDecodeError as error:
        line = done + 1 + portion.count(b"\n", 0, error.start)
        raise TermgaugeError(f"{file.label}, line {line:,}: is not UTF-8; save the file as UTF-8.") from None
    if b"\0" in portion:
        line = done + 1 + portion.count(b"\n", 0, portion.index(b"\0"))
        raise TermgaugeError(
            f"{file.label}, line {line:,}: holds a zero byte, as UTF-16 text does; save the file as UTF-8."
        )
    lines = portion.split(b"\n")[:-1]
    if max(map(len, lines)) > LONGEST_LINE:
        line = done + next(number for number, each in enumerate(lines, 1) if len(each) > LONGEST_LINE)
        raise TermgaugeError(
            f"{file.label}, line {line:,}: is longer than {LONGEST_LINE >> 10} KB, so that this is no file with one "
            "token in each line; name another file."
        )
    rows = [line.split() for line in lines]
    if any(mark in portion for mark in _PASSED_OVER):
        rows = [[] if row and row[0].startswith(_PASSED_OVER) else row for row in rows]
    width = len(fields)
    wrong = next((number for number, row in enumerate(rows, 1) if row and len(row) != width), 0)
    if wrong:
        there = len(rows[wrong - 1])
        raise TermgaugeError(
            f"{file.label}, line {done + wrong:,}: has {there} field{'s' * (there > 1)} between white space, but each "
            f"line holds {width}: {', '.join(fields)}; "
            + ("keep only these columns." if there > width else "add what is missing.")
        )
    return rows


def _numbered(tags: list[str], numbers: dict[str, int]) -> NDArray[np.int32]:
    for tag in dict.fromkeys(tags):
        numbers.setdefault(tag, len(numbers))
    return np.fromiter(map(numbers.__getitem__, tags), np.int32, len(tags))


def first_place(file: SourceFile, columns: Columns, number: int) -> str:
    """Return where a tag stands first, as messages name it; nothing if it does not."""
    at = [np.flatnonzero(column == number)[:1] for column in columns.tags]
    lines = [int(columns.lines[place]) for place in chain.from_iterable(at)]
    return f"{file.label}, line {min(lines):,}" if lines else ""
