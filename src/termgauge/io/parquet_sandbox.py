"""Parquet, read in a process of its own.

The library that reads Parquet ends the whole process on some damaged or crafted files, and writes its own complaints to
the terminal on others. Nobody can tell beforehand which: whoever crafts a file can write a checksum as well. So a child
process reads all tables that are not in the user's own cache and hands them over plain, and what it says is one
sentence. It reads one file after the other until this process ends, or until it panics.
"""

from __future__ import annotations

import atexit
import io
import json
import math
import subprocess
import sys
import threading
import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import BOMB_FREE_BYTES, BOMB_RATIO

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

SUM_KEY = "termgauge.crc32"
"""Where a Parquet file's metadata holds a checksum of what is in it."""
_MOST_BYTES = 2 << 30
"""What a table of a run or a benchmark may take in memory, however small its file is."""
_VIEW_BYTES = 16
"""What a text costs in memory at least, however well it is compressed on disk."""

_PROGRAM = """
import io, json, sys
import polars as pl
said = {}
while not said.get("panic") and (line := sys.stdin.buffer.readline()):
    asked = json.loads(line)
    data = sys.stdin.buffer.read(asked["bytes"])
    said, table = {}, io.BytesIO()
    try:
        rows = pl.scan_parquet(io.BytesIO(data))
        said["columns"] = list(rows.collect_schema())
        said["metadata"] = {key: str(value) for key, value in pl.read_parquet_metadata(io.BytesIO(data)).items()}
        if asked["rows"]:
            wanted = said["columns"] if asked["columns"] is None else asked["columns"]
            count = rows.select(pl.len()).collect().item()
            said["bomb"] = count * asked["view"] * max(1, len(wanted)) > asked["most"]
            if not said["bomb"]:
                columns = [pl.col(name).cast(pl.String) if asked["text"] else pl.col(name) for name in wanted]
                frame = rows.select(columns).collect()
                said["bomb"] = frame.estimated_size() > asked["most"]
                if not said["bomb"]:
                    frame.write_ipc_stream(table)
                del frame
    except BaseException as error:
        said = {"error": (str(error).splitlines() or [type(error).__name__])[0][:200]}
        said["panic"] = not isinstance(error, Exception)
        table = io.BytesIO()
    said["bytes"] = table.tell()
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\\n")
    sys.stdout.buffer.write(table.getbuffer())
    sys.stdout.buffer.flush()
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
    most_bytes: int | None = None,
    columns: Sequence[str] | None = None,
    text: bool = False,
    rows: bool = True,
    advice: str = "write it again, or use TSV",
) -> ParquetFile:
    """Read the bytes of a Parquet file, which messages call by its label.

    Only some columns if they are named, as text if that is asked for, and no more than `most_bytes` in memory: what the
    size of the file warrants, unless it is given. Without `rows` only the names of the columns. A whole table that says
    its checksum must have it.
    """
    most = max(BOMB_FREE_BYTES, BOMB_RATIO * len(data)) if most_bytes is None else most_bytes
    asked = {"columns": columns, "text": text, "rows": rows, "view": _VIEW_BYTES, "most": most, "bytes": len(data)}
    try:
        answer, table = _READER.ask(asked, data)
    except OSError as error:
        raise TermgaugeError(f"{label}: cannot be read, since no process can be started ({error.strerror}).") from error
    if "error" in answer:
        raise TermgaugeError(f"{label}: is no readable Parquet file ({answer['error'].rstrip('.')}); {advice}.")
    if answer.get("bomb"):
        raise TermgaugeError(
            f"{label}: expands to much more than its size, like a decompression bomb; if you trust it, write it as TSV "
            "and name that."
        )
    import polars as pl

    frame = pl.read_ipc_stream(io.BytesIO(table)) if table else pl.DataFrame()
    checksum = answer["metadata"].get(SUM_KEY) if rows and columns is None and not text else None
    # Other types are none of ours, and some of their values cannot be looked at without a panic.
    plain = all(dtype.is_numeric() or dtype in (pl.String, pl.Boolean, pl.Null) for dtype in frame.dtypes)
    if checksum is not None and not (plain and checksum == sum_of(frame)):
        raise TermgaugeError(f"{label}: is damaged, since it is not what was written; {advice}.")
    return ParquetFile(tuple(answer["columns"]), answer["metadata"], frame)


def read_table(path: Path, advice: str) -> ParquetFile:
    """Read a table that termgauge wrote, as far as anybody knows; nulls, of which it may have many, take no room there.

    The `advice` says what to do if it cannot be read.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TermgaugeError(f"{path}: cannot be read ({error.strerror or error}); {advice}.") from error
    return read_contained(data, str(path), most_bytes=_MOST_BYTES, advice=advice)


def write_table(frame: pl.DataFrame, path: Path, metadata: Mapping[str, str] | None = None) -> None:
    """Write a table as Parquet that says its own checksum."""
    frame.write_parquet(path, metadata={**(metadata or {}), SUM_KEY: sum_of(frame)})


def sum_of(frame: pl.DataFrame) -> str:
    """Return a checksum of what is in a table."""
    import polars as pl

    total = 0
    for column in frame:
        numbers = column.dtype == pl.Float64
        values = column.fill_null(math.nan).to_numpy().tobytes() if numbers else repr(column.to_list()).encode()
        total = zlib.crc32(values, zlib.crc32(column.name.encode(), total))
    return str(total)


class _Reader:
    """The child process, started when it is first needed; threads take turns."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, asked: dict[str, Any], data: bytes) -> tuple[dict[str, Any], bytes]:
        """Return what the child says of a file, and its table."""
        with self._turn:
            if self._child is None or self._child.poll() is not None:
                self.end()
                self._child = subprocess.Popen(  # noqa: S603 - our own program
                    [sys.executable, "-P", "-c", _PROGRAM],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            child = self._child
            assert child.stdin is not None
            assert child.stdout is not None
            try:
                with suppress(BrokenPipeError):
                    child.stdin.write(json.dumps(asked).encode() + b"\n")
                    child.stdin.write(data)
                    child.stdin.flush()
                answer = json.loads(child.stdout.readline())
                table = child.stdout.read(answer["bytes"])
            except ValueError:
                answer = {"error": f"the reader of Parquet files broke off, with status {child.wait()}"}
                table = b""
            except BaseException:  # what it says now would be taken for the next answer
                self.end()
                raise
            if answer.get("panic"):
                self.end()
            return answer, table

    def end(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            with suppress(BrokenPipeError), child:
                child.kill()


_READER = _Reader()
atexit.register(_READER.end)
