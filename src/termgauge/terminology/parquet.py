"""Parquet from a user: only the columns that are wanted, and never more than the file's size warrants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.io.parquet_sandbox import read_contained

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from termgauge.io.source import SourceFile


def parquet_columns(file: SourceFile) -> tuple[str, ...]:
    """Return the names of the columns."""
    return read_contained(file.read(), file.label, rows=False).columns


def read_parquet(file: SourceFile, columns: Sequence[str]) -> pl.DataFrame:
    """Read some columns as text; a file that expands like a decompression bomb is refused."""
    return read_contained(file.read(), file.label, columns=list(columns), text=True).frame
