"""The nodes of a graph: terminologies, rated sets, benchmarks, what a run is about, tables of tasks, the report.

What is there is found out by the identities of terminologies, sets, options and models. To say what is missing,
terminologies are read, unless they are large; models are opened only if the run has seen them, for then their vectors
are at hand. Times come from rates measured once on two cores and are rough.
"""

from __future__ import annotations

import math
import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from termgauge.benchmark.load import load_sets
from termgauge.benchmark.manifest import MANIFEST
from termgauge.domain.domain import DomainOptions
from termgauge.embeddings.spec import ModelSpec
from termgauge.engine.graph import Item, Node, PlannedStep
from termgauge.engine.models import KnownModel, bytes_at, known_model, model_problem, shape_of
from termgauge.engine.run_folder import EXPERIMENT, BenchmarkRecord, Failure, RunFolder
from termgauge.engine.run_folder import REPORT as PAGE
from termgauge.engine.units import OPENING, BoundTask
from termgauge.engine.workers import TerminologySource
from termgauge.exceptions import CannotWriteError, ClusterLostError, TermgaugeError, sentence_of, warn_skipped
from termgauge.executor import current_executor
from termgauge.io.identity import file_name
from termgauge.io.paths import source_path
from termgauge.options import several
from termgauge.reporting.words import size as bytes_for_people
from termgauge.similarity.measures import measures_for
from termgauge.tasks.records import RunView
from termgauge.tasks.registry import all_tasks
from termgauge.terminology.model import Terminology, TerminologyIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from termgauge.benchmark.manifest import Manifest
    from termgauge.benchmark.options import BuildOptions
    from termgauge.benchmark.pairset import PairSet
    from termgauge.engine.session import RunSession
    from termgauge.engine.tables import BenchmarkTable, HumanTable, TaskConfig
    from termgauge.tasks.contract import Material
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
DOMAINS = "domains"
ANEW = "measured before, to be brought together anew"
LATER = "made from what the other tasks find"
SCORED_PAIRS = 50e3
"""How many pairs are scored by a measure in a second, on two cores."""
BLOCK_TEXTS = 2048
"""Of a block of encoding."""


