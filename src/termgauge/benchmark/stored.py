"""A benchmark on disk: a folder with a manifest and a file for each set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.benchmark.manifest import MANIFEST, Manifest, SetRecord, read_manifest
from termgauge.benchmark.pairset import PairSet, read_parquet, read_tsv
from termgauge.benchmark.sets import Origin
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.terminology.model import TerminologyIdentity

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator


@dataclass(frozen=True)
class Benchmark:
    """A benchmark on disk."""

    folder: Path
    manifest: Manifest

    def __repr__(self) -> str:
        pairs = [record.pairs for record in self.manifest.files.values() if record.pairs]
        return f"<benchmark '{self.folder}': {len(pairs)} sets, {sum(pairs):,} pairs>"

    def __iter__(self) -> Iterator[PairSet]:
        for file, record in self.manifest.files.items():
            if record.pairs:
                yield read_set(self.folder / file, record, self._slug)

    def __getitem__(self, name: str) -> PairSet:
        """Return a set by its name, such as ``fsn-syn.hard.levenshtein``, or its id."""
        for file, record in self.manifest.files.items():
            if name in (stem(file), record.id) and record.pairs:
                return read_set(self.folder / file, record, self._slug)
        known = [stem(file) for file, record in self.manifest.files.items() if record.pairs]
        raise TermgaugeError(f"{self.folder}: has no set '{name}'.{did_you_mean(name, known)}")

    @property
    def _slug(self) -> str:
        return TerminologyIdentity(**self.manifest.terminology).slug


def load_benchmark(folder: str | os.PathLike[str]) -> Benchmark:
    """Open a benchmark that was built before.

    Raises
    ------
    TermgaugeError
        If the folder holds none.
    """
    place = Path(folder)
    manifest = read_manifest(place) if place.is_dir() else None
    if manifest is None:
        raise TermgaugeError(
            f"{place}: holds no benchmark ({MANIFEST}); make one with: termgauge build SOURCE --out DIR."
        )
    return Benchmark(place, manifest)


def read_set(path: Path, record: SetRecord, terminology: str) -> PairSet:
    """Read a set of a benchmark of a terminology from its file."""
    origin = Origin(terminology, record.kind, record.difficulty, record.strategy)
    return (read_parquet if path.suffix == ".parquet" else read_tsv)(path, id=record.id, origin=origin)


def stem(file: str) -> str:
    """Return a set's name from that of its file: ``fsn-syn.hard.random`` from ``fsn-syn.hard.random.tsv``."""
    return file.rsplit(".", 1)[0]
