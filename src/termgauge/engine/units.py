"""Units of work: one task on one model, or on a part of it.

A unit is cached, alone in its failure, and done wherever work is done. What goes in and comes out of a unit of a run is
plain, so that it may run in this process, in another, or on another machine behind any
``concurrent.futures.Executor``. Only a folder that cannot be written ends the whole.
"""

from __future__ import annotations

import json
import time
import warnings
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from termgauge.engine.models import opener
from termgauge.engine.run_folder import Failure, RunFolder
from termgauge.exceptions import (
    CannotWriteError,
    ClusterLostError,
    ModelGivenUpError,
    TermgaugeError,
    TermgaugeWarning,
    sentence_of,
)
from termgauge.executor import on_worker, retry_reason
from termgauge.io.atomic import write_text
from termgauge.io.identity import file_name, sha256_of_value, version
from termgauge.io.store import entry_path, mark_used, with_checksum, without_checksum
from termgauge.options import Place, metadata_of
from termgauge.tasks.contract import Material, Testing
from termgauge.tasks.records import ModelRecord
from termgauge.tasks.registry import task_of
from termgauge.terminology.options import ReadingOptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from termgauge.embeddings.model import Model
    from termgauge.options import Options
    from termgauge.tasks.contract import AnyTask
    from termgauge.terminology.model import Terminology

OPENING = "opening"
_LAYOUT = 2


@dataclass(frozen=True)
class Work:
    """A table of an experiment: what a task is asked, in a form that any worker who sees the same files understands."""

    task: str
    name: str
    options: str
    """As JSON."""
    testing: str
    run: str
    """The run folder, which holds the sets; empty outside of runs."""
    sets: tuple[tuple[str, str], ...] = ()
    """Their ids and hashes."""
    terminology: tuple[tuple[str, ...], str, str] | None = None
    """Where it is, how it is read, as JSON, and the hash of what it holds."""
    data_dir: str | None = None
    specs: tuple[tuple[str, str], ...] = ()
    """The models by name."""
    token: str = ""
    """Of the command: what a worker keeps for one is not used for another, before which files may have changed."""
    apart: str = ""
    """See `Material.apart`."""

    @property
    def title(self) -> str:
        """What messages call it."""
        return task_of(self.task).called(self.name)


class Unit(NamedTuple):
    """A model, and which parts of its measurement are to be made."""

    model: str
    parts: tuple[str, ...] = ("",)


@dataclass(frozen=True)
class Outcome:
    """What became of a unit."""

    model: str
    record: ModelRecord | None = None
    """None if the model did not open."""
    measured: Any = None
    failure: Failure | None = None
    notes: tuple[str, ...] = ()
    """What would have been warned of."""
    seconds: float = 0.0
    given_up: bool = False
    """Whether there is no use in asking the model anything else."""
    parts: tuple[str, ...] = ("",)
    """Which of the parts it is about."""
    worker: str = ""
    """Who did it; empty for this process and those that it starts."""
    tries: int = 1


