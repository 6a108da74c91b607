"""What a run would do, before it does it: each step with its sizes, what is there already, and about how long it takes.

Nothing is made. What is there is found out as the run itself finds it out: by the identities of terminologies, sets,
options and models. Terminologies are read, unless they are large; models are opened only if the run has seen them, for
then their vectors are at hand. Times come from rates measured once on two cores and are rough.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from termgauge.benchmark.manifest import MANIFEST
from termgauge.engine.run_folder import EXPERIMENT, DamagedRunError, RunFolder, RunRecord
from termgauge.engine.run_folder import REPORT as PAGE
from termgauge.engine.scaling import MEASURED_CORES, shared_seconds
from termgauge.engine.steps import BUILD, HUMAN, PERMISSIONS, READ, REPORT, step_names
from termgauge.engine.units import BoundTask, opener
from termgauge.exceptions import TermgaugeError, TermgaugeWarning, sentence_of
from termgauge.io.paths import source_path
from termgauge.reporting.numbers import size as bytes_for_people
from termgauge.similarity.measures import measures_for
from termgauge.tasks.contract import Material
from termgauge.tasks.records import RunView

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from termgauge.benchmark.manifest import Manifest
    from termgauge.benchmark.options import BuildOptions
    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model
    from termgauge.embeddings.spec import ModelSpec
    from termgauge.engine.file import ExperimentFile
    from termgauge.engine.tables import BenchmarkTable, ModelTable, TaskConfig, TerminologyTable
    from termgauge.tasks.contract import AnyTask
    from termgauge.terminology.model import Terminology

LARGE_BYTES = 300_000_000
"""A terminology larger than this is not read to see its size."""
SETS = 20
TOO_LARGE, ANEW = "too large to be read for this", "measured before, to be brought together anew"
LATER = "made from what the other tasks find"
READ_BYTES, BUILD_PAIRS, SCORED_PAIRS = 10e6, 5e3, 50e3
"""How many in a second, on two cores: bytes read, pairs built, pairs scored by a measure."""
REPORT_SECONDS = 15.0
DRAWN = 0.15
"""The share of building that one process does, whoever searches."""
BLOCK_PAIRS, BLOCK_TEXTS = 4096, 2048
"""Of a block of searching, and of one of encoding."""
WORKERS = (1, 4, 16, 64)
"""Numbers of workers for which times are given."""


@dataclass(frozen=True)
class Item:
    """A thing that a step works on."""

    name: str
    what: str
    """How much it is, in words."""
    there: bool = False
    """Whether it is made already."""
    problem: str = ""
    """Why it will fail."""
    todo: int = 0
    """How much of it is to be done: sets to build, sets on which a model is to be scored, models, or parts of
    them, to be measured."""


@dataclass(frozen=True)
class PlannedStep:
    """A step of a run."""

    name: str
    items: tuple[Item, ...]
    seconds: float
    units: tuple[float, ...] = ()
    """The seconds of what workers can share; all of it is in the time above."""

    def seconds_on(self, workers: int) -> float:
        """Return about how long it takes on workers of one core each."""
        shared = shared_seconds([MEASURED_CORES * each for each in self.units], workers)
        return max(0.0, self.seconds - sum(self.units)) + shared


@dataclass(frozen=True)
class Plan:
    """What a run would do."""

    title: str
    out: str
    steps: tuple[PlannedStep, ...]
    workers: int | None = None
    """How many blocks the cluster does at once, if one was named."""

    @property
    def seconds(self) -> float:
        """About how long it takes in all, on this machine."""
        return sum(step.seconds for step in self.steps)

    @property
    def units(self) -> int:
        """How many units workers can share."""
        return sum(len(step.units) for step in self.steps)

    def seconds_on(self, workers: int) -> float:
        """Return about how long it takes in all on workers of one core each."""
        return sum(step.seconds_on(workers) for step in self.steps)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON-like values."""
        numbers = [*WORKERS, *([self.workers] if self.workers else [])]
        return {
            **asdict(self),
            "steps": [asdict(step) for step in self.steps],
            "seconds": self.seconds,
            "units": self.units,
            "seconds_on_workers": {str(number): self.seconds_on(number) for number in sorted(set(numbers))},
        }


