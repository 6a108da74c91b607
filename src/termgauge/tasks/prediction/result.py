"""What prediction finds: a correlation for each benchmark and task, and what so few models could have shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from termgauge.plurals import numbered
from termgauge.tasks.results import Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator


class Correlation(Record):
    """How a benchmark and a task go together over the models that have both scores."""

    benchmark: str
    task: str
    n: int
    r: Finite
    """Pearson's; none for fewer than three models, or where one of the scores is the same for all."""
    p: Finite
    low: Finite
    high: Finite
    """Fisher's interval of r; none for fewer than four models."""
    adjusted_p: Finite
    significant: bool
    rho: Finite
    """Spearman's."""
    rho_p: Finite
    influential: str = ""
    """The model without which r would differ most; none for fewer than four models."""
    without: Finite = None
    """What r would be without it."""
    left_out: list[str] = Field(default_factory=list)
    """Models that lack one of the scores."""


class Power(Record):
    """What so many models can show."""

    n: int
    correlations: int
    """Of how many correlations that is the number of models."""
    level: float
    """At which each is tested."""
    critical: float
    """The smallest correlation that is significant."""
    power: dict[str, float]
    """By true correlation, the share of such studies that would find it."""
    detectable: float
    """The smallest true correlation that is found with a power of 80 %."""


class PredictionResult(Result):
    """Whether benchmarks predict tasks."""

    n: int
    """Models that have both scores of a benchmark and a task."""
    alpha: float
    correction: str
    cells: list[Correlation]
    power: list[Power]
    """For each number of models that there is."""
    families: list[list[str]]
    """Models whose names differ in numbers alone."""
    benchmarks: dict[str, dict[str, float]]
    """The scores, by benchmark and model."""
    tasks: dict[str, dict[str, float]]

    def values(self) -> Iterator[Value]:
        """Yield both correlations of each benchmark and task; they are of no single model."""
        for cell in self.cells:
            item = f"{cell.benchmark} → {cell.task}"
            yield Value("", "pearson", cell.r, cell.low, cell.high, cell.n, item, better="")
            yield Value("", "spearman", cell.rho, n=cell.n, item=item, better="")

    def _brief(self) -> str:
        named = f" {self.name!r}" if self.name else ""
        return (
            f"{type(self).__name__}{named}: {numbered(len(self.cells), 'correlation')} over {numbered(self.n, 'model')}"
        )
