"""What comparing a whole run gives: the models on each set, and the measures of each model."""

from __future__ import annotations

from dataclasses import dataclass

from termgauge.statistics.power import Detectable
from termgauge.statistics.significance import Comparison


@dataclass(frozen=True)
class SetComparison:
    """The models of a run on one set."""

    set: str
    measures: dict[str, str]
    """The measure that stands for each model."""
    comparison: Comparison
    detectable: Detectable | None
    """The smallest difference that a set of this size could have shown."""


@dataclass(frozen=True)
class MeasureComparison:
    """The measures of one model on one set."""

    set: str
    model: str
    comparison: Comparison


@dataclass(frozen=True)
class RunComparison:
    """All comparisons of a run."""

    run: str
    """The folder of the run."""
    models: tuple[SetComparison, ...]
    measures: tuple[MeasureComparison, ...]