def plan(
    file: ExperimentFile,
    *,
    out: str | os.PathLike[str] | None = None,
    report: bool = True,
    workers: int | None = None,
) -> Plan:
    """Say what running an experiment would do, here and on so many workers."""
    planner = _Planner(file, RunFolder(Path(out) if out is not None else file.output))
    return replace(planner.plan(report=report), workers=workers)


@dataclass(frozen=True)
class _Known:
    """What can be said of a model before it is measured."""

    model: Model | None = None
    """None if the run has not seen it, or not as it is now: then nothing of it is there."""
    size: int = 0
    problem: str = ""
    terms_per_second: int | None = None
    """About how fast it encodes terms; None where that takes next to no time."""

    def fits(self, task: AnyTask) -> bool:
        return not self.problem and (
            self.model is None or task.fits(self.model.kind, self.model.identity.as_dict()["scheme"])
        )


class _Planner:
    """Goes the way of the runner and decides as it does, without doing anything."""

    def __init__(self, file: ExperimentFile, folder: RunFolder) -> None:
        self.file, self.folder = file, folder
        self.record = _record_of(folder)
        self.steps: list[PlannedStep] = []
        self.terminologies: dict[str, Terminology] = {}
        self.sets: list[PairSet] = []
        """Those that are there."""
        self.unbuilt, self.unbuilt_pairs = 0, 0
        """Sets that are still to be built, and about how many pairs they have."""

    def plan(self, *, report: bool) -> Plan:
        fixed: dict[str, Callable[[], PlannedStep]] = {
            READ: self._read,
            HUMAN: self._human,
            BUILD: self._build,
            REPORT: self._report,
        }
        names = step_names(self.file.experiment, report=report)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TermgaugeWarning)  # the run says them
            self.steps += self._permissions()
            for name in names:
                self.steps.append(fixed[name]() if name in fixed else self._task(name))
        return Plan(self.file.title, str(self.folder.path), tuple(self.steps))

    def _permissions(self) -> list[PlannedStep]:
        """Return what the file does that its user should know, if it does any such thing."""
        refused = "It is not allowed yet; allow it with {} of termgauge run."
        items = tuple(
            Item(f"It {each.what}", "", problem="" if each.granted else refused.format(each.flags[0]))
            for each in self.file.demands
        )
        return [PlannedStep(PERMISSIONS, items, 0.0)] if items else []

    @property
    def _done(self) -> bool:
        """Whether all that was planned so far is there."""
        before = (PERMISSIONS, READ, HUMAN)
        return all(item.there for step in self.steps if step.name not in before for item in step.items)

    def _report(self) -> PlannedStep:
        """Plan the page: it is written unless it shows what is there, and nothing is to be done."""
        from termgauge.engine.report import is_current

        there = self._done and self._unchanged and is_current(self.folder)
        return PlannedStep(REPORT, (Item(PAGE, "", there=there, todo=not there),), 0.0 if there else REPORT_SECONDS)

    @property
    def _unchanged(self) -> bool:
        """Whether the run was made from this very text."""
        try:
            return (self.folder.path / EXPERIMENT).read_text(encoding="utf-8") == self.file.text
        except (OSError, UnicodeDecodeError):
            return False

    def _read(self) -> PlannedStep:
        items, seconds = [], 0.0
        for table in self.file.experiment.terminology:
            size = 0
            try:
                size = sum(_bytes(source_path(place)) for place in table.sources)
                what = f"{bytes_for_people(size)}, {TOO_LARGE}" if size > LARGE_BYTES else self._counted(table)
                items.append(Item(table.name, what, todo=1))
            except (TermgaugeError, OSError) as error:
                items.append(Item(table.name, "", problem=sentence_of(error)))
            seconds += size / READ_BYTES
        return PlannedStep(READ, tuple(items), seconds)

    def _counted(self, table: TerminologyTable) -> str:
        from termgauge.terminology import read_terminology

        options = table.reading.model_dump() | {"cache": False}
        known = read_terminology(table.sources, **options)
        self.terminologies[table.name] = known
        return f"{known.identity.slug}: {known.concepts.height:,} concepts, {known.terms.height:,} terms"

    def _human(self) -> PlannedStep:
        from termgauge.benchmark.human.sets import BY_HAND, TO_DOWNLOAD, find_human, human_sets, load_human

        table = self.file.experiment.human
        assert table is not None
        items = []
        try:
            chosen = human_sets() if table.sets == "all" else [find_human(name) for name in table.sets]
            for entry in chosen:
                status = entry.status(self._data_dir)
                missing = status == BY_HAND or (status == TO_DOWNLOAD and not table.download)
                if table.sets == "all" and status in (BY_HAND, TO_DOWNLOAD):
                    continue
                problem = f"It is not at hand; {entry.by_hand}." if missing else ""
                items.append(Item(entry.id, f"{entry.pairs:,} pairs, {status}", problem=problem, todo=1))
                if status in (BY_HAND, TO_DOWNLOAD):
                    self.unbuilt, self.unbuilt_pairs = self.unbuilt + 1, self.unbuilt_pairs + entry.pairs
                else:
                    self.sets.append(load_human(entry.id, data_dir=self._data_dir, download=False))
            if not items:
                items.append(Item("all", "", problem="No human-rated set is at hand; name their folder as data_dir."))
        except TermgaugeError as error:
            items.append(Item("human", "", problem=str(error)))
        return PlannedStep(HUMAN, tuple(items), 1.0)

    @property
    def _data_dir(self) -> Path | None:
        human = self.file.experiment.human
        return Path(human.data_dir) if human and human.data_dir else None

    def _build(self) -> PlannedStep:
        items, seconds, built = [], 0.0, []
        for table in self.file.experiment.benchmark:
            before = self.unbuilt_pairs
            try:
                item, sets = self._benchmark(table)
                built += sets
            except TermgaugeError as error:
                item = Item(table.title, "", problem=str(error))
            seconds += (self.unbuilt_pairs - before) / BUILD_PAIRS
            items.append(item)
        self.sets = built + self.sets
        blocks = math.ceil(seconds * BUILD_PAIRS / BLOCK_PAIRS)
        return PlannedStep(BUILD, tuple(items), seconds, ((1 - DRAWN) * seconds / blocks,) * blocks if blocks else ())

    def _benchmark(self, table: BenchmarkTable) -> tuple[Item, list[PairSet]]:
        from termgauge.benchmark.load import load_benchmark

        name = table.title
        if table.file:
            own = table.own_set()
            return Item(name, f"{sum(map(len, own)):,} pairs in {len(own)} sets", there=True), own
        folder = Path(table.folder) if table.folder else self.folder.path / "benchmarks" / name
        same: dict[str, PairSet] = {}
        """Sets that are there; where others are asked for now, those of them come out the same."""
        if table.folder or (folder / MANIFEST).is_file():
            benchmark = load_benchmark(folder)
            other = set() if table.folder else self._differing(benchmark.manifest, table)
            same = {pairs.id: pairs for pairs in benchmark} if other <= {"only"} else {}
            if not other:
                pairs = sum(map(len, same.values()))
                return Item(name, f"{pairs:,} pairs in {len(same)} sets", there=True), list(same.values())
        known = self.terminologies.get(table.terminology or "")
        if known is None:
            self.unbuilt += SETS
            return Item(name, "as many pairs as its synonyms give", todo=SETS), []
        sizes = self._sizes(known, table)
        new = [size for each, size in sizes.items() if each not in same]
        self.unbuilt, self.unbuilt_pairs = self.unbuilt + len(new), self.unbuilt_pairs + sum(new)
        what = f"about {sum(sizes.values()):,} pairs in {len(sizes)} sets"
        return Item(name, what, todo=len(sizes)), [pairs for each, pairs in same.items() if each in sizes]

    def _building(self, table: BenchmarkTable) -> BuildOptions:
        terminology = next(each for each in self.file.experiment.terminology if each.name == table.terminology)
        return table.building(self.file.experiment.seed, terminology.language)

    def _sizes(self, terminology: Terminology, table: BenchmarkTable) -> dict[str, int]:
        """Return how many pairs each set has that is to be built, as long as every positive finds its negative."""
        from termgauge.benchmark.subject import subject_of

        options = self._building(table)
        subject = subject_of(terminology, options)
        positives, wanted = subject.positives(options).sets, subject.sets(options.only)
        sizes = {"/".join((subject.name, *name)): len(positives[name.kind, name.difficulty]) for name in wanted}
        most = max(sizes.values()) if options.max_pairs is None else options.max_pairs // 2
        return {name: 2 * min(size, most) for name, size in sizes.items() if size}

    def _differing(self, manifest: Manifest, table: BenchmarkTable) -> set[str]:
        """Return in what a benchmark in the run folder is not the one that the file asks for."""
        wanted = self._building(table).model_dump()
        wanted.pop("language" if wanted["languages"] else "languages")
        if wanted["without"] is not None:
            from termgauge.benchmark.exclusions import read_exclusions

            wanted["without"] = read_exclusions(wanted["without"]).identity
        known = self.terminologies.get(table.terminology or "")
        if known is not None and known.identity.sha256 != manifest.terminology.get("sha256"):
            return {"terminology"}
        built = {**manifest.options, "seed": manifest.seed}
        return {name for name, value in wanted.items() if built.get(name) != value}

    def _task(self, title: str) -> PlannedStep:
        """Plan the tables of a task: which models are to be measured, and how much of each."""
        items: list[Item] = []
        units: list[float] = []
        alone = 0.0
        for asked in (each for each in self.file.experiment.task_configs() if each.task.title == title):
            if asked.task.reads_run:
                item, took = self._reading(asked)
                items.append(item)
                alone += took
            elif asked.task.keeps:
                item, parts = self._table(asked)
                items.append(item)
                units += parts
            else:
                for item, blocks in (self._model(asked, table) for table in self.file.experiment.model):
                    items.append(item)
                    units += blocks
        return PlannedStep(title, tuple(items), alone + sum(units), tuple(units))

    @cached_property
    def _models(self) -> dict[str, _Known]:
        return {table.title: self._known(table) for table in self.file.experiment.model}

    def _known(self, table: ModelTable) -> _Known:
        """Say what is known of a model: one that the run has seen is opened, for which its vectors are at hand."""
        from termgauge.embeddings.load import with_known_scheme
        from termgauge.embeddings.spec import ModelSpec

        try:
            spec = ModelSpec.parse(table.spec)
            size = _model_bytes(spec)
            rate = with_known_scheme(spec).declared.terms_per_second
            seen = self.record.models.get(table.title)
            free = spec.scheme.startswith("baseline")  # nothing is read to open one
            if not free and (seen is None or _replaced(spec, seen.scheme, seen.source)):
                return _Known(size=size, terms_per_second=rate)
            return _Known(opener(table.title, table.spec)(), size, terms_per_second=rate)
        except (TermgaugeError, OSError) as error:
            return _Known(problem=sentence_of(error))

    def _material(self, asked: TaskConfig, run: RunView | None = None) -> Material:
        tables = self.file.experiment.terminology
        terminology = None
        if "terminology" in asked.task.needs and tables:
            terminology = self.terminologies.get(asked.terminology or tables[0].name)
        return Material(
            name=asked.name,
            terminology=terminology,
            sets=tuple(self.sets) if "sets" in asked.task.needs else (),
            testing=self.file.experiment.testing,
            data_dir=self._data_dir,
            run=run,
        )

    def _table(self, asked: TaskConfig) -> tuple[Item, list[float]]:
        """Plan a table whose units the run keeps; return with it the seconds of each."""
        task, name = asked.task, asked.name
        fitting = {model: known.model for model, known in self._models.items() if known.fits(task)}
        material = self._material(asked)
        if (material.terminology is None and task.needs_terminology(asked.options)) or (
            self.unbuilt and "sets" in task.needs
        ):
            item = Item(name, f"{len(fitting)} models to be measured", todo=len(fitting))
            return item, [task.seconds] * len(fitting)
        try:
            here = replace(BoundTask.from_material(task, asked.options, material), folder=self.folder.path)
        except (TermgaugeError, OSError) as error:
            return Item(name, "", problem=sentence_of(error)), []
        keys = {model: opened.identity.key if opened else "" for model, opened in fitting.items()}
        left = [part for model, key in keys.items() for part in (here.missing(model, key) if key else here.parts)]
        there = not left and here.combined(keys)
        every, called = len(fitting) * len(here.parts), task.parts_called or "models"
        what = f"{len(left)} of {every} {called} to be measured" if left else "" if there else ANEW
        seconds = [task.part_seconds(part, here.inputs, asked.options) for part in left]
        return Item(name, what, there=there, todo=len(left)), seconds

    def _reading(self, asked: TaskConfig) -> tuple[Item, float]:
        """Plan a table of a task that reads what others find: nothing is known before they are all done."""
        if not self._done:
            return Item(asked.name, LATER, todo=1), asked.task.seconds
        names: dict[str, list[str]] = {}
        for each in self.file.experiment.task_configs():
            names.setdefault(each.task.name, []).append(each.name)
        run = replace(self.folder.scored(self.file.experiment.testing), tasks=names)
        try:
            here = BoundTask.from_material(asked.task, asked.options, self._material(asked, run))
        except (TermgaugeError, OSError) as error:
            return Item(asked.name, "", problem=sentence_of(error)), 0.0
        if here.combined({}):
            return Item(asked.name, "", there=True), 0.0
        return Item(asked.name, LATER, todo=1), asked.task.seconds

    def _model(self, asked: TaskConfig, table: ModelTable) -> tuple[Item, list[float]]:
        """Plan a model of a task that itself keeps what it makes; return with it the seconds of what can be shared."""
        from termgauge.embeddings.spec import ModelSpec

        name, known = table.title, self._models[table.title]
        if known.problem:
            return Item(name, table.spec, problem=known.problem), []
        left = [(pairs.id, len(pairs)) for pairs in self.sets]
        if known.model is not None:
            inputs = asked.task.inputs(asked.options, self._material(asked, self._view))
            try:
                wanted = asked.task.left(known.model, inputs, asked.options)
            except TermgaugeError as error:
                return Item(name, table.spec, problem=str(error)), []
            left = [(part, size) for part, size in left if part in wanted]
        todo, pairs = len(left) + self.unbuilt, sum(size for _part, size in left) + self.unbuilt_pairs
        spec = ModelSpec.parse(table.spec)
        what = [table.spec, bytes_for_people(known.size) if known.size else "", _shape(spec)]
        # A set that is yet to be built may come out as one that was scored before.
        at_most = "up to " if self.unbuilt and known.model is not None else ""
        what += [f"{at_most}{todo} of {len(self.sets) + self.unbuilt} sets to be scored" if todo else ""]
        seconds: list[float] = []
        if todo:
            measures = len(self.file.experiment.scoring.measures or measures_for("words"))
            seconds = [pairs * measures / SCORED_PAIRS + known.size / 100e6]
            if rate := known.terms_per_second:
                texts = sum(each.terms.height for each in self.terminologies.values()) or pairs
                blocks = math.ceil(min(texts, 2 * pairs) / BLOCK_TEXTS)
                seconds += [min(texts, 2 * pairs) / rate / blocks] * blocks
        return Item(name, ", ".join(filter(None, what)), there=not todo, todo=todo), seconds

    @property
    def _view(self) -> RunView:
        record = self.record
        return RunView(self.folder.path, record.models, record.sets, tuple(record.measures), record.testing)


