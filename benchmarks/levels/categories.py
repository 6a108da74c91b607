"""Does the interval of the overlap hold the true one as often as it says, when A, B and C are drawn anew?

Each concept has a few terms around it, which are more alike than those of other concepts. Beside it stands how often an
interval holds that takes B and C as given and terms as independent: that of the terms of A alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.tasks.categories.measure import cosine_separation

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WIDTH = 8


class Case(NamedTuple):
    """What is simulated: concepts of A, B and C, terms of each concept, and how far C is from A and B."""

    concepts: tuple[int, int, int]
    terms: int
    apart: float

    def __str__(self) -> str:
        """Say what it is in one line."""
        return f"{' + '.join(map(str, self.concepts))} concepts of {self.terms} terms, {self.apart:g} apart"


class Rates(NamedTuple):
    """What came out of many repeats."""

    overlap: float
    held: float
    """How often the interval held the true overlap."""
    held_by_a: float
    """How often one over the terms of A alone did."""


def rates(case: Case, repeats: int, seed: int = 42) -> Rates:
    """Simulate a case."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(repeats):
        vectors, owners = zip(*(_category(case, place, generator) for place in range(3)), strict=True)
        separation = cosine_separation(*vectors, owners=owners)
        found.append((separation.overlap, separation.low, separation.high, _error_of_a(*vectors)))
    overlaps, low, high, error = np.array(found).T
    true = overlaps.mean()
    by_a = np.abs(overlaps - true) <= 1.96 * error
    return Rates(float(true), float(np.mean((low <= true) & (true <= high))), float(by_a.mean()))


def _category(case: Case, place: int, generator: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    owners = np.repeat(np.arange(case.concepts[place]), case.terms)
    concepts = generator.normal(size=(case.concepts[place], _WIDTH)) + (case.apart if place < 2 else 0)
    return concepts[owners] + 0.7 * generator.normal(size=(len(owners), _WIDTH)), owners


def _error_of_a(*vectors: NDArray[np.float64]) -> float:
    a, b, c = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in vectors)
    shares = [
        1 - np.searchsorted(np.sort(far), close).mean() / len(far) for close, far in zip(a @ b.T, a @ c.T, strict=True)
    ]
    return float(np.std(shares, ddof=1) / np.sqrt(len(shares)))


CASES = [
    Case(sizes, terms, apart)
    for sizes in ((20, 20, 20), (100, 50, 30), (200, 200, 200))
    for terms, apart in ((1, 0.3), (3, 0.3), (1, 1.0))
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case."""
    print(f"{'Categories':54} overlap  interval holds it  one over the terms of A does")
    for case in CASES:
        found = rates(case, repeats)
        print(f"{case!s:54} {found.overlap:7.3f}  {found.held:17.3f}  {found.held_by_a:28.3f}", flush=True)
