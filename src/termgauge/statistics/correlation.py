"""Spearman's rho and Pearson's r between the scores of a system and what people rated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics.inputs import checked_gold, checked_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_ROUNDING = 1e-14


def average_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each value, from 1; equal values share the mean of their ranks.

    Examples
    --------
    >>> average_ranks(np.array([30.0, 10.0, 30.0]))
    array([2.5, 1. , 2.5])
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[which]
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


def pearson(scores: ArrayLike, gold: ArrayLike) -> float:
    """Return Pearson's r; NaN if either side is constant.

    Examples
    --------
    >>> round(pearson([0.1, 0.2, 0.4, 0.3], [1, 2, 3, 4]), 12)
    0.8
    >>> pearson([0.5, 0.5], [1, 2])
    nan
    """
    x = checked_scores(scores)
    y = checked_gold(gold, len(x))
    if not len(x) or x.min() == x.max() or y.min() == y.max():
        return math.nan
    x, y = _centred(x), _centred(y)
    r = float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))
    return math.copysign(1.0, r) if abs(r) > 1 - _ROUNDING else r


def pearson_left_out(scores: NDArray[np.float64], gold: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Pearson's r without each pair in turn, of scores and ratings that vary; NaN where it is undefined.

    Without a pair the sums of squares and products of what is centred lose n / (n - 1) of that pair's.
    """
    x, y = _centred(scores), _centred(gold)
    more = len(x) / (len(x) - 1)
    product, *squares = (float(one @ other) - more * one * other for one, other in ((x, y), (x, x), (y, y)))
    below = np.where(np.minimum(*squares) > _ROUNDING * len(x), squares[0] * squares[1], np.nan)
    return np.asarray(np.clip(product / np.sqrt(below), -1.0, 1.0))


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values that vary with mean 0 and variance 1."""
    own = _centred(values)
    return np.asarray(own / math.sqrt(float(np.square(own).mean())))


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values that vary less their mean, the furthest from it being 1.

    They are scaled first, so that nothing is lost where they are tiny or huge.
    """
    scaled = values / np.abs(values).max()
    scaled -= scaled.mean()
    return np.asarray(scaled / np.abs(scaled).max())
