"""McNemar's exact test: do two systems decide rightly equally often on the same pairs?

Only pairs that exactly one of them decides rightly tell; if the systems are equally good, which one it is, is the
toss of a coin.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics import normal
from termgauge.statistics.bootstrap import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

_AT_ONCE = 1 << 20


@lru_cache(maxsize=1 << 14)  # simulations ask for the same small counts again and again
def mcnemar(only_one: int, only_other: int) -> float:
    """Return the two-sided exact binomial p-value, from how many pairs only the one, and only the other, has right.

    Examples
    --------
    >>> mcnemar(1, 5), mcnemar(0, 0)
    (0.21875, 1.0)
    """
    tosses, fewer = only_one + only_other, min(only_one, only_other)
    if 2 * fewer >= tosses - 1:
        return 1.0
    if tosses < 1000:  # the counts of outcomes as whole numbers
        outcomes: int = 2 * sum(math.comb(tosses, k) for k in range(fewer + 1))
        return outcomes / (1 << tosses)
    log_term = math.lgamma(tosses + 1) - math.lgamma(fewer + 1) - math.lgamma(tosses - fewer + 1)
    total, term = 0.0, 1.0
    for k in range(fewer, -1, -1):  # downwards from the largest term
        total += term
        term *= k / (tosses - k + 1)
        if term < 1e-18 * total:
            break
    return min(1.0, 2 * total * math.exp(log_term - tosses * math.log(2)))


def only_right(right: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return, for any two systems, how many pairs only the first decides rightly; `right` is systems x pairs.

    Examples
    --------
    >>> only_right(np.array([[True, True, False], [True, False, False]]))
    array([[0, 1],
           [0, 0]])
    """
    both = np.zeros((len(right), len(right)), np.int64)
    for start in range(0, right.shape[1], _AT_ONCE):  # so few that single precision counts them exactly
        part = right[:, start : start + _AT_ONCE].astype(np.float32)
        both += (part @ part.T).astype(np.int64)
    only: NDArray[np.int64] = np.diag(both)[:, None] - both
    return only


def difference_interval(only_one: int, only_other: int, n: int, alpha: float) -> Interval:
    """Return an interval of the difference of two accuracies on the same pairs (Bonett and Price 2012).

    One pair is added to each of the two counts, and so two to the total, which keeps the level in small sets; the
    centre of the interval is therefore slightly nearer to 0 than the difference.
    """
    one, other = (only_one + 1) / (n + 2), (only_other + 1) / (n + 2)
    reach = normal.quantile(1 - alpha / 2) * math.sqrt((one + other - (one - other) ** 2) / (n + 2))
    return Interval(max(-1.0, one - other - reach), min(1.0, one - other + reach))
