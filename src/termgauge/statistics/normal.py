"""The normal distribution, with tails that stay exact where a p-value needs them."""

from __future__ import annotations

import math
from statistics import NormalDist

_STANDARD = NormalDist()


def cdf(z: float) -> float:
    """Return the chance of a standard normal value below `z`, to full relative precision in the lower tail."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


def quantile(share: float) -> float:
    """Return the value below which a standard normal value lies with the given chance."""
    if share <= 0:
        return -math.inf
    return math.inf if share >= 1 else _STANDARD.inv_cdf(share)


def two_sided(z: float) -> float:
    """Return the chance of a standard normal value at least as far from 0 as `z`."""
    return math.erfc(abs(z) / math.sqrt(2))
