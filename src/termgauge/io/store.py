"""The store of what would otherwise have to be computed again, by content, and the one checksum of what is written.

An entry is a file or folder ``<cache>/<namespace>/<key>``, complete from the moment it is there; its key is a hash of
everything that went into it, so nothing in the cache is ever out of date, and all of it may be deleted at any time.

Checksums are CRC-32, of each 64 KB of a file: what is read whole is checked whole, and of a large matrix only the
blocks are checked that somebody wants. A folder has them in a file of its own, a JSON object as its last key. They
protect against disks and accidents, not against an attacker, who could write a checksum as well.

>>> without_checksum(with_checksum('{"overlap": 0.25}').encode())
b'{"overlap": 0.25}'
>>> without_checksum(with_checksum('{"overlap": 0.25}').encode().replace(b"0.25", b"0.35"))
Traceback (most recent call last):
termgauge.io.store.DamagedError: it is not what was written
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.atomic import TEMPORARY_PREFIX, sweep_folder, whole_folder
from termgauge.io.paths import expanded

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

ENVIRONMENT_VARIABLE = "TERMGAUGE_CACHE_DIR"
_SPARE = "_TERMGAUGE_SPARE_CACHE"
BLOCK = 1 << 16
RECORD = "checksums.json"
"""What a folder says of its files."""
_SEAL = re.compile(rb',\s*"crc32": "([0-9a-f]{8})"\s*\}\s*\Z')
_SEAL_BYTES = 64


def cache_dir() -> Path:
    """Return the cache folder: ``TERMGAUGE_CACHE_DIR``, else the platform's user cache folder."""
    if named := os.environ.get(ENVIRONMENT_VARIABLE):
        return expanded(named)
    from platformdirs import user_cache_path

    return user_cache_path("termgauge", appauthor=False)


def entry_path(namespace: str, key: str) -> Path:
    """Return where an entry is, or would be: in a temporary folder if the cache has none and cannot be written."""
    home = cache_dir()
    if not writable(home) and not os.path.exists(home / namespace / key):  # noqa: PTH110 - False where it may not be read
        home = _spare_folder() or home
    return home / namespace / key


def spare_path(entry: Path) -> Path | None:
    """Return where to write more of an entry that is in a cache that cannot be written; None for any other."""
    home = None if writable(entry) else _spare_folder()
    return home and home / entry.parent.name / entry.name


def writable(folder: Path) -> bool:
    """Say whether things can be written to a folder, which need not be there yet."""
    there = next((path for path in (folder, *folder.parents) if os.path.isdir(path)), folder)  # noqa: PTH112
    return os.access(there, os.W_OK | os.X_OK)


def _spare_folder() -> Path | None:
    """Return a folder that lasts until the command ends; processes that it starts use it, too."""
    if _SPARE not in os.environ:
        import atexit
        import tempfile

        try:
            os.environ[_SPARE] = tempfile.mkdtemp(prefix="termgauge-")
        except OSError:
            return None
        atexit.register(_delete_spare_folder, os.getpid())
        warn(
            f"{cache_dir()}: the cache cannot be written, so what belongs there is kept until the command ends only; "
            f"set {ENVIRONMENT_VARIABLE} to a folder that can be written."
        )
    return Path(os.environ[_SPARE])


def _delete_spare_folder(owner: int) -> None:
    if os.getpid() == owner and (folder := os.environ.pop(_SPARE, "")):
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def new_entry(namespace: str, key: str) -> Iterator[Path]:
    """Give a temporary folder to fill; it becomes the entry, with checksums of its files, if the block succeeds."""
    sweep(namespace)
    with whole_folder(entry_path(namespace, key)) as folder:
        yield folder
        write_record(folder)


def cached(namespace: str, key: str, make: Callable[[Path], object], if_damaged: str = "") -> Path:
    """Return an entry, whose folder `make` fills if it is not there or damaged; a warning then says what is done."""
    path = entry_path(namespace, key)
    if there := path.is_dir():
        there = not damaged_files(path)
        if not there and if_damaged:
            warn(f"{path}: was damaged; {if_damaged}.")
    if not there:
        with new_entry(namespace, key) as folder:
            make(folder)
    mark_used(path)
    return path


