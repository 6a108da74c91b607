"""Values of a set, in a tidy table: each model and measure, on its own pairs and on those that all models can score.

Graded sets have Spearman's rho with a BCa interval; binary ones the area under the ROC curve with DeLong's interval and
the accuracy, at the best threshold and cross-validated, with Wilson's.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet

SCHEMA: dict[str, Any] = {
    "model": pl.String,
    "set": pl.String,
    "measure": pl.String,
    "statistic": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "subset": pl.String,
}
STATISTICS = ("spearman", "auc", "accuracy", "accuracy_cv", "coverage")
OWN, SHARED = "own", "shared"

Scores = "Mapping[tuple[str, str], NDArray[np.float64]]"


def truth_of(pairs: PairSet) -> NDArray[np.float64]:
    """Return the ratings of a graded set, or the labels of a binary one."""
    column = "score" if pairs.graded else "label"
    return pairs.frame[column].cast(pl.Float64).to_numpy()


def shared_pairs(scores: Mapping[tuple[str, str], NDArray[np.float64]], size: int) -> NDArray[np.bool_]:
    """Return which pairs every model can score with every measure."""
    usable = np.ones(size, np.bool_)
    for values in scores.values():
        usable &= ~np.isnan(values)
    return usable


def set_results(
    pairs: PairSet, scores: Mapping[tuple[str, str], NDArray[np.float64]], *, alpha: float = 0.05
) -> pl.DataFrame:
    """Return all values of a set.

    Parameters
    ----------
    pairs
        The set.
    scores
        By model and measure, a score per pair; NaN where there is none.
    alpha
        Intervals have level 1 - alpha.
    """
    truth = truth_of(pairs)
    together = shared_pairs(scores, len(pairs))
    rows = [
        {"model": model, "set": pairs.id, "measure": measure, **row}
        for (model, measure), values in scores.items()
        for row in _values(pairs, truth, values, together, alpha)
    ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _values(
    pairs: PairSet,
    truth: NDArray[np.float64],
    values: NDArray[np.float64],
    together: NDArray[np.bool_],
    alpha: float,
) -> Iterator[dict[str, object]]:
    from termgauge.evaluation.separation import wilson

    own = ~np.isnan(values)
    low, high = wilson(int(own.sum()), len(own), alpha) if len(own) else (math.nan, math.nan)
    covered = float(own.mean()) if len(own) else math.nan
    yield _row("coverage", (covered, low, high), len(own), OWN)
    for subset, usable in ((OWN, own), (SHARED, together)):
        measured = _graded if pairs.graded else _binary
        for statistic, found in measured(values[usable], truth[usable], alpha):
            yield _row(statistic, found, int(usable.sum()), subset)


_Value = tuple[float, float, float]
_UNDEFINED: _Value = (math.nan, math.nan, math.nan)


def _graded(values: NDArray[np.float64], truth: NDArray[np.float64], alpha: float) -> Iterator[tuple[str, _Value]]:
    from termgauge.evaluation.correlation import spearman_with_interval

    if len(values) < 2:
        yield "spearman", _UNDEFINED
        return
    found = spearman_with_interval(values, truth, alpha=alpha)
    yield "spearman", (found.value, found.low, found.high)


def _binary(values: NDArray[np.float64], truth: NDArray[np.float64], alpha: float) -> Iterator[tuple[str, _Value]]:
    from termgauge.evaluation.separation import auc, best_accuracy, cross_validated_accuracy

    if len(np.unique(truth)) < 2:
        for statistic in ("auc", "accuracy", "accuracy_cv"):
            yield statistic, _UNDEFINED
        return
    for statistic, measure in (("auc", auc), ("accuracy", best_accuracy), ("accuracy_cv", cross_validated_accuracy)):
        found = measure(values, truth, alpha=alpha)
        yield statistic, (found.value, found.low, found.high)


def _row(statistic: str, found: _Value, n: int, subset: str) -> dict[str, object]:
    value, low, high = (None if math.isnan(number) else number for number in found)
    return {"statistic": statistic, "value": value, "low": low, "high": high, "n": n, "subset": subset}
