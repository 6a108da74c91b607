"""Shares of a population whose parts were drawn from separately, such as 30 positives and 30 negatives of a set.

Each part has Wilson's interval, repaired where hits or misses are rare and narrower where much of the part was drawn;
the intervals of sums and ratios over parts are put together from those (Zou & Donner 2008; Donner & Zou 2012), so that
none reaches beyond 0 or 1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from termgauge.statistics.bootstrap import UNDEFINED, Interval
from termgauge.statistics.separation import wilson

if TYPE_CHECKING:
    from collections.abc import Sequence


_RARE = 3
"""Hits, or misses, up to which Wilson's interval is repaired."""


class Stratum(NamedTuple):
    """A part of a population, and what is known of the items that were drawn from it without replacement."""

    hits: int
    """Items that have what is counted."""
    items: int
    """Items of which it is known whether they have it."""
    drawn: int
    size: int | None = None
    """All items of the part; None if that is not known, and then the part counts as endless."""

    @property
    def share(self) -> float:
        """The share of hits; NaN without items."""
        return self.hits / self.items if self.items else math.nan

    @property
    def weight(self) -> float:
        """How many items of the part each item that was drawn stands for."""
        return 1.0 if self.size is None or not self.drawn else self.size / self.drawn

    def interval(self, alpha: float = 0.05) -> Interval:
        """Return Wilson's interval with the correction for a finite population; the share itself if all was drawn.

        Wilson's interval misses too often where the share is close to 0 or 1. With one to three hits, or misses, its
        end is therefore that of a Poisson count (Brown, Cai & DasGupta 2001).

        >>> [round(end, 3) for end in Stratum(27, 30, 30).interval()]
        [0.744, 0.973]
        >>> [round(end, 3) for end in Stratum(27, 30, 30, 60).interval()]
        [0.789, 0.952]
        """
        if not self.items:
            return UNDEFINED
        low, high = wilson(self.hits, self.items, alpha)
        if 0 < self.hits <= _RARE:
            low = min(low, _least_count(self.hits, alpha) / self.items)
        if 0 < self.items - self.hits <= _RARE:
            high = max(high, 1 - _least_count(self.items - self.hits, alpha) / self.items)
        kept = 1.0 if self.size is None else math.sqrt(max(0.0, (self.size - self.drawn) / max(1, self.size - 1)))
        return Interval(self.share - kept * (self.share - low), self.share + kept * (high - self.share))


class Estimate(NamedTuple):
    """A share and its interval; NaN where it is undefined."""

    value: float
    interval: Interval


NONE = Estimate(math.nan, UNDEFINED)


def pooled_share(strata: Sequence[Stratum], *, whole: bool = False, alpha: float = 0.05) -> Estimate:
    """Return the share of hits over all parts: of what was drawn, or an estimate of that of the whole population.

    >>> right = [Stratum(30, 30, 30, 100), Stratum(24, 30, 30, 9900)]
    >>> round(pooled_share(right).value, 3), round(pooled_share(right, whole=True).value, 3)
    (0.9, 0.802)
    """
    kept = [stratum for stratum in strata if stratum.items]
    weights = [stratum.items * (stratum.weight if whole else 1.0) for stratum in kept]
    total = sum(weights)
    if not total:
        return NONE
    value = sum(weight * stratum.share for weight, stratum in zip(weights, kept, strict=True)) / total
    below = above = 0.0
    for weight, stratum in zip(weights, kept, strict=True):
        low, high = stratum.interval(alpha)
        below += (weight / total * (stratum.share - low)) ** 2
        above += (weight / total * (high - stratum.share)) ** 2
    return Estimate(value, Interval(max(0.0, value - math.sqrt(below)), min(1.0, value + math.sqrt(above))))


def share_of_hits(one: Stratum, other: Stratum, *, whole: bool = False, alpha: float = 0.05) -> Estimate:
    """Return the share of all hits that is in one of two parts: of those drawn, or estimated for the population.

    >>> value, (low, high) = share_of_hits(Stratum(27, 30, 30), Stratum(3, 30, 30))
    >>> round(value, 3), round(low, 3), round(high, 3)
    (0.9, 0.774, 0.971)
    """
    if not one.hits + other.hits:
        return NONE
    if not one.hits:  # the same of the other part: a ratio needs something below its line
        value, (low, high) = share_of_hits(other, one, whole=whole, alpha=alpha)
        return Estimate(1 - value, Interval(1 - high, 1 - low))
    # How many items of the other part stand against one of this part.
    odds = other.items / one.items * (other.weight / one.weight if whole else 1.0) if other.items else 0.0
    low, high = _ratio_interval(other, one, alpha) if other.items else Interval(0.0, 0.0)
    ratio = other.share / one.share if other.items else 0.0
    return Estimate(1 / (1 + odds * ratio), Interval(1 / (1 + odds * high), 1 / (1 + odds * low)))


def _ratio_interval(above: Stratum, below: Stratum, alpha: float) -> Interval:
    """Return the interval of the ratio of two independent shares, the second not 0."""
    one, other = above.share, below.share
    (low_1, high_1), (low_2, high_2) = above.interval(alpha), below.interval(alpha)
    product = one * other
    # Of the form in which nothing cancels; both ends solve a quadratic equation.
    least, scale = low_1 * (2 * one - low_1), high_2 * (2 * other - high_2)
    low = least / (product + math.sqrt(max(0.0, product**2 - least * scale))) if least else 0.0
    most, scale = high_1 * (2 * one - high_1), low_2 * (2 * other - low_2)
    high = (product + math.sqrt(max(0.0, product**2 - most * scale))) / scale
    return Interval(low, high)


def _least_count(count: int, alpha: float) -> float:
    """Return the mean of a Poisson distribution that reaches a count in a share `alpha` of cases."""
    low, high = 0.0, float(count)
    for _ in range(60):
        middle = (low + high) / 2
        fewer = math.exp(-middle) * sum(middle**k / math.factorial(k) for k in range(count))
        low, high = (middle, high) if 1 - fewer < alpha else (low, middle)
    return low
