"""How many ratings, pairs or systems it takes: widths of intervals, and the power of a test of a correlation."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from termgauge.statistics import normal, student
from termgauge.statistics.correlation import FEWEST


def score_width(deviation: float, ratings: float, *, level: float = 0.05) -> float:
    """Return how wide the interval of the mean of some ratings of a typical pair is: 2 z s / sqrt(m).

    The deviation s is that of the ratings of one pair, pooled over all pairs.

    Examples
    --------
    >>> round(score_width(1.5, 9), 2)
    1.96
    """
    return 2 * normal.quantile(1 - level / 2) * deviation / math.sqrt(ratings) if ratings > 0 else math.nan


def raters_for(width: float, deviation: float, *, level: float = 0.05) -> int | None:
    """Return how many ratings a mean takes so that its interval is no wider: (2 z s / W)^2; None if not known.

    Examples
    --------
    >>> raters_for(2.0, 1.5)
    9
    """
    return (
        None
        if math.isnan(deviation)
        else max(1, math.ceil(round(score_width(deviation, 1, level=level) ** 2 / width**2, 9)))
    )


def pairs_for_interval(width: float, pairs: int, now: float) -> int | None:
    """Return how many pairs bring an interval that is `now` so wide on `pairs` pairs down to a width: n (w / W)^2.

    Examples
    --------
    >>> pairs_for_interval(0.1, 111, 0.2)
    444
    """
    return None if math.isnan(now) else max(3, math.ceil(round(pairs * (now / width) ** 2, 6)))


def rho_width(rho: float, pairs: int, *, level: float = 0.05) -> float:
    """Return how wide the interval of Spearman's rho is on so many pairs (Bonett & Wright 2000).

    Its Fisher transform has the standard error sqrt((1 + rho^2 / 2) / (n - 3)).

    Examples
    --------
    >>> round(rho_width(0.5, 1000), 3)
    0.099
    """
    if pairs <= 3:
        return math.nan
    half = normal.quantile(1 - level / 2) * math.sqrt((1 + rho * rho / 2) / (pairs - 3))
    return math.tanh(math.atanh(rho) + half) - math.tanh(math.atanh(rho) - half)


def pairs_for_rho(width: float, rho: float, *, level: float = 0.05) -> int:
    """Return how many pairs an interval of Spearman's rho takes that is no wider.

    Examples
    --------
    >>> pairs_for_rho(0.1, 0.5)
    975
    """
    low, high = 3, 4
    while rho_width(rho, high, level=level) > width:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        enough = rho_width(rho, middle, level=level) <= width
        low, high = (low, middle) if enough else (middle, high)
    return high


_HALVINGS = 24
_NONE = 1e-9


def critical_r(n: int, level: float = 0.05) -> float:
    """Return the smallest absolute correlation that is significant; NaN for fewer than three systems.

    Examples
    --------
    >>> [round(critical_r(n), 3) for n in (5, 7, 9)]
    [0.878, 0.754, 0.666]
    """
    if n < FEWEST:
        return math.nan
    t = student.quantile(1 - level / 2, n - 2)
    return t / math.hypot(t, math.sqrt(n - 2))


@cache
def power_of_r(true: float, n: int, level: float = 0.05) -> float:
    """Return the share of studies with n systems that find a true correlation significant, on either side of 0.

    Examples
    --------
    >>> [round(power_of_r(true, 9), 2) for true in (0.0, 0.5, 0.7, 0.9)]
    [0.05, 0.29, 0.62, 0.97]
    """
    if n < FEWEST:
        return math.nan
    if abs(true) < _NONE:
        return level
    if abs(true) == 1:
        return 1.0
    least = math.tan(math.asin(critical_r(n, level)))  # t over the root of its degrees of freedom
    shift = abs(true) / math.sqrt(1 - true * true)
    freedom = 2 * n - 3
    turn = math.atan2(shift, least)  # where t is as likely to be significant as not
    log_constant = math.lgamma(freedom / 2) - math.lgamma((n - 2) / 2) - math.lgamma((n - 1) / 2) + math.log(2)
    nodes, weights = _quadrature(40 + 8 * math.isqrt(n))
    total = 0.0
    for end in (0.0, math.pi / 2):
        for node, weight in zip(nodes, weights, strict=True):
            angle = turn + (end - turn) * node**3  # close together where the power changes most
            sine, cosine = math.sin(angle), math.cos(angle)
            density = math.exp(log_constant + (n - 3) * math.log(sine) + (n - 2) * math.log(cosine))
            power = sum(
                _above(math.sqrt(freedom) * (least * sine + side * shift * cosine), freedom) for side in (-1, 1)
            )
            total += 3 * node**2 * abs(end - turn) * weight * density * power
    return min(1.0, total)


@cache
def detectable_r(n: int, level: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true correlation that so many studies with n systems find; NaN for fewer than three.

    Examples
    --------
    >>> round(detectable_r(9), 2), round(detectable_r(29), 2)
    (0.79, 0.49)
    """
    if n < FEWEST:
        return math.nan
    low, high = 0.0, math.pi / 2  # angles, whose sine is the correlation
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if power_of_r(math.sin(middle), n, level) >= power else (middle, high)
    return math.sin(high)


def _above(t: float, freedom: float) -> float:
    beyond = student.two_sided(t, freedom) / 2
    return beyond if t > 0 else 1 - beyond


@cache
def _quadrature(size: int) -> tuple[list[float], list[float]]:
    """Return places between 0 and 1, and their weights (Gauss & Legendre)."""
    nodes, weights = np.polynomial.legendre.leggauss(size)
    return ((nodes + 1) / 2).tolist(), (weights / 2).tolist()
