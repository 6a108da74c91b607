"""The one covariance of all values: items that share a unit are dependent, within a set and over sets.

A unit is what items share and therefore depend through: a concept, a word, a document. An item has one or two. How far
a value moves without a unit says what the unit adds to its error (the jackknife), so few and unequal units are allowed
for. Items with the same two units would count twice and are taken away once (the sandwich of dyads, Fafchamps and
Gubert 2007).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics import student
from termgauge.statistics.estimators import Groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.statistics.estimators import Estimates

NO_UNIT = -1
_NOTHING = 1e-12


@dataclass(frozen=True)
class Units:
    """The units of each item, as numbers that all sets of a comparison share; -1 for a second unit that is none."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.first)

    def chosen(self, items: NDArray[np.bool_]) -> Units:
        """Return those of some items."""
        return Units(self.first[items], self.second[items])

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The units that occur, in order."""
        both = np.unique(np.concatenate([self.first, self.second]))
        return np.asarray(both[both != NO_UNIT])

    @cached_property
    def apart(self) -> NDArray[np.int64]:
        """The items that have two different units."""
        return np.flatnonzero((self.second != NO_UNIT) & (self.first != self.second))


class Error(NamedTuple):
    """The standard error of a value or of a difference, and its degrees of freedom; NaN where there is none."""

    error: float
    freedom: float

    def p_value(self, difference: float, units: int) -> float:
        """Return the two-sided p-value; where nothing varies, that of as many fair coins as there are units."""
        if math.isnan(self.error):
            return math.nan
        if self.error == 0:
            return 2.0 ** (1 - units) if difference else 1.0
        return student.two_sided(difference / self.error, self.freedom)

    def reach(self, level: float) -> float:
        """Return how far the interval of a level reaches to either side."""
        return student.quantile(1 - level / 2, self.freedom) * self.error


class Covariance:
    """The covariance of several models' values: on one set, or of the mean over a group of sets."""

    def __init__(self, sets: Sequence[tuple[Estimates, Units]]) -> None:
        numbers = np.unique(np.concatenate([units.numbers for _, units in sets]))
        self.units = len(numbers)
        couples, members = [], []
        for _, units in sets:
            first, second = np.searchsorted(numbers, units.first), np.searchsorted(numbers, units.second)
            group = np.concatenate([first, second[units.apart]])
            members.append(Groups(group, np.concatenate([np.arange(len(units)), units.apart]), self.units))
            low, high = np.minimum(first, second)[units.apart], np.maximum(first, second)[units.apart]
            couples.append(low * self.units + high)
        known, place = np.unique(np.concatenate(couples), return_inverse=True)
        ends = np.cumsum([len(keys) for keys in couples])
        coupled = [
            Groups(group, units.apart, len(known))
            for group, (_, units) in zip(np.split(place, ends[:-1]), sets, strict=True)
        ]
        found = [estimates for estimates, _ in sets]
        by_unit, by_couple = _moves(found, members), _moves(found, coupled)
        self.whole = not np.isfinite(by_unit).all()
        """Whether one unit is all there is of a set or class, so that nothing is known of others."""
        if self.whole:
            by_unit = by_couple = np.zeros((len(by_unit), 0))
        self._by_unit, self._by_couple, self._couples = by_unit, by_couple, np.divmod(known, self.units)
        scale = (self.units - 1) / self.units if self.units else 0.0
        self.matrix = scale * (by_unit @ by_unit.T - by_couple @ by_couple.T)
        self._gammas = [each.influence / (len(sets) * each.influence.shape[1]) for each in found]
        self._classes, self._members = [each.classes for each in found], members
        self._least = sum((gamma @ gamma.T for gamma in self._gammas), np.zeros_like(self.matrix))

    def error(self, one: int, other: int | None = None, *, largest: bool = False) -> Error:
        """Return the error of a model's value, or of the difference of two; at least that of independent items.

        `largest` asks for the largest of several differences, which lies further out than one alone.
        """
        if self.whole or self.units < 2:
            return Error(math.nan, math.nan)
        contrast = np.zeros(len(self.matrix))
        contrast[one] = 1.0
        if other is not None:
            contrast[other] -= 1.0
        variance = max(contrast @ table @ contrast for table in (self.matrix, self._least))
        if variance <= _NOTHING**2:
            return Error(0.0, math.inf)
        return Error(math.sqrt(variance), self._freedom(contrast, largest=largest))

    def _freedom(self, contrast: NDArray[np.float64], *, largest: bool) -> float:
        """Return the degrees of freedom: fewer where a few units hold most of the items, or move the value most.

        The first is Satterthwaite's (1946) number for units of unequal size, the second that of moves with long tails,
        whose squares vary more than those of normal ones. What couples take away makes the variance less certain: far
        out, where the largest of several differences lies, that counts.
        """
        spread = np.zeros(self.units)
        for gamma, classes, members in zip(self._gammas, self._classes, self._members, strict=True):
            typical = np.bincount(classes, np.square(contrast @ gamma)) / np.maximum(np.bincount(classes), 1)
            spread += members.sums(typical[classes][None])[0]
        moves = np.square(contrast @ self._by_unit)
        if largest:
            twice = np.square(contrast @ self._by_couple) / 2
            moves -= sum(np.bincount(ends, twice, self.units) for ends in self._couples)
        if moves.sum() <= 0:
            return 1.0
        like = _alike(moves)
        tails = 2 * self.units * like / (self.units - like) if like < self.units else math.inf
        return max(1.0, min(_alike(spread) - 1, tails))


def _alike(parts: NDArray[np.float64]) -> float:
    """Return how many parts of one size would sum up as unevenly as these; none if there is nothing to sum up."""
    squares = float(np.square(parts).sum())
    return max(0.0, float(parts.sum())) ** 2 / squares if squares else 0.0


def _moves(found: Sequence[Estimates], groups: Sequence[Groups]) -> NDArray[np.float64]:
    """Return how far the mean over all sets moves without each group (models x groups)."""
    moves = np.zeros((len(found[0].values), groups[0].number))
    for estimates, members in zip(found, groups, strict=True):
        moves += (estimates.values[:, None] - estimates.without(members)) / len(found)
    return moves
