"""The values of each model of a run, by the measure that usually stands for it, for those who show them elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from termgauge.engine.run_folder import open_run
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.similarity.measures import default_measure, same_measure
from termgauge.tasks.pairs.results import OWN

if TYPE_CHECKING:
    import os

    from termgauge.engine.run_folder import RunFolder, RunRecord
    from termgauge.tasks.records import ModelRecord, SetRecord

COVERAGE = "coverage"


@dataclass(frozen=True)
class Estimate:
    """A value with its interval, where it has one."""

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class SetValues:
    """What a model reaches on a set, on the pairs that it can score."""

    id: str
    about: SetRecord
    measure: str
    values: dict[str, Estimate]
    """By statistic."""
    coverage: float
    """The share of pairs that it can score."""

    @property
    def cosine(self) -> bool:
        """Whether the measure is the cosine of two vectors."""
        return same_measure(self.measure, "cos")


@dataclass(frozen=True)
class ModelValues:
    """A model of a run, and its values on each set."""

    name: str
    record: ModelRecord
    sets: list[SetValues]


@dataclass(frozen=True)
class RunValues:
    """All models of a run, or one."""

    record: RunRecord
    models: list[ModelValues]

    @classmethod
    def of(cls, run: str | os.PathLike[str] | RunFolder, model: str | None = None) -> RunValues:
        """Read them; the model that is named must be there."""
        opened = open_run(run)
        record, results = opened.record(), opened.results()
        if model is not None and model not in record.models:
            raise TermgaugeError(f"{opened.path}: has no model '{model}'.{did_you_mean(model, record.models)}")
        names = [model] if model is not None else list(record.models)
        models = [ModelValues(name, record.models[name], _sets(results, record, name)) for name in names]
        if not any(each.sets for each in models):
            raise TermgaugeError(f"{opened.path}: has no values of pairs; make some with termgauge evaluate.")
        return cls(record, [each for each in models if each.sets])


def _sets(results: pl.DataFrame, record: RunRecord, model: str) -> list[SetValues]:
    own = results.filter((pl.col("model") == model) & (pl.col("subset") == OWN) & pl.col("value").is_not_null())
    found = []
    for set_id, about in record.sets.items():
        here = own.filter(pl.col("set") == set_id)
        measured = here.filter(pl.col("statistic") != COVERAGE)
        measure = default_measure(measured["measure"].unique(maintain_order=True), record.models[model].kind)
        if measure is None:
            continue
        rows = here.filter(pl.col("measure") == measure).select("statistic", "value", "low", "high", "n")
        values = {statistic: Estimate(value, low, high, n) for statistic, value, low, high, n in rows.iter_rows()}
        covered = values.pop(COVERAGE, Estimate(1.0, None, None, about.pairs)).value
        found.append(SetValues(set_id, about, measure, values, covered))
    return found
