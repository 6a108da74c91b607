"""Spearman's rho between the scores of a system and what people rated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics.inputs import checked_gold, checked_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


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
