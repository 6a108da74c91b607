"""The smallest difference that a set of its size could have shown: small sets prove nothing, and this says how little.

Beside an observed system stands an invented rival that is exactly as good, and errs on the same pairs as much as
another observed system does: it has that one's order of the pairs, but the observed one's scores, kind by kind. Then it
is made worse, bit by bit: its similar pairs lose score, or its order loses agreement with the ratings. The difference
at which the test finds it in 80 % of sets like this one is what the set can show; how the test's statistic would vary
over such sets is told from what each pair adds to it. Where a rival cannot be worse by enough it is made better.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.statistics import normal, student
from termgauge.statistics.correlation import Jackknifed, average_ranks, standardised
from termgauge.statistics.delong import delong
from termgauge.statistics.dependence import Sums
from termgauge.statistics.inputs import GRADED, STATISTICS, checked_gold, checked_labels, checked_level, checked_scores
from termgauge.statistics.precision import best_threshold, f1_of, precisions
from termgauge.statistics.separation import best_decisions
from termgauge.statistics.system_tests import value_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from termgauge.statistics.dependence import Dependence

_MANY_PAIRS = 100_000
_MOST_RIVALS = 7
_STEPS = 20


class Detectable(NamedTuple):
    """The smallest difference that the set would show."""

    difference: float
    """Infinite if even the greatest possible difference would not be found."""
    n: int
    level: float
    power: float
    """The share of sets in which such a difference is found."""


def smallest_detectable_difference(
    scores: Sequence[ArrayLike] | NDArray[np.float64],
    truth: ArrayLike,
    *,
    statistic: str,
    level: float = 0.05,
    power: float = 0.8,
    shared: Dependence | None = None,
) -> Detectable:
    """Return the smallest true difference between two systems that the set would show with the given power.

    The scores are systems x pairs, without NaN, of at least two systems; the statistic is one that
    :func:`~termgauge.statistics.significance.compare_systems` tests; the level is that of one comparison: alpha,
    divided by the number of comparisons if that is how they are corrected. The observed system is the one whose value
    is the median of all; each other system lends its order to a rival, up to seven of them evenly from the best to the
    worst, and the median of what they give is taken. On more than 100,000 pairs only those next to it do, for the time
    it takes.
    """
    checked_level(level)
    if not level < power < 1:
        raise TermgaugeError(f"The power must lie between the level, {level}, and 1, not be {power}; 0.8 is usual.")
    matrix = np.vstack([checked_scores(row) for row in scores])
    n = matrix.shape[1]
    if statistic not in STATISTICS:
        close = did_you_mean(statistic, STATISTICS)
        raise TermgaugeError(f"There is no statistic '{statistic}'; choose one of {', '.join(STATISTICS)}.{close}")
    graded = statistic in GRADED
    given = checked_gold(truth, n) if graded else checked_labels(truth, n).astype(np.float64)
    matrix = matrix[matrix.min(axis=1) < matrix.max(axis=1)]
    if len(matrix) < 2 or given.min() == given.max():
        raise TermgaugeError(
            "What a set can show is told from at least two systems whose scores vary, on pairs whose ratings vary."
        )
    order = np.argsort([value_of(statistic, row, given) for row in matrix], kind="stable")
    at = len(order) // 2
    middle = int(order[at])
    near = order if n <= _MANY_PAIRS else order[at - 1 : at + 2]
    others = [int(each) for each in near if each != middle]
    others = [others[int(place)] for place in np.linspace(0, len(others) - 1, min(len(others), _MOST_RIVALS))]
    rivals = (_rival(matrix[other], matrix[middle], given, statistic) for other in others)
    found = [_smallest(rival, given, statistic, level, power, shared) for rival in rivals]
    return Detectable(float(np.median(found)), n, level, power)


class _Rival(NamedTuple):
    """An observed system, and a rival that can be made worse or better."""

    observed: NDArray[np.float64]
    start: NDArray[np.float64]
    along: NDArray[np.float64]
    """What it loses of each pair's score as it gets worse."""
    most: float
    """The shift at which it is as bad as can be; minus that, as good."""

    def shifted(self, shift: float) -> NDArray[np.float64]:
        """Return the scores of both systems (2 x pairs)."""
        return np.stack([self.observed, self.start - shift * self.along])


def _rival(
    other: NDArray[np.float64], observed: NDArray[np.float64], truth: NDArray[np.float64], statistic: str
) -> _Rival:
    """Return a rival with the order of another system.

    On labelled pairs it has the observed system's scores within each kind, and so is exactly as good at first. On rated
    ones it has the other system's ranks, or scores for Pearson's r; which of those that follow the ratings more or less
    is as good as the observed system, shifting it finds out.
    """
    if statistic in GRADED:
        scale = average_ranks if statistic == "spearman" else standardised
        return _Rival(observed, scale(other), scale(truth), 50.0)
    start = np.empty_like(observed)
    for kind in (0, 1):
        here = np.flatnonzero(truth == kind)
        start[here[np.argsort(other[here], kind="stable")]] = np.sort(observed[here])
    return _Rival(observed, start, truth, 2 * float(np.ptp(observed)))