@dataclass
class RunState:
    """What the nodes of a graph share: what is asked, and what was made so far or is known without making it."""

    session: RunSession
    configs: Sequence[TaskConfig]
    base: Material
    """What all tables work on: how to test, where rated sets lie, a run that is only read."""
    goes_on: bool = False
    """Whether a table that cannot be measured is left out of a run, instead of ending it."""
    elsewhere: bool = field(default_factory=lambda: current_executor() is not None)
    """Whether models are measured on machines of which it is not known what is installed there."""
    terminologies: dict[str, Terminology] = field(default_factory=dict)
    sources: dict[str, TerminologySource] = field(default_factory=dict)
    """How workers read them."""
    rated: list[PairSet] = field(default_factory=list)
    built: list[PairSet] = field(default_factory=list)
    benchmarks: dict[str, BenchmarkRecord] = field(default_factory=dict)
    unbuilt: int = 0
    """Sets that are still to be built, and about how many pairs they have."""
    unbuilt_pairs: int = 0
    section_failures: dict[str, str] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)
    defect: Exception | None = None
    """What ends the run as a defect, once all else is done and reported."""

    @property
    def folder(self) -> RunFolder:
        """The run folder."""
        assert self.session.folder is not None
        return self.session.folder

    @property
    def sets(self) -> list[PairSet]:
        """Those that are there, in the order of the results."""
        return [*self.built, *self.rated]

    @property
    def tables(self) -> dict[str, list[str]]:
        """By task, what its tables are called, in the order of the file."""
        names: dict[str, list[str]] = {task.name: [] for task in all_tasks().values() if task.repeated}
        for config in self.configs:
            if config.task.repeated:
                names[config.task.name].append(config.name)
        return names

    def material(self, config: TaskConfig, run: RunView | None = None) -> Material:
        """Return what a table of a task works on, as far as it is there."""
        return replace(
            self.base,
            name=config.name,
            terminology=self.terminologies.get(config.terminology or ""),
            sets=tuple(self.sets) if "sets" in config.task.needs else (),
            run=run or self.base.run,
            apart=self.apart(config),
        )

    def apart(self, config: TaskConfig) -> str:
        """Return the folder in which a table keeps its domain, if another task has a table of its name with one."""
        same = [other for other in self.configs if other.name == config.name]
        others = [other for other in same if isinstance(other.options, DomainOptions) and not other.companion]
        return "" if config.companion or not others or others[0].task is config.task else config.task.name

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Note how long a step takes; one of which all was there took no time, so the longest time is kept."""
        began = time.monotonic()
        yield
        self.timings[step] = max(round(time.monotonic() - began, 2), self.session.record.timings.get(step, 0.0))

    def note(self) -> None:
        """Say in ``run.json`` what failed, and how long the steps took."""
        self.session.write(section_failures=dict(self.section_failures), timings=dict(self.timings))

    def finish(self) -> None:
        """Delete what is not asked for any more, and say in ``run.json`` what failed and how long it took."""
        folder = self.folder.path
        kept = {folder / DOMAINS / self.apart(config) / f"{file_name(config.name)}.json" for config in self.configs}
        kept |= {folder / config.task.name / f"{file_name(config.name)}.json" for config in self.configs}
        made = [path for task in all_tasks() for path in (folder / task).glob("*.json")]
        for path in {*made, *(folder / DOMAINS).rglob("*.json")} - kept:
            path.unlink(missing_ok=True)
            shutil.rmtree(path.with_suffix(""), ignore_errors=True)
        self.note()

    def add_unbuilt(self, sets: int, pairs: int) -> None:
        """Count sets that are still to be built."""
        self.unbuilt, self.unbuilt_pairs = self.unbuilt + sets, self.unbuilt_pairs + pairs

    @cached_property
    def model_problems(self) -> dict[str, str]:
        """What is known to be wrong with models, before any is opened."""
        problems = {
            # The vectors of a model that the run has seen may be at hand without its library.
            name: model_problem(spec, libraries=not self.elsewhere and name not in self.session.record.models)
            for name, spec in self.session.models.items()
            if isinstance(spec, str)
        }
        return {name: problem for name, problem in problems.items() if problem}

    def refuse_models(self) -> None:
        """Leave out models that are known not to open; outside of runs, nothing can be done if that is all of them."""
        session = self.session
        if session.folder is None and 0 < len(self.model_problems) == len(session.models):
            name, problem = next(iter(self.model_problems.items()))
            raise TermgaugeError(session.sentence(name, Failure(step=OPENING, reason=problem)))
        for name, problem in self.model_problems.items():
            session.refuse(name, problem)

    @cached_property
    def known_models(self) -> Mapping[str, KnownModel]:
        """What can be said of each model of the file."""
        problems, seen = self.model_problems, self.session.record.models
        return {
            name: KnownModel(problem=problems[name]) if name in problems else known_model(spec, name, seen.get(name))
            for name, spec in self.session.models.items()
            if isinstance(spec, str)
        }


@dataclass
class TerminologyNode(Node):
    """A terminology that is read."""

    state: RunState
    name: str
    source: Any
    """Where it is, or the terminology itself."""
    reading: ReadingOptions
    step: ClassVar[str] = READ
    lasting: ClassVar[bool] = False

    def missing(self, *, done: bool) -> PlannedStep:  # noqa: ARG002
        """Say how large it is, by reading it if that is quick."""
        size = 0
        try:
            size = sum(bytes_at(source_path(source)) for source in self.source)
            large = size > LARGE_BYTES
            item = Item(self.name, f"{bytes_for_people(size)}, {TOO_LARGE}" if large else self._counted(), todo=1)
        except (TermgaugeError, OSError) as error:
            item = Item(self.name, "", problem=sentence_of(error))
        return PlannedStep(READ, (item,), size / READ_BYTES)

    def _counted(self) -> str:
        terminology = self._read(self.source, self.reading.model_copy(update={"cache": False}))
        concepts, terms = terminology.concepts.height, terminology.terms.height
        return f"{terminology.identity.slug}: {concepts:,} concepts, {terms:,} terms"

    def work(self) -> None:
        """Read it, and say how workers do."""
        if isinstance(self.source, Terminology):
            self._read(self.source, self.reading)
        else:
            places = tuple(map(str, several(self.source)))
            sha256 = self._read(places, self.reading).identity.sha256
            self.state.sources[self.name] = TerminologySource(places, self.reading, sha256)

    def _read(self, source: Any, reading: ReadingOptions) -> Terminology:  # noqa: ANN401
        from termgauge.terminology.read import read_with

        terminology = self.state.terminologies[self.name] = read_with(source, reading)
        return terminology


@dataclass
class HumanNode(Node):
    """Sets that people rated."""

    state: RunState
    table: HumanTable
    step: ClassVar[str] = HUMAN
    lasting: ClassVar[bool] = False

    def missing(self, *, done: bool) -> PlannedStep:  # noqa: ARG002
        """Say which sets are at hand."""
        none = Item("all", "", problem="No human-rated set is at hand; name their folder as data_dir.")
        try:
            items = tuple(self._items()) or (none,)
        except TermgaugeError as error:
            items = (Item("human", "", problem=str(error)),)
        return PlannedStep(HUMAN, items, 1.0)

    def _items(self) -> Iterator[Item]:
        from termgauge.benchmark.human.catalogue import TO_DOWNLOAD
        from termgauge.benchmark.human.sets import find_human, human_sets, load_human

        table, data_dir = self.table, self.state.base.data_dir
        for entry in human_sets() if table.sets == "all" else [find_human(name) for name in table.sets]:
            status = entry.status(data_dir)
            missing = status == TO_DOWNLOAD and not table.download
            if table.sets == "all" and status == TO_DOWNLOAD:
                continue
            if status == TO_DOWNLOAD:
                self.state.add_unbuilt(1, entry.pairs)
            else:
                self.state.rated.append(load_human(entry.id, data_dir=data_dir, download=False))
            problem = f"It is not at hand; {entry.by_hand}." if missing else ""
            yield Item(entry.id, f"{entry.pairs:,} pairs, {status}", problem=problem, todo=1)

    def work(self) -> None:
        """Load them."""
        names = ["human"] if self.table.sets == "all" else self.table.sets
        self.state.rated += load_sets(names, data_dir=self.state.base.data_dir, download=self.table.download)


@dataclass
class BenchmarkNode(Node):
    """Sets that are built, or were built before."""

    state: RunState
    table: BenchmarkTable
    options: BuildOptions
    step: ClassVar[str] = BUILD

    def missing(self, *, done: bool) -> PlannedStep:  # noqa: ARG002
        """Say how many pairs are to be built."""
        before = self.state.unbuilt_pairs
        try:
            item = self._item()
        except TermgaugeError as error:
            item = Item(self.table.title, "", problem=str(error))
        seconds = (self.state.unbuilt_pairs - before) / BUILD_PAIRS
        blocks = math.ceil(seconds * BUILD_PAIRS / BLOCK_PAIRS)
        return PlannedStep(BUILD, (item,), seconds, ((1 - DRAWN) * seconds / blocks,) * blocks if blocks else ())

    def _item(self) -> Item:
        from termgauge.benchmark.load import load_benchmark

        table, name = self.table, self.table.title
        if table.file:
            return self._there(table.own_set())
        folder = Path(table.folder) if table.folder else self._folder
        same: dict[str, PairSet] = {}
        """Sets that are there; where others are asked for now, those of them come out the same."""
        if table.folder or (folder / MANIFEST).is_file():
            benchmark = load_benchmark(folder)
            other = set() if table.folder else self._differing(benchmark.manifest)
            same = {pairs.id: pairs for pairs in benchmark} if other <= {"only"} else {}
            if not other:
                return self._there(list(same.values()))
        terminology = self.state.terminologies.get(table.terminology or "")
        if terminology is None:
            self.state.add_unbuilt(SETS, 0)
            return Item(name, "as many pairs as its synonyms give", todo=SETS)
        sizes = self._sizes(terminology)
        new = [size for set_id, size in sizes.items() if set_id not in same]
        self.state.add_unbuilt(len(new), sum(new))
        self.state.built += [pairs for set_id, pairs in same.items() if set_id in sizes]
        return Item(name, f"about {sum(sizes.values()):,} pairs in {len(sizes)} sets", todo=len(sizes))

    def _there(self, sets: list[PairSet]) -> Item:
        self.state.built += sets
        return Item(self.table.title, f"{sum(map(len, sets)):,} pairs in {len(sets)} sets", there=True)

    @property
    def _folder(self) -> Path:
        return self.state.folder.path / "benchmarks" / self.table.title

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
        terminology = self.state.terminologies.get(self.table.terminology or "")
        if terminology is not None and terminology.identity.sha256 != manifest.terminology.get("sha256"):
            return {"terminology"}
        built = {**manifest.options, "seed": manifest.seed}
        return {name for name, value in wanted.items() if built.get(name) != value}

    def work(self) -> None:
        """Build the sets, or take those that are there."""
        from termgauge.benchmark.build import build_sets
        from termgauge.benchmark.load import load_benchmark

        if self.table.file is not None:
            self.state.built += self.table.own_set()
            return
        if self.table.folder is not None:
            benchmark = load_benchmark(self.table.folder)
        else:
            assert self.table.terminology is not None  # the file was checked
            terminology = self.state.terminologies[self.table.terminology]
            # The folder is the run's own: what another version of the file built there is out of date.
            benchmark = build_sets(terminology, self._folder, self.options, force=True)
        manifest = benchmark.manifest
        self.state.benchmarks[self.table.title] = BenchmarkRecord(
            folder=str(benchmark.folder),
            terminology=TerminologyIdentity(**manifest.terminology),
            seed=manifest.seed,
            options=manifest.options,
            notes=list(manifest.notes),
        )
        self.state.built += benchmark


@dataclass
class ReportNode(Node):
    """The page: it is written unless it shows what is there, and nothing is to be done."""

    state: RunState
    text: str
    """Of the experiment file."""
    step: ClassVar[str] = REPORT

    def missing(self, *, done: bool) -> PlannedStep:
        """Say whether the page is out of date."""
        from termgauge.engine.report import is_current

        there = done and self._unchanged and is_current(self.state.folder)
        return PlannedStep(REPORT, (Item(PAGE, "", there=there, todo=not there),), 0.0 if there else REPORT_SECONDS)

    @property
    def _unchanged(self) -> bool:
        """Whether the run was made from this very text."""
        try:
            return (self.state.folder.path / EXPERIMENT).read_text(encoding="utf-8") == self.text
        except (OSError, UnicodeDecodeError):
            return False

    def work(self) -> None:
        """Write the page."""
        from termgauge.engine.report import update_report

        self.state.finish()
        update_report(self.state.folder)


@dataclass
class RecordNode(Node):
    """What the run folder says that it is about, before anything is measured, for workers to read."""

    config: TaskConfig
    """What is measured first."""
    write: Callable[[], None]

    @property
    def step(self) -> str:
        """The step of what is measured first."""
        return self.config.task.title

    def missing(self, *, done: bool) -> PlannedStep:  # noqa: ARG002
        """Say nothing: what is measured says it."""
        return PlannedStep(self.step, (), 0.0)

    def work(self) -> None:
        """Write it."""
        self.write()


@dataclass
class TaskNode(Node):
    """A table of a task: its models, or their parts, are its units, and what is made of all of them its result."""

    state: RunState
    config: TaskConfig
    result: Result | None = None
    """What was measured; None if a run has the very same."""

    @property
    def step(self) -> str:
        """The step of its task."""
        return self.config.task.title

    @property
    def title(self) -> str:
        """What messages call it."""
        return self.config.task.called(self.config.name)

    def problem(self) -> str:
        """Say which library or table it lacks; one whose result is there may need neither."""
        task, options = self.config.task, self.config.options
        try:
            task.check(options)
            if not self.state.elsewhere and not task.file(self.state.folder.path, self.config.name).is_file():
                task.check_libraries(options)
        except (TermgaugeError, OSError) as error:
            return sentence_of(error)
        return ""

    def missing(self, *, done: bool) -> PlannedStep:
        """Say which models are to be measured, and how much of each."""
        task, name, problem = self.config.task, self.config.name, self.problem()
        try:
            if task.reads_run and not problem:
                there = done and self._is_read()
                item = Item(name, "" if there else LATER, there=there, todo=int(not there))
                return PlannedStep(self.step, (item,), 0.0 if there else task.seconds)
            if task.keeps and not problem:
                item, units = self._table()
                return PlannedStep(self.step, (item,), sum(units), tuple(units))
        except (TermgaugeError, OSError) as error:
            problem = sentence_of(error)
        if problem:
            return PlannedStep(self.step, (Item(name, "", problem=problem),), 0.0)
        models = [self._model(model, str(spec)) for model, spec in self.state.session.models.items()]
        every = [seconds for _item, units in models for seconds in units]
        return PlannedStep(self.step, tuple(item for item, _units in models), sum(every), tuple(every))

    def _table(self) -> tuple[Item, list[float]]:
        """Plan a table whose units the run keeps; return with it the seconds of each."""
        task, name, options = self.config.task, self.config.name, self.config.options
        models = self.state.known_models
        fitting = {model: entry.model for model, entry in models.items() if entry.fits(task)}
        material = self.state.material(self.config)
        if (material.terminology is None and task.needs_terminology(options)) or (
            self.state.unbuilt and "sets" in task.needs
        ):
            item = Item(name, f"{len(fitting)} models to be measured", todo=len(fitting))
            return item, [task.seconds] * len(fitting)
        bound = replace(BoundTask.from_material(task, options, material), folder=self.state.folder.path)
        keys = {model: opened.identity.key if opened else "" for model, opened in fitting.items()}
        left = [part for model, key in keys.items() for part in (bound.missing(model, key) if key else bound.parts)]
        there = not left and bound.combined(keys)
        failing = sum(bool(entry.problem) for entry in models.values())
        every, called = (len(fitting) + failing) * len(bound.parts), task.parts_called or "models"
        what = f"{len(left)} of {every} {called} to be measured" if left else "" if there else ANEW
        seconds = [task.part_seconds(part, bound.inputs, options) for part in left]
        return Item(name, what, there=there, todo=len(left)), seconds

    def _is_read(self) -> bool:
        """Say whether the result is there of a task that reads what others find, all of which is there."""
        run = replace(self.state.folder.scored(self.state.base.testing), tasks=self.state.tables)
        material = self.state.material(self.config, run)
        return BoundTask.from_material(self.config.task, self.config.options, material).combined({})

    def _model(self, name: str, text: str) -> tuple[Item, list[float]]:
        """Plan a model of a task that itself keeps what it makes; return with it the seconds of what can be shared."""
        state, task, options = self.state, self.config.task, self.config.options
        entry = state.known_models[name]
        if entry.problem:
            return Item(name, text, problem=entry.problem), []
        left = [(pairs.id, len(pairs)) for pairs in state.sets]
        if entry.model is not None:
            record = state.session.record
            view = RunView(state.folder.path, record.models, record.sets, tuple(record.measures), record.testing)
            inputs = task.inputs(options, state.material(self.config, view))
            try:
                wanted = task.left(entry.model, inputs, options)
            except TermgaugeError as error:
                return Item(name, text, problem=str(error)), []
            left = [(part, size) for part, size in left if part in wanted]
        todo, pairs = len(left) + state.unbuilt, sum(size for _part, size in left) + state.unbuilt_pairs
        spec = ModelSpec.parse(text)
        what = [text, bytes_for_people(entry.size) if entry.size else "", shape_of(spec)]
        # A set that is yet to be built may come out as one that was scored before.
        at_most = "up to " if state.unbuilt and entry.model is not None else ""
        what += [f"{at_most}{todo} of {len(state.sets) + state.unbuilt} sets to be scored" if todo else ""]
        seconds: list[float] = []
        if todo:
            measures = len(getattr(options, "measures", ()) or measures_for("words"))
            seconds = [pairs * measures / SCORED_PAIRS + entry.size / 100e6]
            if rate := entry.terms_per_second:
                texts = sum(terminology.terms.height for terminology in state.terminologies.values()) or pairs
                blocks = math.ceil(min(texts, 2 * pairs) / BLOCK_TEXTS)
                seconds += [min(texts, 2 * pairs) / rate / blocks] * blocks
        return Item(name, ", ".join(filter(None, what)), there=not todo, todo=todo), seconds

    def work(self) -> None:
        """Measure the table; of a file, one that cannot be measured is noted, and all that was done before it stays."""
        state, task = self.state, self.config.task
        if self.title not in state.section_failures:  # else it was said before anything began
            folder, testing = state.session.folder, state.base.testing
            material = state.material(self.config, folder.scored(testing) if folder else None)
            source = state.sources.get(self.config.terminology or "")
            try:
                self.result = state.session.measure(task, self.config.options, material, source)
            except (CannotWriteError, ClusterLostError):
                raise
            except Exception as error:  # a defect, too, which the sentence says
                if not state.goes_on:
                    raise
                if not state.session.record.models:
                    raise TermgaugeError(f"No model can be used: {sentence_of(error)}") from None
                if not task.keeps:
                    if isinstance(error, TermgaugeError | OSError | MemoryError):
                        raise
                    state.defect = error
                self.fail(sentence_of(error))
        if state.goes_on:
            if self.title in state.section_failures:
                task.discard(state.folder.path, self.config.name)  # what it was is out of date
            state.note()

    def fail(self, reason: str) -> None:
        """Note that the table cannot be measured, and say it."""
        self.state.section_failures[self.title] = reason
        warn_skipped(f"the section '{self.title}'", f"The section '{self.title}' is left out: {reason}")
