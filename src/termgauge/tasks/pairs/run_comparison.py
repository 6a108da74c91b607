"""What comparing a whole run gives: the models on each set, and the measures of each model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from termgauge.display import Showing, shortened
from termgauge.plurals import numbered
from termgauge.statistics.power import Detectable
from termgauge.statistics.significance import Comparison
from termgauge.tasks.results import finite

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class SetComparison:
    """The models of a run on one set."""

    set: str
    measures: dict[str, str]
    """The measure that stands for each model."""
    comparison: Comparison
    detectable: Detectable | None
    """The smallest difference that a set of this size could have shown."""
    guessing: float | None = None
    """What guessing gives on the pairs compared, as accuracy the share of the more frequent label; None of ratings."""


@dataclass(frozen=True)
class MeasureComparison:
    """The measures of one model on one set."""

    set: str
    model: str
    comparison: Comparison


@dataclass(frozen=True, repr=False)
class RunComparison(Showing):
    """All comparisons of a run."""

    shown_by = "termgauge.tasks.pairs.sections.compared:overview_sections"

    run: str
    """The folder of the run."""
    models: tuple[SetComparison, ...]
    measures: tuple[MeasureComparison, ...]

    def _brief(self) -> str:
        models = {name for each in self.models for name in each.comparison.names}
        return (
            f"comparison of '{shortened(self.run)}': {numbered(len(models), 'model')} on "
            f"{numbered(len(self.models), 'set')}, {numbered(len(self.measures), 'comparison')} of measures"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each two models on each set: their difference, its interval, and whether it is real."""
        import polars as pl

        rows = [
            {"set": each.set, "statistic": each.comparison.statistic, **difference}
            for each in self.models
            for difference in _as_dict(each.comparison)["differences"]
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def as_dict(self) -> dict[str, Any]:
        """Return all comparisons as JSON-like values."""
        return {
            "run": self.run,
            "models": {
                each.set: {
                    **_as_dict(each.comparison),
                    "measures": each.measures,
                    "detectable": None if each.detectable is None else finite(each.detectable.difference),
                    "guessing": each.guessing,
                }
                for each in self.models
            },
            "measures": [{"set": one.set, "model": one.model, **_as_dict(one.comparison)} for one in self.measures],
        }


def _as_dict(comparison: Comparison) -> dict[str, Any]:
    names = comparison.names
    return {
        "statistic": comparison.statistic,
        "test": comparison.test,
        "n": comparison.n,
        "alpha": comparison.alpha,
        "correction": comparison.correction,
        "resamples": comparison.resamples,
        "comparisons": comparison.comparisons,
        "systems": [
            {
                "name": names[place],
                "value": finite(comparison.values[place].value),
                "low": finite(comparison.values[place].low),
                "high": finite(comparison.values[place].high),
                "wins": comparison.wins[place],
                "losses": comparison.losses[place],
                **({"accuracy_cv": comparison.cross_validated[place]} if comparison.cross_validated else {}),
            }
            for place in comparison.ranking
        ],
        "differences": [
            {key: finite(value) for key, value in comparison.between(one, other)._asdict().items()}
            for at, one in enumerate(names)
            for other in names[at + 1 :]
        ],
    }
