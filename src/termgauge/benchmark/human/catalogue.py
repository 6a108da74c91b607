"""The sets of term pairs that people rated: what each is, where it is at home, and how its file is laid out.

Nothing of the sets themselves is here; an entry of ``catalogue.toml`` says which public file holds a set and how to
know it.
"""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING

from termgauge.display import Showing
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import sha256_of_bytes
from termgauge.io.paths import expanded
from termgauge.io.store import entry_path

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

DATA_DIR_VARIABLE = "TERMGAUGE_DATA_DIR"
NAMESPACE = "human"
IN_FOLDER, IN_CACHE, TO_DOWNLOAD = "in folder", "in cache", "to download"


@dataclass(frozen=True)
class Layout:
    """Where a table keeps what."""

    terms: Sequence[str]
    ratings: Sequence[str]
    """The columns whose mean is the score; of several, a row may leave some empty."""
    concepts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """For each system of concept ids (``umls``, ``mesh``, ``snomed``) its two columns, the fullest system first."""
    columns: Sequence[str] = ()
    """The names of the columns if the file has no header."""


@dataclass(frozen=True, kw_only=True, repr=False)
class HumanSet(Showing):
    """One set of term pairs that people rated."""

    id: str
    title: str
    citation: str
    licence: str
    """What is known about the terms of use, in a sentence."""
    home: str
    address: str
    """Where the file can be downloaded."""
    file_name: str
    sha256: str
    size: int
    pairs: int
    scale: tuple[float, float]
    """The lowest and the highest score possible; the highest is for the most similar pairs."""
    score: str
    """What the score is: who rated, and how ratings were brought together."""
    layout: Layout

    @property
    def by_hand(self) -> str:
        """Where to get the file and where to put it, as the last part of a sentence."""
        return (
            f"get {self.file_name} by hand from {self.address} and put it, under exactly that name, into "
            "a folder that you name in the option data-dir or in TERMGAUGE_DATA_DIR"
        )

    def _brief(self) -> str:
        return f"human-rated set '{self.id}': {self.pairs:,} pairs, {self.title}"

    def to_frame(self) -> pl.DataFrame:
        """Return a row that says what it is, and whether it is at hand."""
        import polars as pl

        return pl.DataFrame([self.row()])

    def row(self, data_dir: str | os.PathLike[str] | None = None) -> dict[str, str | int | None]:
        """Return what it is, and whether and where it is at hand, for a listing."""
        path = self.locate(data_dir)
        return {
            "id": self.id,
            "title": self.title,
            "pairs": self.pairs,
            "scale": f"{self.scale[0]:g}-{self.scale[1]:g}",
            "score": self.score,
            "concepts": ", ".join(self.layout.concepts),
            "status": self.status(data_dir),
            "path": None if path is None else str(path),
            "file": self.file_name,
            "bytes": self.size,
            "home": self.home,
            "licence": self.licence,
            "citation": self.citation,
        }

    def status(self, data_dir: str | os.PathLike[str] | None = None) -> str:
        """Say whether the set is ``in folder``, ``in cache`` or ``to download``."""
        path = self.locate(data_dir)
        return TO_DOWNLOAD if path is None else IN_CACHE if path == self.cached else IN_FOLDER

    def locate(self, data_dir: str | os.PathLike[str] | None = None) -> Path | None:
        """Return where its file is on this machine, or None; a folder that is named must exist."""
        for path, source in (
            (data_dir, "--data-dir (data_dir in an experiment)"),
            (os.environ.get(DATA_DIR_VARIABLE), DATA_DIR_VARIABLE),
        ):
            if path is None or not str(path):
                continue
            folder = expanded(path)
            if not folder.is_dir():
                raise TermgaugeError(f"{folder}: is no folder; name in {source} a folder that holds human-rated sets.")
            # Unlike Path.is_file, this is False where the folder may not be read.
            if os.path.isfile(folder / self.file_name):  # noqa: PTH113
                return folder / self.file_name
        try:
            return self.cached if sha256_of_bytes(self.cached.read_bytes()) == self.sha256 else None
        except OSError:
            return None

    @property
    def cached(self) -> Path:
        """Where the cache has its file, if it does."""
        return entry_path(NAMESPACE, self.file_name)


def _catalogue() -> tuple[HumanSet, ...]:
    """Read the entries, which name their citation and the place where their file is at home."""
    tables = tomllib.loads((resources.files(__package__) / "catalogue.toml").read_text(encoding="utf-8"))
    entries = []
    for entry in tables["sets"]:
        home, file = tables["homes"][entry.pop("home")], entry.pop("file")
        entry |= {"home": home["home"], "licence": home["licence"], "address": f"{home['folder']}/{file}"}
        entry |= {"citation": tables["citations"][entry["citation"]], "file_name": file.rsplit("/", 1)[-1]}
        entries.append(HumanSet(**entry | {"scale": tuple(entry["scale"]), "layout": Layout(**entry["layout"])}))
    return tuple(entries)


CATALOGUE = _catalogue()
"""All sets, in the order in which they are listed."""
