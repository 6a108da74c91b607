"""How many raters, or pairs, an interval of a wanted width takes, from what the ratings at hand show."""

from __future__ import annotations

import math

from termgauge.statistics import normal


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
