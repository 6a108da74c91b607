"""A benchmark on disk: a folder with a manifest and a file for each set."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from termgauge.benchmark.huggingface import DATA
from termgauge.benchmark.manifest import MANIFEST, Manifest, SetRecord, read_manifest
from termgauge.benchmark.pairset import SET_KEY, ChangedSetError, PairSet, read_parquet, read_tsv
from termgauge.benchmark.sets import Origin
from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.io.atomic import whole_file
from termgauge.io.identity import sha256_of_value
from termgauge.io.parquet_sandbox import read_table, write_table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import polars as pl

HUGGINGFACE = "hf"
"""The form of a benchmark whose files lie in a folder for the `datasets` library."""
_AGAIN = "build the benchmark again, or delete it"


@dataclass(frozen=True, repr=False)
class Benchmark(Showing):
    """A benchmark on disk."""

    shown_by = "termgauge.reporting.about_data:benchmark_section"

    folder: Path
    manifest: Manifest

    def _brief(self) -> str:
        pairs = [record.pairs for record in self.manifest.files.values() if record.pairs]
        return f"benchmark '{shortened(self.folder)}': {len(pairs)} sets, {sum(pairs):,} pairs"

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each set: what it is, how many pairs it has, and their statistics."""
        import polars as pl

        rows = []
        for file, record in self.manifest.files.items():
            about = record.model_dump(exclude={"statistics", "sha256", "concepts"})
            rows.append({"set": stem(file), **about, **record.statistics.model_dump()})
        return pl.DataFrame(rows, infer_schema_length=None)

    @property
    def empty(self) -> bool:
        """Whether none of its sets has a pair."""
        return not any(record.pairs for record in self.manifest.files.values())

    def __iter__(self) -> Iterator[PairSet]:
        for file, record in self.manifest.files.items():
            if record.pairs:
                yield self._read(file, record)

    def __getitem__(self, name: str) -> PairSet:
        """Return a set by its name, such as ``fsn-syn.hard.levenshtein``, or its id."""
        for file, record in self.manifest.files.items():
            if name in (stem(file), record.id) and record.pairs:
                return self._read(file, record)
        known = [stem(file) for file, record in self.manifest.files.items() if record.pairs]
        raise TermgaugeError(f"{self.folder}: has no set '{name}'.{did_you_mean(name, known)}")

    def _read(self, file: str, record: SetRecord) -> PairSet:
        if self.manifest.options.get("format") == HUGGINGFACE:
            return read_set(self.folder / DATA / file, record, of_file=False)
        return read_set(self.folder / file, record)


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


def read_set(path: Path, record: SetRecord, *, of_file: bool = True) -> PairSet:
    """Read a set of a benchmark from its file, which must be the one that the manifest tells of.

    The hash in the manifest is `of_file`, or else of the set's TSV form.
    """
    origin = Origin(record.subject, record.kind, record.difficulty, record.strategy)
    read = read_parquet if path.suffix == ".parquet" else read_tsv
    with suppress(ChangedSetError):
        pairs = read(path, id=record.id, origin=origin, sha256=(record.sha256 or "") if of_file else None)
        same = of_file or pairs.sha256 == record.sha256
        if same and (len(pairs), pairs.positives) == (record.pairs, record.positives):
            return pairs if record.concepts is None else _with_concepts(pairs, path, record.concepts)
    raise TermgaugeError(
        f"{path}: was changed after {MANIFEST} was written, which tells of {record.pairs:,} pairs with another "
        f"SHA-256; build the benchmark again, or, if the change was meant, remove the entry from {MANIFEST} and name "
        "the file itself with --benchmark."
    )


def read_file(path: Path) -> PairSet:
    """Read a set from a TSV file; with the concepts beside it, if they are known to be of these very pairs."""
    pairs, beside = read_tsv(path), path.with_name(concepts_file(path.name))
    if not beside.is_file():
        return pairs
    table = read_table(beside, _AGAIN)
    if table.metadata.get(SET_KEY) == pairs.sha256 and _are_concepts(table.frame, len(pairs)):
        return pairs.with_concepts(table.frame)
    manifest = read_manifest(path.parent)  # what former versions wrote does not say of which pairs it is
    record = manifest.files.get(path.name) if manifest else None
    if record is not None and record.concepts is not None and pairs.sha256 == record.sha256:
        return _with_concepts(pairs, path, record.concepts)
    warn(f"{beside}: is not used, because it belongs to other pairs; pairs that share a concept count as independent.")
    return pairs


def write_concepts(pairs: PairSet, path: Path) -> str | None:
    """Keep the concept ids of a set beside its TSV file, which has no room for them; return their hash."""
    concepts = pairs.concepts
    if concepts is None:
        return None
    with whole_file(path.with_name(concepts_file(path.name))) as temporary:
        write_table(concepts, temporary, {SET_KEY: pairs.sha256})
    return _hash(concepts)


def _with_concepts(pairs: PairSet, path: Path, sha256: str) -> PairSet:
    beside = path.with_name(concepts_file(path.name))
    if not beside.is_file():
        warn(f"{beside}: is not there, so that pairs that share a concept are taken as independent.")
        return pairs
    return pairs.with_concepts(read_concepts(path, len(pairs), sha256))


def read_concepts(path: Path, pairs: int, sha256: str) -> pl.DataFrame:
    """Return the concept ids beside a TSV file with so many pairs; they must be those that the manifest tells of."""
    beside = path.with_name(concepts_file(path.name))
    concepts = read_table(beside, _AGAIN).frame
    if not _are_concepts(concepts, pairs) or _hash(concepts) != sha256:
        raise TermgaugeError(f"{beside}: was changed after {MANIFEST} was written; {_AGAIN}.")
    return concepts


def _are_concepts(table: pl.DataFrame, pairs: int) -> bool:
    """Say whether a table holds the concept ids of so many pairs."""
    import polars as pl

    return table.columns == ["concept_1", "concept_2"] and set(table.dtypes) == {pl.String} and table.height == pairs


def concepts_file(file: str) -> str:
    """Return where the concept ids of a TSV file are, beside it."""
    return f"{stem(file)}.concepts.parquet"


def _hash(concepts: pl.DataFrame) -> str:
    return sha256_of_value([concepts.columns, *(concepts[name].to_list() for name in concepts.columns)])


def stem(file: str) -> str:
    """Return a set's name from that of its file: ``fsn-syn.hard.random`` from ``fsn-syn.hard.random.tsv``."""
    return file.rsplit(".", 1)[0]
