"""Checksums of what termgauge wrote itself, so that damage of the same size is noticed and nothing wrong is served.

A file has a CRC-32 for each 64 KB: what is read whole is checked whole, and of a large matrix only the blocks are
checked that somebody wants. They protect against disks and accidents, not against an attacker, who could write a
checksum as well.

>>> unsealed(sealed('{"overlap": 0.25}').encode())
b'{"overlap": 0.25}'
>>> unsealed(sealed('{"overlap": 0.25}').encode().replace(b"0.25", b"0.35"))
Traceback (most recent call last):
termgauge.io.checksums.DamagedError: it is not what was written
"""

from __future__ import annotations

import json
import re
import zlib
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable
    from pathlib import Path

BLOCK = 1 << 16
RECORD = "checksums.json"
"""What a folder says of its files."""
_SEAL = re.compile(rb',\s*"crc32": "([0-9a-f]{8})"\s*\}\s*\Z')
_SEAL_BYTES = 64


class DamagedError(ValueError):
    """Something is not what was written."""

    def __init__(self) -> None:
        super().__init__("it is not what was written")


def sealed(text: str) -> str:
    """Add to a JSON object that is not empty, as text, a checksum of itself as its last key."""
    body = text.rstrip().removesuffix("}").rstrip()
    indent = "\n  " if "\n" in body else " "
    return f'{body},{indent}"crc32": "{zlib.crc32(body.encode()):08x}"{indent.rstrip(" ")}}}'


def unsealed(data: bytes) -> bytes:
    """Return a JSON object without the checksum that it ends with; one of former versions that has none as it is."""
    seal = _SEAL.search(data, max(0, len(data) - _SEAL_BYTES))
    if seal is None:
        return data
    body = data[: seal.start()]
    if zlib.crc32(body) != int(seal[1], 16):
        raise DamagedError
    return body + b"}"


def sums_of(path: Path) -> list[int]:
    """Return the checksum of each block of a file."""
    with path.open("rb", buffering=0) as file:
        return [zlib.crc32(block) for block in iter(partial(file.read, BLOCK), b"")]


def write_record(folder: Path) -> None:
    """Write down the checksums of all files of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = {path.relative_to(folder).as_posix(): sums_of(path) for path in files}
    (folder / RECORD).write_text(sealed(json.dumps({"block": BLOCK, "files": sums})), encoding="utf-8")


def read_record(folder: Path) -> dict[str, list[int]] | None:
    """Return the checksums of the files of a folder; None for a folder of a former version, which has none."""
    try:
        data = (folder / RECORD).read_bytes()
    except FileNotFoundError:
        return None
    try:
        if (body := unsealed(data)) is data:
            raise DamagedError
        document = json.loads(body)
        files: dict[str, list[int]] = document["files"]
        if document["block"] != BLOCK or not isinstance(files, dict):
            raise DamagedError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise DamagedError from None
    return files


def damaged_files(folder: Path, without: Container[str] = ()) -> list[str]:
    """Return the files of a folder that are missing or not what was written."""
    try:
        files = read_record(folder) or {}
    except (DamagedError, OSError):
        return [RECORD]
    return [name for name, sums in files.items() if name not in without and not _whole(folder / name, sums)]


def _whole(path: Path, sums: list[int]) -> bool:
    try:
        return sums_of(path) == sums
    except OSError:
        return False


class BlockGuard:
    """Checks the blocks of a large file when they are first wanted."""

    def __init__(self, path: Path, sums: list[int]) -> None:
        self._path, self._sums = path, sums
        self._unchecked = set(range(len(sums)))

    def sound(self, blocks: Iterable[int]) -> bool:
        """Say whether some blocks, by their numbers, are what was written."""
        wanted = sorted(self._unchecked.intersection(blocks))
        if not wanted:
            return True
        with self._path.open("rb", buffering=0) as file:
            for block in wanted:
                file.seek(block * BLOCK)
                if zlib.crc32(file.read(BLOCK)) != self._sums[block]:
                    return False
        self._unchecked.difference_update(wanted)
        return True

    def all_sound(self, start: int, stop: int) -> bool:
        """Say whether what stands from one byte to another is what was written."""
        return self.sound(range(start // BLOCK, -(-stop // BLOCK)))
