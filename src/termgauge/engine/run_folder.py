"""A run on disk.

    run.json                    identities, versions, seeds, what failed and why
    sets/  scores/  results.*   pairs, their scores, and the values made from them
    TASK/NAME.json              the result of a task; TASK/NAME/ what was measured of each model

Every file is written whole or not at all and says what it belongs to, so a run that was killed goes on where it
stopped.
"""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError

from termgauge.display import Showing, shortened
from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.io.atomic import TEMPORARY_PREFIX, is_temporary, open_lock, refuse_links, try_lock, write_text
from termgauge.io.identity import library_versions, version
from termgauge.io.paths import as_text, expanded
from termgauge.io.source import read_small
from termgauge.io.store import with_checksum, without_checksum
from termgauge.plurals import numbered
from termgauge.tasks.contract import Testing
from termgauge.tasks.pairs.scored import ScoredSets
from termgauge.tasks.records import ModelDescription, ModelRecord, SetRecord
from termgauge.tasks.results import Record, damage
from termgauge.terminology.model import TerminologyIdentity

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

    from termgauge.reporting.blocks import Document, Section
    from termgauge.statistics.comparison import Joint


RUN, LOCK = "run.json", ".lock"
_MARK = b"of a run of termgauge\n"
"""What stands in the lock file, by which a run folder is known before it has a ``run.json``."""
EXPERIMENT, REPORT = "experiment.toml", "report.html"


