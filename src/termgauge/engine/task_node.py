"""A table of a task as a node of a run: which models, or parts of them, are to be measured, and what fails."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from termgauge.engine.graph import Item, Node, PlannedStep
from termgauge.engine.models import shape_of
from termgauge.engine.units import BoundTask
from termgauge.engine.workers import TerminologySource
from termgauge.exceptions import CannotWriteError, ClusterLostError, TermgaugeError, sentence_of, warn_skipped
from termgauge.reporting.words import size as bytes_for_people
from termgauge.similarity.measures import measures_for
from termgauge.tasks.records import RunView

if TYPE_CHECKING:
    from termgauge.engine.nodes import RunState
    from termgauge.engine.tables import ModelTable, TaskConfig

ANEW = "measured before, to be brought together anew"
LATER = "made from what the other tasks find"
SCORED_PAIRS = 50e3
"""How many pairs are scored by a measure in a second, on two cores."""
BLOCK_TEXTS = 2048
"""Of a block of encoding."""


@dataclass
class TaskNode(Node):
    """A table of a task: its models, or their parts, are its units, and what is made of all of them its result."""

    state: RunState
    config: TaskConfig

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
        task = self.config.task
        if problem := self.problem():
            return PlannedStep(self.step, (Item(self.config.name, "", problem=problem),), 0.0)
        if task.reads_run:
            item, seconds = self._reading() if done else (Item(self.config.name, LATER, todo=1), task.seconds)
            return PlannedStep(self.step, (item,), seconds)
        if task.keeps:
            item, units = self._table()
            return PlannedStep(self.step, (item,), sum(units), tuple(units))
        models = [self._model(table) for table in self.state.experiment.model]
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
        try:
            bound = replace(BoundTask.from_material(task, options, material), folder=self.state.folder.path)
        except (TermgaugeError, OSError) as error:
            return Item(name, "", problem=sentence_of(error)), []
        keys = {model: opened.identity.key if opened else "" for model, opened in fitting.items()}
        left = [part for model, key in keys.items() for part in (bound.missing(model, key) if key else bound.parts)]
        there = not left and bound.combined(keys)
        failing = sum(bool(entry.problem) for entry in models.values())
        every, called = (len(fitting) + failing) * len(bound.parts), task.parts_called or "models"
        what = f"{len(left)} of {every} {called} to be measured" if left else "" if there else ANEW
        seconds = [task.part_seconds(part, bound.inputs, options) for part in left]
        return Item(name, what, there=there, todo=len(left)), seconds

    def _reading(self) -> tuple[Item, float]:
        """Plan a table of a task that reads what others find, all of which is there."""
        task, name = self.config.task, self.config.name
        names: dict[str, list[str]] = {}
        for config in self.state.experiment.task_configs():
            names.setdefault(config.task.name, []).append(config.name)
        run = replace(self.state.folder.scored(self.state.experiment.testing), tasks=names)
        try:
            bound = BoundTask.from_material(task, self.config.options, self.state.material(self.config, run))
        except (TermgaugeError, OSError) as error:
            return Item(name, "", problem=sentence_of(error)), 0.0
        return (Item(name, "", there=True), 0.0) if bound.combined({}) else (Item(name, LATER, todo=1), task.seconds)

    def _model(self, table: ModelTable) -> tuple[Item, list[float]]:
        """Plan a model of a task that itself keeps what it makes; return with it the seconds of what can be shared."""
        from termgauge.embeddings.spec import ModelSpec

        state, task, options = self.state, self.config.task, self.config.options
        name, entry = table.title, state.known_models[table.title]
        if entry.problem:
            return Item(name, table.spec, problem=entry.problem), []
        left = [(pairs.id, len(pairs)) for pairs in state.sets]
        if entry.model is not None:
            record = state.session.record
            view = RunView(state.folder.path, record.models, record.sets, tuple(record.measures), record.testing)
            inputs = task.inputs(options, state.material(self.config, view))
            try:
                wanted = task.left(entry.model, inputs, options)
            except TermgaugeError as error:
                return Item(name, table.spec, problem=str(error)), []
            left = [(part, size) for part, size in left if part in wanted]
        todo, pairs = len(left) + state.unbuilt, sum(size for _part, size in left) + state.unbuilt_pairs
        spec = ModelSpec.parse(table.spec)
        what = [table.spec, bytes_for_people(entry.size) if entry.size else "", shape_of(spec)]
        # A set that is yet to be built may come out as one that was scored before.
        at_most = "up to " if state.unbuilt and entry.model is not None else ""
        what += [f"{at_most}{todo} of {len(state.sets) + state.unbuilt} sets to be scored" if todo else ""]
        seconds: list[float] = []
        if todo:
            measures = len(state.experiment.scoring.measures or measures_for("words"))
            seconds = [pairs * measures / SCORED_PAIRS + entry.size / 100e6]
            if rate := entry.terms_per_second:
                texts = sum(terminology.terms.height for terminology in state.terminologies.values()) or pairs
                blocks = math.ceil(min(texts, 2 * pairs) / BLOCK_TEXTS)
                seconds += [min(texts, 2 * pairs) / rate / blocks] * blocks
        return Item(name, ", ".join(filter(None, what)), there=not todo, todo=todo), seconds

    def work(self) -> None:
        """Measure the table; one that cannot be measured is noted, instead of losing all that was done before it."""
        state, task = self.state, self.config.task
        if self.title not in state.section_failures:  # else it was said before anything began
            material = state.material(self.config, state.folder.scored(state.experiment.testing))
            try:
                state.session.measure(task, self.config.options, material, self._source())
            except (CannotWriteError, ClusterLostError):
                raise
            except Exception as error:  # a defect, too, which the sentence says
                if not state.session.record.models:
                    raise TermgaugeError(f"No model can be used: {sentence_of(error)}") from None
                if not task.keeps:
                    if isinstance(error, TermgaugeError | OSError | MemoryError):
                        raise
                    state.defect = error
                self.fail(sentence_of(error))
        if self.title in state.section_failures:
            task.discard(state.folder.path, self.config.name)  # what it was is out of date
        state.note()

    def fail(self, reason: str) -> None:
        """Note that the table cannot be measured, and say it."""
        self.state.section_failures[self.title] = reason
        warn_skipped(f"the section '{self.title}'", f"The section '{self.title}' is left out: {reason}")

    def _source(self) -> TerminologySource | None:
        """Say how a worker reads the terminology."""
        table = self.state.terminology_table(self.config)
        if table is None:
            return None
        sha256 = self.state.terminologies[table.name].identity.sha256
        return TerminologySource(tuple(map(str, table.sources)), table.reading, sha256)
