"""Which pairs of terms are not independent: those that share a concept, and what that adds to a variance.

A concept with seven synonyms gives 21 pairs, and a model that knows it has all of them right. The variance of a sum
over pairs is then not the sum of their variances: every two pairs that share a concept add a covariance (the sandwich
estimator for dyads, Fafchamps and Gubert 2007).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Dependence:
    """The concepts of each pair, as numbers; two pairs are independent if they share none."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]

    @classmethod
    def of(cls, first: Sequence[object], second: Sequence[object]) -> Dependence:
        """Take the two concepts of each pair; a pair that lacks one (None or empty) shares it with no other.

        Examples
        --------
        >>> Dependence.of(["a", "a", None], ["a", "b", "b"]).effective
        1.5
        """
        numbers: dict[object, int] = {}
        columns = [
            [numbers.setdefault(object() if each in (None, "") else each, len(numbers)) for each in column]
            for column in (first, second)
        ]
        return cls(*(np.array(column, np.int64) for column in columns))

    def __len__(self) -> int:
        return len(self.first)

    def of_pairs(self, chosen: NDArray[np.bool_]) -> Dependence:
        """Return that of some pairs."""
        return Dependence(self.first[chosen], self.second[chosen])

    def sums(self, influence: NDArray[np.float64]) -> Sums:
        """Add up what pairs contribute (systems x pairs) by concept, and by couple of concepts."""
        return Sums.of(influence, self)

    @cached_property
    def effective(self) -> float:
        """How many independent pairs would say as much if those that share a concept all said the same.

        Of the two concepts of a pair, the one that more pairs have counts.
        """
        concept, apart, _ = self.numbered
        pairs = np.bincount(concept)[concept]
        most = pairs[: len(self)]
        most[apart] = np.maximum(most[apart], pairs[len(self) :])
        return len(self) ** 2 / int(most.sum()) if len(self) else 0.0

    @cached_property
    def numbered(self) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
        """Concepts as numbers: the first of each pair, then the second where it differs; where that is; and couples."""
        concepts, numbers = np.unique(np.concatenate([self.first, self.second]), return_inverse=True)
        one, other = numbers[: len(self)], numbers[len(self) :]
        apart = one != other
        low, high = np.minimum(one, other)[apart], np.maximum(one, other)[apart]
        couple = np.unique(low * len(concepts) + high, return_inverse=True)[1]
        return np.concatenate([one, other[apart]]), apart, couple


@dataclass(frozen=True)
class Sums:
    """What each system's pairs contribute to its value: alone, by concept, and by couple of different concepts."""

    alone: NDArray[np.float64]
    by_concept: NDArray[np.float64]
    by_couple: NDArray[np.float64]

    @classmethod
    def of(cls, influence: NDArray[np.float64], shared: Dependence | None) -> Sums:
        """Add up contributions; without concepts every pair is alone."""
        if shared is None:
            nothing = np.empty((len(influence), 0))
            return cls(influence, nothing, nothing)
        concept, apart, couple = shared.numbered
        by_concept = [np.bincount(concept, np.concatenate([each, each[apart]])) for each in influence]
        by_couple = [np.bincount(couple, each[apart]) for each in influence]
        return cls(influence, np.array(by_concept), np.array(by_couple))

    def variance(self, one: int, other: int | None = None) -> float:
        """Return the variance of a system's value, or of the difference of two; never below that of independent pairs.

        Pairs that share both of their concepts would count twice, once for each; so couples are taken away once.
        """
        alone, by_concept, by_couple = (
            each[one] if other is None else each[one] - each[other]
            for each in (self.alone, self.by_concept, self.by_couple)
        )
        return max(_squares(alone), _squares(by_concept) - _squares(by_couple))


def _squares(values: NDArray[np.float64]) -> float:
    """Return the sum of squares, in one thread: for vectors of this length more threads only wait for each other."""
    return float(np.square(values).sum())