@dataclass(frozen=True, repr=False)
class RunFolder(Showing):
    """A run folder, there or to be made."""

    path: Path

    def _shown(self) -> Document:
        return run_in_brief(self)

    def record(self) -> RunRecord:
        """Return what ``run.json`` says; a fresh record if there is none."""
        if self.path.exists() and not self.path.is_dir():
            raise TermgaugeError(f"{self.path}: is a file, not a run folder; name another folder.")
        file = self.path / RUN
        try:
            text = read_small(file, 256 << 20)
        except FileNotFoundError:
            return RunRecord()
        except OSError as error:
            raise TermgaugeError(f"{file}: cannot be read ({error.strerror or error}); name another folder.") from None
        return RunRecord.read(text, str(file))

    def write(self, record: RunRecord) -> None:
        """Write ``run.json``."""
        write_text(self.path / RUN, with_checksum(record.model_dump_json(indent=2)) + "\n")

    def scored(self, testing: Testing | None = None) -> ScoredSets:
        """Return its sets and their scores, to be tested as the run says unless told otherwise."""
        record = self.record()
        measures, tested = tuple(record.measures), testing or record.testing
        failures = {name: failure.reason for name, failure in record.failures.items()}
        families = {name: description.family for name, description in record.descriptions.items() if description.family}
        return ScoredSets(self.path, record.models, record.sets, measures, tested, record.tasks, failures, families)

    def results(self) -> pl.DataFrame:
        """Return the values: model, set, measure, statistic, value, low, high, n, subset."""
        return self.scored().results()

    def to_frame(self) -> pl.DataFrame:
        """Return the values, as `results` does."""
        return self.results()

    def _brief(self) -> str:
        record = self.record()
        size = f"{numbered(len(record.models), 'model')}, {numbered(len(record.sets), 'set')}"
        return f"run '{shortened(self.path)}': {size}"

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Hold the folder while it is worked on, and sweep what a killed process was writing."""
        if as_text(str(self.path)) != str(self.path):
            raise TermgaugeError(f"{self.path}: its name is no UTF-8 text; name another folder with --out.")
        self._spare_others()
        refuse_links(self.path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = open_lock(self.path / LOCK)
        except OSError as error:
            reason = error.strerror or error
            raise CannotWriteError(
                f"{self.path}: cannot be written ({reason}); name another folder with --out."
            ) from error
        with file:
            lock = try_lock(file)
            if lock is False:
                raise TermgaugeError(f"{self.path}: another process is at work in it; wait for it, or use --out.")
            for left in filter(is_temporary, self.path.rglob(f"{TEMPORARY_PREFIX}*")) if lock else ():
                if left.is_dir():
                    shutil.rmtree(left, ignore_errors=True)
                else:
                    left.unlink(missing_ok=True)
            if not file.tell():
                file.write(_MARK)
                file.flush()
            yield

    def _spare_others(self) -> None:
        """Refuse a folder of other things: files of the same names in it would be written over."""
        for name, mark in ((RUN, b'"layout":'), (LOCK, _MARK)):  # even of a run that is damaged
            with suppress(OSError), (self.path / name).open("rb") as file:
                if mark in file.read(1 << 20):
                    return
        others = (path.name for path in self.path.iterdir() if path.name != LOCK) if self.path.is_dir() else ()
        for name in others:
            raise TermgaugeError(
                f"{self.path}: is no run folder and holds other files ('{name}'); name a new or an empty folder."
            )


def open_run(path: str | os.PathLike[str] | RunFolder) -> RunFolder:
    """Open a run that is there; one that is open stays as it is."""
    if isinstance(path, RunFolder):
        return path
    run = RunFolder(expanded(path))
    if not (run.path / RUN).is_file():
        raise TermgaugeError(
            f"{run.path}: is no run folder (it has no {RUN}); make one with termgauge run or evaluate."
        )
    refuse_links(run.path)
    _ = run.record()
    return run


LAYOUT = 1
_LIBRARIES = ("numpy", "numba", "polars", "scipy", "scikit-learn", "tokenizers", "torch")
_FORMER_TASKS = ("categories", "coverage")
"""Tables whose names version 0.1.0 wrote beside each other; coverage stood for analogies, too."""


class DamagedRunError(TermgaugeError):
    """What a run folder says of itself cannot be read."""


class Failure(Record):
    """Why a model is not in all results."""

    step: str
    reason: str


class UnitRecord(Record):
    """How a unit was done: what it was, by whom, how long it took, and how often it was begun."""

    task: str
    table: str = ""
    model: str
    part: str = ""
    worker: str = ""
    """Empty for the process that ran the experiment, and those that it started."""
    seconds: float
    tries: int = 1


class BenchmarkRecord(Record):
    """A benchmark that was built or taken."""

    folder: str = ""
    terminology: TerminologyIdentity | None = None
    seed: int | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)


class RunRecord(Record):
    """What a run folder says of itself."""

    layout: int = LAYOUT
    sets: dict[str, SetRecord] = Field(default_factory=dict)
    models: dict[str, ModelRecord] = Field(default_factory=dict)
    termgauge: str = ""
    libraries: dict[str, str] = Field(default_factory=dict)
    alpha: float = 0.05
    correction: str = "holm"
    seed: int = 42
    title: str = ""
    command: str = ""
    measures: list[str] = Field(default_factory=list)
    """Those that count; all that fit a model if none is named."""
    significance: Testing = Field(default_factory=Testing)
    descriptions: dict[str, ModelDescription] = Field(default_factory=dict)
    """What the experiment file says about models."""
    terminologies: dict[str, TerminologyIdentity] = Field(default_factory=dict)
    benchmarks: dict[str, BenchmarkRecord] = Field(default_factory=dict)
    tasks: dict[str, list[str]] = Field(default_factory=dict)
    """By task, what the tables of the experiment are called, in the order of the file."""
    failures: dict[str, Failure] = Field(default_factory=dict)
    section_failures: dict[str, str] = Field(default_factory=dict)
    """Tables that could not be measured at all, and why."""
    left_out: list[str] = Field(default_factory=list)
    """A sentence for each model that failed."""
    timings: dict[str, float] = Field(default_factory=dict)
    units: list[UnitRecord] = Field(default_factory=list)
    """How each unit was done that is not older than these records."""

    @classmethod
    def read(cls, text: bytes, label: str) -> RunRecord:
        """Read ``run.json``."""
        advice = "score into a new folder with --out."
        try:
            document = json.loads(without_checksum(text))
            layout = document.get("layout")
            former = {name: document.get(name) or [] for name in _FORMER_TASKS}
        except (ValueError, AttributeError, RecursionError) as error:
            raise DamagedRunError(f"{label}: is damaged ({error}); {advice}") from None
        if layout != LAYOUT:
            versions = f"layout {layout}, this one has {LAYOUT}"
            raise TermgaugeError(f"{label}: was written by another version of termgauge ({versions}); {advice}")
        for part in ("sets", "models"):
            if part not in document:
                raise DamagedRunError(f"{label}: is damaged (it has no '{part}'); {advice}")
        document.setdefault("tasks", {**former, "analogies": former["coverage"]})
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            raise DamagedRunError(f"{label}: is damaged ({damage(error)}); {advice}") from None

    def made_now(self, testing: Testing) -> RunRecord:
        """Say with what the values are made."""
        made = {"termgauge": version(), "libraries": library_versions(_LIBRARIES)}
        return self.tested(testing).model_copy(update=made)

    def tested(self, testing: Testing) -> RunRecord:
        """Say how differences are tested."""
        settings = testing.model_dump(include={"alpha", "correction", "seed"})
        return self.model_copy(update={**settings, "significance": testing})

    @property
    def testing(self) -> Testing:
        """How differences are tested."""
        settings = {"alpha": self.alpha, "correction": self.correction, "seed": self.seed}
        return self.significance.model_copy(update=settings)


def run_in_brief(run: RunFolder) -> Document:
    """Return what a run holds, and its values; nothing is compared that was not compared before."""
    from termgauge.reporting.blocks import Document, Fact
    from termgauge.reporting.words import number

    record = run.record()
    facts = [Fact("Folder", str(run.path)), Fact("Models", number(len(record.models)))]
    facts += [Fact("Sets", number(len(record.sets)))] if record.sets else []
    facts += [Fact("Other measurements", ", ".join(others))] if (others := [*record.tasks]) else []
    facts += [Fact("Could not be used", ", ".join(record.failures))] if record.failures else []
    sections = (values_of_run(run),) if record.sets and record.models else ()
    return Document(record.title, (), tuple(facts), sections)


def values_of_run(run: RunFolder, *, compared: bool = False) -> Section:
    """Return the values of a run; on request with which differences are significant."""
    from termgauge.reporting.blocks import Prose, Section
    from termgauge.tasks.pairs.result import PairsResult
    from termgauge.tasks.pairs.sections.compared import value_section

    scored, comparison = run.scored(), None
    result = PairsResult(results=scored.results(), scored=scored)
    if not result.results.height:
        return Section("values", "Values", (Prose(("No pair was scored.",)),))
    if compared and len(scored.models) > 1:
        with suppress(TermgaugeError):  # nothing to compare
            comparison = result.compared
    return value_section(result.standings_by(comparison))


def verdicts_of_run(run: RunFolder, *, pairs: bool = True) -> Iterator[tuple[str, Joint]]:
    """Yield for each task of a run its title, which pairs need not have, and its verdict; if asked without pairs."""
    from termgauge.reporting.words import headed
    from termgauge.tasks.registry import all_tasks

    record, view = run.record(), run.scored()
    for task in (task for task in all_tasks().values() if pairs or task.name != "pairs"):
        for name in record.tasks.get(task.name, []) if task.repeated else [task.name]:
            with suppress(TermgaugeError):  # what cannot be read is said by the report
                result = task.load(view, name)
                if result is not None and (joint := result.main_comparison()) is not None:
                    yield "" if task.name == "pairs" else headed(task.title, name if task.repeated else ""), joint
