"""Which differences between systems are real: all pairs of them tested on one set, and corrected for their number.

A system is a model, or a measure of one model. The tests are paired: two systems are compared on the same pairs of
terms. Pairs that share concepts are not independent, and are allowed for where concepts are known:

- Areas under the ROC curve: DeLong's test, its variance clustered by concept.
- Accuracies: McNemar's test, clustered by concept, on the decisions at the best thresholds and on those at thresholds
  from cross-validation; the larger p-value counts, for the former are optimistic and the latter vary with the folds.
- F1: likewise, with the variance of a ratio. Average precision: the jackknife. Both variances are clustered by concept.
- Rho: BCa intervals from resamples that all systems share; on fewer than 200 pairs, or where concepts are known,
  intervals on Fisher's scale with errors of the jackknife, which hold their level there. Pearson's r has these always.

``tests="paper"`` does what Schulz and Juric (2020) did: pairs are independent, thresholds are the best ones, and rho
has BCa intervals always.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.arrays import Array
from termgauge.statistics.bootstrap import SEED, Value
from termgauge.statistics.inputs import (
    BINARY,
    GRADED,
    STATISTICS,
    adjusted,
    checked_correction,
    checked_gold,
    checked_labels,
    checked_level,
    checked_scores,
    corrected_level,
)
from termgauge.statistics.system_tests import Test, bca_test, binary_test, jackknife_test

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from termgauge.statistics.bootstrap import Interval
    from termgauge.statistics.dependence import Dependence

ROBUST, PAPER = TESTS = ("robust", "paper")
SMALL = 200
"""Rated pairs below which BCa intervals of differences are too short."""


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
    open: bool = False
    """Whether more resamples might still change the verdict."""

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
    open: Array
    """Where more resamples might still change the verdict."""
    cross_validated: tuple[float, ...] = ()
    """Of accuracies: each system's with thresholds from cross-validation."""

    def __post_init__(self) -> None:
        matrices = (
            self.differences,
            self.lows,
            self.highs,
            self.p_values,
            self.adjusted_p,
            self.open,
        )
        size = len(self.names)
        if len(self.values) != size or any(each.shape != (size, size) for each in matrices):
            raise ValueError(f"a comparison of {size} systems has so many values, and matrices of that size")

    @property
    def significant(self) -> Array:
        """Which differences are significant: nothing but the adjusted p-value decides it."""
        return self.adjusted_p < self.alpha

    @property
    def wins(self) -> tuple[int, ...]:
        """For each system, how many others it significantly beats."""
        return tuple((self.significant & (self.differences > 0)).sum(axis=1).tolist())

    @property
    def losses(self) -> tuple[int, ...]:
        """For each system, how many others significantly beat it."""
        return tuple((self.significant & (self.differences < 0)).sum(axis=1).tolist())

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
            open=bool(self.open[i, j]),
        )


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
    shared: Dependence | None = None,
    tests: str = ROBUST,
) -> Comparison:
    """Compare all systems on one set with each other.

    The scores are systems x pairs, without NaN: leave out the pairs that some system cannot score. `spearman` and
    `pearson` take the ratings of a graded set; `accuracy` and `f1`, each system at its own threshold, `auc` and `ap`
    (average precision) the labels of a binary one.
    `alpha` is the chance of any false claim among all comparisons (of each one, if the correction is `none`). `shared`
    says which pairs share concepts; `tests` is ``robust`` or ``paper``, see above.

    BCa intervals start with 10,000 resamples, or 20 / (alpha / comparisons) if that is more, and go on, for the systems
    whose verdict is within four Monte Carlo errors of the other one, up to 400,000; what is not settled then is open.
    With `resamples` there are so many, neither more nor less.

    A difference is significant if its adjusted p-value is below alpha. The p-value of a BCa interval is the smallest
    alpha at which it excludes 0, but never less than what so few pairs could show. Intervals under Holm are
    Bonferroni's.
    """
    checked_level(alpha)
    checked_correction(correction)
    if tests not in TESTS:
        raise TermgaugeError(f"There are no tests '{tests}'; choose robust or paper.{did_you_mean(tests, TESTS)}")
    matrix = _checked_matrix(names, scores)
    n = matrix.shape[1]
    together = shared if tests == ROBUST else None
    comparisons = math.comb(len(names), 2)
    defined = np.ones(len(names), np.bool_)
    if statistic in GRADED:
        gold = checked_gold(truth, n)
        defined = _varying(matrix, gold)
        comparisons = math.comb(int(defined.sum()), 2)
        level = corrected_level(alpha, comparisons, correction)
        if _resamples(statistic, n, together, tests):
            test = bca_test(matrix[defined], gold, level, alpha=alpha, resamples=resamples, seed=seed)
        else:
            test = jackknife_test(matrix[defined], gold, alpha, together, statistic)
    elif statistic in BINARY:
        similar = checked_labels(truth, n)
        test = binary_test(statistic, matrix, similar, alpha, together, robust=tests == ROBUST, seed=seed)
    else:
        close = did_you_mean(statistic, STATISTICS)
        raise TermgaugeError(f"There is no statistic '{statistic}'; choose one of {', '.join(STATISTICS)}.{close}")
    level = corrected_level(alpha, comparisons, correction)
    values = _of_all(test.values, defined)
    differences, lows, highs, p_values, unsettled = _all_pairs(test, level, np.flatnonzero(defined), values)
    upper = np.triu_indices(len(names), 1)
    adjusted_p = np.full_like(p_values, np.nan)
    adjusted_p[upper] = adjusted(p_values[upper], correction)
    adjusted_p.T[upper] = adjusted_p[upper]
    return Comparison(
        statistic=statistic,
        test=test.name + (", clustered by concept" if together else ""),
        names=tuple(names),
        values=tuple(values),
        n=n,
        alpha=alpha,
        correction=correction,
        comparisons=comparisons,
        level=level,
        resamples=test.resamples,
        differences=differences,
        lows=lows,
        highs=highs,
        p_values=p_values,
        adjusted_p=adjusted_p,
        open=unsettled > 0,
        cross_validated=test.cross_validated,
    )


