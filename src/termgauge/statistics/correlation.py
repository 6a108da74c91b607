"""Spearman's rho and Pearson's r of scores with ratings, and of two scores of a few systems with each other."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics import normal, student
from termgauge.statistics.bootstrap import SEED, UNDEFINED, Interval
from termgauge.statistics.inputs import checked_gold, checked_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

_ROUNDING = 1e-14


def average_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rank of each value, from 1; equal values share the mean of their ranks.

    >>> average_ranks(np.array([30.0, 10.0, 30.0]))
    array([2.5, 1. , 2.5])
    """
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = (np.cumsum(counts) - (counts - 1) / 2)[which]
    return ranks


def spearman(scores: ArrayLike, gold: ArrayLike) -> float:
    """Return Spearman's rho, with average ranks for ties; NaN if either side is constant.

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


def _centred(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values that vary less their mean, the furthest from it being 1.

    They are scaled first, so that nothing is lost where they are tiny or huge.
    """
    scaled = values / np.abs(values).max()
    scaled -= scaled.mean()
    return np.asarray(scaled / np.abs(scaled).max())


FEWEST = 3
"""Systems below which no correlation is defined."""
_EXACT, _DRAWN = 9, 50
"""Systems up to which every order is looked at for the p-value of rho, and up to which orders are drawn."""
_DRAWS = 100_000


class Association(NamedTuple):
    """How two scores go together over n systems; NaN where that is undefined."""

    n: int
    r: float
    """Pearson's."""
    p_value: float
    """Two-sided, of no linear relation."""
    rho: float
    """Spearman's."""
    rho_p: float
    """Two-sided; over all orders for up to nine systems, over some for up to fifty or in families, else by t."""

    def interval(self, alpha: float) -> Interval:
        """Return Fisher's interval of r; undefined for fewer than four systems and for a perfect correlation."""
        return self._on_fishers_scale(self.r, 1.0, alpha)

    def rho_interval(self, alpha: float) -> Interval:
        """Return the interval of rho, whose variance on Fisher's scale is a little larger (Fieller et al. 1957)."""
        return self._on_fishers_scale(self.rho, 1.06, alpha)

    def _on_fishers_scale(self, value: float, variance: float, alpha: float) -> Interval:
        if self.n <= FEWEST or math.isnan(value) or abs(value) == 1:
            return UNDEFINED
        middle, reach = math.atanh(value), normal.quantile(1 - alpha / 2) * math.sqrt(variance / (self.n - 3))
        return Interval(math.tanh(middle - reach), math.tanh(middle + reach))


def association(one: ArrayLike, other: ArrayLike, family: Sequence[str] = ()) -> Association:
    """Return how two scores of the same systems go together.

    It is undefined for fewer than three systems and where one of the scores is the same for all of them. Where the
    family of each system is given, only systems of one family are taken to be interchangeable; those that are alone in
    theirs, or have none, are one more.

    >>> found = association([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 4.0, 3.0])
    >>> found.n, found.r, round(found.p_value, 4), found.rho, round(found.rho_p, 4)
    (4, 0.6, 0.4, 0.6, 0.4167)
    """
    x = checked_scores(one)
    y = checked_gold(other, len(x))
    n, undefined = len(x), math.nan
    r = pearson(x, y) if n >= FEWEST else undefined
    if math.isnan(r):
        return Association(n, undefined, undefined, undefined, undefined)
    rho = spearman(x, y)
    families: dict[str, list[int]] = {}
    for system, name in enumerate(family or [""] * n):
        families.setdefault(name if family and family.count(name) > 1 else "", []).append(system)
    few = n <= _DRAWN or len(families) > 1
    rho_p = _over_orders(average_ranks(x), average_ranks(y), [*families.values()]) if few else p_value(rho, n)
    return Association(n, r, p_value(r, n), rho, rho_p)


def without_each(one: ArrayLike, other: ArrayLike) -> list[float]:
    """Return Pearson's r without each of the systems in turn; NaN where that is undefined.

    >>> without_each([1.0, 2.0, 3.0, 9.0], [3.0, 2.0, 1.0, 9.0])[-1]
    -1.0
    """
    x, y = np.asarray(one, np.float64), np.asarray(other, np.float64)
    kept = (np.arange(len(x)) != system for system in range(len(x)))
    return [pearson(x[rest], y[rest]) if len(x) > FEWEST else math.nan for rest in kept]


def p_value(r: float, n: int) -> float:
    """Return the two-sided p-value of a correlation of n systems, by Student's t; 0 for a perfect one.

    >>> round(p_value(0.754, 7), 3)
    0.05
    """
    if abs(r) == 1:
        return 0.0
    return student.two_sided(r * math.sqrt((n - 2) / ((1 - r) * (1 + r))), n - 2)


def _over_orders(x: NDArray[np.float64], y: NDArray[np.float64], families: Sequence[list[int]]) -> float:
    """Return the share of orders within families in which ranks go together as far from what chance gives."""
    drawn = math.prod(math.factorial(len(members)) for members in families) > math.factorial(_EXACT)
    products, seen = np.zeros(_DRAWS if drawn else 1), 0.0
    for at, places in enumerate(families):
        one, other = (ranks[places] - ranks[places].mean() for ranks in (x, y))
        seen += float(one @ other)
        part = _products(tuple(np.sort(one).tolist()), tuple(np.sort(other).tolist()), SEED + at if drawn else None)
        products = products + part if drawn else np.add.outer(products, part).ravel()
    beyond = int((np.abs(products) >= abs(seen) - _ROUNDING * len(x) ** 3).sum())
    return (beyond + drawn) / (len(products) + drawn)


@lru_cache(8)
def _products(one: tuple[float, ...], other: tuple[float, ...], seed: int | None) -> NDArray[np.float64]:
    """Return the product of ranks in each order, or in orders that are drawn by a seed."""
    if seed is None:
        return np.asarray(np.array(one)[_orders(len(one))] @ np.array(other))
    generator, size = np.random.default_rng(seed), max(1, 2_000_000 // len(one))
    steps = (min(size, _DRAWS - start) for start in range(0, _DRAWS, size))
    return np.concatenate([generator.permuted(np.tile(one, (step, 1)), axis=1) @ other for step in steps])


@cache
def _orders(n: int) -> NDArray[np.uint8]:
    """Return all orders of n things."""
    rows = np.zeros((1, 0), np.uint8)
    for last in range(n):
        rows = np.concatenate([np.insert(rows, column, last, axis=1) for column in range(last + 1)])
    return rows
