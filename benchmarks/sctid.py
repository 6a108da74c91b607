"""SNOMED CT identifiers and UUIDs in bulk: valid check digits, made with NumPy rather than one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CONCEPT, DESCRIPTION, RELATIONSHIP = 0, 1, 2
"""Partition identifiers of components that belong to the International edition."""
EXTENSION_CONCEPT = 10
"""Partition identifier of a concept that belongs to an extension (its item number ends in the namespace)."""


def _dihedral() -> NDArray[np.int64]:
    """Return the multiplication table of the symmetries of a pentagon, on which Verhoeff's check digit rests."""
    left, right = np.meshgrid(np.arange(10), np.arange(10), indexing="ij")
    turned = np.where(left < 5, right % 5 + left, left - right % 5) % 5
    flipped = (left >= 5) ^ (right >= 5)
    return np.asarray(turned + 5 * flipped, dtype=np.int64)


def _permutations() -> NDArray[np.int64]:
    """Return Verhoeff's permutation of the digits, applied 0 to 7 times."""
    once = np.array([1, 5, 7, 6, 2, 8, 3, 0, 9, 4])
    rows = [np.arange(10)]
    for _ in range(7):
        rows.append(once[rows[-1]])
    return np.array(rows, dtype=np.int64)


_PRODUCT = _dihedral()
_PERMUTED = _permutations()
_INVERSE = np.argmin(_PRODUCT, axis=1)


def check_digits(numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return Verhoeff's check digit of each number.

    Examples
    --------
    >>> check_digits(np.array([13887500, 11668000, 236])).tolist()
    [5, 3, 3]
    """
    left = np.array(numbers, dtype=np.int64)
    state = np.zeros_like(left)
    position = 1
    while left.any():
        # A number that has run out of digits keeps its state.
        stepped = _PRODUCT[state, _PERMUTED[position % 8, left % 10]]
        state = np.where(left > 0, stepped, state)
        left //= 10
        position += 1
    return np.asarray(_INVERSE[state], dtype=np.int64)


def sctids(items: NDArray[np.int64], partition: int) -> NDArray[np.int64]:
    """Return the identifiers of some items: item number, two digits of partition, check digit.

    Examples
    --------
    >>> sctids(np.array([138875, 116680]), CONCEPT).tolist()
    [138875005, 116680003]
    """
    numbers = items * 100 + partition
    return numbers * 10 + check_digits(numbers)


def new_items(rng: np.random.Generator, count: int, start: int = 1_000_000) -> NDArray[np.int64]:
    """Return so many distinct item numbers in a random order, with gaps as in real releases."""
    items = start + np.cumsum(rng.integers(1, 20, count, dtype=np.int64))
    return rng.permutation(items)


def uuids(rng: np.random.Generator, count: int) -> list[str]:
    """Return so many random UUIDs (version 4).

    Examples
    --------
    >>> import uuid
    >>> {uuid.UUID(text).version for text in uuids(np.random.default_rng(0), 100)}
    {4}
    """
    raw = rng.integers(0, 256, (count, 16), dtype=np.uint8)
    raw[:, 6] = raw[:, 6] & 0x0F | 0x40
    raw[:, 8] = raw[:, 8] & 0x3F | 0x80
    hexadecimal = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
    digits = np.stack([hexadecimal[raw >> 4], hexadecimal[raw & 15]], axis=2).reshape(count, 32)
    text = np.full((count, 36), ord("-"), dtype=np.uint8)
    for start, end, at in ((0, 8, 0), (8, 12, 9), (12, 16, 14), (16, 20, 19), (20, 32, 24)):
        text[:, at : at + end - start] = digits[:, start:end]
    whole = text.tobytes().decode("ascii")
    return [whole[i : i + 36] for i in range(0, 36 * count, 36)]
