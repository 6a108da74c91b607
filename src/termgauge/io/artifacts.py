"""Files and folders known by what they hold, wherever they lie: what is sent to another machine is kept there so."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_stream, sha256_of_value
from termgauge.io.store import entry_path
from termgauge.progress import track

NAMESPACE = "artifacts"
"""Of the store: what was sent to this machine, each whole or not at all."""


@dataclass(frozen=True)
class Artifact:
    """A file or a folder that jobs read, known by what it holds."""

    path: str
    """Where it is on the machine that sends it."""
    key: str
    """A hash of its name and of all that it holds; of its path and sizes where all see the same disk."""

    @property
    def entry(self) -> Path:
        """Where the store of this machine has it, if it was sent here, in a folder."""
        return entry_path(NAMESPACE, self.key)

    @property
    def here(self) -> Path:
        """Where it is on this machine."""
        sent = self.entry / Path(self.path).name
        return sent if sent.exists() else Path(self.path)


def artifact_of(path: Path, *, shared: bool = False) -> Artifact:
    """Return what a file or folder holds; only names and sizes are looked at where all see the same disk."""
    home = path.absolute()
    sizes, about = {file: file.stat().st_size for file in files_in(home)}, []
    if not sizes:
        raise TermgaugeError(f"{path}: there is no such file or folder, or nothing in it.")
    with track(f"Reading {home.name} to send it", 0 if shared else sum(sizes.values()), "bytes") as advance:
        for file, size in sizes.items():
            sha256 = "" if shared else _hash(file, size, file.stat().st_mtime_ns)
            about.append((file.relative_to(home).as_posix(), size, sha256))
            advance(size)
    return Artifact(str(home), sha256_of_value([str(home) if shared else home.name, about]))


def files_in(home: Path) -> list[Path]:
    """Return a file, or the files of a folder, sorted."""
    return sorted(file for file in [home, *home.rglob("*")] if file.is_file())


@lru_cache(maxsize=4096)
def _hash(path: Path, _size: int, _changed: int) -> str:
    """Return the hash of a file, which is read once as long as it does not change."""
    with path.open("rb") as stream:
        return sha256_of_stream(stream)
