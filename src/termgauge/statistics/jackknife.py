"""Correlations on Fisher's scale, with the standard errors of the jackknife: what holds on small and clustered sets.

BCa intervals of a difference of rho are too short on some dozens of pairs. On Fisher's scale, atanh(rho), the values
without one pair each are nearly normal, and their spread holds its level from ten pairs on. What each pair contributes
is known, so pairs that share concepts are allowed for, too. Pearson's r is treated likewise, on sets of any size: what
it would be without a pair costs next to nothing, and Student's t makes up for the few pairs of a small set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from termgauge.statistics import student
from termgauge.statistics.bootstrap import UNDEFINED, Interval, sorted_with_ties
from termgauge.statistics.correlation import pearson, pearson_left_out
from termgauge.statistics.dependence import Sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.statistics.dependence import Dependence


@dataclass(frozen=True)
class Jackknifed:
    """The correlation of several systems with ratings, and what each pair contributes to it on Fisher's scale."""

    estimates: NDArray[np.float64]
    scaled: NDArray[np.float64]
    sums: Sums
    effective: float
    """How many independent pairs there are in effect."""
    freedom: float

    @classmethod
    def rhos(cls, scores: NDArray[np.float64], gold: NDArray[np.float64], shared: Dependence | None = None) -> Self:
        """Take Spearman's rho of scores (systems x pairs) that vary, as ratings do."""
        from termgauge.statistics import resample_kernels

        orders, last = sorted_with_ties(np.vstack([gold, scores]))
        estimates, left_out = np.empty((len(scores), 1)), np.empty(scores.shape)
        resample_kernels.resampled_rhos(orders, last, np.arange(len(gold))[None], estimates, 0)
        resample_kernels.left_out_rhos(orders, last, left_out)
        return cls._from_estimates(estimates[:, 0], left_out, shared)

    @classmethod
    def pearsons(cls, scores: NDArray[np.float64], gold: NDArray[np.float64], shared: Dependence | None = None) -> Self:
        """Take Pearson's r of scores (systems x pairs) that vary, as ratings do."""
        estimates = np.array([pearson(row, gold) for row in scores])
        found = cls._from_estimates(estimates, np.array([pearson_left_out(row, gold) for row in scores]), shared)
        return found if shared else replace(found, freedom=max(1.0, len(gold) - 2))

    @classmethod
    def _from_estimates(
        cls, estimates: NDArray[np.float64], left_out: NDArray[np.float64], shared: Dependence | None
    ) -> Self:
        n = left_out.shape[1]
        most = 1 - 1 / n**2  # a perfect correlation is finite on this scale
        scaled, without = (np.arctanh(np.clip(each, -most, most)) for each in (estimates, left_out))
        without = np.where(np.isnan(without), scaled[:, None], without)
        influence = math.sqrt((n - 1) / n) * (without - without.mean(axis=1, keepdims=True))
        effective = shared.effective if shared else float(n)
        freedom = max(1.0, effective - 1) if shared else math.inf
        return cls(estimates, scaled, Sums.from_contributions(influence, shared), effective, freedom)

    def interval(self, system: int, alpha: float) -> Interval:
        """Return the interval of one correlation; none if it is the same without any pair."""
        error = math.sqrt(self.sums.variance(system))
        if error < _NOTHING:
            return UNDEFINED
        reach = student.quantile(1 - alpha / 2, self.freedom) * error
        return Interval(math.tanh(self.scaled[system] - reach), math.tanh(self.scaled[system] + reach))

    def error(self, one: int, other: int) -> float:
        """Return the standard error of a difference: that on Fisher's scale, brought back."""
        difference = float(self.scaled[one] - self.scaled[other])
        slope = 1 - math.tanh(float(self.scaled[one] + self.scaled[other]) / 2) ** 2
        if abs(difference) > _NOTHING:
            slope = float(np.tanh(self.scaled[one]) - np.tanh(self.scaled[other])) / difference
        return slope * math.sqrt(self.sums.variance(one, other))

    def difference(self, one: int, other: int, level: float) -> tuple[Interval, float]:
        """Return the interval and the p-value of the difference of two systems.

        The p-value is never below what swapping the two systems on any of the pairs could reach. Where the difference
        is the same without any pair there is no interval, and p is that least one.
        """
        difference, error = float(self.estimates[one] - self.estimates[other]), self.error(one, other)
        least = 2.0 ** (1 - self.effective)
        if error < _NOTHING:
            return UNDEFINED, min(1.0, least) if difference else 1.0
        reach = student.quantile(1 - level / 2, self.freedom) * error
        p = min(1.0, max(least, student.two_sided(difference / error, self.freedom)))
        if p >= level:
            reach = max(reach, abs(difference))
        return Interval(max(-2.0, difference - reach), min(2.0, difference + reach)), p


_NOTHING = 1e-12