def _record_of(folder: RunFolder) -> RunRecord:
    try:
        return folder.record()
    except DamagedRunError:  # it is made again
        return RunRecord()


def _replaced(spec: ModelSpec, scheme: str, source: str) -> bool:
    """Say whether a file of vectors is another one now; to open it would be to convert it."""
    from termgauge.embeddings.load import source_hash
    from termgauge.embeddings.spec import place_of
    from termgauge.io.source import files_of

    if scheme not in ("word2vec", "glove", "fasttext", "delimited") or not spec.location:
        return False
    files = files_of(place_of(spec))
    return len(files) == 1 and source_hash(files) != source


def _model_bytes(spec: ModelSpec) -> int:
    """Return how much a model takes on disk; 0 if that is not known without opening it."""
    from termgauge.embeddings.spec import has_files, place_of

    return _bytes(place_of(spec)) if has_files(spec, Path()) else 0


def _shape(spec: ModelSpec) -> str:
    """Return how many words of how many numbers a file says it has, where its first line says so."""
    from termgauge.embeddings.spec import place_of

    if spec.scheme not in ("", "word2vec", "fasttext") or not (place := place_of(spec)).is_file():
        return ""
    with place.open("rb") as file:
        match = re.match(rb"(\d{1,12}) (\d{1,6})\s", file.read(64))
    return f"{int(match[1]):,} words of {int(match[2]):,} numbers" if match else ""


def _bytes(place: Path) -> int:
    if not place.exists():
        raise TermgaugeError(f"{place}: there is no such file or folder.")
    files = [place] if place.is_file() else [each for each in place.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files)
