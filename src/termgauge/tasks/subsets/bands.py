"""Bands of a property: intervals of numbers, or kinds, and which pairs lie in each.

Limits that are given make half-open intervals from each limit to the next, the last without an end. Otherwise there are
three: tertiles of the distinct words of a set, or, of a property of pairs, of its pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

NOWHERE = -1
"""The band of a pair that is in none."""


@dataclass(frozen=True)
class Band:
    """An interval of a property, or one of its kinds."""

    low: float | None = None
    high: float | None = None
    closed: Literal["left", "right"] = "left"
    """Which end is in it."""
    label: str = ""
    """What a kind is called; empty for intervals."""

    @property
    def title(self) -> str:
        """What people call it.

        Examples
        --------
        >>> [band.title for band in (Band(high=5), Band(5, 70), Band(70), Band(1, 2, "right"), Band(label="synonym"))]
        ['under 5', '5 to under 70', '70 or more', 'over 1 to 2', 'synonym']
        """
        if self.label:
            return self.label
        low, high = (None if end is None else _plain(end) for end in (self.low, self.high))
        if low == high:  # what differs must not look the same
            low, high = (None if end is None else f"{end:.12g}" for end in (self.low, self.high))
        left = self.closed == "left"
        if low is None:
            return "all" if high is None else f"under {high}" if left else f"up to {high}"
        if high is None:
            return f"{low} or more" if left else f"over {low}"
        return f"{low} to under {high}" if left else f"over {low} to {high}"

    @property
    def short(self) -> str:
        """What stands below an axis.

        Examples
        --------
        >>> [band.short for band in (Band(high=5), Band(5, 70), Band(70), Band(1, 2, "right"), Band(2, None, "right"))]
        ['< 5', '5–70', '≥ 70', '1–2', '> 2']
        """
        if self.label or (self.low is None and self.high is None):
            return self.title
        left = self.closed == "left"
        if self.low is None or self.high is None:
            sign = ("<" if left else "≤") if self.low is None else "≥" if left else ">"
            return f"{sign} {_plain(self.high if self.low is None else self.low)}"  # type: ignore[arg-type]
        return f"{_plain(self.low)}–{_plain(self.high)}"

    def holds(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Say which values are in it; NaN never is."""
        low = -np.inf if self.low is None else self.low
        high = np.inf if self.high is None else self.high
        if self.closed == "right":
            return (values > low) & (values <= high)
        return (values >= low) & (values < high if self.high is not None else ~np.isnan(values))


def _plain(number: float) -> str:
    return f"{number:,.0f}" if number == round(number) else f"{number:.4g}"


def given_bands(limits: Sequence[float]) -> list[Band]:
    """Return the bands between limits that ascend, and the one from the last limit up.

    Examples
    --------
    >>> [band.title for band in given_bands([0, 1000, 10000])]
    ['0 to under 1,000', '1,000 to under 10,000', '10,000 or more']
    """
    return [Band(low, high) for low, high in pairwise([*limits, None]) if low is not None]


def word_tertiles(values: NDArray[np.float64]) -> list[Band]:
    """Return three bands of words, given the value of each distinct word; the limits are values that occur.

    Where both limits are the same value, there are two bands.

    Examples
    --------
    >>> [band.title for band in word_tertiles(np.array([1.0, 9.0, 2.0, 2.0, 5.0, 7.0]))]
    ['under 2', '2 to under 7', '7 or more']
    """
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return []
    first, second = float(known[len(known) // 3]), float(known[2 * len(known) // 3])
    between = [] if math.isclose(first, second) else [Band(first, second)]
    return [Band(high=first), *between, Band(second if between else first)]


def pair_tertiles(values: NDArray[np.float64]) -> list[Band]:
    """Return three bands of pairs; the limits are interpolated, and each belongs to the band below it.

    Where both limits are the same value, there are two bands.

    Examples
    --------
    >>> [band.title for band in pair_tertiles(np.array([0.0, 1.0, 2.0, 3.0]))]
    ['up to 1', 'over 1 to 2', 'over 2']
    """
    known = values[~np.isnan(values)]
    if not len(known):
        return []
    first, second = (float(limit) for limit in np.quantile(known, [1 / 3, 2 / 3]))
    between = [] if math.isclose(first, second) else [Band(first, second, "right")]
    return [Band(high=first if between else second, closed="right"), *between, Band(second, closed="right")]


def kinds(labels: Sequence[str]) -> list[Band]:
    """Return a band for each kind; the values of a property are then the places of their kinds."""
    return [Band(label=label) for label in labels]


@dataclass(frozen=True, eq=False)
class Banded:
    """The bands of a set that hold something, and in which of them each pair lies."""

    bands: tuple[Band, ...]
    of_pair: NDArray[np.int64]
    """The place of the band of each pair; -1 if it is in none."""
    empty: tuple[Band, ...]
    """Those that hold no word, or no pair of a property of pairs."""
    unknown: int
    """Pairs without a value, or with a word that has none."""

    @property
    def outside(self) -> int:
        """How many pairs are in no band."""
        return int(np.count_nonzero(self.of_pair == NOWHERE))

    def pairs(self, band: int) -> NDArray[np.int64]:
        """Return which pairs lie in a band."""
        return np.flatnonzero(self.of_pair == band)


def banded(bands: Sequence[Band], one: NDArray[np.float64], two: NDArray[np.float64] | None = None) -> Banded:
    """Divide pairs by their value; or by the values of their two words, which must both be in a band."""
    places = [_places(bands, values) for values in (one, *(() if two is None else (two,)))]
    held = np.zeros(len(bands), np.bool_)
    for each in places:
        held[each[each != NOWHERE]] = True
    number = np.append(np.where(held, np.cumsum(held) - 1, NOWHERE), NOWHERE)
    of_pair = number[places[0]]
    unknown = np.isnan(one)
    if two is not None:
        of_pair = np.where(places[0] == places[1], of_pair, NOWHERE)
        unknown = unknown | np.isnan(two)
    return Banded(
        tuple(band for band, there in zip(bands, held.tolist(), strict=True) if there),
        of_pair.astype(np.int64),
        tuple(band for band, there in zip(bands, held.tolist(), strict=True) if not there),
        int(unknown.sum()),
    )


def _places(bands: Sequence[Band], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the place of the band of each value; -1, which is also the last place, if it is in none."""
    places = np.full(len(values), NOWHERE, np.int64)
    for at, band in enumerate(bands):
        places[values == at if band.label else band.holds(values)] = at
    return places
