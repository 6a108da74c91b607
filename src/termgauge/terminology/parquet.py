"""Parquet from a user: only the columns that are wanted, and never more than the file's size warrants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.contained import read_contained
from termgauge.source import BOMB_FREE_BYTES, BOMB_RATIO

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from termgauge.source import SourceFile


def parquet_columns(file: SourceFile) -> tuple[str, ...]:
    """Return the names of the columns."""
    return read_contained(file.read(), file.label, most_bytes=BOMB_FREE_BYTES, rows=False).columns


def read_parquet(file: SourceFile, columns: Sequence[str]) -> pl.DataFrame:
    """Read some columns as text; a file that expands like a decompression bomb is refused."""
    data = file.read()
    most = max(BOMB_FREE_BYTES, BOMB_RATIO * len(data))
    return read_contained(data, file.label, most_bytes=most, columns=list(columns), text=True).frame
