"""Does a value rise or fall over bands of pairs, or differ between them at all?

Each band has the value of a system on its own pairs, and what each pair contributes to it. A trend is the slope of the
straight line through the values over the number of the band, a sum of the bands' values with fixed weights; so what a
pair contributes to it is known, too, and pairs of different bands that share a concept are allowed for as pairs of one
band are. Rho is tested on Fisher's scale. Where bands have no order, the values are tested for any difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics import student
from termgauge.statistics.bootstrap import UNDEFINED, Interval
from termgauge.statistics.correlation import Jackknifed
from termgauge.statistics.delong import delong
from termgauge.statistics.dependence import Sums
from termgauge.statistics.separation import believed, usual_variance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.statistics.delong import TwoKinds
    from termgauge.statistics.dependence import Dependence

LEAST_PAIRS = 10
"""In a band, below which its value says too little about its own error to be tested."""
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class BandValue:
    """The value of a system in one band, as far as a test needs it."""

    value: float
    scaled: float
    """On the scale on which it is tested: Fisher's for rho, its own otherwise."""
    pairs: NDArray[np.int64]
    """Which pairs of the set."""
    adds: NDArray[np.float64]
    """What each of them adds to the scaled value."""
    more: float
    """What is added to the variance that the pairs show: few errors say little about how they come."""
    freedom: float


class Trend(NamedTuple):
    """How a value changes from the first band to the last, on the straight line through all of them."""

    change: float
    low: float
    high: float
    p_value: float


UNTESTED = Trend(math.nan, math.nan, math.nan, math.nan)


def rho_in_band(
    scores: NDArray[np.float64], ratings: NDArray[np.float64], pairs: NDArray[np.int64], shared: Dependence | None
) -> BandValue | None:
    """Return Spearman's rho on some pairs; None if they are too few, or scores or ratings are all equal."""
    own, truth = scores[pairs], ratings[pairs]
    if len(pairs) < LEAST_PAIRS or own.min() == own.max() or truth.min() == truth.max():
        return None
    rhos = Jackknifed.rhos(own[None], truth, shared and shared.of_pairs(pairs))
    adds = rhos.sums.alone[0]
    return BandValue(float(rhos.estimates[0]), float(rhos.scaled[0]), pairs, adds, 0.0, max(1.0, rhos.effective - 1))


def area_in_band(
    scores: NDArray[np.float64], labels: NDArray[np.float64], pairs: NDArray[np.int64], shared: Dependence | None
) -> BandValue | None:
    """Return the area under the ROC curve on some pairs; None if they are too few, of either kind or of both."""
    similar = labels[pairs] == 1
    if similar.all() or not similar.any():
        return None
    return system_in_band(delong(scores[pairs][None], similar, shared and shared.of_pairs(pairs)), 0, pairs)


def system_in_band(areas: TwoKinds, system: int, pairs: NDArray[np.int64]) -> BandValue | None:
    """Return what :func:`area_in_band` does for one of several systems whose areas on the pairs are known."""
    rarer = min(areas.counts)
    if len(pairs) < LEAST_PAIRS or rarer < 2:
        return None
    value, effective, adds = float(areas.values[system]), min(areas.effective), areas.adds(system)
    found = float(np.square(adds).sum())
    # A perfect area has no variance of its own: it is taken to be half a pair of the rarer kind less than perfect.
    usual = usual_variance((value * rarer + 0.5) / (rarer + 1), *areas.counts)
    more = max(0.0, believed(found / usual, effective) * usual - found) * rarer / effective
    return BandValue(value, value, pairs, adds, more, max(1.0, effective - 1))


def share_in_band(right: NDArray[np.bool_], pairs: NDArray[np.int64], shared: Dependence | None) -> BandValue | None:
    """Return the share of right decisions on some pairs; None if they are too few."""
    n = len(pairs)
    if n < LEAST_PAIRS:
        return None
    own = right[pairs].astype(np.float64)
    value, together = float(own.mean()), shared and shared.of_pairs(pairs)
    effective = together.effective if together else float(n)
    adds = (own - value) / math.sqrt(n * (n - 1))
    wrong = 1 / (n * effective)  # of one pair, and of those that share its concept
    return BandValue(value, value, pairs, adds, wrong, max(1.0, effective - 1))


