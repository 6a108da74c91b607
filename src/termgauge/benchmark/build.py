"""From a terminology to a folder of benchmark sets, the published ones to the byte.

The negatives of a set depend on those of the sets before it, so sets are worked in order; each is written as soon as
it is made, while the next one is searched, and a build that was stopped goes on with the first set that is missing.
"""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from termgauge.benchmark.exclusions import Exclusions, read_exclusions
from termgauge.benchmark.huggingface import DatasetCard, write_huggingface
from termgauge.benchmark.load import Benchmark, concepts_file, read_concepts, read_set, stem, write_concepts
from termgauge.benchmark.manifest import MANIFEST, PARTIAL, Manifest, SetRecord, read_manifest, statistics_of
from termgauge.benchmark.negatives import Negatives, levenshtein_negatives, random_negatives, shuffled, taken_over
from termgauge.benchmark.options import BuildOptions
from termgauge.benchmark.pairset import PairSet
from termgauge.benchmark.positives import as_numbers, unordered
from termgauge.benchmark.sets import (
    FSN_SYN,
    REPLACEMENT_KINDS,
    SHOWN,
    SYN_SYN,
    Origin,
    SetName,
    needed_for,
)
from termgauge.benchmark.subject import Subject, read_subject, subject_of
from termgauge.cluster.connect import use_client
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.atomic import is_temporary, refuse_links, sweep_folder
from termgauge.io.identity import sha256_of_stream, version
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
    shares = split(options, BuildOptions, MappingOptions, ReadingOptions)
    chosen, mapping = BuildOptions.of(**shares[0]), MappingOptions.of(**shares[1])
    if format not in FORMATS:
        raise TermgaugeError(f"'{format}' is no form of benchmarks; known are {', '.join(FORMATS)}.")
    reading = ReadingOptions.of(**shares[2] | {"format": source_format})
    if not across and mapping.changed():
        raise TermgaugeError("A mapping joins two terminologies; name both, with --across.")
    subject = read_subject(source, chosen, mapping if across else None, reading)
    without = None if chosen.without is None else read_exclusions(chosen.without)
    with use_client(client, shared=shared):
        return _Builder(subject, chosen, Path(out), format, licence, without).run(force=force)


def build_sets(terminology: Terminology, out: Path, options: BuildOptions, *, force: bool = False) -> Benchmark:
    """Build the sets of a terminology that was read, by options that were checked."""
    without = None if options.without is None else read_exclusions(options.without)
    return _Builder(subject_of(terminology, options), options, out, "tsv", "other", without).run(force=force)


