"""The sets that some names mean: benchmarks on disk, single files, and human-rated sets by id.

A benchmark on disk is a folder with a manifest and a file for each set.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.huggingface import DATA
from termgauge.benchmark.human.sets import human_sets, load_human
from termgauge.benchmark.manifest import MANIFEST, Manifest, SetRecord, read_manifest
from termgauge.benchmark.pair_table import is_table, read_pairs, split_columns
from termgauge.benchmark.pairset import SET_KEY, ChangedSetError, PairSet, read_parquet, read_tsv
from termgauge.benchmark.sets import Origin
from termgauge.display import Showing, shortened
from termgauge.exceptions import TermgaugeError, did_you_mean, warn
from termgauge.frames import is_frame
from termgauge.io.atomic import whole_file
from termgauge.io.identity import sha256_of_value
from termgauge.io.parquet_sandbox import read_table, write_table
from termgauge.options import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from termgauge.io.tables import Columns

HUGGINGFACE = "hf"
"""The form of a benchmark whose files lie in a folder for the `datasets` library."""
_AGAIN = "build the benchmark again, or delete it"


@dataclass(frozen=True, repr=False)
class Benchmark(Showing):
    """A benchmark on disk."""

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
        names = [stem(file) for file, record in self.manifest.files.items() if record.pairs]
        raise TermgaugeError(f"{self.folder}: has no set '{name}'.{did_you_mean(name, names)}")

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
    path = Path(folder)
    manifest = read_manifest(path) if path.is_dir() else None
    if manifest is None:
        raise TermgaugeError(
            f"{path}: holds no benchmark ({MANIFEST}); make one with: termgauge build SOURCE --out DIR."
        )
    return Benchmark(path, manifest)


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
    import polars as pl

    return table.schema == {"concept_1": pl.String, "concept_2": pl.String} and table.height == pairs


def concepts_file(file: str) -> str:
    """Return where the concept ids of a TSV file are, beside it."""
    return f"{stem(file)}.concepts.parquet"


def _hash(concepts: pl.DataFrame) -> str:
    return sha256_of_value([concepts.columns, *(concepts[name].to_list() for name in concepts.columns)])


def stem(file: str) -> str:
    """Return a set's name from that of its file: ``fsn-syn.hard.random`` from ``fsn-syn.hard.random.tsv``."""
    return file.rsplit(".", 1)[0]


HUMAN = "human"


def load_sets(
    sources: Any,  # noqa: ANN401
    *,
    columns: Columns = (),
    data_dir: Path | None = None,
    download: bool = True,
) -> list[PairSet]:
    """Return the sets that some names mean; no two may have the same id.

    A name is a benchmark's folder (all its sets, or one as ``DIR/fsn-syn.hard.random.tsv``), that of an export for
    Hugging Face or mteb, the id of a human-rated set, or ``human`` for all of those that are at hand; a set itself, or
    a DataFrame of pairs, may stand there too, and one of them alone. In ``{NAME: PAIRS}`` each gets a name. A table of
    one's own is named with its `columns`, or as ``pairs.csv?columns=term1,term2,score``; see
    :func:`~termgauge.benchmark.pair_table.read_pairs`.
    """
    named: list[tuple[str | None, Any]] = [(None, entry) for entry in several(sources)]
    if isinstance(sources, Mapping):
        named = [(str(name), entry) for name, entry in sources.items()]
    sets: list[PairSet] = []
    for name, source in named:
        members = _sets_of(source, name, columns, data_dir, download=download)
        if name is not None and len(members) != 1:
            raise TermgaugeError(f"'{name}' is to be the name of {len(members)} sets; name each of them, or none.")
        sets += members if name is None else [replace(members[0], id=name)]
    ids = [pairs.id for pairs in sets]
    for name in ids:
        if ids.count(name) > 1:
            raise TermgaugeError(
                f"Two sets are called '{name}'; name each benchmark once, and DataFrames as in {{\"mine\": df}}."
            )
    if not sets:
        raise TermgaugeError("No set was named; name a benchmark's folder or a human-rated set with --benchmark.")
    return sets


def _sets_of(
    source: Any,  # noqa: ANN401
    name: str | None,
    columns: Columns,
    data_dir: Path | None,
    *,
    download: bool,
) -> list[PairSet]:
    if isinstance(source, PairSet):
        return [source]
    if is_frame(source):
        return [read_pairs(source, columns, id=name)]
    if not isinstance(source, str | os.PathLike):
        raise TermgaugeError(
            "Sets are folders or files, DataFrames, ids of human-rated sets, or what tg.build, tg.load_benchmark and "
            f"tg.load_human return, not {type(source).__name__}."
        )
    if str(source).startswith(f"{HUMAN}/") and not Path(source).exists():
        return [load_human(str(source), data_dir=data_dir, download=download)]
    if str(source) != HUMAN:
        return _from_path(str(source), columns)
    at_hand = [entry for entry in human_sets() if entry.locate(data_dir) is not None]
    if not at_hand:
        raise TermgaugeError(
            "No human-rated set is at hand; name the folder that holds them with --data-dir, or one of them by its id "
            "to download it (`termgauge sets` lists them)."
        )
    return [load_human(entry.id, data_dir=data_dir, download=False) for entry in at_hand]


def _from_path(name: str, columns: Columns) -> list[PairSet]:
    file, named = split_columns(name)
    path = Path(file)
    if path.is_dir():
        if not (path / MANIFEST).is_file() and (files := sorted((path / DATA).glob("*.parquet"))):
            return [read_parquet(file) for file in files]
        benchmark = load_benchmark(path)
        if benchmark.empty:
            raise TermgaugeError(f"{path}: none of the sets of this benchmark has a pair; name another benchmark.")
        return list(benchmark)
    if path.suffix == ".parquet":
        return [read_parquet(path)]
    if not path.exists():
        ids = [entry.id for entry in human_sets()]
        raise TermgaugeError(
            f"{path}: there is no such file or folder, and it is neither a benchmark nor the id of a human-rated set."
            f"{did_you_mean(str(path), ids)}"
        )
    if named or columns or is_table(path):
        return [read_pairs(path, named or columns)]
    return [read_file(path)]
