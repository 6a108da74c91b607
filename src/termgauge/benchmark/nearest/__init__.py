"""The search for the nearest terms by edit distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

Ints = NDArray[np.int64]
Ints32 = NDArray[np.int32]
Words = NDArray[np.uint64]
"""Bits, 64 at a time."""
Flags = NDArray[np.bool_]
Symbols = NDArray[Any]
"""Letters as whole numbers, of 16 or 32 bits."""


def edit_distances(first: Sequence[str], second: Sequence[str]) -> Ints32:
    """Return the Levenshtein distances of pairs of texts."""
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    distances: Ints32 = process.cpdist(first, second, scorer=Levenshtein.distance, dtype=np.int32, workers=-1)
    return distances


def ranges(starts: Ints, which: Symbols) -> tuple[Ints, Ints]:
    """Return, for some of the ranges that starts divide, how long they are, and all that is in them in a row."""
    sizes = starts[which + 1] - starts[which]
    return sizes, np.repeat(starts[which + 1] - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
