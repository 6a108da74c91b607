"""The tests of Schulz and Juric (2020): exact McNemar for accuracies, BCa bootstrap for rho; pairs are independent."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.bootstrap import UNDEFINED, Interval, Value, resampled_rhos, resamples_for
from termgauge.statistics.inputs import adjusted, corrected_level
from termgauge.statistics.separation import best_decisions, difference_interval, mcnemar, only_right, wilson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from termgauge.statistics.comparison import SetComparison


class _Tested(NamedTuple):
    """The values of systems, the interval and p-value of each two, and how they were found."""

    test: str
    values: list[Value]
    differences: dict[tuple[int, int], tuple[Interval, float]]
    resamples: int | None


def published_values(
    statistic: str, scores: NDArray[np.float64], truth: NDArray[np.float64], alpha: float, seed: int
) -> list[Value]:
    """Return the values of systems with the intervals of the paper: Wilson's of accuracies, BCa of rho."""
    if statistic == "accuracy":
        return _accuracies(scores, truth, alpha)[1]
    varying = np.flatnonzero(scores.min(axis=1) < scores.max(axis=1)).tolist()
    values = [Value(np.nan, *UNDEFINED)] * len(scores)
    if varying:
        rhos = resampled_rhos(scores[varying], truth, resamples_for(alpha), seed)
        for at, system in enumerate(varying):
            values[system] = Value(float(rhos.estimates[at]), *rhos.single(at).interval(alpha))
    return values


def as_published(
    comparison: SetComparison,
    scores: Mapping[str, NDArray[np.float64]],
    truth: NDArray[np.float64],
    *,
    alpha: float,
    correction: str,
    resamples: int | None,
    seed: int,
) -> SetComparison:
    """Return a comparison with the values and tests of the paper; `scores` are those of the models compared."""
    names = list(comparison.by_model)
    if not names or comparison.statistic not in ("accuracy", "spearman"):
        return comparison
    level = corrected_level(alpha, len(comparison.differences), correction)
    matrix = np.array([scores[name] for name in names])
    tested = (
        _mcnemar(matrix, truth, alpha, level)
        if comparison.statistic == "accuracy"
        else _bca(matrix, truth, alpha, level, resamples, seed)
    )
    values = dict(zip(names, tested.values, strict=True))
    estimates = (
        replace(row, value=new.value, low=new.low, high=new.high) if (new := values.get(row.model)) else row
        for row in comparison.estimates
    )
    at_name = {name: at for at, name in enumerate(names)}
    tests = [tested.differences[at_name[row.one], at_name[row.other]] for row in comparison.differences]
    corrected = adjusted([p_value for _, p_value in tests], correction).tolist()
    differences = (
        replace(row, low=low, high=high, p_value=p_value, adjusted_p=adjusted_p, significant=adjusted_p < alpha)
        for row, ((low, high), p_value), adjusted_p in zip(comparison.differences, tests, corrected, strict=True)
    )
    return replace(
        comparison,
        test=tested.test,
        estimates=tuple(estimates),
        differences=tuple(differences),
        resamples=tested.resamples,
    )


def _accuracies(
    matrix: NDArray[np.float64], truth: NDArray[np.float64], alpha: float
) -> tuple[NDArray[np.bool_], list[Value]]:
    """Return which pairs each system decides rightly at its best threshold, and its accuracy."""
    similar = truth > 0
    right = np.array([best_decisions(row, similar) == similar for row in matrix])
    return right, [Value(float(row.mean()), *wilson(int(row.sum()), len(row), alpha)) for row in right]


def _mcnemar(matrix: NDArray[np.float64], truth: NDArray[np.float64], alpha: float, level: float) -> _Tested:
    right, values = _accuracies(matrix, truth, alpha)
    only, n = only_right(right), right.shape[1]
    differences = {
        (one, other): (
            difference_interval(int(only[one, other]), int(only[other, one]), n, level),
            mcnemar(int(only[one, other]), int(only[other, one])),
        )
        for one, other in combinations(range(len(matrix)), 2)
    }
    return _Tested("exact McNemar", values, differences, None)


def _bca(
    matrix: NDArray[np.float64],
    truth: NDArray[np.float64],
    alpha: float,
    level: float,
    resamples: int | None,
    seed: int,
) -> _Tested:
    drawn = resamples or resamples_for(level)
    rhos = resampled_rhos(matrix, truth, drawn, seed)
    values = [Value(float(rho), *rhos.single(at).interval(alpha)) for at, rho in enumerate(rhos.estimates)]
    bcas = {pair: rhos.difference(*pair) for pair in combinations(range(len(matrix)), 2)}
    differences = {pair: (bca.interval(level), bca.p_value()) for pair, bca in bcas.items()}
    return _Tested("BCa bootstrap", values, differences, drawn)
