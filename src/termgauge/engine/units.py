"""Units of work: one task on one model, or on a part of it, known by what it is made from.

A unit is kept, and alone in its failure. Only a folder that cannot be written ends the whole.
"""

from __future__ import annotations

import json
import time
import warnings
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from termgauge.engine.run_folder import Failure
from termgauge.exceptions import (
    CannotWriteError,
    ClusterLostError,
    ModelGivenUpError,
    TermgaugeWarning,
    sentence_of,
)
from termgauge.executor import retry_reason
from termgauge.io.atomic import write_text
from termgauge.io.identity import file_name, sha256_of_value, version
from termgauge.io.store import entry_path, mark_used, with_checksum, without_checksum
from termgauge.options import Place, metadata_of
from termgauge.tasks.records import ModelRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from termgauge.embeddings.model import Model
    from termgauge.options import Options
    from termgauge.tasks.contract import AnyTask, Material

OPENING = "opening"
_LAYOUT = 2


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
        fields = type(options).model_fields.items() if identity is not None else ()
        paths = {name for name, info in fields if metadata_of(info, Place) is not None}
        about = [
            asdict(material.terminology.identity) if material.terminology else None,
            [pairs.sha256 for pairs in material.sets],
            material.testing.model_dump(include=set(task.testing)),
            options.model_dump(mode="json", exclude=paths),  # what a file holds counts, not where it is
            identity,
        ]
        made = [_LAYOUT, version(), task.name, task.version]
        key = sha256_of_value([*made, *about])
        parts = {
            part: "" if content is None else sha256_of_value([*made, content])
            for part, content in task.parts(inputs, options).items()
        }
        folder = material.run.path if material.run is not None and task.keeps else None
        return cls(task, options, inputs, key, folder, material.name, parts, step or task.name)

    def _files(self, model: str, key: str, part: str) -> list[Path]:
        """Return where a part may be kept, and is to be kept if it is in none: in the run; of several, in the cache."""
        files = []
        if self.folder is not None:
            stem = self.folder / self.task.name / file_name(self.name) / file_name(model)
            files.append(stem / f"{file_name(part)}.json" if part else stem.with_name(f"{stem.name}.json"))
        if self.task.parts_called:
            files.append(entry_path(self.task.name, f"{sha256_of_value(self._identity(key, part))}.json"))
        return files

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
        for part, measured in there.items() if self.task.parts_called else ():  # it may be in the cache alone
            file = self._files(model.name, model.identity.key, part)[0]
            if self.folder is None:
                mark_used(file)
            elif self._read(file, model.identity.key, part) is None:
                self.keep(model.name, model.identity.key, part, measured)
        if left:
            measured = self.task.measure_parts(model, self.inputs, self.options, left)
            for part, value in zip(left, measured, strict=True):
                self.keep(model.name, model.identity.key, part, value)
                there[part] = value
        return self.task.joined([there[part] for part in wanted])

    def keep(self, model: str, key: str, part: str, measured: Any) -> None:  # noqa: ANN401
        """Keep a part of a model whose identity has a key."""
        for path in self._files(model, key, part)[:1]:
            identity = self._identity(key, part)
            plain = TypeAdapter(self.task.measured_type).dump_python(measured, mode="json")
            text = json.dumps({"identity": identity, "measured": plain}, ensure_ascii=False)
            write_text(path, with_checksum(text) + "\n")

    def attempt(
        self, name: str, opened: Callable[[], Model], parts: Sequence[str] = (), *, elsewhere: bool = False
    ) -> Outcome:
        """Open a model and measure parts of it, or all; one that fails, for whatever reason, costs itself alone.

        With `elsewhere` another machine may have what this one lacks: that is raised.
        """
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
                if elsewhere and retry_reason(error):
                    raise
                failure = Failure(step=step, reason=sentence_of(error))
                given_up = isinstance(error, ModelGivenUpError)
        notes = tuple(str(warning.message) for warning in caught if issubclass(warning.category, TermgaugeWarning))
        seconds = time.monotonic() - began
        return Outcome(name, record, measured, failure, notes, seconds, given_up, tuple(parts) or ("",))
