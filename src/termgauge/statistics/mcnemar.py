"""McNemar's test: do two systems decide rightly equally often on the same pairs?

Only pairs that exactly one of them decides rightly tell; if the systems are equally good, which one it is, is the
toss of a coin. Pairs that share concepts are tossed together: they count as so many independent ones as would have the
same variance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics import normal, student
from termgauge.statistics.bootstrap import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.statistics.dependence import Dependence, Sums

_AT_ONCE = 1 << 20


def mcnemar(only_one: float, only_other: float) -> float:
    """Return the two-sided exact binomial p-value, from how many pairs only the one, and only the other, has right.

    Examples
    --------
    >>> mcnemar(1, 5), mcnemar(0, 0)
    (0.21875, 1.0)
    """
    return student.sign_test(only_one, only_other)


@dataclass(frozen=True)
class Decisions:
    """Which pairs each system decides rightly (systems x pairs), and which pairs share concepts."""

    only: NDArray[np.int64]
    """For any two systems, how many pairs only the first decides rightly."""
    n: int
    sums: Sums | None
    """What pairs contribute; None if they are independent."""

    @classmethod
    def from_decisions(cls, right: NDArray[np.bool_], shared: Dependence | None = None) -> Decisions:
        """Count right decisions."""
        sums = None if shared is None else shared.sums(right.astype(np.float64))
        return cls(only_right(right), right.shape[1], sums)

    def difference(self, one: int, other: int, level: float) -> tuple[Interval, float]:
        """Return the interval and the p-value of the difference of two accuracies."""
        counts = int(self.only[one, other]), int(self.only[other, one])
        more = self.sums.variance(one, other) / sum(counts) if self.sums and sum(counts) else 1.0
        effective = counts[0] / more, counts[1] / more
        return difference_interval(*effective, self.n / more, level), mcnemar(*effective)


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


def difference_interval(only_one: float, only_other: float, n: float, alpha: float) -> Interval:
    """Return an interval of the difference of two accuracies on the same pairs (Bonett and Price 2012).

    One pair is added to each of the two counts, and so two to the total, which keeps the level in small sets; the
    centre of the interval is therefore slightly nearer to 0 than the difference.
    """
    one, other = (only_one + 1) / (n + 2), (only_other + 1) / (n + 2)
    reach = normal.quantile(1 - alpha / 2) * math.sqrt((one + other - (one - other) ** 2) / (n + 2))
    return Interval(max(-1.0, one - other - reach), min(1.0, one - other + reach))
