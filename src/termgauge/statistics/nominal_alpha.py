"""Krippendorff's alpha of answers that have no order, with intervals over units that were drawn within parts.

For such answers alpha is a function of sums over units: resampling units, leaving one out and adding sets together all
become sums of a few numbers for each unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics.bootstrap import SEED, Bca

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from termgauge.statistics.bootstrap import Interval

_AT_ONCE = 1 << 22
"""Weights of units that are held at once."""


def unit_terms(counts: ArrayLike) -> NDArray[np.float64]:
    """Return what each unit adds: its answers, how often they differ, and its answers of each kind.

    Counts are units x kinds of answers; a unit with fewer than two answers adds nothing.
    """
    table = np.atleast_2d(np.asarray(counts, np.float64))
    answers = table.sum(axis=1)
    table = table * (answers >= 2)[:, None]
    answers = table.sum(axis=1)
    differing = (answers**2 - (table**2).sum(axis=1)) / np.maximum(answers - 1, 1)
    return np.column_stack([answers, differing, table])


def alpha_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return alpha of each row of sums of :func:`unit_terms`; NaN where no two answers are of different kinds."""
    n, differing, kinds = sums[..., 0], sums[..., 1], sums[..., 2:]
    expected = n**2 - (kinds**2).sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        value: NDArray[np.float64] = np.where(expected > 0, 1 - (n - 1) * differing / expected, np.nan)
    return value


def nominal_alpha(counts: ArrayLike) -> float:
    """Return Krippendorff's alpha of unordered answers, from how often each was given to each unit.

    NaN where no unit has two answers, and where all answers are the same.

    Examples
    --------
    >>> two_raters = [[1, 1], [0, 2], [1, 1], [2, 0], [2, 0], [1, 1], [2, 0], [2, 0], [1, 1], [2, 0]]
    >>> round(nominal_alpha(two_raters), 6)
    0.095238
    """
    return float(alpha_of(unit_terms(counts).sum(axis=0)))


class AlphaResamples:
    """Alpha over units that were drawn within parts, in resamples in which each part keeps its number of units."""

    def __init__(self, parts: Sequence[ArrayLike], resamples: int, seed: int | np.random.Generator = SEED) -> None:
        generator = np.random.default_rng(seed)
        self._units = [unit_terms(counts) for counts in parts if len(np.asarray(counts))]
        self._sums = sum((_resampled(units, resamples, generator) for units in self._units), np.zeros(1))

    def __add__(self, other: AlphaResamples) -> AlphaResamples:
        """Return both as one."""
        both = AlphaResamples([], 0)
        both._units = self._units + other._units
        both._sums = self._sums + other._sums
        return both

    @property
    def bca(self) -> Bca:
        """The distribution of alpha."""
        if not self._units:
            return Bca.of(np.nan, np.empty(0), np.empty(0))
        units = np.concatenate(self._units)
        total = units.sum(axis=0)
        return Bca.of(float(alpha_of(total)), alpha_of(self._sums), alpha_of(total - units))

    def interval(self, level: float = 0.05) -> Interval:
        """Return the interval that misses the true alpha in a share `level` of cases."""
        return self.bca.interval(level)


def _resampled(units: NDArray[np.float64], resamples: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Return the sums over as many units as there are, drawn with replacement, for each resample."""
    n = len(units)
    at_once = max(1, _AT_ONCE // n)
    sums = np.empty((resamples, units.shape[1]))
    for start in range(0, resamples, at_once):
        some = min(at_once, resamples - start)
        sums[start : start + some] = generator.multinomial(n, np.full(n, 1 / n), some) @ units
    return sums
