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
_OF_LARGEST = 0.9
"""What remains of the degrees of freedom of the largest of several differences, each of which has a variance of its
own: so many keep its level (`python -m benchmarks.levels comparison`)."""


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

    def places(self, numbers: NDArray[np.int64]) -> Units:
        """Return them as places among numbers that hold all of them."""
        second = np.where(self.second == NO_UNIT, NO_UNIT, np.searchsorted(numbers, self.second))
        return Units(np.searchsorted(numbers, self.first), second)

    def couples(self, number: int) -> NDArray[np.int64]:
        """Return a number for the two units of each item that has two; there are so many units."""
        first, second = self.first[self.apart], self.second[self.apart]
        return np.minimum(first, second) * number + np.maximum(first, second)

    def members(self, number: int) -> Groups:
        """Return the items of each unit."""
        group = np.concatenate([self.first, self.second[self.apart]])
        return Groups(group, np.concatenate([np.arange(len(self)), self.apart]), number)

    @cached_property
    def grouped(self) -> Grouped:
        """The items of each unit and of each couple, of a set alone."""
        return Grouped([[self]])


class Grouped:
    """The items of each unit and of each couple of units, of several sets, each with one row of units or several."""

    def __init__(self, sets: Sequence[Sequence[Units]]) -> None:
        numbers = np.unique(np.concatenate([units.numbers for row in sets for units in row]))
        self.units = len(numbers)
        placed = [[units.places(numbers) for units in row] for row in sets]
        couples = [[units.couples(self.units) for units in row] for row in placed]
        distinct = np.unique(np.concatenate([codes for row in couples for codes in row]))
        self.members = [[units.members(self.units) for units in row] for row in placed]
        self.coupled = [
            [
                Groups(np.searchsorted(distinct, pair), units.apart, len(distinct))
                for pair, units in zip(*rows, strict=True)
            ]
            for rows in zip(couples, placed, strict=True)
        ]
        self.ends = np.divmod(distinct, max(1, self.units))
        """The two units of each couple."""


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
    """The covariance of several models' values: on one set, or of the mean over a group of sets.

    Each set comes with the units of its items, or, where these differ between models, with those of each model.
    """

    def __init__(self, sets: Sequence[tuple[Estimates, Units | list[Units]]]) -> None:
        unit_rows = [[units] if isinstance(units, Units) else units for _, units in sets]
        grouped = unit_rows[0][0].grouped if len(unit_rows) == 1 and len(unit_rows[0]) == 1 else Grouped(unit_rows)
        self.units, self._members, self._couples = grouped.units, grouped.members, grouped.ends
        parts = [estimates for estimates, _ in sets]
        by_unit, by_couple = _moves(parts, grouped.members), _moves(parts, grouped.coupled)
        self.whole = not np.isfinite(by_unit).all()
        """Whether one unit is all there is of a set or class, so that nothing is known of others."""
        if self.whole:
            by_unit = by_couple = np.zeros((len(by_unit), 0))
        self._by_unit, self._by_couple = by_unit, by_couple
        self._scale = (self.units - 1) / self.units if self.units else 0.0
        self._gammas = [part.influence / (len(sets) * part.influence.shape[1]) for part in parts]
        self._classes = [part.classes for part in parts]
        trained = [part.training / len(sets) ** np.array([2, 4]) for part in parts if part.training is not None]
        self._training = sum(trained, np.zeros((len(parts[0].values), 2)))

    @cached_property
    def matrix(self) -> NDArray[np.float64]:
        """The covariances of all models."""
        of_items = self._scale * (self._by_unit @ self._by_unit.T - self._by_couple @ self._by_couple.T)
        return np.asarray(of_items + np.diag(self._training[:, 0]))

    def error(self, one: int, other: int | None = None, *, largest: bool = False) -> Error:
        """Return the error of a model's value, or of the difference of two; at least that of independent items.

        `largest` asks for the largest of several differences, which lies further out than one alone.
        """
        if self.whole or self.units < 2:
            return Error(math.nan, math.nan)

        def of(table: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(table[one] if other is None else table[one] - table[other])

        by_unit, by_couple = of(self._by_unit), of(self._by_couple)
        gammas = [of(gamma) for gamma in self._gammas]
        least = sum(float(gamma @ gamma) for gamma in gammas)
        variance = max(self._scale * float(by_unit @ by_unit - by_couple @ by_couple), least)
        training, uncertain = self._training[[at for at in (one, other) if at is not None]].sum(axis=0).tolist()
        if variance + training <= _NOTHING**2:
            return Error(0.0, math.inf)
        spread = np.zeros(self.units)
        for gamma, classes, members in zip(gammas, self._classes, self._members, strict=True):
            typical = np.bincount(classes, np.square(gamma)) / np.maximum(np.bincount(classes), 1)
            chosen = [members[at] for at in (one, other) if at is not None] if len(members) > 1 else members
            spread += sum(groups.sums(typical[classes][None])[0] for groups in chosen) / len(chosen)
        freedom = self._freedom(spread, by_unit, by_couple, largest=largest)
        whole = variance + training
        if uncertain:  # Welch (1947) and Satterthwaite
            freedom = max(1.0, whole**2 / (variance**2 / freedom + uncertain))
        return Error(math.sqrt(whole), freedom)

    def _freedom(
        self,
        spread: NDArray[np.float64],
        by_unit: NDArray[np.float64],
        by_couple: NDArray[np.float64],
        *,
        largest: bool,
    ) -> float:
        """Return the degrees of freedom: fewer where a few units hold most of the items, or move the value most.

        The first is Satterthwaite's (1946) number for units of unequal size, the second that of moves with long tails,
        whose squares vary more than those of normal ones. The largest of several differences tends to be one whose
        variance came out small, most of all where couples took much away: for it both count, not the smaller alone.
        """
        moves = np.square(by_unit)
        if largest:
            twice = np.square(by_couple) / 2
            moves -= sum(np.bincount(ends, twice, self.units) for ends in self._couples)
        if moves.sum() <= 0:
            return 1.0
        like = _alike(moves)
        tails = 2 * self.units * like / (self.units - like) if like < self.units else math.inf
        sizes = max(1.0, _alike(spread) - 1)
        return max(1.0, _OF_LARGEST / (1 / sizes + 1 / tails) if largest else min(sizes, tails))


def _alike(parts: NDArray[np.float64]) -> float:
    """Return how many parts of one size would sum up as unevenly as these; none if there is nothing to sum up."""
    squares = float(np.square(parts).sum())
    return max(0.0, float(parts.sum())) ** 2 / squares if squares else 0.0


def _moves(parts: Sequence[Estimates], groups: Sequence[Sequence[Groups]]) -> NDArray[np.float64]:
    """Return how far the mean over all sets moves without each group (models x groups)."""
    moves = np.zeros((len(parts[0].values), groups[0][0].number))
    for estimates, members in zip(parts, groups, strict=True):
        left = [estimates.without(units) for units in members]
        without = np.array([table[at] for at, table in enumerate(left)]) if len(left) > 1 else left[0]
        moves += (estimates.values[:, None] - without) / len(parts)
    return moves
