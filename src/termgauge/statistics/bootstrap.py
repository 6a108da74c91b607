"""Bias-corrected and accelerated (BCa) bootstrap intervals, and Spearman's rho over resamples that systems share.

Every resample is drawn once and applied to all systems, so the differences of any two of them come from the same
batch; :class:`Bca` turns the replicates of one statistic into intervals and a p-value (Efron 1987). It is our own
because SciPy's computes a statistic anew for each left-out item, in time that grows with the square of the items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics import normal
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

DRAWS_AT_ONCE = 1 << 18


def draws(n: int, resamples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield, for a run of resamples at a time, the `n` items drawn with replacement (resamples x items)."""
    generator, at_once = np.random.default_rng(seed), max(1, DRAWS_AT_ONCE // n)
    for start in range(0, resamples, at_once):
        yield generator.integers(0, n, (min(at_once, resamples - start), n))


LEAST_RESAMPLES = 10_000
SEED = 42
_IN_THE_TAILS = 20


class Interval(NamedTuple):
    """The two ends of a confidence interval; both NaN where it is undefined."""

    low: float
    high: float


UNDEFINED = Interval(math.nan, math.nan)


class Value(NamedTuple):
    """A statistic of one system with its interval at level 1 - alpha, not corrected; NaN where it is undefined."""

    value: float
    low: float
    high: float


def resamples_for(level: float) -> int:
    """Return how many resamples an interval needs that errs in a share `level` of cases.

    At least 10,000, and enough for 20 of them to lie outside the interval (10 in each tail).

    >>> resamples_for(0.05), resamples_for(0.05 / 253)
    (10000, 101200)
    """
    return max(LEAST_RESAMPLES, math.ceil(round(_IN_THE_TAILS / level, 6)))


@dataclass(frozen=True)
class Bca:
    """The bootstrap distribution of one statistic, with its correction for bias and skewness."""

    estimate: float
    replicates: NDArray[np.float64]
    """The statistic in each resample in which it is defined."""
    bias: float
    """How far the estimate lies from the median of the replicates, as a normal quantile (z0)."""
    acceleration: float
    """How fast the standard error changes with the true value (a)."""
    items: int = 0
    """How many items were drawn."""

    @classmethod
    def from_replicates(cls, estimate: float, replicates: NDArray[np.float64], left_out: NDArray[np.float64]) -> Bca:
        """Take bias from the replicates and acceleration from the values with one item left out.

        Replicates and left-out values that are NaN (a resample in which the statistic is undefined) do not count.
        Replicates equal to the estimate count half below it, and an estimate outside all replicates is taken to be
        half a replicate inside, so that the bias is always finite.
        """
        replicates = _defined(replicates)
        count = len(replicates)
        if math.isnan(estimate) or not count:
            return cls(estimate, np.empty(0), 0.0, 0.0, len(left_out))
        below = np.count_nonzero(replicates < estimate) + np.count_nonzero(replicates <= estimate)
        share = min(max(below / (2 * count), 0.5 / count), 1 - 0.5 / count)
        return cls(estimate, replicates, normal.quantile(share), _acceleration(_defined(left_out)), len(left_out))

    def interval(self, alpha: float) -> Interval:
        """Return the interval that misses the true value in a share `alpha` of cases; none if all resamples agree."""
        if not len(self.replicates) or self.replicates.min() == self.replicates.max():
            return UNDEFINED
        shares = [self._share(normal.quantile(alpha / 2)), self._share(normal.quantile(1 - alpha / 2))]
        low, high = np.quantile(self.replicates, shares)
        return Interval(float(low), float(high))

    def p_value(self) -> float:
        """Return the smallest `alpha` whose interval excludes 0.

        It is not below 1 / (resamples + 1): so many resamples cannot show more; nor below what flipping the sign of
        each of so few items could reach. Where 0 is outside all replicates, the share of them beyond it is taken to be
        the former.
        """
        count = len(self.replicates)
        if not count:
            return math.nan
        least = 1 / (count + 1)
        above, below = self.replicates > 0, self.replicates < 0
        p = 1.0
        if above.any():  # the low end is above 0 from this share on
            share = _crossing(self.replicates[~above], self.replicates[above])
            p = min(p, 2 * normal.cdf(self._quantile(max(share, least))))
        if below.any():  # the high end is below 0 up to this share
            share = 1 - _crossing(-self.replicates[~below], -self.replicates[below])
            p = min(p, 2 * normal.cdf(-self._quantile(min(share, 1 - least))))
        return min(1.0, max(p, least, 2.0 ** (1 - self.items)))

    def _share(self, z: float) -> float:
        """Return the share of the replicates that lies below the end of the interval whose normal quantile is `z`."""
        shifted = self.bias + z
        scale = 1 - self.acceleration * shifted
        if scale <= 0:  # skewed beyond what the correction can express: its limit
            return 1.0 if shifted > 0 else 0.0
        return normal.cdf(self.bias + shifted / scale)

    def _quantile(self, share: float) -> float:
        """Return the normal quantile that :meth:`_share` turns into `share`."""
        shifted = normal.quantile(share) - self.bias
        scale = 1 + self.acceleration * shifted
        if scale <= 0:
            return math.inf if shifted > 0 else -math.inf
        return shifted / scale - self.bias


def _defined(values: NDArray[np.float64]) -> NDArray[np.float64]:
    missing = np.isnan(values)
    return values[~missing] if missing.any() else values


def _acceleration(left_out: NDArray[np.float64]) -> float:
    if not len(left_out):
        return 0.0
    influence = left_out.mean() - left_out
    spread = float(influence @ influence)
    # Influence that is nothing but rounding has no skewness.
    if spread <= len(left_out) * (1e-14 * float(np.abs(left_out).max())) ** 2:
        return 0.0
    return float(np.sum(influence**3)) / (6 * spread * math.sqrt(spread))


def _crossing(not_above: NDArray[np.float64], above: NDArray[np.float64]) -> float:
    """Return the share at which the interpolated quantiles pass 0, given the values up to 0 and those above it."""
    if not len(not_above):
        return 0.0
    last, first = float(not_above.max()), float(above.min())
    return (len(not_above) - 1 - last / (first - last)) / (len(not_above) + len(above) - 1)


class RhoResamples(NamedTuple):
    """Spearman's rho of several systems with one gold standard."""

    estimates: NDArray[np.float64]
    """Per system, on all items."""
    replicates: NDArray[np.float64]
    """Systems x resamples."""
    left_out: NDArray[np.float64]
    """Systems x items: without that item."""

    def single(self, system: int) -> Bca:
        """Return the distribution of one system's rho."""
        return Bca.from_replicates(float(self.estimates[system]), self.replicates[system], self.left_out[system])

    def difference(self, one: int, other: int) -> Bca:
        """Return the distribution of the difference between two systems."""
        return Bca.from_replicates(
            float(self.estimates[one] - self.estimates[other]),
            self.replicates[one] - self.replicates[other],
            self.left_out[one] - self.left_out[other],
        )


def resampled_rhos(
    scores: NDArray[np.float64], gold: NDArray[np.float64], resamples: int, seed: int = SEED
) -> RhoResamples:
    """Return the rho of each system (scores are systems x items) in resamples that all systems share.

    Time is linear in items, systems and resamples; the replicates take 8 bytes per resample and system. The same seed
    gives the same resamples whatever the number of processors.
    """
    import numba

    from termgauge.statistics import resample_kernels

    orders, last = sorted_with_ties(np.vstack([gold, np.asarray(scores, np.float64)]))
    n = orders.shape[1]

    def rhos(drawn: NDArray[np.int64]) -> NDArray[np.float64]:
        filled = np.empty((len(scores), len(drawn)))
        resample_kernels.resampled_rhos(orders, last, drawn, filled)
        return filled

    threads = numba.get_num_threads()
    with ThreadPool(threads) as pool:
        runs = pool.map_ahead(rhos, draws(n, resamples, seed), 2 * threads)
        replicates = np.hstack([np.empty((len(scores), 0)), *runs])
    return RhoResamples(rhos(np.arange(n)[None])[:, 0], replicates, resample_kernels.left_out_rhos(orders, last))


def sorted_with_ties(values: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return the ascending order of each row, and which places in it are the last of a run of equal values."""
    orders = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, orders, axis=1)
    last = np.ones(values.shape, np.bool_)
    last[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    return orders.astype(np.int32), last
