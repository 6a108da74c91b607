"""Parquet from a user: only the columns that are wanted, and never more than the file's size warrants.

The Parquet reader may panic inside on a damaged file; what it raises then is no ordinary exception, and is caught here
by its own class so that nothing else is caught with it.
"""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.source import BOMB_FREE_BYTES, BOMB_RATIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.source import SourceFile

DAMAGED = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, OverflowError, MemoryError)
"""What reading a damaged Parquet file may raise."""
_VIEW_BYTES = 16
"""What a text costs in memory at least, however well it is compressed on disk."""


def parquet_columns(file: SourceFile) -> tuple[str, ...]:
    """Return the names of the columns."""
    data = file.read()
    with _sentences(file):
        return tuple(pl.scan_parquet(io.BytesIO(data)).collect_schema().names())


def read_parquet(file: SourceFile, columns: Sequence[str]) -> pl.DataFrame:
    """Read some columns as text; a file that expands like a decompression bomb is refused."""
    data = file.read()
    with _sentences(file):
        rows = pl.scan_parquet(io.BytesIO(data))
        _guard(file, len(data), rows.select(pl.len()).collect().item() * _VIEW_BYTES * len(columns))
        texts = rows.select(pl.col(name).cast(pl.String) for name in columns).collect()
        _guard(file, len(data), sum(texts.select(pl.all().str.len_bytes().sum()).row(0)))
    return texts


def _guard(file: SourceFile, size: int, expanded: int) -> None:
    if expanded > BOMB_FREE_BYTES and expanded > BOMB_RATIO * size:
        raise TermgaugeError(
            f"{file.label}: expands to more than {BOMB_RATIO} times its size, like a decompression bomb; if you trust "
            "it, write it as TSV and name that."
        )


@contextmanager
def _sentences(file: SourceFile) -> Iterator[None]:
    try:
        yield
    except DAMAGED as error:
        why = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise TermgaugeError(
            f"{file.label}: is no readable Parquet file ({why}); write it again, or use TSV."
        ) from None
