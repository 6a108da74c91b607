"""Spearman's rho between the scores of a system and what people rated, with a BCa interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.bootstrap import SEED, resample_rhos, resamples_for
from termgauge.statistics.inputs import checked_gold, checked_level, checked_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Correlation(NamedTuple):
    """Spearman's rho and its confidence interval; NaN where the scores or the ratings are constant."""

    value: float
    low: float
    high: float
    n: int


def average_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each value, from 1; equal values share the mean of their ranks.

    Examples
    --------
    >>> average_ranks(np.array([30.0, 10.0, 30.0]))
    array([2.5, 1. , 2.5])
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    ranks: NDArray[np.float64] = (ends - (counts - 1) / 2)[which]
    return ranks


def spearman(scores: ArrayLike, gold: ArrayLike) -> float:
    """Return Spearman's rho, with average ranks for ties; NaN if either side is constant.

    Examples
    --------
    >>> spearman([0.1, 0.2, 0.4, 0.3], [1, 2, 3, 4])
    0.8
    >>> spearman([0.5, 0.5], [1, 2])
    nan
    """
    x = checked_scores(scores)
    y = checked_gold(gold, len(x))
    # Doubled and centred, ranks are whole numbers: no rounding in the sums.
    x, y = (2 * average_ranks(values) - len(values) - 1 for values in (x, y))
    squares = float(x @ x) * float(y @ y)
    return float(x @ y) / math.sqrt(squares) if squares > 0 else math.nan


def spearman_with_interval(
    scores: ArrayLike, gold: ArrayLike, *, alpha: float = 0.05, resamples: int | None = None, seed: int = SEED
) -> Correlation:
    """Return Spearman's rho with its bias-corrected and accelerated (BCa) bootstrap interval.

    Parameters
    ----------
    scores, gold
        A score and a rating per pair.
    alpha
        The interval has level 1 - alpha.
    resamples
        By default 10,000, or 20 / alpha if that is more.
    seed
        Of the resamples.

    Notes
    -----
    Resamples in which rho is undefined, because all pairs drawn have equal scores or ratings, do not count.

    Examples
    --------
    >>> ratings = np.arange(40.0)
    >>> found = spearman_with_interval(np.sin(ratings / 20), ratings)
    >>> found.n, bool(found.low <= found.value <= found.high)
    (40, True)
    """
    checked_level(alpha)
    value = spearman(scores, gold)
    x, y = np.asarray(scores, np.float64), np.asarray(gold, np.float64)
    if math.isnan(value):
        return Correlation(value, math.nan, math.nan, len(x))
    found = resample_rhos(x[None], y, resamples or resamples_for(alpha), seed)
    low, high = found.single(0).interval(alpha)
    return Correlation(value, low, high, len(x))
