"""The nodes of a graph: terminologies, rated sets, benchmarks, what a run is about, tables of tasks, the report.

What is there is found out by the identities of terminologies, sets, options and models. To say what is missing,
terminologies are read, unless they are large; models are opened only if the run has seen them, for then their vectors
are at hand. Times come from rates measured once on two cores and are rough.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from termgauge.benchmark.load import load_sets
from termgauge.benchmark.manifest import MANIFEST
from termgauge.engine.graph import Item, Missing, Node
from termgauge.engine.models import bytes_at
from termgauge.engine.run_folder import EXPERIMENT, BenchmarkRecord
from termgauge.engine.units import BoundTask
from termgauge.engine.workers import TerminologySource
from termgauge.exceptions import CannotWriteError, ClusterLostError, TermgaugeError, sentence_of, warn_skipped
from termgauge.io.paths import source_path
from termgauge.options import several
from termgauge.reporting.words import size as bytes_for_people
from termgauge.similarity.measures import measures_for
from termgauge.tasks.records import RunView
from termgauge.terminology.model import Terminology, TerminologyIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from termgauge.benchmark.manifest import Manifest
    from termgauge.benchmark.options import BuildOptions
    from termgauge.benchmark.pairset import PairSet
    from termgauge.engine.tables import BenchmarkTable, HumanTable, TaskConfig
    from termgauge.tasks.results import Result
    from termgauge.terminology.options import ReadingOptions

READ, BUILD, HUMAN, REPORT = "Read terminologies", "Build benchmarks", "Load rated sets", "Report"
LARGE_BYTES = 300_000_000
"""A terminology larger than this is not read to see its size."""
SETS = 20
TOO_LARGE = "too large to be read for this"
READ_BYTES, BUILD_PAIRS = 10e6, 5e3
"""How many in a second, on two cores: bytes read, pairs built."""
REPORT_SECONDS = 15.0
DRAWN = 0.15
"""The share of building that one process does, whoever searches."""
BLOCK_PAIRS = 4096
"""Of a block of searching."""
ANEW = "measured before, to be brought together anew"
LATER = "made from what the other tasks find"
SCORED_PAIRS = 50e3
"""How many pairs are scored by a measure in a second, on two cores."""
BLOCK_TEXTS = 2048
"""Of a block of encoding."""


@dataclass
class TerminologyNode(Node):
    """A terminology that is read."""

    source: Any
    """Where it is, or the terminology itself."""
    reading: ReadingOptions
    step: ClassVar[str] = READ
    lasting: ClassVar[bool] = False

    def missing(self, *, done: bool) -> Iterator[Missing]:  # noqa: ARG002
        """Say how large it is, by reading it if that is quick."""
        size = sum(bytes_at(source_path(source)) for source in self.source)
        what = f"{bytes_for_people(size)}, {TOO_LARGE}"
        if size <= LARGE_BYTES:
            terminology = self._read(self.source, self.reading.model_copy(update={"cache": False}))
            concepts, terms = terminology.concepts.height, terminology.terms.height
            what = f"{terminology.identity.slug}: {concepts:,} concepts, {terms:,} terms"
        yield Missing(Item(self.name, what, todo=1), size / READ_BYTES)

    def work(self) -> None:
        """Read it, and say how workers do."""
        if isinstance(self.source, Terminology):
            self._read(self.source, self.reading)
        else:
            paths = tuple(map(str, several(self.source)))
            sha256 = self._read(paths, self.reading).identity.sha256
            self.session.sources[self.name] = TerminologySource(paths, self.reading, sha256)

    def _read(self, source: Any, reading: ReadingOptions) -> Terminology:  # noqa: ANN401
        from termgauge.terminology.read import read_with

        terminology = self.session.terminologies[self.name] = read_with(source, reading)
        return terminology


@dataclass
class HumanNode(Node):
    """Sets that people rated."""

    table: HumanTable
    step: ClassVar[str] = HUMAN
    lasting: ClassVar[bool] = False

    def missing(self, *, done: bool) -> Iterator[Missing]:  # noqa: ARG002
        """Say which sets are at hand."""
        from termgauge.benchmark.human.catalogue import TO_DOWNLOAD
        from termgauge.benchmark.human.sets import find_human, human_sets, load_human

        table, data_dir = self.table, self.session.base.data_dir
        if table.sets == "all":
            entries = [entry for entry in human_sets() if entry.status(data_dir) != TO_DOWNLOAD]
        else:
            entries = [find_human(name) for name in table.sets]
        if not entries:
            yield Missing(Item("all", "", problem="No human-rated set is at hand; name their folder as data_dir."))
        for entry in entries:
            problem = ""
            if (status := entry.status(data_dir)) == TO_DOWNLOAD:
                self.session.add_unbuilt(1, entry.pairs)
                problem = "" if table.download else f"It is not at hand; {entry.by_hand}."
            else:
                self.session.rated.append(load_human(entry.id, data_dir=data_dir, download=False))
            yield Missing(Item(entry.id, f"{entry.pairs:,} pairs, {status}", problem=problem, todo=1), 1 / len(entries))

    def work(self) -> None:
        """Load them."""
        names = ["human"] if self.table.sets == "all" else self.table.sets
        self.session.rated += load_sets(names, data_dir=self.session.base.data_dir, download=self.table.download)


@dataclass
class BenchmarkNode(Node):
    """Sets that are built, or were built before."""

    table: BenchmarkTable
    options: BuildOptions
    step: ClassVar[str] = BUILD

    def missing(self, *, done: bool) -> Iterator[Missing]:  # noqa: ARG002
        """Say how many pairs are to be built."""
        from termgauge.benchmark.load import load_benchmark

        table, folder, session = self.table, self._folder, self.session
        there: list[PairSet] = []
        """Sets that are there; where others are asked for now, those of them come out the same."""
        other = {"terminology"}
        if table.file:
            there, other = table.own_set(), set()
        elif table.folder or (folder / MANIFEST).is_file():
            benchmark = load_benchmark(folder)
            other = set() if table.folder else self._differing(benchmark.manifest)
            there = list(benchmark) if other <= {"only"} else []
        if not other:
            session.built += there
            yield Missing(Item(self.name, f"{sum(map(len, there)):,} pairs in {len(there)} sets", there=True))
            return
        terminology = session.terminologies.get(table.terminology or "")
        if terminology is None:
            session.add_unbuilt(SETS, 0)
            yield Missing(Item(self.name, "as many pairs as its synonyms give", todo=SETS))
            return
        sizes = self._sizes(terminology)
        new = sizes.keys() - {pairs.id for pairs in there}
        count = sum(sizes[set_id] for set_id in new)
        session.add_unbuilt(len(new), count)
        session.built += [pairs for pairs in there if pairs.id in sizes]
        seconds, blocks = count / BUILD_PAIRS, math.ceil(count / BLOCK_PAIRS)
        units = [(1 - DRAWN) * seconds / blocks for _block in range(blocks)]
        what = f"about {sum(sizes.values()):,} pairs in {len(sizes)} sets"
        yield Missing(Item(self.name, what, todo=len(sizes)), DRAWN * seconds, units)

    @property
    def _folder(self) -> Path:
        return Path(self.table.folder) if self.table.folder else self.session.run.path / "benchmarks" / self.name

    def _sizes(self, terminology: Terminology) -> dict[str, int]:
        """Return how many pairs each set has that is to be built, as long as every positive finds its negative."""
        from termgauge.benchmark.subject import subject_of

        options, subject = self.options, subject_of(terminology, self.options)
        positives, wanted = subject.positives(options).sets, subject.sets(options.only)
        sizes = {"/".join((subject.name, *name)): len(positives[name.kind, name.difficulty]) for name in wanted}
        most = max(sizes.values()) if options.max_pairs is None else options.max_pairs // 2
        return {name: 2 * min(size, most) for name, size in sizes.items() if size}

    def _differing(self, manifest: Manifest) -> set[str]:
        """Return in what a benchmark in the run folder is not the one that the file asks for."""
        wanted = self.options.model_dump()
        wanted.pop("language" if wanted["languages"] else "languages")
        if wanted["without"] is not None:
            from termgauge.benchmark.exclusions import read_exclusions

            wanted["without"] = read_exclusions(wanted["without"]).identity
        terminology = self.session.terminologies.get(self.table.terminology or "")
        if terminology is not None and terminology.identity.sha256 != manifest.terminology.get("sha256"):
            return {"terminology"}
        built = {**manifest.options, "seed": manifest.seed}
        return {name for name, value in wanted.items() if built.get(name) != value}

    def work(self) -> None:
        """Build the sets, or take those that are there."""
        from termgauge.benchmark.build import build_sets
        from termgauge.benchmark.load import load_benchmark

        if self.table.file is not None:
            self.session.built += self.table.own_set()
            return
        if self.table.folder is not None:
            benchmark = load_benchmark(self._folder)
        else:
            assert self.table.terminology is not None  # the file was checked
            terminology = self.session.terminologies[self.table.terminology]
            # The folder is the run's own: what another version of the file built there is out of date.
            benchmark = build_sets(terminology, self._folder, self.options, force=True)
        manifest = benchmark.manifest
        self.session.benchmarks[self.name] = BenchmarkRecord(
            folder=str(benchmark.folder),
            terminology=TerminologyIdentity(**manifest.terminology),
            seed=manifest.seed,
            options=manifest.options,
            notes=list(manifest.notes),
        )
        self.session.built += benchmark


@dataclass
class ReportNode(Node):
    """The page: it is written unless it shows what is there, and nothing is to be done."""

    text: str
    """Of the experiment file."""
    step: ClassVar[str] = REPORT

    def missing(self, *, done: bool) -> Iterator[Missing]:
        """Say whether the page is out of date: it shows something else, or the run was made from another text."""
        from termgauge.engine.report import is_current

        there = False
        with suppress(OSError, UnicodeDecodeError):
            text = (self.session.run.path / EXPERIMENT).read_text(encoding="utf-8")
            there = done and text == self.text and is_current(self.session.run)
        yield Missing(Item(self.name, "", there=there, todo=not there), 0.0 if there else REPORT_SECONDS)

    def work(self) -> None:
        """Write the page."""
        from termgauge.engine.report import update_report

        self.session.finish()
        update_report(self.session.run)


@dataclass
class TaskNode(Node):
    """A table of a task: its models, or their parts, are its units, and what is made of all of them its result."""

    config: TaskConfig
    result: Result | None = None
    """What was measured; None if a run has the very same."""
    begin: Callable[[], None] | None = None
    """Writes what the run folder says that it is about, before anything is measured, for workers to read."""

    @property
    def step(self) -> str:
        """The step of its task."""
        return self.config.task.title

    @property
    def title(self) -> str:
        """What messages call it."""
        return self.config.task.called(self.name)

    def check(self) -> None:
        """Raise if a library or table is lacking; one whose result is there may need neither."""
        task, options = self.config.task, self.config.options
        task.check(options)
        if not self.session.elsewhere and not task.file(self.session.run.path, self.name).is_file():
            task.check_libraries(options)

    def missing(self, *, done: bool) -> Iterator[Missing]:
        """Say which models are to be measured, and how much of each."""
        self.check()
        task = self.config.task
        if task.reads_run:
            there = False
            if done:  # all that it reads is there
                run = replace(self.session.run.scored(self.session.base.testing), tasks=self.session.tables)
                material = self.session.material(self.config, run)
                there = BoundTask.from_material(task, self.config.options, material).combined({})
            item = Item(self.name, "" if there else LATER, there=there, todo=int(not there))
            yield Missing(item, 0.0 if there else task.seconds)
        elif task.keeps:
            yield self._table()
        else:
            for model, spec in self.session.models.items():
                yield from self.planned(lambda model=model, spec=spec: self._model(model, spec), model, str(spec))  # type: ignore[misc]

    def _table(self) -> Missing:
        """Plan a table whose units the run keeps."""
        task, options = self.config.task, self.config.options
        models = self.session.known_models
        fitting = {model: entry.model for model, entry in models.items() if entry.fits(task)}
        material = self.session.material(self.config)
        if (material.terminology is None and task.needs_terminology(options)) or (
            self.session.unbuilt and "sets" in task.needs
        ):
            item = Item(self.name, f"{len(fitting)} models to be measured", todo=len(fitting))
            return Missing(item, units=[task.seconds] * len(fitting))
        bound = replace(BoundTask.from_material(task, options, material), folder=self.session.run.path)
        keys = {model: opened.identity.key if opened else "" for model, opened in fitting.items()}
        left = [part for model, key in keys.items() for part in (bound.missing(model, key) if key else bound.parts)]
        there = not left and bound.combined(keys)
        failing = sum(bool(entry.problem) for entry in models.values())
        every, called = (len(fitting) + failing) * len(bound.parts), task.parts_called or "models"
        what = f"{len(left)} of {every} {called} to be measured" if left else "" if there else ANEW
        seconds = [task.part_seconds(part, bound.inputs, options) for part in left]
        return Missing(Item(self.name, what, there=there, todo=len(left)), units=seconds)

    def _model(self, name: str, spec: object) -> Iterator[Missing]:
        """Plan a model of a task that itself keeps what it makes."""
        session, task, options = self.session, self.config.task, self.config.options
        entry = session.known_models[name]
        if entry.problem:
            raise TermgaugeError(entry.problem)
        left = [(pairs.id, len(pairs)) for pairs in session.sets]
        if entry.model is not None:
            record = session.record
            view = RunView(session.run.path, record.models, record.sets, tuple(record.measures), record.testing)
            wanted = task.left(entry.model, task.inputs(options, session.material(self.config, view)), options)
            left = [(part, size) for part, size in left if part in wanted]
        todo, pairs = len(left) + session.unbuilt, sum(size for _part, size in left) + session.unbuilt_pairs
        what = [str(spec), bytes_for_people(entry.size) if entry.size else ""]
        # A set that is yet to be built may come out as one that was scored before.
        at_most = "up to " if session.unbuilt and entry.model is not None else ""
        what += [f"{at_most}{todo} of {len(session.sets) + session.unbuilt} sets to be scored" if todo else ""]
        seconds: list[float] = []
        if todo:
            measures = len(getattr(options, "measures", ()) or measures_for("words"))
            seconds = [pairs * measures / SCORED_PAIRS + entry.size / 100e6]
            if rate := entry.terms_per_second:
                texts = sum(terminology.terms.height for terminology in session.terminologies.values()) or pairs
                blocks = math.ceil(min(texts, 2 * pairs) / BLOCK_TEXTS)
                seconds += [min(texts, 2 * pairs) / rate / blocks] * blocks
        yield Missing(Item(name, ", ".join(filter(None, what)), there=not todo, todo=todo), units=seconds)

    def work(self) -> None:
        """Measure the table; of a file, one that cannot be measured is noted, and all that was done before it stays."""
        session, task = self.session, self.config.task
        if self.begin is not None:
            self.begin()
        if self.title not in session.section_failures:  # else it was said before anything began
            folder, testing = session.folder, session.base.testing
            material = session.material(self.config, folder.scored(testing) if folder else None)
            source = session.sources.get(self.config.terminology or "")
            try:
                self.result = session.measure(task, self.config.options, material, source)
            except (CannotWriteError, ClusterLostError):
                raise
            except Exception as error:  # a defect, too, which the sentence says
                if not session.goes_on:
                    raise
                if not session.record.models:
                    raise TermgaugeError(f"No model can be used: {sentence_of(error)}") from None
                if not task.keeps:
                    if isinstance(error, TermgaugeError | OSError | MemoryError):
                        raise
                    session.defect = error
                self.fail(sentence_of(error))
        if session.goes_on:
            if self.title in session.section_failures:
                task.discard(session.run.path, self.name)  # what it was is out of date
            session.note()

    def fail(self, reason: str) -> None:
        """Note that the table cannot be measured, and say it."""
        self.session.section_failures[self.title] = reason
        warn_skipped(f"the section '{self.title}'", f"The section '{self.title}' is left out: {reason}")
