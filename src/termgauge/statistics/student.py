"""Student's t distribution and the binomial one: tests and intervals over few items."""

from __future__ import annotations

import math

from termgauge.statistics import normal

_STEPS = 100_000
_MANY = 1e7
_TINY = 1e-300


def two_sided(t: float, freedom: float) -> float:
    """Return the chance of a value at least as far from 0 as `t`, with so many degrees of freedom.

    >>> round(two_sided(2.0, 10), 6)
    0.073388
    """
    if freedom > _MANY:
        return normal.two_sided(t)
    if math.isinf(t):
        return 0.0
    if abs(t) < 1:  # the chance of being nearer is the exact one here
        return 1 - incomplete_beta(t * t / (freedom + t * t), 0.5, freedom / 2)
    return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def quantile(share: float, freedom: float) -> float:
    """Return the value below which a t value lies with the given chance.

    >>> round(quantile(0.975, 10), 6)
    2.228139
    """
    if share == 0.5:
        return 0.0
    if share < 0.5:
        return -quantile(1 - share, freedom)
    if freedom > _MANY or share >= 1:
        return normal.quantile(share)
    beyond = 2 * (1 - share)
    low, high = 0.0, math.inf
    at = normal.quantile(share)
    at += (  # nearly there, unless there are few degrees of freedom (Cornish and Fisher 1938)
        (at**3 + at) / (4 * freedom)
        + (5 * at**5 + 16 * at**3 + 3 * at) / (96 * freedom**2)
        + (3 * at**7 + 19 * at**5 + 17 * at**3 - 15 * at) / (384 * freedom**3)
        + (79 * at**9 + 776 * at**7 + 1482 * at**5 - 1920 * at**3 - 945 * at) / (92160 * freedom**4)
    )
    for _ in range(200):
        more = two_sided(at, freedom) - beyond
        low, high = (at, high) if more > 0 else (low, at)
        step = more / (2 * _density(at, freedom))
        if abs(step) < 1e-14 * at:
            break
        at += step  # Newton's step, as long as it stays between the bounds
        if not low < at < high:
            at = (low + high) / 2 if high < math.inf else 2 * low
    return at


def _density(t: float, freedom: float) -> float:
    log = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    return math.exp(log - (freedom + 1) / 2 * math.log1p(t * t / freedom))


def clopper_pearson(share: float, n: float, alpha: float) -> tuple[float, float]:
    """Return the exact interval of a share of `n` trials, which need not be a whole number.

    Examples
    --------
    >>> [round(end, 4) for end in clopper_pearson(0.9, 10, 0.05)]
    [0.555, 0.9975]
    """
    right = share * n
    return (
        beta_quantile(alpha / 2, right, n - right + 1) if right > 0 else 0.0,
        beta_quantile(1 - alpha / 2, right + 1, n - right) if right < n else 1.0,
    )


def beta_quantile(probability: float, a: float, b: float) -> float:
    """Return the value below which a beta variable lies with the given chance, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if incomplete_beta(middle, a, b) < probability else (low, middle)
    return (low + high) / 2


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction (Lentz's method)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction of the complement converges faster
        return 1 - incomplete_beta(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    upper, lower = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    value = lower
    for m in range(1, _STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            lower = 1 / _away(1 + term * lower)
            upper = _away(1 + term / upper)
            value *= lower * upper
        if abs(lower * upper - 1) < 1e-15:
            break
    return front * value


def _away(number: float) -> float:
    """Return a number that may be divided by."""
    return number if abs(number) > _TINY else _TINY
