"""Areas under ROC curves of several systems on the same pairs, their covariance, and DeLong's test of differences.

The area is a mean over similar pairs of the share of dissimilar ones that score lower, and as well a mean over
dissimilar ones; the spread of those shares gives the variance (DeLong 1988). All shares follow from ranks (Sun and
Xu 2014), so a system costs a sort rather than a comparison of every similar with every dissimilar pair. The shares are
what each pair contributes to the area, so pairs that share concepts are allowed for by adding up theirs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics.dependence import Dependence, Sums
from termgauge.statistics.two_kinds import TwoKinds

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Delong(TwoKinds):
    """The areas of several systems and what is needed to compare them."""

    areas: NDArray[np.float64]
    wins_of_similar: NDArray[np.int64]
    """Systems x similar pairs: twice the number of dissimilar pairs that score lower (ties 1/2)."""
    wins_over_dissimilar: NDArray[np.int64]
    """Systems x dissimilar pairs: twice the number of similar pairs that score higher (ties 1/2)."""
    similar: NDArray[np.bool_]
    shared: Dependence | None = None
    """Which pairs share concepts; None if all are independent."""

    def _summed(self) -> Sums | None:
        if min(self._counts) < 2:
            return None
        influence = np.empty((len(self.areas), len(self.similar)))
        for kind, wins in ((self.similar, self.wins_of_similar), (~self.similar, self.wins_over_dissimilar)):
            n = wins.shape[1]
            shares = wins / (2 * (len(self.similar) - n))
            influence[:, kind] = (shares - self.areas[:, None]) / math.sqrt(n * (n - 1))
        return Sums.of(influence, self.shared)

    @property
    def values(self) -> NDArray[np.float64]:
        """The areas."""
        return self.areas


def delong(scores: NDArray[np.float64], similar: NDArray[np.bool_], shared: Dependence | None = None) -> Delong:
    """Return the areas of all systems (scores are systems x pairs, without NaN; both kinds of pairs occur)."""
    positives, negatives = int(similar.sum()), int((~similar).sum())
    of_similar = np.empty((len(scores), positives), np.int64)
    over_dissimilar = np.empty((len(scores), negatives), np.int64)
    for s, values in enumerate(scores):
        high, low = values[similar], values[~similar]
        rising, falling = np.argsort(high), np.argsort(low)
        high, low = high[rising], low[falling]
        of_similar[s, rising] = _twice_below(low, high)  # looked up in order, which is quicker
        over_dissimilar[s, falling] = 2 * positives - _twice_below(high, low)
    areas = of_similar.sum(axis=1) / (2 * positives * negatives)
    return Delong(areas, of_similar, over_dissimilar, similar, shared)


def _twice_below(ordered: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return, for each value, how many of the ordered ones are below it plus how many are not above it."""
    below: NDArray[np.int64] = np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")
    return below
