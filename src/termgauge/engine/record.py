"""``run.json``: what a run is about, what it was made with, and what failed in it; runs of version 0.1.0 are read."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field, ValidationError

from termgauge.exceptions import TermgaugeError
from termgauge.io.checksums import unsealed
from termgauge.io.identity import library_versions, version
from termgauge.tasks.contract import Testing
from termgauge.tasks.records import ModelDescription, ModelRecord, SetRecord
from termgauge.tasks.results import Record, damage
from termgauge.terminology.model import TerminologyIdentity

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
    correction: str = "bonferroni"
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
            document = json.loads(unsealed(text))
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
        return self.model_copy(
            update={
                "termgauge": version(),
                "libraries": library_versions(_LIBRARIES),
                "alpha": testing.alpha,
                "seed": testing.seed,
                "significance": self.significance.model_copy(
                    update=testing.model_dump(include={"tests", "min_coverage", "resamples", "groups"})
                ),
            }
        )

    def tested(self, testing: Testing) -> RunRecord:
        """Say how differences are tested."""
        own = testing.model_dump(include={"alpha", "correction", "seed"})
        return self.model_copy(update={**own, "significance": testing})

    @property
    def testing(self) -> Testing:
        """How differences are tested."""
        own = {"alpha": self.alpha, "correction": self.correction, "seed": self.seed}
        return self.significance.model_copy(update=own)
