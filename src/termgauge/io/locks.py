"""Locks on files that end with the process that holds them, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import IO

_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


def lock_file(path: Path) -> IO[bytes]:
    """Open a file to be locked, to read it and to add to it; a link in its place is an error."""
    return open(path, "ab+", opener=lambda name, flags: os.open(name, flags | _NO_LINK, 0o666))


def held(file: IO[bytes]) -> bool | None:
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