@dataclass
class _Builder:
    """One build: what is known so far, and where it goes."""

    subject: Subject
    options: BuildOptions
    out: Path
    format: str
    licence: str
    without: Exclusions | None = None
    """Pairs that are no negatives, although the terminology does not say that they mean the same."""
    refused: set[int] = field(default_factory=set)
    """The same as numbers of terms."""
    made: dict[SetName, set[int]] = field(default_factory=dict)
    """The negatives of each set that is done."""
    records: dict[str, SetRecord] = field(default_factory=dict)
    exported: dict[str, PairSet] = field(default_factory=dict)

    def run(self, *, force: bool) -> Benchmark:
        """Build all sets and return the benchmark."""
        self._make_room(force=force)
        sweep_folder(self.out)
        if (there := self._complete()) is not None:
            return there
        positives = self.subject.positives(self.options)
        if self.without is not None:
            ids = self.subject.first.concepts["concept"].to_list()
            self.refused = self.without.pairs(positives.lexicon, ids, positives.sets.values()) - positives.known
        wanted = self.subject.sets(self.options.only)
        order = [name for name in needed_for(wanted) if (name.kind, name.difficulty) in positives.sets]
        finished = self._finished()
        rows = {key: self._subsample(own) for key, own in positives.sets.items()}
        if not any(len(rows[name.kind, name.difficulty]) for name in wanted):
            self._refuse_to_leave_nothing()
        efforts = {name: _effort(name, rows[name.kind, name.difficulty]) for name in order}
        if self.format != "hf":
            self._manifest(finished, []).write(self.out, PARTIAL)
        # A set is written while the next one is made; what goes wrong is raised before that is written.
        with track("Building", total=sum(efforts.values()), unit="%") as advance, ThreadPool(1) as aside:
            writing: Future[Any] = aside.submit(int)  # nothing yet
            for name, effort in efforts.items():

                def done(share: float, effort: float = effort) -> None:
                    advance(effort * share)

                own = rows[name.kind, name.difficulty]
                write = self._make(name, own, positives, finished, done, wanted=name in wanted)
                if write is not None:
                    writing.result()
                    writing = aside.submit(write)
            writing.result()
        return self._end(list(positives.notes))

    def _end(self, notes: list[str]) -> Benchmark:
        """Write the manifest, or all sets where they lie together."""
        if self.without is not None:
            notes.append(
                f"{numbered(len(self.refused), 'pair')} of terms that an audit found to mean the same "
                f"{plural(len(self.refused), 'is no negative', 'are no negatives')}."
            )
        manifest = self._manifest(self.records, notes)
        if self.format == "hf":
            card, beside = DatasetCard.from_manifest(manifest, self.licence), {MANIFEST: manifest.text}
            write_huggingface(self.exported, self.out, card=card, beside=beside, force=True)
        else:
            manifest.write(self.out)
        (self.out / PARTIAL).unlink(missing_ok=True)
        for note in manifest.notes:
            warn(note)
        return Benchmark(self.out, manifest)

    def _make(
        self,
        name: SetName,
        own: Rows,
        positives: Positives,
        finished: dict[str, SetRecord],
        advance: Callable[[float], None],
        *,
        wanted: bool,
    ) -> Callable[[], None] | None:
        """Make one set, or take over what an earlier, stopped build made of it; return what writes it, if it is wanted.

        `advance` is told what share of the work was done.
        """
        before = len(positives.sets[name.kind, name.difficulty])
        file = self._file(name)
        if file in finished and (again := self._taken_over(file, finished[file], positives.lexicon)) is not None:
            self.made[name], self.records[file] = again, finished[file]
            advance(1)
            return None
        if not len(own):
            self.made[name] = set()
            if wanted:
                self.records[file] = self._record(name, None, own, 0, before)
            return None
        draw = random.Random(self.options.seed)  # noqa: S311 - the published program's generator
        refused = self._known_negatives(name)
        known = positives.known | refused | self.refused
        steps = len(own) if name.strategy == "random" else len(np.unique(own.first))

        def step(done: float) -> None:
            advance(done / steps)

        if name.strategy == "random":
            negatives = random_negatives(own, positives.lexicon, known, draw, step, across=self.across)
        else:
            negatives = levenshtein_negatives(
                own, positives.lexicon, known, draw, step, likely=refused, across=self.across
            )
        self.made[name] = set(unordered(negatives.first, negatives.second).tolist())
        return partial(self._write_down, name, own, negatives, positives.lexicon, draw, before) if wanted else None

    def _write_down(
        self, name: SetName, own: Rows, negatives: Negatives, lexicon: Lexicon, draw: random.Random, before: int
    ) -> None:
        """Write a set, and that it is finished."""
        file, pairs = self._file(name), self._pairs(name, own, negatives, lexicon, draw)
        self._write(file, pairs)
        self.records[file] = self._record(name, pairs, own, len(negatives), before)
        if self.format != "hf":
            self._manifest(self.records, []).write(self.out, PARTIAL)

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

    def _known_negatives(self, name: SetName) -> set[int]:
        """Return the negatives that must not be made again: those handed on by the sets before."""
        kinds: tuple[str, ...] = REPLACEMENT_KINDS
        if name.kind == FSN_SYN or name == (SYN_SYN, "easy", name.strategy):
            kinds = (*REPLACEMENT_KINDS, FSN_SYN)
        elif name.kind == SYN_SYN:
            kinds = (*REPLACEMENT_KINDS, SYN_SYN)
        sets = [pairs for other, pairs in self.made.items() if other.strategy == name.strategy and other.kind in kinds]
        return set().union(*sets)

    def _pairs(self, name: SetName, own: Rows, negatives: Negatives, lexicon: Lexicon, draw: random.Random) -> PairSet:
        """Put positives and negatives together and shuffle them with the generator as sampling left it."""
        places = shuffled(taken_over(draw), len(own) + len(negatives))
        texts = pl.Series(lexicon.texts, dtype=pl.String)
        ids = [each.concepts["concept"] for each in (self.subject.first, self.subject.second)]

        def column(values: pl.Series, part: str) -> pl.Series:
            return values.gather(np.concatenate([getattr(own, part), getattr(negatives, part)])[places])

        frame = pl.DataFrame(
            {
                "term_1": column(texts, "first"),
                "term_2": column(texts, "second"),
                "label": pl.Series((places < len(own)).astype(np.int8)),
                "concept_1": column(ids[0], "first_concept"),
                "concept_2": column(ids[1], "second_concept"),
            }
        )
        return PairSet(self._id(name), frame, Origin(self.subject.name, *name))

    def _write(self, file: str, pairs: PairSet) -> None:
        match self.format:
            case "tsv":
                pairs.write_tsv(self.out / file)
            case "parquet":
                pairs.write_parquet(self.out / file)
            case _:
                self.exported[stem(file)] = pairs

    def _record(self, name: SetName, pairs: PairSet | None, own: Rows, negatives: int, before: int) -> SetRecord:
        sha256 = concepts = None
        if pairs is not None:
            concepts = write_concepts(pairs, self.out / self._file(name)) if self.format == "tsv" else None
            sha256 = _file_hash(self.out / self._file(name)) if self.format == "parquet" else pairs.sha256
        return SetRecord(
            id=self._id(name),
            **name._asdict(),
            pairs=len(pairs) if pairs else 0,
            positives=len(own),
            negatives=negatives,
            shortfall=len(own) - negatives,
            subsampled_from=before if before != len(own) else None,
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
        if self.without is not None:
            options["without"] = self.without.identity
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

    def _make_room(self, *, force: bool) -> None:
        """See that the folder does not hold another benchmark, or clear that away."""
        if self.out.exists() and not self.out.is_dir():
            raise TermgaugeError(f"{self.out}: is a file; name a folder to write the benchmark to.")
        refuse_links(self.out)
        if self.out.is_dir() and not any((self.out / name).exists() for name in (MANIFEST, PARTIAL)):
            for other in self.out.iterdir():
                if not is_temporary(other):
                    raise TermgaugeError(
                        f"{self.out}: is no benchmark and holds other files ('{other.name}'); name a new or an empty "
                        "folder."
                    )
        try:
            earlier = read_manifest(self.out)
        except TermgaugeError:
            if not force:
                raise
            earlier = None
        if earlier is None or earlier.key == self._manifest({}, []).key:
            return
        if not force:
            raise TermgaugeError(
                f"{self.out}: holds another benchmark (of {earlier.terminology.get('edition')} "
                f"{earlier.terminology.get('version')}, seed {earlier.seed}, or with other options); name another "
                "folder, or replace it with --force."
            )
        for file in (
            *earlier.files,
            *map(concepts_file, earlier.files),
            MANIFEST,
            PARTIAL,
        ):
            (self.out / file).unlink(missing_ok=True)

    def _complete(self) -> Benchmark | None:
        """Return the benchmark if all of it is there, every file as it was written."""
        manifest = None
        if self.format != "hf" and not (self.out / PARTIAL).exists():
            with suppress(TermgaugeError):  # a damaged one is made again
                manifest = read_manifest(self.out)
        if manifest is None or manifest.key != self._manifest({}, []).key or manifest.termgauge != version():
            return None
        for file, record in manifest.files.items():
            path = self.out / file
            if record.pairs and not (
                path.is_file() and _file_hash(path) == record.sha256 and self._has_ids(file, record)
            ):
                return None
        for note in manifest.notes:
            warn(note)
        return Benchmark(self.out, manifest)

    def _has_ids(self, file: str, record: SetRecord) -> bool:
        """Say whether the concept ids of a set are there, as they were written, if it has any."""
        try:
            return record.concepts is None or bool(read_concepts(self.out / file, record.pairs, record.concepts).width)
        except TermgaugeError:
            return False

    def _finished(self) -> dict[str, SetRecord]:
        """Return the sets that an earlier build of the same benchmark finished, whether it was stopped or not."""
        finished: dict[str, SetRecord] = {}
        for name in (MANIFEST, PARTIAL):
            try:
                earlier = read_manifest(self.out, name)
            except TermgaugeError:
                continue
            if earlier and earlier.key == self._manifest({}, []).key and earlier.termgauge == version():
                finished |= earlier.files
        return {} if self.format == "hf" else finished

    def _taken_over(self, file: str, record: SetRecord, lexicon: Lexicon) -> set[int] | None:
        """Return the negatives of a finished set from its file; None if the file is not what it was."""
        path = self.out / file
        if record.pairs == 0:
            return set()
        if not self._has_ids(file, record):
            return None
        try:
            pairs = read_set(path, record)
        except TermgaugeError:
            return None
        frame = pairs.frame.filter(pl.col("label") == 0)
        first, second = (
            as_numbers([lexicon.number(text, side) for text in frame[name]])
            for name, side in (("term_1", 0), ("term_2", int(self.across)))
        )
        return set(unordered(first, second).tolist())

    def _subsample(self, own: Rows) -> Rows:
        if self.options.max_pairs is None or 2 * len(own) <= self.options.max_pairs:
            return own
        draw = random.Random(self.options.seed)  # noqa: S311 - reproducible, not secret
        chosen = sorted(draw.sample(range(len(own)), self.options.max_pairs // 2))
        return own.take(as_numbers(chosen))

    def _id(self, name: SetName) -> str:
        return "/".join((self.subject.name, *name))

    def _file(self, name: SetName) -> str:
        return f"{name}.{'tsv' if self.format == 'tsv' else 'parquet'}"


def _effort(name: SetName, own: Rows) -> float:
    """Estimate the work of a set, in arbitrary units: a search grows less than linearly with the terms of the set."""
    if name.strategy == "random":
        return 200.0 * len(own)
    terms = len(np.union1d(own.first, own.second))
    return float(len(np.unique(own.first)) * terms**0.8)


def _file_hash(path: Path) -> str:
    with path.open("rb") as stream:
        return sha256_of_stream(stream)
