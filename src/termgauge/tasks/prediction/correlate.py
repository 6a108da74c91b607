"""Correlating benchmarks with tasks over the models that have both, and saying what so few models can show."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field

from termgauge.exceptions import TermgaugeError
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.reporting.words import listed
from termgauge.statistics.correlation import FEWEST, association, without_each
from termgauge.statistics.inputs import adjusted
from termgauge.statistics.planning import critical_r, detectable_r, power_of_r
from termgauge.tasks.prediction.scores import common
from termgauge.tasks.results import Finite, Record, Result, Value, finite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from termgauge.tasks.prediction.scores import Scores


class Correlation(Record):
    """How a benchmark and a task go together over the models that have both scores."""

    benchmark: str
    task: str
    n: int
    r: Finite
    """Pearson's; none for fewer than three models, or where one of the scores is the same for all."""
    p: Finite
    """Of r, for this correlation alone."""
    low: Finite
    high: Finite
    """Fisher's interval of r alone; none for fewer than four models."""
    adjusted_p: Finite = None
    """Of rho, corrected for all correlations."""
    significant: bool = False
    rho: Finite
    """Spearman's."""
    rho_p: Finite
    rho_low: Finite = None
    rho_high: Finite = None
    attenuation: Finite = None
    """What a correlation of 1 would come out as, for the error that the benchmark's own scores have; none of tables."""
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
    """At which one alone is tested."""
    critical: float
    """The smallest r that is significant then."""
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
    """Those that are named; else models whose names differ in numbers alone."""
    named_families: bool = False
    """Whether p-values go by the families because they are named."""
    benchmarks: dict[str, dict[str, float]]
    """The scores, by benchmark and model."""
    tasks: dict[str, dict[str, float]]

    def values(self) -> Iterator[Value]:
        """Yield both correlations of each benchmark and task; they are of no single model."""
        for cell in self.cells:
            item = f"{cell.benchmark} → {cell.task}"
            yield Value("", "pearson", cell.r, cell.low, cell.high, cell.n, item, better="")
            yield Value("", "spearman", cell.rho, cell.rho_low, cell.rho_high, cell.n, item, better="")

    def _brief(self) -> str:
        named = f" {self.name!r}" if self.name else ""
        return (
            f"{type(self).__name__}{named}: {numbered(len(self.cells), 'correlation')} over {numbered(self.n, 'model')}"
        )


TRUE = (0.3, 0.5, 0.7, 0.9)
"""True correlations for which it is said how often they would be found."""
_LEAST_MODELS, _LEAST_FAMILY = 2, 3
_MOST_NAMED = 3
_MOST_MODELS = 500
"""Of so many models no single one matters."""


def predict(
    scores: Scores, *, alpha: float, correction: str, attenuations: Mapping[str, float] | None = None
) -> PredictionResult:
    """Correlate each benchmark with each task; `attenuations` are those of benchmarks, where they are known."""
    sides = scores.intrinsic, scores.extrinsic
    both = [
        (benchmark, task, common(one, other, scores.models))
        for benchmark, one in scores.intrinsic.items()
        for task, other in scores.extrinsic.items()
    ]
    if max(len(models) for _benchmark, _task, models in both) < _LEAST_MODELS:
        scored = [len(set().union(*columns.values())) for columns in sides]
        have = f"{numbered(len(scores.models), 'model')} {plural(scored[0], 'has', 'have')}"
        raise TermgaugeError(
            f"{scores.label}: no two models have both the score of a benchmark and that of a task, so nothing can be "
            f"correlated; {scored[0]} of {have} a benchmark's score, {scored[1]} a task's."
        )
    cells: list[Correlation] = []
    with track("Correlating", total=len(both), unit="correlations") as advance:
        for benchmark, task, models in both:
            columns = [[side[model] for model in models] for side in (sides[0][benchmark], sides[1][task])]
            named = [scores.families.get(model, "") for model in models]
            related = association(columns[0], columns[1], named if any(named) else ())
            influential, without = _influence(columns, models, related.r)
            cells.append(
                Correlation(
                    benchmark=benchmark,
                    task=task,
                    n=related.n,
                    r=related.r,
                    p=related.p_value,
                    **related.interval(alpha)._asdict(),
                    rho=related.rho,
                    rho_p=related.rho_p,
                    **{f"rho_{end}": value for end, value in related.rho_interval(alpha)._asdict().items()},
                    attenuation=(attenuations or {}).get(benchmark),
                    influential=influential,
                    without=without,
                    left_out=[model for model in scores.models if model not in models],
                )
            )
            advance(1)
    p_values = adjusted([math.nan if cell.rho_p is None else cell.rho_p for cell in cells], correction).tolist()
    cells = [
        cell.model_copy(update={"adjusted_p": finite(p_value), "significant": p_value < alpha})
        for cell, p_value in zip(cells, p_values, strict=True)
    ]
    counts = Counter(cell.n for cell in cells if cell.r is not None)
    used = {model for _benchmark, _task, models in both for model in models}
    taking_part = [model for model in scores.models if model in used]
    return PredictionResult(
        left_out=list(_left_out(scores)),
        n=len(taking_part),
        alpha=alpha,
        correction=correction,
        cells=cells,
        power=[
            Power(
                n=n,
                correlations=count,
                level=alpha,
                critical=critical_r(n, alpha),
                power={str(true): power_of_r(true, n, alpha) for true in TRUE},
                detectable=detectable_r(n, alpha),
            )
            for n, count in sorted(counts.items())
        ],
        families=families_of(taking_part, scores.families),
        named_families=bool(scores.families),
        benchmarks=scores.intrinsic,
        tasks=scores.extrinsic,
    )


def _influence(columns: Sequence[Sequence[float]], models: Sequence[str], r: float) -> tuple[str, float | None]:
    """Return the model without which r would differ most, and what it would be."""
    others = zip(models, without_each(*columns), strict=True) if FEWEST < len(models) <= _MOST_MODELS else []
    defined = [(model, other) for model, other in others if not math.isnan(other - r)]
    return max(defined, key=lambda without: abs(without[1] - r), default=("", None))


def _left_out(scores: Scores) -> Iterator[str]:
    """Yield a sentence for each model that lacks scores."""
    for model in scores.models:
        names = [name for side in (scores.intrinsic, scores.extrinsic) for name in side if model not in side[name]]
        if names:
            more = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
            reason = f": {scores.reasons[model]}" if model in scores.reasons else "."
            yield f"{model}: has no score on {listed([*names[:_MOST_NAMED], *more])}{reason}"


def families_of(models: Sequence[str], named: Mapping[str, str]) -> list[list[str]]:
    """Return the families that are named; else models whose names differ in numbers alone, such as other windows.

    >>> families_of(["SG-1", "SG-2", "SG-30", "CBOW"], {})
    [['SG-1', 'SG-2', 'SG-30']]
    """
    alike: dict[str, list[str]] = {}
    for model in models:
        name = named.get(model, "") if named else re.sub(r"\d+(\.\d+)?", "#", model.lower())
        alike.setdefault(name, []).append(model)
    alike.pop("", None)
    return [names for names in alike.values() if len(names) >= (1 if named else _LEAST_FAMILY)]
