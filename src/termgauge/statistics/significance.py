"""Which differences between systems are real: all pairs of them tested on one set, and corrected for their number.

A system is a model, or a measure of one model. The tests are paired: two systems are compared on the same pairs of
terms. Differences of rho get BCa intervals from resamples that all systems share, differences of accuracy McNemar's
exact test, and differences of areas under the ROC curve DeLong's test.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.arrays import Array
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.statistics import normal
from termgauge.statistics.bootstrap import SEED, UNDEFINED, Interval, resample_rhos, resamples_for
from termgauge.statistics.corrections import adjusted, checked_correction, corrected_level
from termgauge.statistics.delong import delong
from termgauge.statistics.inputs import checked_gold, checked_labels, checked_level, checked_scores
from termgauge.statistics.mcnemar import difference_interval, mcnemar, only_right
from termgauge.statistics.separation import area_of, best_accuracy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

TESTS = {"spearman": "BCa bootstrap", "accuracy": "exact McNemar", "auc": "DeLong"}


class Value(NamedTuple):
    """A statistic of one system with its interval at level 1 - alpha, not corrected; NaN where it is undefined."""

    value: float
    low: float
    high: float


class Difference(NamedTuple):
    """How two systems differ on a set."""

    one: str
    other: str
    value: float
    """The first system's value less the second's."""
    low: float
    high: float
    """The interval at the corrected level."""
    p_value: float
    adjusted_p: float
    """The p-value after the correction, to be held against alpha itself."""
    significant: bool

    def as_dict(self) -> dict[str, str | float | bool | None]:
        """Return its fields as results name them."""
        return {"difference" if key == "value" else key: value for key, value in self._asdict().items()}


@dataclass(frozen=True)
class Comparison:
    """All systems on one set, and all differences between any two of them.

    The matrices hold, in row i and column j, system i less system j.
    """

    statistic: str
    test: str
    names: tuple[str, ...]
    values: tuple[Value, ...]
    n: int
    """Pairs of terms."""
    alpha: float
    correction: str
    comparisons: int
    """Pairs of systems."""
    level: float
    """The share of cases in which one interval of a difference errs: alpha, or alpha / comparisons."""
    resamples: int
    """How many resamples were drawn; 0 for the tests that need none."""
    differences: Array
    lows: Array
    highs: Array
    p_values: Array
    adjusted_p: Array
    significant: Array

    def __post_init__(self) -> None:
        matrices = (self.differences, self.lows, self.highs, self.p_values, self.adjusted_p, self.significant)
        size = len(self.names)
        if len(self.values) != size or any(each.shape != (size, size) for each in matrices):
            raise ValueError(f"a comparison of {size} systems has so many values, and matrices of that size")

    @property
    def wins(self) -> tuple[int, ...]:
        """For each system, how many others it significantly beats."""
        return tuple(int(count) for count in (self.significant & (self.differences > 0)).sum(axis=1))

    @property
    def losses(self) -> tuple[int, ...]:
        """For each system, how many others significantly beat it."""
        return tuple(int(count) for count in (self.significant & (self.differences < 0)).sum(axis=1))

    @property
    def undefined(self) -> tuple[str, ...]:
        """Systems that have no value on this set (their scores are all equal) and were compared with none."""
        return tuple(name for name, value in zip(self.names, self.values, strict=True) if math.isnan(value.value))

    @property
    def ranking(self) -> tuple[int, ...]:
        """The places of the systems from the best to the worst; undefined ones last, equal ones as given."""
        keys = [math.inf if math.isnan(value.value) else -value.value for value in self.values]
        return tuple(sorted(range(len(keys)), key=lambda place: keys[place]))

    def between(self, one: str, other: str) -> Difference:
        """Return how two systems differ."""
        for name in (one, other):
            if name not in self.names:
                raise TermgaugeError(f"'{name}' is not among the systems compared.{did_you_mean(name, self.names)}")
        i, j = self.names.index(one), self.names.index(other)
        return Difference(
            one,
            other,
            value=float(self.differences[i, j]),
            low=float(self.lows[i, j]),
            high=float(self.highs[i, j]),
            p_value=float(self.p_values[i, j]),
            adjusted_p=float(self.adjusted_p[i, j]),
            significant=bool(self.significant[i, j]),
        )


class _Test(NamedTuple):
    """The value of each system, and the interval and p-value of the difference of any two, given a level."""

    values: list[Value]
    compare: Callable[[int, int, float], tuple[Interval, float]]


def compare_systems(
    names: Sequence[str],
    scores: ArrayLike | Sequence[ArrayLike],
    truth: ArrayLike,
    *,
    statistic: str,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    resamples: int | None = None,
    seed: int = SEED,
) -> Comparison:
    """Compare all systems on one set with each other.

    The scores are systems x pairs, without NaN: leave out the pairs that some system cannot score. `spearman` takes
    the ratings of a graded set and BCa intervals of differences; `accuracy`, each system at its own best threshold,
    the labels of a binary set and the exact McNemar test; `auc` the labels and DeLong's test. `alpha` is the chance of
    any false claim among all comparisons (of each one, if the correction is `none`). The BCa intervals take 10,000
    resamples by default, or 20 / (alpha / comparisons) if that is more.

    Under Bonferroni and without correction a difference of rho is significant if its interval excludes 0; all else is
    decided by the adjusted p-value. The p-value of a BCa interval is the smallest alpha at which it excludes 0, which
    is what Holm's procedure uses. Intervals under Holm are Bonferroni's.
    """
    checked_level(alpha)
    checked_correction(correction)
    matrix = _checked_matrix(names, scores)
    n = matrix.shape[1]
    comparisons = math.comb(len(names), 2)
    drawn = 0
    if statistic == "spearman":
        gold = checked_gold(truth, n)
        defined = (matrix.min(axis=1) < matrix.max(axis=1)) & (gold.min() < gold.max())
        comparisons = math.comb(int(defined.sum()), 2)
        drawn = resamples or resamples_for(corrected_level(alpha, comparisons, correction))
        test = _spearman_test(matrix, gold, defined, alpha=alpha, resamples=drawn, seed=seed)
    elif statistic == "accuracy":
        test = _accuracy_test(matrix, checked_labels(truth, n), alpha)
    elif statistic == "auc":
        test = _auc_test(matrix, checked_labels(truth, n), alpha)
    else:
        close = did_you_mean(statistic, TESTS)
        raise TermgaugeError(f"There is no statistic '{statistic}'; choose one of {', '.join(TESTS)}.{close}")
    level = corrected_level(alpha, comparisons, correction)
    differences, lows, highs, p_values = _all_pairs(test, level)
    upper = np.triu_indices(len(names), 1)
    adjusted_p = np.full_like(p_values, np.nan)
    adjusted_p[upper] = adjusted(p_values[upper], correction)
    adjusted_p.T[upper] = adjusted_p[upper]
    by_interval = statistic == "spearman" and correction != "holm"
    return Comparison(
        statistic=statistic,
        test=TESTS[statistic],
        names=tuple(names),
        values=tuple(test.values),
        n=n,
        alpha=alpha,
        correction=correction,
        comparisons=comparisons,
        level=level,
        resamples=drawn,
        differences=differences,
        lows=lows,
        highs=highs,
        p_values=p_values,
        adjusted_p=adjusted_p,
        significant=(lows > 0) | (highs < 0) if by_interval else adjusted_p < alpha,
    )


def _checked_matrix(names: Sequence[str], scores: ArrayLike | Sequence[ArrayLike]) -> NDArray[np.float64]:
    rows = list(scores)  # type: ignore[arg-type]
    if not names:
        raise TermgaugeError("There is no system to compare; name at least one.")
    if len(rows) != len(names):
        raise TermgaugeError(f"There are {len(names)} names for {len(rows)} systems; give one name per row of scores.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise TermgaugeError(f"Two systems are called '{twice[0]}'; give each its own name.")
    checked = [checked_scores(row, f"The scores of '{name}'") for name, row in zip(names, rows, strict=True)]
    for name, row in zip(names, checked, strict=True):
        if len(row) != len(checked[0]):
            raise TermgaugeError(
                f"'{names[0]}' has scores for {len(checked[0])} pairs and '{name}' for {len(row)}; compare them on "
                "the pairs that both can score."
            )
    if not len(checked[0]):
        raise TermgaugeError("There is no pair that all systems can score; compare models that share some pairs.")
    return np.vstack(checked)


def _spearman_test(
    matrix: NDArray[np.float64],
    gold: NDArray[np.float64],
    defined: NDArray[np.bool_],
    *,
    alpha: float,
    resamples: int,
    seed: int,
) -> _Test:
    places = np.cumsum(defined) - 1  # of a system among the defined ones
    values = [Value(math.nan, math.nan, math.nan)] * len(matrix)
    if not defined.any():
        return _Test(values, lambda *_: (UNDEFINED, math.nan))
    rhos = resample_rhos(matrix[defined], gold, resamples, seed)
    for system in np.flatnonzero(defined):
        place = int(places[system])
        values[system] = Value(float(rhos.estimates[place]), *rhos.single(place).interval(alpha))

    def compare(one: int, other: int, level: float) -> tuple[Interval, float]:
        bca = rhos.difference(int(places[one]), int(places[other]))
        return bca.interval(level), bca.p_value()

    return _Test(values, compare)


def _accuracy_test(matrix: NDArray[np.float64], similar: NDArray[np.bool_], alpha: float) -> _Test:
    accuracies = [best_accuracy(row, similar, alpha=alpha) for row in matrix]
    only = only_right(np.array([accuracy.decisions == similar for accuracy in accuracies]))

    def compare(one: int, other: int, level: float) -> tuple[Interval, float]:
        counts = int(only[one, other]), int(only[other, one])
        return difference_interval(*counts, len(similar), level), mcnemar(*counts)

    return _Test([Value(*accuracy[:3]) for accuracy in accuracies], compare)


def _auc_test(matrix: NDArray[np.float64], similar: NDArray[np.bool_], alpha: float) -> _Test:
    areas = delong(matrix, similar)

    def compare(one: int, other: int, level: float) -> tuple[Interval, float]:
        centre = float(areas.areas[one] - areas.areas[other])
        reach = normal.quantile(1 - level / 2) * math.sqrt(areas.variance_of_difference(one, other))
        return Interval(centre - reach, centre + reach), areas.p_value(one, other)

    return _Test([Value(*area_of(areas, system, alpha)[:3]) for system in range(len(matrix))], compare)


def _all_pairs(test: _Test, level: float) -> tuple[NDArray[np.float64], ...]:
    """Return the matrices of differences, low and high ends of their intervals, and p-values."""
    estimates = np.array([value.value for value in test.values])
    differences = estimates[:, None] - estimates[None, :]
    lows, highs, p_values = (np.full_like(differences, np.nan) for _ in range(3))
    for i, j in combinations(range(len(estimates)), 2):
        if not math.isnan(differences[i, j]):
            (lows[i, j], highs[i, j]), p_values[i, j] = test.compare(i, j, level)
            lows[j, i], highs[j, i], p_values[j, i] = -highs[i, j], -lows[i, j], p_values[i, j]
    return differences, lows, highs, p_values
