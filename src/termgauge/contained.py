"""Parquet of other people's, read in a process of its own.

The library that reads Parquet ends the whole process on some damaged or crafted files, and writes its own complaints to
the terminal on others. Here a child process reads them and hands over plain tables, and what it says is one sentence.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

_VIEW_BYTES = 16
"""What a text costs in memory at least, however well it is compressed on disk."""

_PROGRAM = """
import io, json, sys
import polars as pl
asked = json.loads(sys.argv[1])
data = sys.stdin.buffer.read()
said, table = {}, io.BytesIO()
try:
    rows = pl.scan_parquet(io.BytesIO(data))
    said["columns"] = list(rows.collect_schema())
    said["metadata"] = {key: str(value) for key, value in pl.read_parquet_metadata(io.BytesIO(data)).items()}
    if asked["rows"]:
        wanted = said["columns"] if asked["columns"] is None else asked["columns"]
        count = rows.select(pl.len()).collect().item()
        if count * asked["view"] * max(1, len(wanted)) > asked["most"]:
            said["bomb"] = True
        else:
            column = (lambda name: pl.col(name).cast(pl.String)) if asked["text"] else pl.col
            frame = rows.select([column(name) for name in wanted]).collect()
            if frame.estimated_size() > asked["most"]:
                said["bomb"] = True
            else:
                frame.write_ipc_stream(table)
except BaseException as error:
    said = {"error": (str(error).splitlines() or [type(error).__name__])[0][:200]}
sys.stdout.buffer.write(json.dumps(said).encode() + b"\\n" + table.getvalue())
"""


@dataclass(frozen=True)
class ParquetFile:
    """What is in a Parquet file."""

    columns: tuple[str, ...]
    metadata: dict[str, str]
    frame: pl.DataFrame
    """The columns that were asked for; empty if only their names were."""


def read_contained(
    data: bytes,
    label: str,
    *,
    most_bytes: int,
    columns: Sequence[str] | None = None,
    text: bool = False,
    rows: bool = True,
) -> ParquetFile:
    """Read the bytes of a Parquet file, which messages call by its label.

    Only some columns if they are named, as text if that is asked for, and no more than `most_bytes` in memory; without
    `rows` only the names of the columns.

    Raises
    ------
    TermgaugeError
        If it is no readable Parquet file, or one that expands like a decompression bomb.
    """
    asked = {"columns": columns, "text": text, "rows": rows, "view": _VIEW_BYTES, "most": most_bytes}
    try:
        done = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-P", "-c", _PROGRAM, json.dumps(asked)], input=data, capture_output=True, check=False
        )
    except OSError as error:
        raise TermgaugeError(f"{label}: cannot be read, since no process can be started ({error.strerror}).") from error
    head, _, table = done.stdout.partition(b"\n")
    try:
        said = json.loads(head)
    except ValueError:
        said = {"error": f"the reader of Parquet files broke off, with status {done.returncode}"}
    if "error" in said:
        raise TermgaugeError(
            f"{label}: is no readable Parquet file ({said['error'].rstrip('.')}); write it again, or use TSV."
        )
    if said.get("bomb"):
        raise TermgaugeError(
            f"{label}: expands to much more than its size, like a decompression bomb; if you trust it, write it as TSV "
            "and name that."
        )
    import polars as pl

    frame = pl.read_ipc_stream(io.BytesIO(table)) if table else pl.DataFrame()
    return ParquetFile(tuple(said["columns"]), said["metadata"], frame)
