"""Areas under ROC curves of several systems on the same pairs, their covariance, and DeLong's test of differences.

The area is a mean over similar pairs of the share of dissimilar ones that score lower, and as well a mean over
dissimilar ones; the spread of those shares gives the variance (DeLong 1988). All shares follow from ranks (Sun and
Xu 2014), so a system costs a sort rather than a comparison of every similar with every dissimilar pair. The shares are
what each pair contributes to the area, so pairs that share concepts are allowed for by adding up theirs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics import student
from termgauge.statistics.bootstrap import UNDEFINED, Interval
from termgauge.statistics.dependence import Sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.statistics.dependence import Dependence

FEW, MANY = 10, 100
"""Pairs of the rarer kind below which its own number sets the degrees of freedom, and from which they are many."""


@dataclass(frozen=True)
class TwoKinds:
    """The values of several systems on similar and dissimilar pairs, and what is needed to compare them."""

    values: NDArray[np.float64]
    influence: NDArray[np.float64] | None
    """Systems x pairs: what each adds to each value, centred; None if there are fewer than two pairs of either kind."""
    similar: NDArray[np.bool_]
    shared: Dependence | None = None
    """Which pairs share concepts; None if all are independent."""

    @cached_property
    def _sums(self) -> Sums | None:
        return None if self.influence is None else Sums.from_contributions(self.influence, self.shared)

    @cached_property
    def counts(self) -> tuple[int, int]:
        """How many similar, and dissimilar, pairs there are."""
        positives = int(np.count_nonzero(self.similar))
        return positives, len(self.similar) - positives

    @cached_property
    def effective(self) -> tuple[float, float]:
        """How many independent similar, and dissimilar, pairs there are in effect."""
        if self.shared is None:
            return float(self.counts[0]), float(self.counts[1])
        return self.shared.of_pairs(self.similar).effective, self.shared.of_pairs(~self.similar).effective

    def variance(self, one: int, other: int | None = None) -> float:
        """Return the variance of a value, or of the difference of two; 0 if the two rank the pairs alike.

        That of few concepts is too small by one of them, as that of a sample would be.
        """
        if not self._sums:
            return math.nan
        fewest, pairs = min(zip(self.effective, self.counts, strict=True))
        fewest = max(2.0, fewest)
        return self._sums.variance(one, other) * fewest / (fewest - 1) * (pairs - 1) / pairs

    def adds(self, one: int, other: int | None = None) -> NDArray[np.float64]:
        """Return what each pair adds to a value, or to the difference of two, less the mean of its kind."""
        assert self.influence is not None
        return np.asarray(self.influence[one] - (0.0 if other is None else self.influence[other]))

    def design_effect(self, system: int) -> float:
        """Return how much larger the variance of a value is than that of independent pairs.

        As if, in addition, all pairs of one concept of the rarer kind were misplaced: few errors say little about how
        they come.
        """
        if not (self.shared and self._sums):
            return 1.0
        rarer = int(self.counts[1] < self.counts[0])
        pairs, alone = self.counts[rarer], self.adds(system)
        one = 1 / pairs**2
        return (self.variance(system) + one * pairs / self.effective[rarer]) / (float(np.square(alone).sum()) + one)

    def freedom(self, one: int, other: int | None = None) -> float:
        """Return the degrees of freedom of that variance (Satterthwaite 1946).

        With fewer than 10 pairs of the rarer kind they are its number less one, since their spread is hardly known, and
        so they are where both kinds share concepts; from 100 on they are infinite, and the test is DeLong's own.
        """
        fewest = min(self.effective)
        if fewest >= MANY:
            return math.inf
        if fewest < FEW or self.shared:
            return max(1.0, fewest - 1)
        adds = self.adds(one, other)
        parts = [float(np.square(adds[kind]).sum()) for kind in (self.similar, ~self.similar)]
        parts_over_freedom = sum(part**2 / (n - 1) for part, n in zip(parts, self.effective, strict=True))
        return sum(parts) ** 2 / parts_over_freedom if parts_over_freedom else math.inf

    def difference(self, one: int, other: int, level: float) -> tuple[Interval, float]:
        """Return the interval and the two-sided p-value of the difference of two values; NaN if there is no variance.

        Systems that rank the pairs alike have p = 1. Where the values differ but the variance is 0, because every pair
        shows the very same difference (a system that separates perfectly and one that scores all pairs alike), the
        test would claim certainty at any size; p is then that of the sign test on the similar or on the dissimilar
        pairs, whichever is larger, and there is no interval. It is never less than that.
        """
        difference, variance = float(self.values[one] - self.values[other]), self.variance(one, other)
        if math.isnan(variance):
            return UNDEFINED, math.nan
        least = min(1.0, 2.0 ** (1 - min(self.effective)))
        if variance == 0:
            return UNDEFINED, least if difference else 1.0
        freedom, error = self.freedom(one, other), math.sqrt(variance)
        p = max(least, student.two_sided(difference / error, freedom))
        reach = student.quantile(1 - level / 2, freedom) * error
        reach = max(reach, abs(difference)) if p >= level else reach
        return Interval(max(-1.0, difference - reach), min(1.0, difference + reach)), p


def delong(scores: NDArray[np.float64], similar: NDArray[np.bool_], shared: Dependence | None = None) -> TwoKinds:
    """Return the areas of all systems (scores are systems x pairs, without NaN; both kinds of pairs occur)."""
    areas, wins = areas_and_wins(scores, similar)
    influence = np.empty(scores.shape)
    kinds = similar, ~similar
    if min(map(np.count_nonzero, kinds)) < 2:
        return TwoKinds(areas, None, similar, shared)
    for kind in kinds:
        n = int(np.count_nonzero(kind))
        shares = wins[:, kind] / (2 * (len(similar) - n))
        influence[:, kind] = (shares - areas[:, None]) / math.sqrt(n * (n - 1))
    return TwoKinds(areas, influence, similar, shared)


def areas_and_wins(
    scores: NDArray[np.float64], similar: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the areas, and for each pair (systems x pairs) twice the number of pairs of the other kind it wins over.

    A similar pair wins over a dissimilar one that scores lower, a dissimilar one over a similar one that scores higher;
    ties count half.
    """
    positives, negatives = int(similar.sum()), int((~similar).sum())
    wins = np.empty(scores.shape, np.int64)
    for values, of_system in zip(scores, wins, strict=True):
        high, low = values[similar], values[~similar]
        rising, falling = np.argsort(high), np.argsort(low)
        high, low = high[rising], low[falling]
        of_similar, over_dissimilar = np.empty(positives, np.int64), np.empty(negatives, np.int64)
        of_similar[rising] = _twice_below(low, high)  # looked up in order, which is quicker
        over_dissimilar[falling] = 2 * positives - _twice_below(high, low)
        of_system[similar], of_system[~similar] = of_similar, over_dissimilar
    return wins[:, similar].sum(axis=1) / (2 * positives * negatives), wins


def _twice_below(ordered: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return, for each value, how many of the ordered ones are below it plus how many are not above it."""
    below: NDArray[np.int64] = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return below
