"""Rows of RF2 and RRF files: separated, never quoted, gigabytes of them, and not to be trusted.

A file is read as a stream of blocks that are cut at line ends; each block is parsed by Polars, reduced to what is
wanted and appended, so memory holds the result and a few blocks, whether the file lies on disk or in an archive.
Polars refuses rows with too many fields but fills short ones in silence: since no row is too long, the rows are all
right exactly if the separators of the block add up. Only when they do not is the block walked line by line to
name the row.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import LONGEST_LINE, TOO_LONG, long_line, refuse_long_line
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from termgauge.io.source import SourceFile

BLOCK_BYTES = 4 << 20
BOM = b"\xef\xbb\xbf"
_MOST_WORKERS = 8


@dataclass(frozen=True)
class Layout:
    """How the rows of a file are laid out, with the names of all columns in order."""

    separator: str
    columns: tuple[str, ...]
    header: bool
    closed: bool = False
    """Whether each row ends with a separator, as in RRF."""

    @property
    def separators(self) -> int:
        """How many separators each row has."""
        return len(self.columns) - (0 if self.closed else 1)

    @property
    def guard(self) -> bytes:
        """A row of empty fields that goes before each block and is skipped.

        Polars looks at how a text begins, and would decompress one that happens to begin like a compressed file, cut a
        byte order mark, or stumble over a blank line.
        """
        return self.separator.encode() * self.separators + b"\n"


def read_rows(
    file: SourceFile,
    layout: Layout,
    keep: Sequence[str],
    reduce: Callable[[pl.LazyFrame], pl.LazyFrame] = lambda rows: rows,
    *,
    check: Callable[[pl.DataFrame], tuple[int, str] | None] = lambda _rows: None,
    advance: Callable[[float], None] = lambda _amount: None,
) -> pl.DataFrame:
    """Read the columns to keep of a file of separated rows, as text; an empty field is an empty text.

    `check` looks at each block before `reduce` filters and reshapes it; it returns the first bad row, counted from 0,
    and what is wrong with it, or None. `advance` is told how many bytes were read.
    """

    def work(block: bytes) -> tuple[pl.DataFrame, int]:
        rows = _parse(block, layout, keep)
        if bad := check(rows):
            lines = block.split(b"\n")[1:]
            filled = (at for at, line in enumerate(lines) if line.strip(b"\r"))  # blank lines are no rows
            raise _BadLineError(next(islice(filled, bad[0], None)), bad[1])
        return rows.lazy().pipe(reduce).collect(), len(block) - len(layout.guard)

    parts: list[pl.DataFrame] = []
    workers = min(os.cpu_count() or 1, _MOST_WORKERS)
    try:
        with ThreadPool(workers) as pool:
            for part, size in pool.map_ahead(work, _blocks(file, layout), workers):
                parts.append(part)
                advance(size)
    except _BadLineError as error:
        (at, why), before = error.args, islice(_blocks(file, layout), len(parts))
        line = 1 + layout.header + sum(block.count(b"\n") - 1 for block in before) + at
        raise TermgaugeError(f"{file.label}, line {line}: {why}") from None
    if not parts:
        return pl.LazyFrame(schema=dict.fromkeys(keep, pl.String)).pipe(reduce).collect()
    return pl.concat(parts, rechunk=False)


class _BadLineError(Exception):
    """A line of a block, counted from 0, that cannot be read, and why."""


def is_empty(file: SourceFile) -> bool:
    """Tell whether a file has not even a header."""
    return not file.head().strip(BOM + b"\r\n \t")


def header_of(
    file: SourceFile, separator: str, names_of_columns: Mapping[str, str], needed: Sequence[str], what: str
) -> tuple[str, ...]:
    """Return the names in the first line of a file; those that are known, in any case of letters, as they are called.

    A file that lacks a column that is needed, or names one twice, is refused: it is not `what` it should be.
    """
    if is_empty(file):
        raise TermgaugeError(f"{file.label}: is empty; a header line with column names was expected.")
    first = file.head().removeprefix(BOM).split(b"\n", 1)[0]
    try:
        text = first.decode("utf-8")
    except UnicodeDecodeError:
        raise TermgaugeError(f"{file.label}, line 1: is not UTF-8; convert the file to UTF-8.") from None
    names = {name.lower(): called for name, called in names_of_columns.items()}
    header = tuple(names.get(name.strip().strip('"').lower(), name) for name in text.rstrip("\r").split(separator))
    missing = [name for name in needed if name not in header]
    if missing or len(set(header)) < len(header):
        wrong = f"lacks the columns {', '.join(missing)}" if missing else "names a column twice"
        raise TermgaugeError(
            f"{file.label}: {wrong} (its first line is: {', '.join(header)[:200]}); is it really {what}?"
        )
    return header


def _blocks(file: SourceFile, layout: Layout) -> Iterator[bytes]:
    """Cut a file into blocks of whole lines, each after the guard row."""
    guard = layout.guard
    rest: list[bytes] = []
    first, skip_first_line = True, layout.header
    with file.open() as stream:
        while piece := stream.read(BLOCK_BYTES):
            start = len(BOM) if first and piece.startswith(BOM) else 0
            first = False
            end = piece.rfind(b"\n") + 1
            if skip_first_line and end:
                start, rest, skip_first_line = piece.index(b"\n") + 1, [], False
            if end:
                if rest or end > start:
                    yield b"".join((guard, *rest, memoryview(piece)[start:end]))
                rest = [piece[end:]] if end < len(piece) else []
                continue
            rest.append(piece[start:])
            if sum(map(len, rest)) > LONGEST_LINE:
                break  # such a line is refused as a part of its block
    if any(rest):
        block = b"".join((guard, *rest))
        if skip_first_line:
            refuse_long_line(block[len(guard) :], file.label)
        else:
            yield block


def _parse(block: bytes, layout: Layout, keep: Sequence[str]) -> pl.DataFrame:
    """Return the rows of a block that begins with the guard row."""
    if (long := long_line(block)) is not None:
        raise _BadLineError(long - 1, TOO_LONG)
    if (zero := block.find(b"\0")) >= 0:
        raise _BadLineError(
            block.count(b"\n", 0, zero) - 1, "holds a zero byte, as UTF-16 text does; convert the file to UTF-8."
        )
    rows = _scanned(block, layout, keep)
    if rows is None:
        _refuse_bad_line(block, layout)
        without_blanks = b"".join(line + b"\n" for line in block.split(b"\n") if line.strip(b"\r"))
        rows = _scanned(without_blanks, layout, keep)
    if rows is None:
        columns = f"{len(layout.columns)} columns, nor can what follows"
        raise _BadLineError(
            0, f"cannot be read as rows of {columns}; the file may be damaged, get it again from its source."
        )
    return rows


def _scanned(block: bytes, layout: Layout, keep: Sequence[str]) -> pl.DataFrame | None:
    """Return the rows of a block, or nothing if any of its lines is not a whole row."""
    names = [*layout.columns, ""] if layout.closed else list(layout.columns)
    try:
        rows = (
            pl.scan_csv(
                block,
                has_header=False,
                skip_rows=1,
                schema=dict.fromkeys(names, pl.String),
                separator=layout.separator,
                quote_char=None,
                empty_string_is_null=False,
                raise_if_empty=False,
            )
            .select(keep)
            .collect()
        )
    except pl.exceptions.PolarsError:
        return None
    return rows if block.count(layout.separator.encode()) == (rows.height + 1) * layout.separators else None


def _refuse_bad_line(block: bytes, layout: Layout) -> None:
    """Name the first line that is not UTF-8 or has the wrong number of columns; blank lines do not count."""
    separator = layout.separator.encode()
    for number, line in enumerate(block.split(b"\n")[1:]):
        if not line.strip(b"\r"):
            continue
        separators = line.count(separator)
        if separators != layout.separators:
            name = "tab" if layout.separator == "\t" else f"'{layout.separator}'"
            why = (
                f"has {separators + (not layout.closed)} columns separated by {name} where {len(layout.columns)} were "
                "expected; the file may be cut off or of another kind."
            )
            raise _BadLineError(number, why)
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise _BadLineError(
                number, f"is not UTF-8 (byte {error.start + 1} of the line); convert the file to UTF-8."
            ) from None
