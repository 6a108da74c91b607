"""How many raters, or pairs, an interval of a wanted width takes, from what the ratings at hand show."""

from __future__ import annotations

import math

from termgauge.statistics import normal, student

MOST_RATERS = 10_000
"""More raters of one pair are never worth planning for."""


def score_width(deviation: float, ratings: float, *, level: float = 0.05) -> float:
    """Return how wide the interval of a mean of so many ratings is: 2 t s / sqrt(m), t with m - 1 degrees of freedom.

    Examples
    --------
    >>> round(score_width(1.5, 10), 3)
    2.146
    """
    if ratings <= 1 or math.isnan(deviation):
        return math.nan
    return 2 * student.quantile(1 - level / 2, ratings - 1) * deviation / math.sqrt(ratings)


def raters_for(width: float, deviation: float, *, level: float = 0.05) -> int | None:
    """Return how many ratings a mean takes so that its interval is no wider; None if more than 10,000.

    Examples
    --------
    >>> raters_for(2.0, 1.5)
    12
    """
    if math.isnan(deviation) or score_width(deviation, MOST_RATERS, level=level) > width:
        return None
    low, high = 1, MOST_RATERS  # too few, enough
    while high - low > 1:
        middle = (low + high) // 2
        enough = score_width(deviation, middle, level=level) <= width
        low, high = (low, middle) if enough else (middle, high)
    return high


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
