"""Areas under ROC curves of several systems on the same pairs, their covariance, and DeLong's test of differences.

The area is a mean over similar pairs of the share of dissimilar ones that score lower, and as well a mean over
dissimilar ones; the spread of those shares gives the variance (DeLong 1988). All shares follow from ranks (Sun and
Xu 2014), so a system costs a sort rather than a comparison of every similar with every dissimilar pair.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics import normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CANCELLED = 1e-9


@dataclass(frozen=True)
class Delong:
    """The areas of several systems and what is needed to compare them."""

    areas: NDArray[np.float64]
    covariance: NDArray[np.float64]
    """Systems x systems; NaN if there are fewer than two pairs of either kind."""
    wins_of_similar: NDArray[np.int64]
    """Systems x similar pairs: twice the number of dissimilar pairs that score lower (ties 1/2)."""
    wins_over_dissimilar: NDArray[np.int64]
    """Systems x dissimilar pairs: twice the number of similar pairs that score higher (ties 1/2)."""

    def variance_of_difference(self, one: int, other: int) -> float:
        """Return the variance of the difference of two areas; 0 if the two rank the pairs alike."""
        both = float(self.covariance[one, one] + self.covariance[other, other])
        variance = both - 2 * float(self.covariance[one, other])
        if math.isnan(variance) or variance > _CANCELLED * both:
            return variance
        # Almost equal systems: the subtraction has lost its digits, so take the spread of the differences itself.
        return self._spread(self.wins_of_similar, one, other) + self._spread(self.wins_over_dissimilar, one, other)

    def _spread(self, wins: NDArray[np.int64], one: int, other: int) -> float:
        difference = wins[one] - wins[other]
        if difference.min() == difference.max():
            return 0.0
        most = 2 * (self.wins_of_similar.shape[1] + self.wins_over_dissimilar.shape[1] - wins.shape[1])
        return float(np.var(difference / most, ddof=1)) / len(difference)

    def p_value(self, one: int, other: int) -> float:
        """Return the two-sided p-value of the difference of two areas; NaN if there is no variance.

        Systems that rank the pairs alike have p = 1. Where the areas differ but the variance is 0, because every pair
        shows the very same difference (a system that separates perfectly and one that scores all pairs alike), the
        normal test would claim certainty at any size; p is then that of the sign test on the similar or on the
        dissimilar pairs, whichever is larger.
        """
        difference = float(self.areas[one] - self.areas[other])
        variance = self.variance_of_difference(one, other)
        if math.isnan(variance):
            return math.nan
        if variance > 0:
            return normal.two_sided(difference / math.sqrt(variance))
        fewest = min(self.wins_of_similar.shape[1], self.wins_over_dissimilar.shape[1])
        return 1.0 if difference == 0 else 2.0 ** (1 - fewest)


def delong(scores: NDArray[np.float64], similar: NDArray[np.bool_]) -> Delong:
    """Return the areas of all systems (scores are systems x pairs, without NaN; both kinds of pairs occur)."""
    positives, negatives = int(similar.sum()), int((~similar).sum())
    of_similar = np.empty((len(scores), positives), np.int64)
    over_dissimilar = np.empty((len(scores), negatives), np.int64)
    for s, values in enumerate(scores):
        high, low = np.sort(values[similar]), np.sort(values[~similar])
        of_similar[s] = _twice_below(low, values[similar])
        over_dissimilar[s] = 2 * positives - _twice_below(high, values[~similar])
    areas = of_similar.sum(axis=1) / (2 * positives * negatives)
    shape = (len(scores), len(scores))
    covariance = np.full(shape, np.nan)
    if min(positives, negatives) > 1:
        by_similar = np.cov(of_similar / (2 * negatives)).reshape(shape)
        by_dissimilar = np.cov(over_dissimilar / (2 * positives)).reshape(shape)
        covariance = by_similar / positives + by_dissimilar / negatives
    return Delong(areas, covariance, of_similar, over_dissimilar)


def _twice_below(ordered: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return, for each value, how many of the ordered ones are below it plus how many are not above it."""
    below: NDArray[np.int64] = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return below