@dataclass(frozen=True)
class Entry:
    """One thing in the cache."""

    namespace: str
    key: str
    path: Path
    size: int
    used: float
    """When it was last opened, in seconds since the epoch."""


def entries(namespace: str | None = None) -> list[Entry]:
    """List what is in the cache, by namespace, the most recently used first."""
    namespaces = _namespaces()
    if namespace is not None and namespaces and namespace not in namespaces:
        names = ", ".join(namespaces)
        raise TermgaugeError(
            f"{cache_dir()}: the cache has no '{namespace}'; it has: {names}.{did_you_mean(namespace, namespaces)}"
        )
    folders = [cache_dir() / name for name in namespaces if namespace in (None, name)]
    paths = (path for folder in folders for path in folder.iterdir() if not path.name.startswith(TEMPORARY_PREFIX))
    return sorted(filter(None, map(_entry, paths)), key=lambda entry: (entry.namespace, -entry.used))


def clear(namespace: str | None = None, *, unused_days: float = 0) -> tuple[int, int]:
    """Delete entries that were not opened for so many days; return how many there were, and bytes."""
    for name in _namespaces() if namespace is None else [namespace]:
        sweep(name)
    before = time.time() - unused_days * 86400
    gone = [entry for entry in entries(namespace) if unused_days == 0 or entry.used < before]
    for entry in gone:
        if entry.path.is_dir():
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            entry.path.unlink(missing_ok=True)
    return len(gone), sum(entry.size for entry in gone)


def mark_used(entry: Path) -> None:
    """Note that an entry was opened just now; a cache that cannot be written is no reason to fail."""
    with suppress(OSError):
        os.utime(entry)


def sweep(namespace: str) -> None:
    """Delete temporary files that killed processes left behind."""
    sweep_folder(cache_dir() / namespace)


def _namespaces() -> list[str]:
    home = cache_dir()
    return sorted(folder.name for folder in home.iterdir() if folder.is_dir()) if home.is_dir() else []


def _entry(path: Path) -> Entry | None:
    files = (file for file in path.rglob("*") if file.is_file()) if path.is_dir() else (path,)
    try:
        size = sum(file.stat().st_size for file in files)
        return Entry(path.parent.name, path.name, path, size, path.stat().st_mtime)
    except FileNotFoundError:  # another process cleared it just now
        return None


class DamagedError(ValueError):
    """Something is not what was written."""

    def __init__(self) -> None:
        super().__init__("it is not what was written")


def with_checksum(text: str) -> str:
    """Add to a JSON object that is not empty, as text, a checksum of itself as its last key."""
    body = text.rstrip().removesuffix("}").rstrip()
    indent = "\n  " if "\n" in body else " "
    return f'{body},{indent}"crc32": "{zlib.crc32(body.encode()):08x}"{indent.rstrip(" ")}}}'


def without_checksum(data: bytes) -> bytes:
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
    (folder / RECORD).write_text(with_checksum(json.dumps({"block": BLOCK, "files": sums})), encoding="utf-8")


def read_checked(path: Path) -> Any:  # noqa: ANN401
    """Return what a JSON file holds, which must have its checksum."""
    data = path.read_bytes()
    if (body := without_checksum(data)) is data:
        raise DamagedError
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise DamagedError from None


def read_record(folder: Path) -> dict[str, list[int]]:
    """Return the checksums of the files of a folder."""
    try:
        document = read_checked(folder / RECORD)
        files: dict[str, list[int]] = document["files"]
        if document["block"] != BLOCK or not isinstance(files, dict):
            raise DamagedError
    except (KeyError, TypeError):
        raise DamagedError from None
    return files


def damaged_files(folder: Path, without: Container[str] = ()) -> list[str]:
    """Return the files of a folder that are missing or not what was written."""
    try:
        files = read_record(folder)
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