class _Difference(NamedTuple):
    """By how much the rival is worse, and what the test goes by."""

    value: float
    seen: float
    """As much of it as the test sees."""
    error: float
    """NaN where there is none."""
    adds: NDArray[np.float64]
    """What each pair adds to it."""
    independent: float
    """How many pairs could speak for one of the two, in effect."""
    freedom: float = math.inf

    def statistic(self, kinds: NDArray[np.float64], shared: Dependence | None) -> tuple[float, float]:
        """Return the statistic of the test, and its standard deviation over sets like this one.

        The statistic is a difference over its error. Where some more pairs speak for the better one, both grow, so that
        it varies less than by 1: by one half, if nearly all pairs that tell the two apart do so.
        """
        if not self.error > 0:  # all pairs say the same
            return math.copysign(math.inf, self.value) if self.value else 0.0, 0.0
        t, variance = self.seen / self.error, Sums.from_contributions(self.adds[None], shared).variance(0)
        moved = self.adds / math.sqrt(variance) - t / 2 * self.adds**2 / float(np.square(self.adds).sum())
        for kind in np.unique(kinds):
            moved[kinds == kind] -= moved[kinds == kind].mean()
        return t, math.sqrt(Sums.from_contributions(moved[None], shared).variance(0))


def _smallest(
    rival: _Rival, truth: NDArray[np.float64], statistic: str, level: float, power: float, shared: Dependence | None
) -> float:
    """Make the rival worse until the test finds it often enough; if that cannot be, better."""
    kinds = np.zeros(len(truth)) if statistic in GRADED else truth

    def found(shift: float, direction: int) -> float:
        """Return the difference if it is found often enough, else NaN."""
        difference = _difference(rival.shifted(direction * shift), truth, statistic, shared)
        if 2.0 ** (1 - difference.independent) >= level:
            return math.nan
        t, spread = difference.statistic(kinds, shared)
        needed = student.quantile(1 - level / 2, difference.freedom) + normal.quantile(power) * spread
        return direction * difference.value if direction * t >= needed else math.nan

    for direction in (1, -1):
        low, high = -rival.most, rival.most
        smallest = found(high, direction)
        if math.isnan(smallest):
            continue
        for _ in range(_STEPS):
            middle = (low + high) / 2
            difference = found(middle, direction)
            low, high = (middle, high) if math.isnan(difference) else (low, middle)
            smallest = smallest if math.isnan(difference) else difference
        return smallest
    return math.inf


def _difference(
    scores: NDArray[np.float64], truth: NDArray[np.float64], statistic: str, shared: Dependence | None
) -> _Difference:
    """Return how the first of two systems differs from the second."""
    if statistic in GRADED:
        found = (Jackknifed.rhos if statistic == "spearman" else Jackknifed.pearsons)(scores, truth, shared)
        value = float(found.estimates[0] - found.estimates[1])
        adds = found.sums.alone[1] - found.sums.alone[0]  # what leaving a pair out takes away
        return _Difference(value, value, found.error(0, 1), adds, found.effective, found.freedom)
    similar = truth == 1
    if statistic == "accuracy":
        right = np.array([best_decisions(row, similar) == similar for row in scores]).astype(np.float64)
        n, adds = len(truth), right[0] - right[1]
        error, told_apart = math.sqrt(Sums.from_contributions(adds[None], shared).variance(0)) / n, np.abs(adds).sum()
        effective = float(told_apart) / (error * n) ** 2 * n if told_apart else n  # as many independent as vary so
        return _at_thresholds(float(adds.mean()), error, adds, effective)
    if statistic == "f1":
        kinds = f1_of(np.array([row >= best_threshold(row, similar) for row in scores]), similar, shared)
    else:
        kinds = (delong if statistic == "auc" else precisions)(scores, similar, shared)
    value, variance = float(kinds.values[0] - kinds.values[1]), kinds.variance(0, 1)
    if math.isnan(variance):
        return _Difference(value, value, math.nan, np.zeros(0), 0.0)
    error, adds, effective = math.sqrt(variance), kinds.adds(0, 1), min(kinds.effective)
    if statistic == "f1":
        return _at_thresholds(value, error, adds, 2 * effective)
    return _Difference(value, value, error, adds, effective, kinds.freedom(0, 1))


def _at_thresholds(value: float, error: float, adds: NDArray[np.float64], effective: float) -> _Difference:
    # A best threshold is known to about n ** (-1/3); that it must also hold with thresholds from cross-validation costs
    # three quarters of that, as simulation shows; and counts are whole.
    seen = math.copysign(max(0.0, abs(value) - 1 / effective) / (1 + 0.75 * effective ** (-1 / 3)), value)
    return _Difference(value, seen, error, adds, effective)
