"""Files and folders that are written whole or not at all, and locks that end with the process that holds them.

Everything is written beside its destination under a temporary name and renamed when complete, so a reader never
sees half a file and a killed process loses nothing that was there before. Libraries for this replace files, not
folders, and cannot tell what a killed process left from what another one is writing.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import secrets
import shutil
import sys
import time
import zlib
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import TYPE_CHECKING

from termgauge.exceptions import CannotWriteError, TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

TEMPORARY_PREFIX = ".tmp-"
STALE_SECONDS = 24 * 3600
_OURS = re.compile(rf"{re.escape(TEMPORARY_PREFIX)}(?P<machine>[0-9a-f]{{8}})-(?P<process>\d+)-[0-9a-f]{{16}}.*")
"""How things are called that are being written."""
_SYSTEM_ERROR = re.compile(r"\(os error (\d{1,3})\)")


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give a temporary path to write to; rename it to `path` if the block succeeds."""
    with _sentences(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(path)
        try:
            temporary.touch(exist_ok=False)
            yield temporary
            _flush(temporary)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder to fill; rename it to `path` if the block succeeds.

    A folder that is already there is replaced. If another process put one there meanwhile, theirs stays.
    """
    path = path.resolve() if path.is_symlink() else path
    with _sentences(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary, former = temporary_beside(path), temporary_beside(path)
        try:
            temporary.mkdir()
            yield temporary
            for file in temporary.rglob("*"):
                if file.is_file() and not file.is_symlink():
                    _flush(file)
            if path.is_dir():  # put aside, not deleted, until the new one stands
                path.rename(former)
            try:
                temporary.rename(path)
            except OSError:
                if not path.is_dir():
                    if former.is_dir():
                        former.rename(path)
                    raise
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
            shutil.rmtree(former, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all (UTF-8, line ends as given)."""
    with whole_file(path) as temporary:
        # A file name may hold bytes that are no text; where one is told of, they are left out of it.
        temporary.write_bytes(text.encode("utf-8", "replace"))


def refuse_links(folder: Path) -> None:
    """Refuse a folder that holds a link: what is written through it would land elsewhere; it may be one itself."""
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            _refuse_link(os.path.join(parent, name))  # noqa: PTH118 - of many files


def inside(folder: Path, name: str | Path) -> Path:
    """Return the place of something in a folder, which may be a link itself, but nothing on the way from there."""
    path = folder / name
    for part in (path, *path.parents[: len(path.parts) - len(folder.parts) - 1]):
        _refuse_link(part)
    return path


def _refuse_link(path: str | Path) -> None:
    if os.path.islink(path):  # noqa: PTH114 - of many files
        raise TermgaugeError(f"{path}: is a link, and nothing is written through links; put what it leads to there.")


@contextmanager
def _sentences(path: Path) -> Iterator[None]:
    """Turn what the file system says about writing into a sentence for the user."""
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError):
            if error.filename is not None and not _near(error.filename, path):
                raise  # not about what is written, but about something that is read meanwhile
            reason = error.strerror or str(error)
        # Libraries that are not written in Python put what the system said into errors of their own.
        elif number := _SYSTEM_ERROR.search(str(error)):
            reason = os.strerror(int(number[1]))
        else:
            raise
        raise CannotWriteError(f"{path}: cannot be written ({reason}); nothing was changed there.") from error


def _near(name: object, path: Path) -> bool:
    """Say whether a file is beside a path, or a folder above it."""
    file = os.path.abspath(os.fsdecode(name)) if isinstance(name, str | bytes | os.PathLike) else ""  # noqa: PTH100
    home = os.path.abspath(path.parent)  # noqa: PTH100
    return file.startswith(home) or home.startswith(file)


def temporary_beside(path: Path) -> Path:
    """Name something new beside a path; it is made the ordinary way, so that the user's umask holds."""
    return path.parent / f"{TEMPORARY_PREFIX}{_machine()}-{os.getpid()}-{secrets.token_hex(8)}{path.suffix}"


@lru_cache(maxsize=1)
def _machine() -> str:
    return f"{zlib.crc32(platform.node().encode('utf-8', 'replace')):08x}"


def is_temporary(path: Path) -> bool:
    """Say whether something has a name that only :func:`temporary_beside` gives."""
    return _OURS.fullmatch(path.name) is not None


def left_behind(path: Path) -> bool:
    """Say whether something is a temporary file or folder of a process of this machine that has ended.

    One of another machine that uses the same disk counts as left behind after a day.
    """
    if (name := _OURS.fullmatch(path.name)) is None:
        return False
    if name["machine"] == _machine() and os.name != "nt":
        try:
            os.kill(int(name["process"]), 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
            return False
        return False
    try:
        return time.time() - path.stat().st_mtime > STALE_SECONDS
    except OSError:
        return False


def sweep_folder(folder: Path) -> None:
    """Delete what processes that were killed were writing in a folder."""
    for left in folder.glob(f"{TEMPORARY_PREFIX}*") if os.path.isdir(folder) else ():  # noqa: PTH112
        if left_behind(left):
            with suppress(OSError):
                shutil.rmtree(left) if left.is_dir() else left.unlink()


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def open_lock(path: Path) -> IO[bytes]:
    """Open a file to be locked, to read it and to add to it; a link in its place is an error."""
    return open(path, "ab+", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o666))


def try_lock(file: IO[bytes]) -> bool | None:
    """Lock a file until it is closed or the process ends; False if another holds it, None where there are no locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        return None
    except OSError as error:
        return False if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK) else None
    return True