def trend(bands: Sequence[BandValue], places: Sequence[float], shared: Dependence | None, alpha: float) -> Trend:
    """Test whether values rise or fall over bands, whose places on the axis ascend.

    >>> right = np.array([True] * 45 + [False] * 5 + [True] * 25 + [False] * 25)
    >>> bands = [share_in_band(right, np.arange(low, low + 50), None) for low in (0, 50)]
    >>> found = trend(bands, [0, 1], None, 0.05)
    >>> round(found.change, 3), found.p_value < 0.001
    (-0.4, True)
    """
    if len(bands) < 2:
        return UNTESTED
    across = np.array(places, np.float64)
    centred = across - across.mean()
    weights = centred / float(centred @ centred) * float(across[-1] - across[0])
    variances = np.square(weights) * np.diag(_covariance(bands, None))
    error = math.sqrt(max(0.0, float(weights @ _covariance(bands, shared) @ weights)))
    change = float(weights @ np.array([band.value for band in bands]))
    scaled = float(weights @ np.array([band.scaled for band in bands]))
    if error < _NOTHING:
        return Trend(change, *UNDEFINED, 1.0 if abs(change) < _NOTHING else math.nan)
    freedoms = np.array([band.freedom for band in bands])
    freedom = float(variances.sum() ** 2 / (np.square(variances) / freedoms).sum())
    p = student.two_sided(scaled / error, freedom)
    reach = student.quantile(1 - alpha / 2, freedom) * error * _brought_back(bands, change, scaled)
    interval = Interval(change - reach, change + reach)
    if p >= alpha:  # the two scales may differ in a verdict that is close: what is tested counts
        interval = Interval(min(interval.low, 0.0), max(interval.high, 0.0))
    return Trend(change, *interval, p)


def any_difference(bands: Sequence[BandValue], shared: Dependence | None) -> float:
    """Return the p-value of all bands having the same value; NaN if there is nothing to test.

    >>> right = np.array([True] * 45 + [False] * 5 + [True] * 25 + [False] * 25)
    >>> any_difference([share_in_band(right, np.arange(low, low + 50), None) for low in (0, 50)], None) < 0.001
    True
    """
    if len(bands) < 2:
        return math.nan
    values = np.array([band.scaled for band in bands])
    apart = np.eye(len(bands))[1:] - np.eye(len(bands))[0]
    variance = apart @ _covariance(bands, shared) @ apart.T
    differences = apart @ values
    if np.linalg.matrix_rank(variance, tol=_NOTHING**2) < len(apart):
        return math.nan
    distance = float(differences @ np.linalg.solve(variance, differences))
    return student.beyond_f(distance / len(apart), len(apart), min(band.freedom for band in bands))


def _brought_back(bands: Sequence[BandValue], change: float, scaled: float) -> float:
    """Return how much of a value's own scale one unit of the tested scale is, here."""
    if abs(scaled) > _NOTHING and change / scaled > 0:
        return change / scaled
    return float(np.mean([1 - band.value**2 if band.scaled != band.value else 1.0 for band in bands]))


def _covariance(bands: Sequence[BandValue], shared: Dependence | None) -> NDArray[np.float64]:
    """Return the covariance of the scaled values; bands have no pair in common, but may share concepts."""
    alone = np.array([float(np.square(band.adds).sum()) for band in bands])
    covariance = np.diag(alone)
    if shared is not None:
        pairs = np.concatenate([band.pairs for band in bands])
        adds = np.zeros((len(bands), len(pairs)))
        start = 0
        for row, band in zip(adds, bands, strict=True):
            row[start : start + len(band.pairs)] = band.adds
            start += len(band.pairs)
        sums = Sums.from_contributions(adds, shared and shared.of_pairs(pairs))
        together = sums.by_concept @ sums.by_concept.T - sums.by_couple @ sums.by_couple.T
        # Never less than what independent pairs would have, in any direction.
        values, vectors = np.linalg.eigh(_whitened(together, alone))
        root = np.sqrt(alone)
        covariance = root[:, None] * ((vectors * np.maximum(values, 1.0)) @ vectors.T) * root
    return np.asarray(covariance + np.diag([band.more for band in bands]))


def _whitened(matrix: NDArray[np.float64], variances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a covariance in units of some variances; where one is 0, so is what it would be divided by."""
    scale = np.divide(1.0, np.sqrt(variances), out=np.zeros_like(variances), where=variances > 0)
    return scale[:, None] * matrix * scale
