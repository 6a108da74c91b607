"""From a terminology to a folder of benchmark sets, the published ones to the byte.

The negatives of a set depend on those of the sets before it, so sets are worked in order; each is written as soon as
it is made, while the next one is searched, and a build that was stopped goes on with the first set that is missing.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.benchmark.exclusions import Exclusions, read_exclusions
from termgauge.benchmark.huggingface import DatasetCard, write_huggingface
from termgauge.benchmark.load import Benchmark, concepts_file, read_concepts, read_set, stem, write_concepts
from termgauge.benchmark.manifest import MANIFEST, PARTIAL, Manifest, SetRecord, read_manifest, statistics_of
from termgauge.benchmark.negatives import levenshtein_negatives, random_negatives
from termgauge.benchmark.options import BuildOptions
from termgauge.benchmark.pairset import PairSet
from termgauge.benchmark.positives import as_numbers, unordered
from termgauge.benchmark.sets import SHOWN, Origin, SetName, needed_for, sets_before
from termgauge.benchmark.subject import Subject, read_subject
from termgauge.cluster.connect import use_client
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.atomic import is_temporary, refuse_links, sweep_folder
from termgauge.io.identity import sha256_of_bytes, version
from termgauge.options import split, takes
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.terminology.options import MappingOptions, ReadingOptions
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Future

    from termgauge.benchmark.positives import Lexicon, Positives, Rows
    from termgauge.terminology.model import Terminology

FORMATS = ("tsv", "parquet", "hf")


@takes(BuildOptions, MappingOptions, ReadingOptions)
def build(
    source: Terminology
    | str
    | os.PathLike[str]
    | Iterable[str | os.PathLike[str]]
    | Sequence[Terminology | str | os.PathLike[str] | Iterable[str | os.PathLike[str]]],
    out: str | os.PathLike[str],
    *,
    across: bool = False,
    format: str = "tsv",  # noqa: A002
    force: bool = False,
    licence: str = "other",
    source_format: str | None = None,
    client: Any = None,  # noqa: ANN401
    shared: bool = False,
    **options: Any,  # noqa: ANN401
) -> Benchmark:
    """Build the benchmark sets of a terminology, or of two that a mapping joins.

    Parameters
    ----------
    source
        A terminology, or what :func:`~termgauge.terminology.read.read_terminology` reads; with `across`, two of them.
    out
        The folder to write to.
    across
        Pair terms of the first terminology with terms of the second, as `mapping` says.
    format
        ``tsv``, ``parquet``, or ``hf`` for a folder that the Hugging Face `datasets` library loads.
    force
        Replace another benchmark in the folder.
    licence
        ``hf``: the licence of the terminology's texts, for the dataset card.
    source_format
        The format of the source, if it is not recognised.
    client
        A Dask client on whose cluster near terms are searched for.
    shared
        Whether all workers of the cluster see the same disk; else what they need is sent to them.

    Returns
    -------
    Benchmark
        What was built; shortfalls stand in its manifest and were warned of.

    Raises
    ------
    TermgaugeError
        If an option makes no sense, the source cannot be read, or the folder holds another benchmark.
    """
    building, mapping, reading = split(options, BuildOptions, MappingOptions, ReadingOptions)
    with use_client(client, shared=shared):
        return build_sets(
            source,
            Path(out),
            BuildOptions.of(**building),
            ReadingOptions.of(**reading | {"format": source_format}),
            MappingOptions.of(**mapping),
            across=across,
            format=format,
            force=force,
            licence=licence,
        )


def build_sets(
    source: Any,  # noqa: ANN401
    out: Path,
    options: BuildOptions,
    reading: ReadingOptions | None = None,
    mapping: MappingOptions | None = None,
    *,
    across: bool = False,
    format: str = "tsv",  # noqa: A002
    force: bool = False,
    licence: str = "other",
) -> Benchmark:
    """Do what :func:`build` does, by options that were checked."""
    if format not in FORMATS:
        raise TermgaugeError(f"'{format}' is no form of benchmarks; known are {', '.join(FORMATS)}.")
    mapping = mapping or MappingOptions()
    if not across and mapping.changed():
        raise TermgaugeError("A mapping joins two terminologies; name both, with --across.")
    subject = read_subject(source, options, mapping if across else None, reading or ReadingOptions())
    exclusions = None if options.without is None else read_exclusions(options.without)
    return _Builder(subject, options, out, format, licence, exclusions).run(force=force)


@dataclass
class _Builder:
    """One build: what is known so far, and where it goes."""

    subject: Subject
    options: BuildOptions
    out: Path
    format: str
    licence: str
    exclusions: Exclusions | None
    """Pairs that are no negatives, although the terminology does not say that they mean the same."""
    excluded: set[int] = field(default_factory=set)
    """The same as numbers of terms."""
    made: dict[SetName, set[int]] = field(default_factory=dict)
    """The negatives of each set that is done."""
    records: dict[str, SetRecord] = field(default_factory=dict)
    exported: dict[str, PairSet] = field(default_factory=dict)

    def run(self, *, force: bool) -> Benchmark:
        """Build all sets and return the benchmark."""
        self._make_room(force=force)
        sweep_folder(self.out)
        earlier = {name: manifest for name in (MANIFEST, PARTIAL) if (manifest := self._earlier(name))}
        finished = {file: record for manifest in earlier.values() for file, record in manifest.files.items()}
        whole = None if (self.out / PARTIAL).exists() else earlier.get(MANIFEST)
        if whole is not None and all(self._is_intact(file, record) for file, record in finished.items()):
            return self._benchmark(whole)
        positives = self.subject.positives(self.options)
        if self.exclusions is not None:
            ids = self.subject.first.concepts["concept"].to_list()
            self.excluded = self.exclusions.pairs(positives.lexicon, ids, positives.sets.values()) - positives.known
        wanted = self.subject.sets(self.options.only)
        order = [name for name in needed_for(wanted) if (name.kind, name.difficulty) in positives.sets]
        rows = {key: self._subsample(pairs) for key, pairs in positives.sets.items()}
        if not any(len(rows[name.kind, name.difficulty]) for name in wanted):
            self._refuse_to_leave_nothing()
        efforts = {name: _effort(name, rows[name.kind, name.difficulty]) for name in order}
        self._note_progress(finished)
        # A set is written while the next one is made; what goes wrong is raised before that is written.
        with track("Building", total=sum(efforts.values()), unit="%") as advance, ThreadPool(1) as writer:
            writing: Future[Any] = writer.submit(int)  # nothing yet
            for name, effort in efforts.items():
                pairs = rows[name.kind, name.difficulty]
                record = finished.get(self._file(name))
                if record is not None and self._is_intact(self._file(name), record):
                    self.made[name] = self._negatives_of(name, record, positives.lexicon)
                    self.records[self._file(name)] = record
                    advance(effort)
                    continue
                write = self._make(name, pairs, positives, effort, advance)
                if name in wanted:
                    writing.result()
                    writing = writer.submit(write)
            writing.result()
        notes = list(positives.notes)
        if self.exclusions is not None:
            notes.append(
                f"{numbered(len(self.excluded), 'pair')} of terms that an audit found to mean the same "
                f"{plural(len(self.excluded), 'is no negative', 'are no negatives')}."
            )
        manifest = self._manifest(self.records, notes)
        if self.format == "hf":
            card, beside = DatasetCard.from_manifest(manifest, self.licence), {MANIFEST: manifest.text}
            write_huggingface(self.exported, self.out, card=card, beside=beside, force=True)
        else:
            manifest.write(self.out)
        (self.out / PARTIAL).unlink(missing_ok=True)
        return self._benchmark(manifest)

    def _benchmark(self, manifest: Manifest) -> Benchmark:
        for note in manifest.notes:
            warn(note)
        return Benchmark(self.out, manifest)

    def _make(
        self, name: SetName, rows: Rows, positives: Positives, effort: float, advance: Callable[[float], None]
    ) -> Callable[[], None]:
        """Make the negatives of a set, telling `advance` how much of the effort is done; return what writes the set."""
        draw = random.Random(self.options.seed)  # noqa: S311 - the published program's generator
        likely = set[int]().union(*(self.made[other] for other in sets_before(name) if other in self.made))
        known_pairs, lexicon = positives.known | likely | self.excluded, positives.lexicon
        is_random = name.strategy == "random"
        steps = len(rows) if is_random else len(np.unique(rows.first))

        def step(done: float) -> None:
            advance(effort * done / steps)

        make = random_negatives if is_random else partial(levenshtein_negatives, likely=likely)
        negatives = make(rows, lexicon, known_pairs, draw, step, across=self.across) if len(rows) else rows
        self.made[name] = set(unordered(negatives.first, negatives.second).tolist())

        def write() -> None:
            pairs = self._pairs(name, rows, negatives, lexicon, draw) if len(rows) else None
            if self.format == "hf" and pairs is not None:
                self.exported[str(name)] = pairs
            elif pairs is not None:
                write_set = pairs.write_tsv if self.format == "tsv" else pairs.write_parquet
                write_set(self.out / self._file(name))
            self._record(name, pairs, rows, len(negatives), len(positives.sets[name.kind, name.difficulty]))
            self._note_progress(self.records)

        return write

    def _note_progress(self, finished: dict[str, SetRecord]) -> None:
        """Write down which sets are finished, for a build that goes on."""
        if self.format != "hf":
            self._manifest(finished, []).write(self.out, PARTIAL)

    @property
    def across(self) -> bool:
        """Whether pairs go across two languages or terminologies."""
        return self.subject.links is not None

    def _refuse_to_leave_nothing(self) -> None:
        """Refuse options that leave no pair of a terminology; one that has none itself is built, with a note."""
        options, subject = self.options, self.subject
        if narrowing := [
            f"--{name} {value}" for name in ("since", "tag", "under") if (value := getattr(options, name))
        ]:
            newest = str(subject.first.terms["since"].max() or "") if options.since else ""
            raise TermgaugeError(
                f"No pair of {subject.name} is left by {' and '.join(narrowing)}"
                f"{f' (its newest term is of {newest})' if newest else ''}; choose more, or leave the option out."
            )
        if self.across:
            raise TermgaugeError(
                f"{subject.name}: no concept has two names, one on each side, that are not written alike; look at both "
                "sides with termgauge terminology."
            )

    def _pairs(self, name: SetName, rows: Rows, negatives: Rows, lexicon: Lexicon, draw: random.Random) -> PairSet:
        """Put positives and negatives together and shuffle them with the generator as sampling left it."""
        order = list(range(len(rows) + len(negatives)))
        draw.shuffle(order)
        places = as_numbers(order)
        texts = pl.Series(lexicon.texts, dtype=pl.String)
        ids = [side.concepts["concept"] for side in (self.subject.first, self.subject.second)]
        columns = {
            column: values.gather(np.concatenate([getattr(rows, part), getattr(negatives, part)])[places])
            for column, values, part in (
                ("term_1", texts, "first"),
                ("term_2", texts, "second"),
                ("concept_1", ids[0], "first_concept"),
                ("concept_2", ids[1], "second_concept"),
            )
        }
        frame = pl.DataFrame(columns | {"label": (places < len(rows)).astype(np.int8)})
        return PairSet(self._id(name), frame, Origin(self.subject.name, *name))

    def _record(self, name: SetName, pairs: PairSet | None, rows: Rows, negatives: int, subsampled_from: int) -> None:
        file, sha256, concepts = self._file(name), None, None
        if pairs is not None:
            concepts = write_concepts(pairs, self.out / file) if self.format == "tsv" else None
            sha256 = sha256_of_bytes((self.out / file).read_bytes()) if self.format == "parquet" else pairs.sha256
        self.records[file] = SetRecord(
            id=self._id(name),
            **name._asdict(),
            pairs=len(pairs) if pairs else 0,
            positives=len(rows),
            negatives=negatives,
            shortfall=len(rows) - negatives,
            subsampled_from=subsampled_from if subsampled_from != len(rows) else None,
            sha256=sha256,
            concepts=concepts,
            statistics=statistics_of(pairs),
        )

    def _manifest(self, records: dict[str, SetRecord], notes: list[str]) -> Manifest:
        # The order of the files is that of the table that people see, whatever the order of work.
        files = {self._file(name): records[self._file(name)] for name in SHOWN if self._file(name) in records}
        options = self.options.model_dump(exclude={"seed", "without", "languages"}) | {"format": self.format}
        if self.across:
            options = {name: value for name, value in options.items() if name != "language"} | self.subject.options
        options |= {"licence": self.licence} if self.format == "hf" else {}
        if self.exclusions is not None:
            options["without"] = self.exclusions.identity
        missing = [
            f"{stem(file)}: {record.shortfall} of {numbered(record.positives, 'positive')} "
            f"{plural(record.shortfall, 'has', 'have')} no negative, because the set ran out of terms."
            for file, record in files.items()
            if record.shortfall
        ]
        empty = sorted({f"{record.kind}.{record.difficulty}" for record in files.values() if not record.positives})
        if empty:
            missing.append(f"Without positives, so without a file: {', '.join(empty)}.")
        return Manifest(
            termgauge=version(),
            terminology=asdict(self.subject.identity),
            seed=self.options.seed,
            options=options,
            files=files,
            notes=notes + missing,
        )

    @cached_property
    def _key(self) -> str:
        return self._manifest({}, []).key

    def _make_room(self, *, force: bool) -> None:
        """See that the folder does not hold another benchmark, or clear that away."""
        if self.out.exists() and not self.out.is_dir():
            raise TermgaugeError(f"{self.out}: is a file; name a folder to write the benchmark to.")
        refuse_links(self.out)
        files = [path.name for path in self.out.iterdir() if not is_temporary(path)] if self.out.is_dir() else []
        if files and MANIFEST not in files and PARTIAL not in files:
            raise TermgaugeError(
                f"{self.out}: is no benchmark and holds other files ('{files[0]}'); name a new or an empty folder."
            )
        try:
            earlier = read_manifest(self.out)
        except TermgaugeError:
            if not force:
                raise
            return
        if earlier is None or earlier.key == self._key:
            return
        if not force:
            raise TermgaugeError(
                f"{self.out}: holds another benchmark (of {earlier.terminology.get('edition')} "
                f"{earlier.terminology.get('version')}, seed {earlier.seed}, or with other options); name another "
                "folder, or replace it with --force."
            )
        for file in (*earlier.files, *map(concepts_file, earlier.files), MANIFEST, PARTIAL):
            (self.out / file).unlink(missing_ok=True)

    def _earlier(self, name: str) -> Manifest | None:
        """Return what an earlier build of the same benchmark wrote down, whether it was stopped or not."""
        with suppress(TermgaugeError):  # what is damaged is made again
            manifest = read_manifest(self.out, name) if self.format != "hf" else None
            if manifest and manifest.key == self._key and manifest.termgauge == version():
                return manifest
        return None

    def _is_intact(self, file: str, record: SetRecord) -> bool:
        """Say whether a finished set is as it was written, with the concept ids beside it if it has any."""
        path = self.out / file
        try:
            if record.pairs and record.concepts is not None:
                read_concepts(path, record.pairs, record.concepts)
            return not record.pairs or sha256_of_bytes(path.read_bytes()) == record.sha256
        except (TermgaugeError, OSError):
            return False

    def _negatives_of(self, name: SetName, record: SetRecord, lexicon: Lexicon) -> set[int]:
        """Return the negatives of a finished set from its file."""
        if not record.pairs:
            return set()
        frame = read_set(self.out / self._file(name), record).frame.filter(pl.col("label") == 0)
        first, second = (
            as_numbers([lexicon.number(text, side) for text in frame[column]])
            for column, side in (("term_1", 0), ("term_2", int(self.across)))
        )
        return set(unordered(first, second).tolist())

    def _subsample(self, rows: Rows) -> Rows:
        if not self.options.max_pairs or 2 * len(rows) <= self.options.max_pairs:
            return rows
        draw = random.Random(self.options.seed)  # noqa: S311 - reproducible, not secret
        return rows.take(as_numbers(sorted(draw.sample(range(len(rows)), self.options.max_pairs // 2))))

    def _id(self, name: SetName) -> str:
        return "/".join((self.subject.name, *name))

    def _file(self, name: SetName) -> str:
        return f"{name}.{'tsv' if self.format == 'tsv' else 'parquet'}"


def _effort(name: SetName, rows: Rows) -> float:
    """Estimate the work of a set, in arbitrary units: a search grows less than linearly with the terms of the set."""
    if name.strategy == "random":
        return 200.0 * len(rows)
    terms = len(np.union1d(rows.first, rows.second))
    return float(len(np.unique(rows.first)) * terms**0.8)
