"""The test of each statistic: the value of every system on one set, and what is found of the difference of any two."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from termgauge.statistics.bootstrap import UNDEFINED, Interval
from termgauge.statistics.correlation import Jackknifed, pearson, spearman
from termgauge.statistics.delong import delong
from termgauge.statistics.precision import average_precision, best_f1, cross_validated_decisions, f1_of, precisions
from termgauge.statistics.separation import Decisions, area_of, auc, best_accuracy, cross_validated_accuracy

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from termgauge.statistics.dependence import Dependence


class Value(NamedTuple):
    """A statistic of one system with its interval at level 1 - alpha, not corrected; NaN where it is undefined."""

    value: float
    low: float
    high: float


class Found(NamedTuple):
    """The interval and p-value of a difference, and whether its verdict is open."""

    interval: Interval
    p_value: float
    open: bool = False


class Test(NamedTuple):
    """The value of each system, and what is found of the difference of any two, given a level."""

    name: str
    values: list[Value]
    compare: Callable[[int, int, float], Found]
    cross_validated: tuple[float, ...] = ()


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
        return Test(name, [], lambda *_: Found(UNDEFINED, math.nan))
    found = (Jackknifed.rhos if statistic == "spearman" else Jackknifed.pearsons)(matrix, gold, shared)
    values = [Value(float(value), *found.interval(system, alpha)) for system, value in enumerate(found.estimates)]
    return Test(name, values, lambda one, other, level: Found(*found.difference(one, other, level)))


def defined_only(test: Test, defined: NDArray[np.bool_]) -> Test:
    """Return a test of some systems as one of all; the others have no value."""
    places = (np.cumsum(defined) - 1).tolist()
    values = [
        test.values[place] if there else Value(math.nan, math.nan, math.nan)
        for place, there in zip(places, defined, strict=True)
    ]
    return Test(test.name, values, lambda one, other, level: test.compare(places[one], places[other], level))


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
    """Return the test of a statistic of labelled pairs (scores are systems x pairs)."""
    if statistic == "accuracy":
        return _accuracy_test(matrix, similar, alpha, shared, robust=robust, seed=seed)
    if statistic == "f1":
        return _f1_test(matrix, similar, alpha, shared, robust=robust, seed=seed)
    return (_auc_test if statistic == "auc" else _precision_test)(matrix, similar, alpha, shared)


def _accuracy_test(
    matrix: NDArray[np.float64],
    similar: NDArray[np.bool_],
    alpha: float,
    shared: Dependence | None,
    *,
    robust: bool,
    seed: int,
) -> Test:
    best = [best_accuracy(row, similar, alpha=alpha, shared=shared) for row in matrix]
    values = [Value(*accuracy[:3]) for accuracy in best]
    decided = [Decisions.from_decisions(np.array([one.decisions == similar for one in best]), shared)]
    if not robust:
        return Test("exact McNemar", values, lambda one, other, level: Found(*decided[0].difference(one, other, level)))
    crossed = [cross_validated_accuracy(row, similar, alpha=alpha, seed=seed, shared=shared) for row in matrix]
    decided.append(Decisions.from_decisions(np.array([one.decisions == similar for one in crossed]), shared))

    def compare(one: int, other: int, level: float) -> Found:
        directions = {int(np.sign(each.only[one, other] - each.only[other, one])) for each in decided}
        return _most_careful([each.difference(one, other, level) for each in decided], agree=len(directions) == 1)

    return Test("McNemar, also cross-validated", values, compare, tuple(one.value for one in crossed))


def _auc_test(matrix: NDArray[np.float64], similar: NDArray[np.bool_], alpha: float, shared: Dependence | None) -> Test:
    areas = delong(matrix, similar, shared)
    values = [Value(*area_of(areas, system, alpha)[:3]) for system in range(len(matrix))]
    return Test("DeLong", values, lambda one, other, level: Found(*areas.difference(one, other, level)))


def _precision_test(
    matrix: NDArray[np.float64], similar: NDArray[np.bool_], alpha: float, shared: Dependence | None
) -> Test:
    found = precisions(matrix, similar, shared)
    values = [Value(float(value), *found.interval(system, alpha)) for system, value in enumerate(found.values)]
    return Test("jackknife", values, lambda one, other, level: Found(*found.difference(one, other, level)))


def _f1_test(
    matrix: NDArray[np.float64],
    similar: NDArray[np.bool_],
    alpha: float,
    shared: Dependence | None,
    *,
    robust: bool,
    seed: int,
) -> Test:
    best = [best_f1(row, similar, alpha=alpha, shared=shared) for row in matrix]
    values = [Value(*each[:3]) for each in best]
    decided = [f1_of(np.array([each.decisions for each in best]), similar, shared)]
    if robust:
        crossed = [cross_validated_decisions(row, similar, seed=seed, shared=shared) for row in matrix]
        decided.append(f1_of(np.array(crossed), similar, shared))

    def compare(one: int, other: int, level: float) -> Found:
        directions = {int(np.sign(each.values[one] - each.values[other])) for each in decided}
        return _most_careful([each.difference(one, other, level) for each in decided], agree=len(directions) == 1)

    return Test("linearised variance" + (", also cross-validated" if robust else ""), values, compare)


def _most_careful(found: list[tuple[Interval, float]], *, agree: bool) -> Found:
    """Return the widest interval and the largest p-value of several; where they point different ways p is 1."""
    ends = Interval(min(each.low for each, _ in found), max(each.high for each, _ in found))
    return Found(ends, max(p for _, p in found) if agree else 1.0)


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
