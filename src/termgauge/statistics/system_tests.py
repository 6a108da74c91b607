"""The test of each statistic: the value of every system on one set, and what is found of the difference of any two."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.statistics.bootstrap import MOST_RESAMPLES, UNDEFINED, Interval, Resampling, Value, resamples_for
from termgauge.statistics.correlation import Jackknifed, pearson, spearman
from termgauge.statistics.delong import delong
from termgauge.statistics.precision import (
    average_precision,
    best_f1,
    cross_validated_decisions,
    f1_of,
    precisions,
    share_value,
)
from termgauge.statistics.separation import Decisions, area_of, auc, best_accuracy, cross_validated_accuracy

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

    from termgauge.statistics.dependence import Dependence


class Test(NamedTuple):
    """The value of each system, and the interval and p-value of the difference of any two, given a level."""

    name: str
    values: list[Value]
    compare: Callable[[int, int, float], tuple[Interval, float]]
    cross_validated: tuple[float, ...] = ()
    open: Collection[tuple[int, int]] = ()
    """Which differences more resamples might still decide otherwise."""
    resamples: int = 0


def jackknife_test(
    matrix: NDArray[np.float64],
    gold: NDArray[np.float64],
    alpha: float,
    shared: Dependence | None,
    statistic: str = "spearman",
) -> Test:
    """Return the test of rho, or of r, of systems whose scores vary (systems x pairs)."""
    name = "jackknife on Fisher's scale"
    if not len(matrix):
        return Test(name, [], lambda *_: (UNDEFINED, math.nan))
    found = (Jackknifed.rhos if statistic == "spearman" else Jackknifed.pearsons)(matrix, gold, shared)
    return Test(name, [found.value(system, alpha) for system in range(len(matrix))], found.difference)


def bca_test(
    matrix: NDArray[np.float64],
    gold: NDArray[np.float64],
    level: float,
    *,
    alpha: float,
    resamples: int | None,
    seed: int,
    compared: bool = True,
) -> Test:
    """Return the test of rho by BCa intervals, from as many resamples as the verdicts on differences take."""
    values: list[Value] = []
    differences: dict[tuple[int, int], tuple[Interval, float]] = {}
    undecided, drawn = set[tuple[int, int]](), 0
    if len(matrix):
        resampling = Resampling(matrix, gold, seed)
        waiting = list(combinations(range(len(matrix)), 2)) if compared else []
        rhos = resampling.more(resamples or resamples_for(alpha))
        values = [Value(float(rho), *rhos.single(at).interval(alpha)) for at, rho in enumerate(rhos.estimates)]
        first = resamples or resamples_for(level)
        if waiting and first > resampling.drawn:
            rhos = resampling.more(first - resampling.drawn)
        while waiting:
            bcas = {pair: rhos.difference(*pair) for pair in waiting}
            unsettled = [pair for pair, bca in bcas.items() if not bca.settled(level)]
            if resamples is not None or resampling.drawn >= MOST_RESAMPLES:
                undecided, waiting = set(unsettled), []
            else:
                waiting = unsettled
            differences |= {
                pair: (bca.interval(level), bca.p_value()) for pair, bca in bcas.items() if pair not in waiting
            }
            if waiting:
                systems = sorted({system for pair in waiting for system in pair})
                rhos = resampling.more(min(resampling.drawn, MOST_RESAMPLES - resampling.drawn), systems)
        drawn = resampling.drawn
    return Test("BCa bootstrap", values, lambda one, other, _: differences[one, other], open=undecided, resamples=drawn)


def binary_test(
    statistic: str,
    matrix: NDArray[np.float64],
    similar: NDArray[np.bool_],
    alpha: float,
    shared: Dependence | None,
    *,
    robust: bool,
    seed: int,
) -> Test:
    """Return the test of a statistic of labelled pairs (scores are systems x pairs).

    Where systems decide at thresholds, a robust test looks at decisions at the best ones and at cross-validated ones.
    """
    if statistic in ("auc", "ap"):
        found, value = (delong, area_of) if statistic == "auc" else (precisions, share_value)
        kinds = found(matrix, similar, shared)
        values = [value(kinds, system, alpha) for system in range(len(matrix))]
        return Test("DeLong" if statistic == "auc" else "jackknife", values, kinds.difference)
    accuracy = statistic == "accuracy"
    best = [(best_accuracy if accuracy else best_f1)(row, similar, alpha=alpha, shared=shared) for row in matrix]
    decisions = [np.array([each.decisions for each in best])]
    name, crossed = "exact McNemar" if accuracy else "linearised variance", tuple[float, ...]()
    if robust and accuracy:
        name = "McNemar"
        by_fold = [cross_validated_accuracy(row, similar, alpha=alpha, seed=seed, shared=shared) for row in matrix]
        decisions.append(np.array([each.decisions for each in by_fold]))
        crossed = tuple(each.value for each in by_fold)
    elif robust:
        decisions.append(
            np.array([cross_validated_decisions(row, similar, seed=seed, shared=shared) for row in matrix])
        )
    judged = [
        Decisions.from_decisions(each == similar, shared) if accuracy else f1_of(each, similar, shared)
        for each in decisions
    ]

    def most_careful(one: int, other: int, level: float) -> tuple[Interval, float]:
        """Return the widest interval and the largest p-value; where the decisions point different ways p is 1."""
        directions = {int(np.sign(each.values[one] - each.values[other])) for each in judged}
        intervals, p_values = zip(*(each.difference(one, other, level) for each in judged), strict=True)
        ends = Interval(min(each.low for each in intervals), max(each.high for each in intervals))
        return ends, max(p_values) if len(directions) == 1 else 1.0

    values = [Value(*each[:3]) for each in best]
    return Test(name + (", also cross-validated" if robust else ""), values, most_careful, crossed)


def value_of(statistic: str, scores: NDArray[np.float64], truth: NDArray[np.float64]) -> float:
    """Return a statistic of one system, without its interval."""
    found = _VALUES[statistic](scores, truth)
    return found if isinstance(found, float) else found.value


_VALUES: dict[str, Callable[..., Any]] = {
    "spearman": spearman,
    "pearson": pearson,
    "accuracy": best_accuracy,
    "auc": auc,
    "ap": average_precision,
    "f1": best_f1,
}
