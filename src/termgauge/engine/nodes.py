"""The nodes of an experiment: terminologies, rated sets, benchmarks, a table of a task, the report.

What is there is found out by the identities of terminologies, sets, options and models. To say what is missing,
terminologies are read, unless they are large; models are opened only if the run has seen them, for then their vectors
are at hand. Times come from rates measured once on two cores and are rough.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from termgauge.benchmark.load import load_sets
from termgauge.benchmark.manifest import MANIFEST
from termgauge.domain.domain import DomainOptions
from termgauge.engine.graph import Item, Node, PlannedStep
from termgauge.engine.models import KnownModel, bytes_at, known_model, model_problem
from termgauge.engine.run_folder import EXPERIMENT, BenchmarkRecord, RunFolder
from termgauge.engine.run_folder import REPORT as PAGE
from termgauge.exceptions import TermgaugeError, sentence_of
from termgauge.io.paths import source_path
from termgauge.reporting.words import size as bytes_for_people
from termgauge.tasks.contract import Material
from termgauge.terminology.model import TerminologyIdentity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from termgauge.benchmark.manifest import Manifest
    from termgauge.benchmark.options import BuildOptions
    from termgauge.benchmark.pairset import PairSet
    from termgauge.engine.file import ExperimentFile
    from termgauge.engine.session import RunSession
    from termgauge.engine.tables import BenchmarkTable, Experiment, HumanTable, TaskConfig, TerminologyTable
    from termgauge.tasks.records import RunView
    from termgauge.terminology.model import Terminology

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


@dataclass
class RunState:
    """What the nodes of an experiment share: what was made so far, or is known without making it."""

    file: ExperimentFile
    session: RunSession
    terminologies: dict[str, Terminology] = field(default_factory=dict)
    rated: list[PairSet] = field(default_factory=list)
    built: list[PairSet] = field(default_factory=list)
    benchmarks: dict[str, BenchmarkRecord] = field(default_factory=dict)
    unbuilt: int = 0
    """Sets that are still to be built, and about how many pairs they have."""
    unbuilt_pairs: int = 0
    section_failures: dict[str, str] = field(default_factory=dict)
    timings: dict[str, float] = field(default_factory=dict)
    begun: bool = False
    """Whether ``run.json`` says what the run is about."""
    elsewhere: bool = False
    """Whether models are measured on machines of which it is not known what is installed there."""
    defect: Exception | None = None
    """What ends the run as a defect, once all else is done and reported."""

    @property
    def experiment(self) -> Experiment:
        """The tables of the file."""
        return self.file.experiment

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
    def data_dir(self) -> Path | None:
        """The folder of human-rated sets."""
        human = self.experiment.human
        return Path(human.data_dir) if human and human.data_dir else None

    def terminology_table(self, config: TaskConfig) -> TerminologyTable | None:
        """Return the terminology of a table: that of the name, or the only one."""
        tables = self.experiment.terminology
        if "terminology" not in config.task.needs or not tables:
            return None
        return next(table for table in tables if table.name == (config.terminology or tables[0].name))

    def material(self, config: TaskConfig, run: RunView | None = None) -> Material:
        """Return what a table of a task works on, as far as it is there."""
        table = self.terminology_table(config)
        return Material(
            name=config.name,
            terminology=self.terminologies.get(table.name) if table else None,
            sets=tuple(self.sets) if "sets" in config.task.needs else (),
            testing=self.experiment.testing,
            data_dir=self.data_dir,
            run=run,
            apart=self.apart(config),
        )

    def apart(self, config: TaskConfig) -> str:
        """Return the folder in which a table keeps its domain, if another task has a table of its name with one."""
        same = [other for other in self.experiment.task_configs() if other.name == config.name]
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

    @cached_property
    def known_models(self) -> Mapping[str, KnownModel]:
        """What can be said of each model of the file."""
        problems, seen = self.model_problems, self.session.record.models
        return {
            table.title: KnownModel(problem=problems[table.title])
            if table.title in problems
            else known_model(table.spec, table.title, seen.get(table.title))
            for table in self.experiment.model
        }


@dataclass
class TerminologyNode(Node):
    """A terminology that is read."""

    state: RunState
    table: TerminologyTable
    step: ClassVar[str] = READ
    lasting: ClassVar[bool] = False

    def missing(self, *, done: bool) -> PlannedStep:
        """Say how large it is, by reading it if that is quick."""
        del done
        size = 0
        try:
            size = sum(bytes_at(source_path(source)) for source in self.table.sources)
            large = size > LARGE_BYTES
            item = Item(self.table.name, f"{bytes_for_people(size)}, {TOO_LARGE}" if large else self._counted(), todo=1)
        except (TermgaugeError, OSError) as error:
            item = Item(self.table.name, "", problem=sentence_of(error))
        return PlannedStep(READ, (item,), size / READ_BYTES)

    def _counted(self) -> str:
        terminology = self._read(cache=False)
        return (
            f"{terminology.identity.slug}: {terminology.concepts.height:,} concepts, {terminology.terms.height:,} terms"
        )

    def work(self) -> None:
        """Read it."""
        self._read()

    def _read(self, **more: bool) -> Terminology:
        from termgauge.terminology import read_terminology

        terminology = read_terminology(self.table.sources, **self.table.reading.model_dump() | more)
        self.state.terminologies[self.table.name] = terminology
        return terminology


@dataclass
class HumanNode(Node):
    """Sets that people rated."""

    state: RunState
    table: HumanTable
    step: ClassVar[str] = HUMAN
    lasting: ClassVar[bool] = False

    def missing(self, *, done: bool) -> PlannedStep:
        """Say which sets are at hand."""
        del done
        try:
            items = tuple(self._items()) or (
                Item("all", "", problem="No human-rated set is at hand; name their folder as data_dir."),
            )
        except TermgaugeError as error:
            items = (Item("human", "", problem=str(error)),)
        return PlannedStep(HUMAN, items, 1.0)

    def _items(self) -> Iterator[Item]:
        from termgauge.benchmark.human.catalogue import TO_DOWNLOAD
        from termgauge.benchmark.human.sets import find_human, human_sets, load_human

        table, data_dir = self.table, self.state.data_dir
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
        self.state.rated += load_sets(names, data_dir=self.state.data_dir, download=self.table.download)


@dataclass
class BenchmarkNode(Node):
    """Sets that are built, or were built before."""

    state: RunState
    table: BenchmarkTable
    step: ClassVar[str] = BUILD

    def missing(self, *, done: bool) -> PlannedStep:
        """Say how many pairs are to be built."""
        del done
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

    @property
    def _options(self) -> BuildOptions:
        experiment = self.state.experiment
        terminology = next(table for table in experiment.terminology if table.name == self.table.terminology)
        return self.table.building(experiment.seed, terminology.language)

    def _sizes(self, terminology: Terminology) -> dict[str, int]:
        """Return how many pairs each set has that is to be built, as long as every positive finds its negative."""
        from termgauge.benchmark.subject import subject_of

        options = self._options
        subject = subject_of(terminology, options)
        positives, wanted = subject.positives(options).sets, subject.sets(options.only)
        sizes = {"/".join((subject.name, *name)): len(positives[name.kind, name.difficulty]) for name in wanted}
        most = max(sizes.values()) if options.max_pairs is None else options.max_pairs // 2
        return {name: 2 * min(size, most) for name, size in sizes.items() if size}

    def _differing(self, manifest: Manifest) -> set[str]:
        """Return in what a benchmark in the run folder is not the one that the file asks for."""
        wanted = self._options.model_dump()
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
            benchmark = build_sets(terminology, self._folder, self._options, force=True)
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
            return (self.state.folder.path / EXPERIMENT).read_text(encoding="utf-8") == self.state.file.text
        except (OSError, UnicodeDecodeError):
            return False

    def work(self) -> None:
        """Write the page."""
        from termgauge.engine.report import update_report

        update_report(self.state.folder)