def correlation_values(
    matrix: NDArray[np.float64],
    gold: NDArray[np.float64],
    *,
    statistic: str = "spearman",
    alpha: float = 0.05,
    seed: int = SEED,
    shared: Dependence | None = None,
    tests: str = ROBUST,
) -> list[Value]:
    """Return rho, or r, of each system (systems x pairs), with the interval that :func:`compare_systems` gives it."""
    defined = _varying(matrix, gold)
    together = shared if tests == ROBUST else None
    if _resamples(statistic, len(gold), together, tests):
        test = bca_test(matrix[defined], gold, alpha, alpha=alpha, resamples=None, seed=seed, compared=False)
    else:
        test = jackknife_test(matrix[defined], gold, alpha, together, statistic)
    return _of_all(test.values, defined)


def _resamples(statistic: str, n: int, shared: Dependence | None, tests: str) -> bool:
    """Say whether it gets BCa intervals."""
    return statistic == "spearman" and (tests == PAPER or (shared is None and n >= SMALL))


def _varying(matrix: NDArray[np.float64], gold: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which systems have a rho."""
    return np.asarray((matrix.min(axis=1) < matrix.max(axis=1)) & (gold.min() < gold.max()))


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


def _of_all(values: Sequence[Value], defined: NDArray[np.bool_]) -> list[Value]:
    """Return the values of all systems, of which only some are defined."""
    known = iter(values)
    return [next(known) if there else Value(math.nan, math.nan, math.nan) for there in defined]


def _all_pairs(
    test: Test, level: float, places: NDArray[np.int64], values: Sequence[Value]
) -> tuple[NDArray[np.float64], ...]:
    """Return the matrices of differences, low and high ends of their intervals, p-values, and what is open."""
    estimates = np.array([value.value for value in values])
    differences = estimates[:, None] - estimates[None, :]
    lows, highs, p_values, unsettled = (np.full_like(differences, np.nan) for _ in range(4))
    for (one, i), (other, j) in combinations(enumerate(places), 2):
        if not math.isnan(differences[i, j]):
            (lows[i, j], highs[i, j]), p_values[i, j] = test.compare(one, other, level)
            lows[j, i], highs[j, i], p_values[j, i] = -highs[i, j], -lows[i, j], p_values[i, j]
            unsettled[i, j] = unsettled[j, i] = (one, other) in test.open
    return differences, lows, highs, p_values, unsettled


def corrected_differences(
    found: Sequence[tuple[str, str, float, Interval, float]], *, alpha: float, correction: str
) -> tuple[Difference, ...]:
    """Return the differences of pairs of models, each with its interval and its p-value; real if that is below alpha.

    `alpha` is the chance of any false claim among all of them.
    """
    corrected = adjusted([p for *_rest, p in found], correction).tolist()
    return tuple(
        Difference(one, other, value, *interval, p, adjusted_p, adjusted_p < alpha)
        for (one, other, value, interval, p), adjusted_p in zip(found, corrected, strict=True)
    )
