"""Measuring a table on all models of a run: what is there is taken, what fails costs itself alone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from termgauge.engine.models import opener
from termgauge.engine.run_folder import Failure, UnitRecord
from termgauge.engine.units import OPENING, BoundTask, Unit, Work, joined
from termgauge.engine.workers import one_by_one, shared_out
from termgauge.exceptions import TermgaugeError, warn, warn_skipped
from termgauge.executor import current_executor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from concurrent.futures import Executor

    from termgauge.embeddings.model import Model
    from termgauge.engine.run_folder import RunFolder, RunRecord
    from termgauge.engine.units import Outcome
    from termgauge.options import Options
    from termgauge.tasks.contract import AnyTask, Material


def work_off(
    bound: BoundTask,
    units: Sequence[Unit],
    openers: Mapping[str, Callable[[], Model]],
    work: Work | None,
    jobs: int = 1,
    executor: Executor | None = None,
) -> list[Outcome]:
    """Do the units of a table, wherever work is done: by an executor, in processes, or here.

    Without `work`, which says in plain values what others are to do, everything is done here.
    """
    if work is not None and (jobs > 1 or executor or current_executor()):
        return shared_out(work, units, jobs, executor)
    return one_by_one(bound, units, openers)


@dataclass
class RunSession:
    """A run whose tables are measured one after another, and what is known of its models so far."""

    folder: RunFolder
    record: RunRecord
    models: Mapping[str, str | Model]
    """Specs, or models that are open; only the former can be measured by workers."""
    jobs: int = 1
    executor: Executor | None = None
    failures: dict[str, Failure] = field(default_factory=dict)
    adds: bool = False
    """Whether the run keeps what it has of a model that does not open now."""
    _opened: set[str] = field(default_factory=set)
    """Models that were opened for an earlier table: what they are is known."""
    _given_up: set[str] = field(default_factory=set)
    """Models that are not asked again, for they gave no vectors for an earlier table; what is kept of them counts."""
    _said: set[str] = field(default_factory=set)
    """Notes that were given: a model that is opened for each table says the same each time."""

    def measure(
        self,
        task: AnyTask,
        options: Options,
        material: Material,
        terminology: tuple[tuple[str, ...], str, str] | None = None,
    ) -> None:
        """Measure a table and write its result, as far as that is not done."""
        specs = {name: each for name, each in self.models.items() if isinstance(each, str)}
        work = Work(
            task.name,
            material.name,
            options.model_dump_json(),
            material.testing.model_dump_json(),
            str(self.folder.path),
            tuple((pairs.id, pairs.sha256) for pairs in material.sets),
            terminology,
            str(material.data_dir) if material.data_dir else None,
            tuple(specs.items()) if len(specs) == len(self.models) else (),
            uuid4().hex,
            material.apart,
        )
        here = BoundTask.from_material(task, options, replace(material, models=self.openers), work.title)
        if task.reads_run:
            self._combine(here, material, {})
            return
        names = self._usable(task)
        kept = {name: here.kept(name, self.record.models[name].key) for name in names if name in self._opened}
        left = [
            Unit(name, tuple(here.parts)) for name in names if kept.get(name) is None and name not in self._given_up
        ]
        done = work_off(here, left, self.openers, work if work.specs else None, self.jobs, self.executor)
        self._count(task, material.name, done)
        measured = kept | joined(task, done)
        measured = {name: measured[name] for name in names if measured.get(name) is not None}
        opened = any(outcome.record is not None for outcome in done)
        if measured or opened or not self.adds:  # where nothing was added, one sentence says why
            for outcome in done:
                self._note(outcome)
        if not measured:
            first = next((each.failure for each in done if each.failure), None)
            refused = self._given_up if names else self.failures.keys()
            first = first or next((self.failures[name] for name in names or self.models if name in refused), None)
            raise TermgaugeError(first.reason if first else "No model has vectors of its own.")
        if self.adds:  # to what the run has of other models
            others = {name: each.key for name, each in self.record.models.items() if name not in self.models}
            measured |= {name: there for name, key in others.items() if (there := here.kept(name, key)) is not None}
        self._combine(here, replace(material, run=self.folder.scored(material.testing)), measured)

    def _count(self, task: AnyTask, table: str, done: Sequence[Outcome]) -> None:
        """Note how units were done; what was there already took no time now, so the longest time of each is kept."""
        new = {
            (task.name, table, each.model, part := each.parts[0] if len(each.parts) == 1 else ""): UnitRecord(
                task=task.name,
                table=table,
                model=each.model,
                part=part,
                worker=each.worker,
                seconds=round(each.seconds, 3),
                tries=each.tries,
            )
            for each in done
        }
        former = {(each.task, each.table, each.model, each.part): each for each in self.record.units}
        longer = {key: each for key, each in new.items() if key not in former or each.seconds >= former[key].seconds}
        self.record = self.record.model_copy(update={"units": list({**former, **longer}.values())})

    def _combine(self, here: BoundTask, material: Material, measured: dict[str, Any]) -> None:
        task = here.task
        keys = {name: self.record.models[name].key for name in measured}
        if here.combined(keys):
            return
        inputs = here.inputs if task.keeps else task.inputs(here.options, material)  # what is scored has changed
        task.save(task.combine(measured, inputs, here.options), self.folder.path, material.name, here.identity(keys))

    @property
    def openers(self) -> dict[str, Callable[[], Model]]:
        """How to open each model."""
        return {name: opener(name, each) for name, each in self.models.items()}

    def _usable(self, task: AnyTask) -> list[str]:
        """Return the models that may be measured: those that opened, or were not tried yet."""
        known = self.record.models
        return [
            name
            for name in self.models
            if (name not in self.failures or self.failures[name].step != OPENING)
            and (name not in known or task.fits(known[name].kind, known[name].scheme))
        ]

    def refuse(self, name: str, reason: str) -> None:
        """Leave out a model that is known not to open, before anything begins."""
        self.failures[name] = Failure(step=OPENING, reason=reason)
        models = {each: record for each, record in self.record.models.items() if each != name}
        self.record = self.record.model_copy(update={"models": models})
        self._say(name, self.failures[name])

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
            models[name] = outcome.record.model_copy(update={"concept_ids": systems})
        elif not self.adds:
            models.pop(name, None)
        if not self.adds:  # in the order of the file, which is that of the results
            models = {each: models[each] for each in self.models if each in models}
        self.record = self.record.model_copy(update={"models": models})
        if failure is not None and name not in self.failures:
            self.failures[name] = failure
            self._say(name, failure, " It is not asked again in this run." if outcome.given_up else "")
        if outcome.given_up:
            self._given_up.add(name)
        self.write()

    def write(self, **more: object) -> None:
        """Write ``run.json``: what is known of models, what failed, and whatever else has become known."""
        left_out = [f"{name}: {failure.reason}" for name, failure in self.failures.items()]
        failures = {"failures": dict(self.failures), "left_out": left_out}
        self.record = self.record.model_copy(update={**failures, **more})
        self.folder.write(self.record)
