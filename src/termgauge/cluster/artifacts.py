"""What jobs read, by the hash of what it holds, and the store of a machine, in which it appears whole or not at all.

A file is sent in pieces of at most 8 MB, so that neither the scheduler nor a worker ever holds much of a large one.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.executor import Artifact, ArtifactFile, set_local_path
from termgauge.io.atomic import temporary_beside
from termgauge.io.identity import sha256_of_stream
from termgauge.io.store import entry_path, mark_used, sweep
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NAMESPACE = "artifacts"
PIECE = 8 << 20


def artifact_of(path: Path, *, shared: bool = False) -> Artifact:
    """Return what a file or folder holds; hashes are not needed where all see the same disk."""
    home = path.absolute()
    files = sorted(file for file in home.rglob("*") if file.is_file()) if home.is_dir() else [home]
    if not files or not home.exists():
        raise TermgaugeError(f"{path}: there is no such file or folder, or nothing in it.")
    sizes, made = [file.stat().st_size for file in files], []
    with track(f"Reading {home.name} to send it", 0 if shared else sum(sizes), "bytes") as advance:
        for file, size in zip(files, sizes, strict=True):
            sha256 = "" if shared else _hash(str(file), size, file.stat().st_mtime_ns)
            made.append(ArtifactFile(file.relative_to(home).as_posix() if file != home else "", size, sha256))
            advance(size)
    return Artifact(str(home), tuple(made))


@lru_cache(maxsize=4096)
def _hash(path: str, _size: int, _changed: int) -> str:
    """Return the hash of a file, which is read once as long as it does not change."""
    with Path(path).open("rb") as stream:
        return sha256_of_stream(stream)


def missing(artifacts: Sequence[Artifact], *, shared: bool) -> list[str]:
    """Return the keys of artifacts that are not on this machine, and note where the others are."""
    return [artifact.key for artifact in artifacts if not _located(artifact, shared=shared)]


def _located(artifact: Artifact, *, shared: bool) -> bool:
    original, entry = Path(artifact.path), entry_path(NAMESPACE, artifact.key)
    if shared:
        with suppress(OSError):
            if all((original / file.name).stat().st_size == file.size for file in artifact.files):
                set_local_path(artifact, original)
                return True
    if not all(file.sha256 for file in artifact.files):
        raise TermgaugeError(
            f"{artifact.path}: the worker on {platform.node()} does not see it, or sees something else there; let all "
            "workers use one disk under the same paths, or leave --shared out, and it is sent."
        )
    if entry.is_dir():
        mark_used(entry)
        set_local_path(artifact, entry / original.name)
    return entry.is_dir()


def upload(artifact: Artifact, call: Callable[..., object]) -> None:
    """Send an artifact; `call` calls a function on the worker."""
    source, token, unchanged = artifact.here, os.urandom(8).hex(), True
    with track(f"Sending {source.name}", sum(file.size for file in artifact.files), "bytes") as advance:
        for file in artifact.files:
            digest, first = hashlib.sha256(), True
            with (source / file.name).open("rb") as stream:
                while (piece := stream.read(PIECE)) or first:  # an empty file is a piece, too
                    call(store_piece, token, Path(Path(artifact.path).name, file.name).as_posix(), piece)
                    digest.update(piece)
                    advance(len(piece))
                    first = False
            unchanged = unchanged and digest.hexdigest() == file.sha256
    call(finish_upload, token, artifact.key if unchanged else "")
    if not unchanged:
        raise TermgaugeError(f"{artifact.path}: was changed while it was sent; run the command again.")


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
        finish_upload(token, "")
        raise


def finish_upload(token: str, key: str) -> None:
    """Let an artifact that has come appear in the store; without a key, delete it."""
    home, entry = _arriving(token), entry_path(NAMESPACE, key)
    try:
        if key:
            home.rename(entry)
    except OSError:
        if not entry.is_dir():  # or another worker of this machine was sent the same
            raise
    finally:
        shutil.rmtree(home, ignore_errors=True)
