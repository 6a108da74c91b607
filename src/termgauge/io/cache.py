"""Where termgauge keeps what it would otherwise have to compute again.

A cache entry is a file or folder ``<cache>/<shelf>/<key>``, complete from the moment it is there; its key is a hash
of everything that went into it, so nothing in the cache is ever out of date, and all of it may be deleted at any
time.
"""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.atomic import TEMPORARY_PREFIX, sweep_folder, whole_folder
from termgauge.io.checksums import write_record
from termgauge.io.paths import expanded

if TYPE_CHECKING:
    from collections.abc import Iterator

ENVIRONMENT_VARIABLE = "TERMGAUGE_CACHE_DIR"
_SPARE = "_TERMGAUGE_SPARE_CACHE"


def cache_dir() -> Path:
    """Return the cache folder: ``TERMGAUGE_CACHE_DIR``, else the platform's user cache folder."""
    if named := os.environ.get(ENVIRONMENT_VARIABLE):
        return expanded(named)
    from platformdirs import user_cache_path

    return user_cache_path("termgauge", appauthor=False)


def entry_path(shelf: str, key: str) -> Path:
    """Return where an entry is, or would be: in a temporary folder if the cache has none and cannot be written."""
    home = cache_dir()
    if not writable(home) and not os.path.exists(home / shelf / key):  # noqa: PTH110 - False where it may not be read
        home = _spare_folder() or home
    return home / shelf / key


def spare_path(entry: Path) -> Path | None:
    """Return where to write more of an entry that is in a cache that cannot be written; None for any other."""
    home = None if writable(entry) else _spare_folder()
    return home and home / entry.parent.name / entry.name


def writable(folder: Path) -> bool:
    """Say whether things can be written to a folder, which need not be there yet."""
    there = next((place for place in (folder, *folder.parents) if os.path.isdir(place)), folder)  # noqa: PTH112
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
def new_entry(shelf: str, key: str) -> Iterator[Path]:
    """Give a temporary folder to fill; it becomes the entry, with checksums of its files, if the block succeeds."""
    sweep(shelf)
    with whole_folder(entry_path(shelf, key)) as folder:
        yield folder
        write_record(folder)


@dataclass(frozen=True)
class Entry:
    """One thing in the cache."""

    shelf: str
    key: str
    path: Path
    size: int
    used: float
    """When it was last opened, in seconds since the epoch."""


def entries(shelf: str | None = None) -> list[Entry]:
    """List what is in the cache, by shelf, the most recently used first; one that is not empty must have the shelf."""
    shelves = _shelves()
    if shelf is not None and shelves and shelf not in shelves:
        names = ", ".join(shelves)
        raise TermgaugeError(
            f"{cache_dir()}: the cache has no '{shelf}'; it has: {names}.{did_you_mean(shelf, shelves)}"
        )
    present = [entry for path in _paths(shelf) if (entry := _entry(path)) is not None]
    return sorted(present, key=lambda entry: (entry.shelf, -entry.used))


def clear(shelf: str | None = None, *, unused_days: float = 0) -> tuple[int, int]:
    """Delete the entries of a shelf, or of all, that were not opened for so many days; return how many, and bytes."""
    for each in _shelves() if shelf is None else [shelf]:
        sweep(each)
    before = time.time() - unused_days * 86400
    gone = [entry for entry in entries(shelf) if unused_days == 0 or entry.used < before]
    for entry in gone:
        _delete(entry.path)
    return len(gone), sum(entry.size for entry in gone)


def mark_used(entry: Path) -> None:
    """Note that an entry was opened just now; a cache that cannot be written is no reason to fail."""
    with suppress(OSError):
        os.utime(entry)


def sweep(shelf: str) -> None:
    """Delete temporary files that killed processes left behind."""
    sweep_folder(cache_dir() / shelf)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _paths(shelf: str | None) -> Iterator[Path]:
    for name in _shelves():
        if shelf in (None, name):
            place = cache_dir() / name
            yield from (path for path in place.iterdir() if not path.name.startswith(TEMPORARY_PREFIX))


def _shelves() -> list[str]:
    home = cache_dir()
    return sorted(place.name for place in home.iterdir() if place.is_dir()) if home.is_dir() else []


def _entry(path: Path) -> Entry | None:
    files = (file for file in path.rglob("*") if file.is_file()) if path.is_dir() else (path,)
    try:
        size = sum(file.stat().st_size for file in files)
        return Entry(path.parent.name, path.name, path, size, path.stat().st_mtime)
    except FileNotFoundError:  # another process cleared it just now
        return None
