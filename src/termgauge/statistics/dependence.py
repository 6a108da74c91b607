"""Lists of neighbours and pairs of items, whose parts are not independent, and what that adds to a variance.

A seed of a domain is asked for its neighbours, and is a neighbour of other seeds; resampling them as if they were
independent marks differences that are none in 9 to 28 of 100 cases, so the variance counts every two links that share
a word, be it as the one that is asked or as a neighbour (Fafchamps and Gubert 2007). A neighbour stands for itself
less what would be in its place: the share of hits of that list.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.statistics.student import Mean

if TYPE_CHECKING:
    from numpy.typing import NDArray


NOBODY = -1


@dataclass(frozen=True)
class Links:
    """The lists of neighbours of one system, or of two side by side: who stands where in whose list.

    >>> lists = np.array([[1, 7], [0, 2], [9, 1]])  # of three items; 7 and 9 are none of them
    >>> links = Links.from_lists(lists)
    >>> found = links.mean(np.array([1.0, 1.0]))
    >>> round(found.value, 4), found.differing
    (0.6667, 3)
    """

    items: int
    places: int
    """How long lists are."""
    asked: NDArray[np.int64]
    """The item whose list it is; one line for each two that are linked in either system."""
    word: NDArray[np.int64]
    """Who stands in it: the number of an item, or one beyond for another word."""
    rank_one: NDArray[np.int64]
    rank_other: NDArray[np.int64]
    """At which place, from 0; `places` where it does not."""
    unit: NDArray[np.int64]
    """For each item, the first that is the same word."""

    @classmethod
    def from_lists(
        cls,
        one: NDArray[np.int64],
        other: NDArray[np.int64] | None = None,
        unit: NDArray[np.int64] | None = None,
    ) -> Links:
        """Link the items (rows) with their neighbours, the nearest first.

        A neighbour is the number of an item, or another number for a word that is none, which must be the same in both
        systems; -1 where there is no neighbour. `unit` says which items are one and the same word.
        """
        items, places = one.shape
        systems = [one] if other is None else [one, other]
        unit = np.arange(items) if unit is None else unit
        flat = np.concatenate([each.ravel() for each in systems])
        outside = (flat < NOBODY) | (flat >= items)
        numbers = flat.copy()
        numbers[outside] = items + np.unique(flat[outside], return_inverse=True)[1]
        asked = np.tile(np.repeat(np.arange(items), places), len(systems))
        rank = np.tile(np.arange(places), items * len(systems))
        which = np.repeat(np.arange(len(systems)), items * places)
        there = flat != NOBODY
        inside = numbers < items
        numbers[there & inside] = unit[numbers[there & inside]]
        width = items + flat.size
        keys, line = np.unique((asked * width + numbers)[there], return_inverse=True)
        ranks = np.full((2, len(keys)), places)
        ranks[which[there][::-1], line[::-1]] = rank[there][::-1]  # of one that stands twice, the nearer place
        return cls(items, places, keys // width, keys % width, ranks[0], ranks[1], unit)

    @cached_property
    def _pair(self) -> NDArray[np.int64]:
        """The number of the two words that a line links, whichever is asked."""
        first, second = self.unit[self.asked], self.word
        width = self.items + len(self.word)
        both = np.minimum(first, second) * (width + int(self.word.max(initial=0))) + np.maximum(first, second)
        return np.asarray(np.unique(both, return_inverse=True)[1], np.int64)

    def mean(self, weights: NDArray[np.float64]) -> Mean:
        """Return the mean share of items among neighbours, less that of the other system.

        `weights` says what each of the first places counts; they add up to one whole list.
        """
        counts = np.zeros(self.places + 1)
        counts[: len(weights)] = weights / math.fsum(weights)
        one, other = counts[self.rank_one], counts[self.rank_other]
        hit = self.word < self.items
        apart, both = one - other, one + other
        gains = self._by_item(hit * apart)
        value = math.fsum(gains) / self.items
        differing = int(np.count_nonzero(gains))
        if self.items <= 2:
            return Mean(value, math.nan, math.nan, differing)
        total = self._by_item(both)
        share = np.divide(self._by_item(hit * both), total, out=np.zeros(self.items), where=total > 0)
        adds = (hit - share[self.asked]) * apart
        rows = np.bincount(self.unit, gains - value, self.items)
        words = np.bincount(self.word, adds, self.items)
        own = rows + words[: self.items]
        links = np.bincount(self._pair, adds)
        squares = [math.fsum(part * part) for part in (own, words[self.items :], links, rows)]
        # Each link is in the sums of both its words; what comes out is never less than if items were independent.
        variance = max(squares[0] + squares[1] - squares[2], squares[3])
        # Two numbers were taken from the items themselves: their mean, and each one's share.
        scale = (self.items - 1) * (self.items - 2)
        error = math.sqrt(variance / scale) if variance > (1e-14 * self.items) ** 2 else 0.0
        return Mean(value, error, _freedom(own), differing)

    def _by_item(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(self.asked, values, self.items), np.float64)


def mean_of_pairs(items: int, first: NDArray[np.int64], second: NDArray[np.int64], values: NDArray[np.float64]) -> Mean:
    """Return the mean over all ordered pairs of two items; those that are not listed count 0.

    Every two pairs that share an item are counted in its variance.

    >>> mean_of_pairs(3, np.array([0, 2]), np.array([1, 1]), np.array([1.0, 1.0])).value
    0.3333333333333333
    """
    total = items * (items - 1)
    value = math.fsum(values) / total
    sums = np.bincount(first, values, items) + np.bincount(second, values, items)
    links, place = np.unique(np.minimum(first, second) * items + np.maximum(first, second), return_inverse=True)
    both = np.bincount(place, values, len(links)) - 2 * value
    differing = len(np.unique(np.concatenate([first, second])[np.tile(values != 0, 2)]))
    if items <= 3:
        return Mean(value, math.nan, math.nan, differing)
    own = sums - 2 * (items - 1) * value
    apart = math.fsum(both * both) + (total // 2 - len(links)) * 4 * value * value
    # Each two items are in the sums of both; at least what it would be if any two were on their own.
    variance = max(math.fsum(own * own) - apart, apart)
    few = total / ((items - 2) * (items - 3))
    error = math.sqrt(variance * few) / total if variance > 1e-24 * total else 0.0
    return Mean(value, error, _freedom(own), differing)


def _freedom(own: NDArray[Any]) -> float:
    """Return the degrees of freedom of a variance: fewer where a few items make up most of it (Satterthwaite)."""
    items = len(own)
    squares = math.fsum(own * own)
    spread = math.fsum(own**4) / squares**2 - 1 / items if squares > 0 else 0.0
    return max(1.0, min(items - 1.0, 2 / spread)) if spread > 0 else items - 1.0
