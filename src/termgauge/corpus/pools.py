"""Pools of words from which pairs are drawn, and sets of pairs as sorted arrays of numbers.

A pair of a pool of n words is the number ``smaller * n + greater``, where both are places in the sorted pool: to sort
these numbers is to sort the pairs, and millions of pairs fit into memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

BIOMEDICAL, GENERAL = DOMAINS = ("biomedical", "general")
NOUN, VERB = CLASSES = ("noun", "verb")

Codes: TypeAlias = "NDArray[np.int64]"
"""Pairs of a pool as numbers, in ascending order, each once."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The words of one class and one domain, in lower case and in the order of code points."""

    word_class: str
    domain: str
    words: tuple[str, ...]
    written: Mapping[str, str] = field(default_factory=dict)
    """How the words are written that are not written in lower case."""

    @cached_property
    def places(self) -> pl.DataFrame:
        """The place of each word: ``word``, ``place``."""
        return pl.DataFrame(
            {"word": self.words, "place": range(len(self.words))}, schema={"word": pl.String, "place": pl.Int64}
        )

    def pairs_within(self, groups: pl.DataFrame) -> Codes:
        """Return all pairs of words that stand in one group; the columns are ``group`` and ``word``.

        Words that are not in the pool are passed by, so that the work grows with the words that are.
        """
        known = groups.join(self.places, on="word").select("group", "place").unique()
        several = known.group_by("group").agg(pl.col("place").sort()).filter(pl.col("place").list.len() > 1)
        found = [self._all_pairs(places.to_numpy()) for places in several["place"]]
        return together(found)

    def pairs_of(self, pairs: pl.DataFrame) -> Codes:
        """Return those pairs whose words are both in the pool and differ; the columns are ``first`` and ``second``."""
        places = self.places
        known = (
            pairs.join(places, left_on="first", right_on="word")
            .join(places, left_on="second", right_on="word", suffix="_2")
            .filter(pl.col("place") != pl.col("place_2"))
        )
        low, high = (each(pl.col("place"), pl.col("place_2")) for each in (pl.min_horizontal, pl.max_horizontal))
        codes = known.select(code=low * len(self.words) + high)["code"].unique().sort()
        return codes.to_numpy().astype(np.int64)

    def pair(self, code: int) -> tuple[str, str]:
        """Return the two words of a pair, the smaller first."""
        low, high = divmod(int(code), len(self.words))
        return self.words[low], self.words[high]

    def code(self, first: str, second: str) -> int:
        """Return the number of a pair of two different words of the pool, in either order."""
        low, high = sorted((self._place_of[first], self._place_of[second]))
        return low * len(self.words) + high

    @cached_property
    def _place_of(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def _all_pairs(self, places: NDArray[np.int64]) -> Codes:
        low, high = np.triu_indices(len(places), 1)
        return places[low] * len(self.words) + places[high]


NO_PAIRS: Codes = np.empty(0, np.int64)


def together(sets: Iterable[Codes]) -> Codes:
    """Return the pairs that are in any of some sets."""
    given = [each for each in sets if len(each)]
    return np.unique(np.concatenate(given)) if given else NO_PAIRS


def without(pairs: Codes, others: Codes) -> Codes:
    """Return the pairs that are not among others."""
    return pairs[~np.isin(pairs, others, assume_unique=True)] if len(others) else pairs


def is_among(code: int, pairs: Codes) -> bool:
    """Say whether a pair is in a set."""
    at = int(np.searchsorted(pairs, code))
    return at < len(pairs) and bool(pairs[at] == code)
