"""Artifacts: what they hold, by hash, and the store of a worker, into which they come piece by piece.

An artifact is stored once on each machine, under the hash of what it holds, and appears there whole. A piece
is at most 8 MB, so that neither the scheduler nor a worker ever holds much of a large file.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.exceptions import TermgaugeError
from termgauge.executor import Artifact, ArtifactFile, set_local_path
from termgauge.io.atomic import temporary_beside
from termgauge.io.cache import entry_path, mark_used, new_entry, sweep
from termgauge.io.identity import sha256_of_stream, sha256_of_value
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

SHELF, BUNDLES = "artifacts", "bundles"
PIECE = 8 << 20
_sent_from: dict[str, Artifact] = {}
"""Artifacts that are in this machine's store, by place: what came from elsewhere is sent on without being read."""


def artifact_of(path: Path, *, shared: bool = False) -> Artifact:
    """Return what a file or folder holds; hashes are not needed where all see the same disk."""
    place = path.absolute()
    if (known := _sent_from.get(str(place))) is not None:
        return known
    files = sorted(each for each in place.rglob("*") if each.is_file()) if place.is_dir() else [place]
    if not files or not place.exists():
        raise TermgaugeError(f"{path}: there is no such file or folder, or nothing in it.")
    sizes = [file.stat().st_size for file in files]
    names = [file.relative_to(place).as_posix() if file != place else "" for file in files]
    if shared:
        return Artifact(str(place), tuple(ArtifactFile(*each) for each in zip(names, sizes, strict=True)))
    with track(f"Reading {place.name} to send it", total=sum(sizes), unit="bytes") as advance:
        sums = []
        for file, size in zip(files, sizes, strict=True):
            sums.append(_hash(str(file), size, file.stat().st_mtime_ns))
            advance(size)
    return Artifact(str(place), tuple(ArtifactFile(*each) for each in zip(names, sizes, sums, strict=True)))


@lru_cache(maxsize=4096)
def _hash(path: str, size: int, changed: int) -> str:
    """Return the hash of a file, which is read once as long as it does not change."""
    del size, changed
    with Path(path).open("rb") as stream:
        return sha256_of_stream(stream)


def arrays_artifact_of(arrays: Mapping[str, NDArray[Any]]) -> Artifact:
    """Write arrays into the cache, and return the artifact that they are."""
    hashes = {}
    for name, array in arrays.items():
        plain = np.ascontiguousarray(array)
        digest = hashlib.sha256(f"{plain.dtype.str} {plain.shape}".encode())
        digest.update(plain.data if plain.size else b"")
        hashes[name] = digest.hexdigest()
    key = sha256_of_value(hashes)
    place = entry_path(BUNDLES, key)
    if not place.is_dir():
        with new_entry(BUNDLES, key) as folder:
            for name, array in arrays.items():
                np.save(folder / f"{name}.npy", array)
    mark_used(place)
    return artifact_of(place)


def store() -> str:
    """Return which store this process uses, unlike that of any other machine."""
    return f"{platform.node()}:{entry_path(SHELF, 'x').parent}"


def there(artifact: Artifact, *, shared: bool) -> bool:
    """Say whether an artifact is at hand on this machine, and note where; one that all are to see must be there."""
    own = Path(artifact.path)
    if shared and _same(artifact, own):
        set_local_path(artifact, own)
        return True
    if not all(file.sha256 for file in artifact.files):
        raise TermgaugeError(
            f"{artifact.path}: the worker on {platform.node()} does not see it, or sees something else there; let all "
            "workers use one disk under the same paths, or leave --shared out, and it is sent."
        )
    place = entry_path(SHELF, artifact.key)
    if not place.is_dir():
        return False
    mark_used(place)
    _note(artifact, place / own.name)
    return True


def _same(artifact: Artifact, place: Path) -> bool:
    try:
        return all((place / file.name if file.name else place).stat().st_size == file.size for file in artifact.files)
    except OSError:
        return False


def _note(artifact: Artifact, place: Path) -> None:
    set_local_path(artifact, place)
    _sent_from[str(place)] = artifact


def deliver(artifact: Artifact, put: Callable[..., None]) -> None:
    """Send an artifact, piece by piece; `put` calls `put_piece` on the worker with what it is called with."""
    source, token = artifact.here, os.urandom(8).hex()
    total = sum(file.size for file in artifact.files)
    with track(f"Sending {source.name}", total=total, unit="bytes") as advance:
        for number, file in enumerate(artifact.files):
            with (source / file.name if file.name else source).open("rb") as stream:
                left = file.size
                while True:
                    piece = stream.read(PIECE)
                    left -= len(piece)
                    ended = left <= 0 or not piece
                    put(artifact, token, number, piece, ended and number + 1 == len(artifact.files))
                    advance(len(piece))
                    if ended:
                        break


_lock = threading.Lock()
_arriving: dict[tuple[str, int], Any] = {}
"""The hashes of files that are on their way, by delivery and number: what has come is not read again in the end."""


@lru_cache(maxsize=256)
def _coming(token: str) -> Path:
    """Return where an artifact is put together; what a worker that was killed left of such is deleted."""
    del token
    sweep(SHELF)
    return temporary_beside(entry_path(SHELF, "artifact"))


def put_piece(artifact: Artifact, token: str, number: int, piece: bytes, last: bool) -> None:
    """Add a piece to a file of an artifact that is being sent; with the last one, the artifact appears in the store."""
    file = artifact.files[number]
    home = _coming(token)
    place = home / Path(artifact.path).name
    target = place / file.name if file.name else place
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("ab") as stream:
            stream.write(piece)
        _arriving.setdefault((token, number), hashlib.sha256()).update(piece)
        if last:
            _settle(artifact, token, home)
    except BaseException:
        shutil.rmtree(home, ignore_errors=True)
        raise


def _settle(artifact: Artifact, token: str, home: Path) -> None:
    for number, file in enumerate(artifact.files):
        arrived = _arriving.pop((token, number), None)
        if arrived is None or arrived.hexdigest() != file.sha256:
            raise TermgaugeError(f"{artifact.path}: was changed while it was sent; run the command again.")
    entry = entry_path(SHELF, artifact.key)
    with _lock:
        try:
            home.rename(entry)
        except OSError:
            if not entry.is_dir():
                raise
            shutil.rmtree(home, ignore_errors=True)  # another worker of this machine was sent the same