@dataclass(frozen=True)
class BoundTask:
    """A task that is ready to measure models."""

    task: AnyTask
    options: Options
    inputs: Any
    key: str
    """A hash of all that is measured, the models aside."""
    folder: Path | None = None
    """The run folder in which what is measured of each model is kept; None if it is not."""
    name: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    """In which parts a model is measured, each with a hash of what it is made from; empty where that is the key."""
    step: str = field(default="", compare=False)

    @classmethod
    def from_material(cls, task: AnyTask, options: Options, material: Material, step: str = "") -> BoundTask:
        """Make the inputs of a task, and know them by a hash."""
        inputs = task.inputs(options, material)
        identity = task.identity(inputs, options)
        fields = type(options).model_fields.items()
        places = {name for name, each in fields if identity is not None and metadata_of(each, Place) is not None}
        about = [
            asdict(material.terminology.identity) if material.terminology else None,
            [pairs.sha256 for pairs in material.sets],
            material.testing.model_dump(include=set(task.testing)),
            options.model_dump(mode="json", exclude=places),  # what a file holds counts, not where it is
            identity,
        ]
        made = [_LAYOUT, version(), task.name, task.version]
        key = sha256_of_value([*made, *about])
        parts = {
            part: "" if own is None else sha256_of_value([*made, own])
            for part, own in task.parts(inputs, options).items()
        }
        folder = material.run.path if material.run is not None and task.keeps else None
        return cls(task, options, inputs, key, folder, material.name, parts, step or task.name)

    def _files(self, model: str, key: str, part: str) -> list[Path]:
        """Return where a part may be kept, and is to be kept if it is in none: in the run; of several, in the cache."""
        places = []
        if self.folder is not None:
            own = self.folder / self.task.name / file_name(self.name) / file_name(model)
            places.append(own / f"{file_name(part)}.json" if part else own.with_name(f"{own.name}.json"))
        if self.task.parts_called:
            places.append(entry_path(self.task.name, f"{sha256_of_value(self._identity(key, part))}.json"))
        return places

    def _identity(self, key: str, part: str) -> dict[str, str]:
        """Return what a part of a model whose identity has a key is made from."""
        return {"inputs": self.parts[part] or self.key, "model": key}

    def kept(self, model: str, key: str) -> Any:  # noqa: ANN401 - whatever the task measures
        """Return what was measured of a model whose identity has a key; None if it is not kept, or not all of it."""
        there = self._there(model, key, self.parts)
        return self.task.joined(list(there.values())) if len(there) == len(self.parts) else None

    def missing(self, model: str, key: str) -> list[str]:
        """Return the parts that are not kept of a model whose identity has a key."""
        there = self._there(model, key, self.parts)
        return [part for part in self.parts if part not in there]

    def _there(self, model: str, key: str, parts: Iterable[str]) -> dict[str, Any]:
        """Return those of some parts that are kept."""
        read = ((part, self._read(path, key, part)) for part in parts for path in self._files(model, key, part))
        return {part: measured for part, measured in read if measured is not None}

    def _read(self, path: Path, key: str, part: str) -> Any:  # noqa: ANN401
        """Return a part of a model whose identity has a key from a file; None if that does not hold it."""
        with suppress(OSError, ValueError, KeyError, TypeError, RecursionError, ValidationError):
            document = json.loads(without_checksum(path.read_bytes()))
            if document["identity"] == self._identity(key, part):
                return TypeAdapter(self.task.measured_type).validate_python(document["measured"])
        return None

    def identity(self, keys: Mapping[str, str]) -> dict[str, object]:
        """Return what the result of models with these keys is made from."""
        return {"inputs": self.key, "models": dict(keys)}

    def combined(self, keys: Mapping[str, str]) -> bool:
        """Say whether the result of models with these keys is kept."""
        if self.folder is None:
            return False
        with suppress(OSError, ValueError, AttributeError, RecursionError):
            kept = json.loads(without_checksum(self.task.file(self.folder, self.name).read_bytes())).get("identity")
            return bool(kept == self.identity(keys))
        return False

    def measure(self, model: Model, parts: Sequence[str] = ()) -> Any:  # noqa: ANN401
        """Measure parts of a model, all if none is named, or take what is kept of them."""
        wanted = list(parts or self.parts)
        there = self._there(model.name, model.identity.key, wanted)
        left = [part for part in wanted if part not in there]
        if self.task.parts_called:
            self._settle(model, there)
        if left:
            measured = self.task.measure_parts(model, self.inputs, self.options, left)
            for part, own in zip(left, measured, strict=True):
                self._keep(model, part, own)
                there[part] = own
        return self.task.joined([there[part] for part in wanted])

    def _settle(self, model: Model, there: Mapping[str, Any]) -> None:
        """Keep in the run what so far is in the cache alone; outside of runs, note that it was used."""
        for part, measured in there.items():
            place = self._files(model.name, model.identity.key, part)[0]
            if self.folder is None:
                mark_used(place)
            elif self._read(place, model.identity.key, part) is None:
                self._keep(model, part, measured)

    def _keep(self, model: Model, part: str, measured: Any) -> None:  # noqa: ANN401
        self._write(model.name, model.identity.key, part, measured)

    def _write(self, model: str, key: str, part: str, measured: Any) -> None:  # noqa: ANN401
        for path in self._files(model, key, part)[:1]:
            identity = self._identity(key, part)
            plain = TypeAdapter(self.task.measured_type).dump_python(measured, mode="json")
            text = json.dumps({"identity": identity, "measured": plain}, ensure_ascii=False)
            write_text(path, with_checksum(text) + "\n")

    def keep(self, outcome: Outcome) -> None:
        """Keep what another machine measured where this one looks for it."""
        if outcome.measured is not None and outcome.record is not None and len(outcome.parts) == 1:
            self._write(outcome.model, outcome.record.key, outcome.parts[0], outcome.measured)

    def attempt(self, name: str, opened: Callable[[], Model], parts: Sequence[str] = ()) -> Outcome:
        """Open a model and measure parts of it, or all; one that fails, for whatever reason, costs itself alone."""
        began, record, step = time.monotonic(), None, OPENING
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", TermgaugeWarning)
            measured = failure = None
            given_up = False
            try:
                model = opened()
                step = self.step
                record = ModelRecord.of(model)
                measured = self.measure(model, parts)
                record = self.task.record(model, measured)
            except (CannotWriteError, ClusterLostError, KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # a defect, too, which the sentence says; Rust's are no Exception
                if on_worker() and retry_reason(error):
                    raise
                failure = Failure(step=step, reason=sentence_of(error))
                given_up = isinstance(error, ModelGivenUpError)
        notes = tuple(str(each.message) for each in caught if issubclass(each.category, TermgaugeWarning))
        seconds = time.monotonic() - began
        return Outcome(name, record, measured, failure, notes, seconds, given_up, tuple(parts) or ("",))


def joined(task: AnyTask, done: Iterable[Outcome]) -> dict[str, Any]:
    """Return what was measured of each model; None where any part of it failed."""
    parts: dict[str, list[Any]] = {}
    for outcome in done:
        parts.setdefault(outcome.model, []).append(outcome.measured)
    return {model: None if any(part is None for part in each) else task.joined(each) for model, each in parts.items()}


def do(work: Work, unit: Unit, said: Callable[[str], str] = str) -> Outcome:
    """Do a unit in a worker; `said` turns what is said of places into what is to be said instead."""
    here = _prepared(replace(work, specs=()))
    opened = opener(unit.model, dict(work.specs)[unit.model])

    def renamed() -> Model:
        model = opened()
        if (source := said(model.source)) != model.source:
            object.__setattr__(model, "source", source)
        return model

    outcome = here.attempt(unit.model, renamed, unit.parts)
    failure = outcome.failure and outcome.failure.model_copy(update={"reason": said(outcome.failure.reason)})
    return replace(outcome, failure=failure, notes=tuple(map(said, outcome.notes)))


def forget() -> None:
    """Let go of what units share in a worker."""
    _prepared.cache_clear()
    _terminology.cache_clear()


@lru_cache(maxsize=2)
def _prepared(work: Work) -> BoundTask:
    """Make what a unit needs beside its model; units of one table that follow each other in a worker share it."""
    task = task_of(work.task)
    options = task.options.model_validate_json(work.options)
    testing = Testing.model_validate_json(work.testing)
    scored = RunFolder(Path(work.run)).scored(testing) if work.run else None
    material = Material(
        name=work.name,
        terminology=_terminology(*work.terminology) if work.terminology else None,
        sets=tuple(scored.read_set(name) for name, _sha256 in work.sets) if scored else (),
        testing=testing,
        data_dir=Path(work.data_dir) if work.data_dir else None,
        run=scored,
        apart=work.apart,
    )
    return BoundTask.from_material(task, options, material, work.title)


@lru_cache(maxsize=1)
def _terminology(places: tuple[str, ...], reading: str, sha256: str) -> Terminology:
    from termgauge.terminology import read_terminology

    options = ReadingOptions.model_validate_json(reading)
    terminology = read_terminology(places, **options.model_dump())
    if terminology.identity.sha256 != sha256:
        raise TermgaugeError(f"{places[0]}: holds something else here than where the run was started.")
    return terminology
