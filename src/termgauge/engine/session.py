"""What the nodes of a graph share: measuring a table on all models takes what is there, and what fails costs itself."""

from __future__ import annotations

import shutil
import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from termgauge.domain.domain import DomainOptions
from termgauge.embeddings.load import check_model
from termgauge.engine.models import KnownModel, known_model, opener
from termgauge.engine.run_folder import Failure, RunFolder, RunRecord, UnitRecord
from termgauge.engine.units import OPENING, BoundTask, Unit
from termgauge.engine.workers import Work, work_off
from termgauge.exceptions import TermgaugeError, sentence_of, warn, warn_skipped
from termgauge.executor import current_executor
from termgauge.io.identity import file_name
from termgauge.tasks.contract import Material
from termgauge.tasks.records import SetRecord
from termgauge.tasks.registry import all_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model
    from termgauge.engine.run_folder import BenchmarkRecord
    from termgauge.engine.tables import TaskConfig
    from termgauge.engine.units import Outcome
    from termgauge.engine.workers import TerminologySource
    from termgauge.options import Options
    from termgauge.tasks.contract import AnyTask
    from termgauge.tasks.records import RunView
    from termgauge.tasks.results import Result
    from termgauge.terminology.model import Terminology

DOMAINS = "domains"


@dataclass
class RunSession:
    """A run whose tables are measured one after another: what is asked, and what is known or was made of it so far."""

    folder: RunFolder | None
    """None outside of runs: a result is returned, and nothing is written."""
    record: RunRecord
    models: Mapping[str, str | Model]
    """Specs, or models that are open; only the former can be measured by workers."""
    jobs: int = 1
    executor: Executor | None = None
    failures: dict[str, Failure] = field(default_factory=dict)
    adds: bool = False
    """Whether the run keeps what it has of a model that does not open now."""
    configs: Sequence[TaskConfig] = ()
    base: Material = field(default_factory=Material)
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
    _opened: set[str] = field(default_factory=set)
    """Models that were opened for an earlier table: what they are is known."""
    _given_up: set[str] = field(default_factory=set)
    """Models that are not asked again, for they gave no vectors for an earlier table; what is kept of them counts."""
    _said: set[str] = field(default_factory=set)
    """Notes that were given: a model that is opened for each table says the same each time."""

    @property
    def run(self) -> RunFolder:
        """The run folder, where there is one."""
        assert self.folder is not None
        return self.folder

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
        self.timings[step] = max(round(time.monotonic() - began, 2), self.record.timings.get(step, 0.0))

    def note(self) -> None:
        """Say in ``run.json`` what failed, and how long the steps took."""
        self.write(section_failures=dict(self.section_failures), timings=dict(self.timings))

    def finish(self) -> None:
        """Delete what is not asked for any more, and say in ``run.json`` what failed and how long it took."""
        folder = self.run.path
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
        """What is known to be wrong with models, before any is opened: with their files, and libraries."""
        problems: dict[str, str] = {}
        for name, spec in self.models.items():
            # The vectors of a model that the run has seen may be at hand without its library.
            libraries = not self.elsewhere and name not in self.record.models
            try:
                if isinstance(spec, str):
                    check_model(spec, libraries=libraries)
            except (TermgaugeError, OSError) as error:
                problems[name] = sentence_of(error)
        return problems

    def refuse_models(self) -> None:
        """Leave out models that are known not to open; outside of runs, nothing can be done if that is all of them."""
        if self.folder is None and 0 < len(self.model_problems) == len(self.models):
            name, problem = next(iter(self.model_problems.items()))
            raise TermgaugeError(self.sentence(name, Failure(step=OPENING, reason=problem)))
        for name, problem in self.model_problems.items():
            self.failures[name] = Failure(step=OPENING, reason=problem)
            self._say(name, self.failures[name])
        models = {name: record for name, record in self.record.models.items() if name not in self.model_problems}
        self.record = self.record.model_copy(update={"models": models})

    @cached_property
    def known_models(self) -> Mapping[str, KnownModel]:
        """What can be said of each model of the file."""
        problems, seen = self.model_problems, self.record.models
        return {
            name: KnownModel(problem=problems[name]) if name in problems else known_model(spec, name, seen.get(name))
            for name, spec in self.models.items()
            if isinstance(spec, str)
        }

    def measure(
        self, task: AnyTask, options: Options, material: Material, source: TerminologySource | None = None
    ) -> Result | None:
        """Measure a table, as far as that is not done, and return its result; None if a run has the very same.

        `source` says how others read the terminology; without it they cannot.
        """
        bound = BoundTask.from_material(
            task, options, replace(material, models=self.openers), task.called(material.name) if self.folder else ""
        )
        if task.reads_run:
            return self._combine(bound, material, {})
        names = self._usable(task)
        kept = {name: bound.kept(name, self.record.models[name].key) for name in names if name in self._opened}
        left = [
            Unit(name, tuple(bound.parts)) for name in names if kept.get(name) is None and name not in self._given_up
        ]
        with self._work(bound, material, source) as work:
            done = work_off(bound, left, self.openers, work, self.jobs, self.executor)
        self._count(task, material.name, done)
        parts: dict[str, list[Any]] = {}
        for outcome in done:
            parts.setdefault(outcome.model, []).append(outcome.measured)
        measured = kept | {
            name: task.joined(values) for name, values in parts.items() if not any(value is None for value in values)
        }
        measured = {name: measured[name] for name in names if measured.get(name) is not None}
        opened = any(outcome.record is not None for outcome in done)
        if measured or (self.folder and (opened or not self.adds)):  # where nothing was added, one sentence says why
            for outcome in done:
                self._note(outcome)
                if self.folder is None and outcome.worker and outcome.record and outcome.measured is not None:
                    bound.keep(outcome.model, outcome.record.key, outcome.parts[0], outcome.measured)
        if not measured and not (task.without_models and not self.models):
            raise TermgaugeError(self._why_nothing(names, done))
        if self.adds:  # to what the run has of other models
            others = {name: model.key for name, model in self.record.models.items() if name not in self.models}
            measured |= {name: there for name, key in others.items() if (there := bound.kept(name, key)) is not None}
        if self.folder is not None:
            material = replace(material, run=self.folder.scored(material.testing))
        return self._combine(bound, material, measured)

    @contextmanager
    def _work(self, bound: BoundTask, material: Material, source: TerminologySource | None) -> Iterator[Work | None]:
        """Give what is asked in a form that others understand; None if they cannot, or need not."""
        specs = {name: model for name, model in self.models.items() if isinstance(model, str)}
        alone = self.jobs <= 1 and not self.executor and not current_executor()
        if alone or len(specs) < len(self.models) or (material.terminology is not None and source is None):
            yield None
            return
        with TemporaryDirectory(prefix="termgauge-") as temporary:
            folder = self.folder
            if folder is None and material.sets:
                folder = RunFolder(Path(temporary))
                for pairs in material.sets:
                    folder.scored().write_set(pairs)
                folder.write(RunRecord(sets={pairs.id: SetRecord.of(pairs) for pairs in material.sets}))
            sets, run = tuple(pairs.id for pairs in material.sets), str(folder.path) if folder else ""
            small = replace(material, terminology=None, sets=(), run=None, models={})
            yield Work(bound.task.name, bound.options, small, specs, run, sets, source)

    def _why_nothing(self, names: Sequence[str], done: Sequence[Outcome]) -> str:
        """Say why there is no result: what became of the first model."""
        refused = self._given_up if names else self.failures.keys()
        failures = [(outcome.model, outcome.failure) for outcome in done if outcome.failure]
        failures += [(name, self.failures[name]) for name in names or self.models if name in refused]
        for name, failure in failures:
            return failure.reason if self.folder else self.sentence(name, failure)
        return "No model has vectors of its own."

    def sentence(self, name: str, failure: Failure) -> str:
        """Say of a model that it failed: by its name, or, outside of runs, by its spec if it did not open."""
        if self.folder or failure.step != OPENING:
            return f"{name}: {failure.reason}"
        spec = str(self.models[name])
        return failure.reason if failure.reason.startswith(f"{spec}: ") else f"{spec}: {failure.reason}"

    def _count(self, task: AnyTask, table: str, done: Sequence[Outcome]) -> None:
        """Note how units were done; what was there already took no time now, so the longest time of each is kept."""
        units = {(unit.task, unit.table, unit.model, unit.part): unit for unit in self.record.units}
        for outcome in done:
            part = outcome.parts[0] if len(outcome.parts) == 1 else ""
            about = {"worker": outcome.worker, "seconds": round(outcome.seconds, 3), "tries": outcome.tries}
            unit = UnitRecord(task=task.name, table=table, model=outcome.model, part=part, **about)
            key = (task.name, table, outcome.model, part)
            if key not in units or unit.seconds >= units[key].seconds:
                units[key] = unit
        self.record = self.record.model_copy(update={"units": list(units.values())})

    def _combine(self, bound: BoundTask, material: Material, measured: dict[str, Any]) -> Result | None:
        task = bound.task
        keys = {name: self.record.models[name].key for name in measured}
        if self.folder is not None and bound.combined(keys):
            return None
        inputs = bound.inputs if task.keeps or self.folder is None else task.inputs(bound.options, material)
        result: Result = task.combine(measured, inputs, bound.options)  # of inputs anew: what is scored has changed
        if self.folder is not None:
            task.save(result, self.folder.path, material.name, bound.identity(keys))
        return result

    def reopened(self) -> RunRecord:
        """Take and return what ``run.json`` says now that the folder is held; models that failed are tried again."""
        assert self.folder is not None
        self.record = self.folder.record()
        self.failures = {name: failure for name, failure in self.record.failures.items() if name not in self.models}
        return self.record

    @property
    def openers(self) -> dict[str, Callable[[], Model]]:
        """How to open each model."""
        return {name: opener(name, model) for name, model in self.models.items()}

    def _usable(self, task: AnyTask) -> list[str]:
        """Return the models that may be measured: those that opened, or were not tried yet."""
        records = self.record.models
        return [
            name
            for name in self.models
            if (name not in self.failures or self.failures[name].step != OPENING)
            and (name not in records or task.fits(records[name].kind, records[name].scheme))
        ]

    def _say(self, name: str, failure: Failure, more: str = "") -> None:
        """Say that a model failed: all of it, or in one step, the others being done."""
        if failure.step == OPENING:
            what, how = f"the model '{name}'", "cannot be used and is left out"
        else:
            what, how = f"the model '{name}' in {failure.step}", f"failed in {failure.step}"
        warn_skipped(what, f"The model '{name}' {how}: {failure.reason}{more}")

    def _note(self, outcome: Outcome) -> None:
        """Remember what a model is, or why it failed."""
        for note in outcome.notes:
            if note not in self._said:
                self._said.add(note)
                warn(note)
        name, failure, models = outcome.model, outcome.failure, dict(self.record.models)
        if outcome.record is not None:
            self._opened.add(name)
            former = models.get(name)
            same = former.concept_ids if former and former.key == outcome.record.key else {}
            systems = {**same, **outcome.record.concept_ids}
            for other, record in list(models.items()) if self.adds else ():  # by a name that is not asked for now
                if record.key == outcome.record.key != "" and other != name and other not in self.models:
                    warn(f"'{name}' is the model that was scored as '{other}', and replaces it.")
                    del models[other]
            models[name] = outcome.record.model_copy(update={"concept_ids": systems})
        elif not self.adds:
            models.pop(name, None)
        if not self.adds:  # in the order of the file, which is that of the results
            models = {model: models[model] for model in self.models if model in models}
        if failure is not None and name not in self.failures:
            self.failures[name] = failure
            self._say(name, failure, " It is not asked again in this run." if outcome.given_up and self.folder else "")
        if outcome.given_up:
            self._given_up.add(name)
        self.write(models=models)

    def write(self, **more: object) -> None:
        """Write ``run.json``: what is known of models, what failed, and whatever else has become known."""
        left_out = [self.sentence(*failed) for failed in self.failures.items()]
        failures = {"failures": dict(self.failures), "left_out": left_out}
        self.record = self.record.model_copy(update={**failures, **more})
        if self.folder is not None:
            self.folder.write(self.record)
