"""Terms as numbers: each distinct text once, with its lower-case form, so that pairs are pairs of integers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_SHIFT = 32


class Lexicon:
    """The distinct terms of a benchmark, numbered as they come."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.lowered: list[str] = []
        self._numbers: tuple[dict[str, int], dict[str, int]] = ({}, {})

    def __len__(self) -> int:
        return len(self.texts)

    def number(self, text: str, side: int = 0) -> int:
        """Return the number of a text, a new one if it is new.

        Where pairs go across two languages or terminologies, a text has a number of its own on each side, 0 or 1.
        """
        number = self._numbers[side].setdefault(text, len(self.texts))
        if number == len(self.texts):
            self.texts.append(text)
            self.lowered.append(text.lower())
        return number

    def known(self, text: str) -> int | None:
        """Return the number of a text, None if it has none."""
        return self._numbers[0].get(text)

    def distances(self, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the Levenshtein distances of pairs of terms in lower case."""
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein

        lowered = self.lowered
        result: NDArray[np.int32] = process.cpdist(
            [lowered[each] for each in first.tolist()],
            [lowered[each] for each in second.tolist()],
            scorer=Levenshtein.distance,
            dtype=np.int32,
            workers=-1,
        )
        return result


def unordered(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return one integer per pair of terms, the same for both orders."""
    return (np.minimum(first, second) << _SHIFT) | np.maximum(first, second)


def unordered_pair(first: int, second: int) -> int:
    """Return one integer for a pair of terms, the same for both orders: :func:`unordered` for a single pair."""
    return first << _SHIFT | second if first < second else second << _SHIFT | first


def first_places(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places at which each distinct value stands first, in order."""
    _values, places = np.unique(keys, return_index=True)
    return np.sort(places)


def as_numbers(values: Sequence[int]) -> NDArray[np.int64]:
    """Return integers as an array."""
    return np.asarray(values, dtype=np.int64)
