"""What jobs read, sent to the workers that lack it.

A file is sent in pieces, so that neither the scheduler nor a worker ever holds much of a large one.
"""

from __future__ import annotations

import os
import platform
import shutil
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.artifacts import NAMESPACE, artifact_of, files_in
from termgauge.io.atomic import temporary_beside
from termgauge.io.store import entry_path, mark_used, sweep
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from termgauge.io.artifacts import Artifact

PIECE = 8 << 20


def missing(artifacts: Sequence[Artifact], *, shared: bool) -> list[str]:
    """Return the keys of artifacts that are not on this machine."""
    for artifact in artifacts:
        path = Path(artifact.path)
        if not shared:
            mark_used(artifact.entry)
        elif not files_in(path) or artifact_of(path, shared=True) != artifact:
            raise TermgaugeError(
                f"{path}: the worker on {platform.node()} does not see it, or sees something else there; let all "
                "workers use one disk under the same paths, or leave --shared out, and it is sent."
            )
    return [artifact.key for artifact in artifacts if not (shared or artifact.entry.is_dir())]


def upload(artifact: Artifact, call: Callable[..., object]) -> None:
    """Send an artifact; `call` calls a function on the worker."""
    source, token = artifact.here, os.urandom(8).hex()
    files = files_in(source)
    with track(f"Sending {source.name}", sum(file.stat().st_size for file in files), "bytes") as advance:
        for file in files:
            with file.open("rb") as stream:
                for piece in chain([b""], iter(partial(stream.read, PIECE), b"")):  # an empty file is a piece, too
                    call(store_piece, token, file.relative_to(source.parent).as_posix(), piece)
                    advance(len(piece))
    call(finish_upload, token, artifact)


@lru_cache(maxsize=256)
def _arriving(_token: str) -> Path:
    """Return where an artifact is put together; what a worker that was killed left of such is deleted."""
    sweep(NAMESPACE)
    return temporary_beside(entry_path(NAMESPACE, "artifact"))


def store_piece(token: str, name: str, piece: bytes) -> None:
    """Add a piece to a file of an artifact that is being sent."""
    target = _arriving(token) / name
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab") as stream:
            stream.write(piece)
    except BaseException:
        shutil.rmtree(_arriving(token), ignore_errors=True)
        raise


def finish_upload(token: str, artifact: Artifact) -> None:
    """Let an artifact that has come as it was appear in the store."""
    home, entry = _arriving(token), artifact.entry
    try:
        if artifact_of(home / Path(artifact.path).name).key != artifact.key:
            raise TermgaugeError(f"{artifact.path}: was changed while it was sent; run the command again.")
        home.rename(entry)
    except OSError:
        if not entry.is_dir():  # or another worker of this machine was sent the same
            raise
    finally:
        shutil.rmtree(home, ignore_errors=True)
