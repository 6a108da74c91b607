"""Does the interval of the overlap hold the true one, and are equal models rarely marked, if A, B, C are drawn anew?

Each concept has a few terms around it, which are more alike than those of other concepts. Two models show the same
concepts with errors of their own, so that either could be the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.compare import compare_set
from termgauge.tasks.categories.result import cosine_separation, outcomes_of

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
    marked: float
    """How often two models that could be each other were called different."""


def rates(case: Case, repeats: int, seed: int = 42) -> Rates:
    """Simulate a case."""
    generator = np.random.default_rng(seed)
    rows = []
    owners = np.repeat(np.arange(sum(case.concepts)), case.terms)
    for _ in range(repeats):
        parts = [_category(case, place, generator) for place in range(3)]
        counted = {str(at): cosine_separation(*(vectors[at] for vectors in parts)) for at in range(2)}
        found = compare_set(outcomes_of(counted, owners))
        first = found.by_model["0"]
        rows.append((1 - first.value, 1 - first.high, 1 - first.low, found.differences[0].significant))
    overlaps, low, high, marked = np.array(rows).T
    true = overlaps.mean()
    return Rates(float(true), float(np.mean((low <= true) & (true <= high))), float(marked.mean()))


def _category(case: Case, place: int, generator: np.random.Generator) -> list[NDArray[np.float64]]:
    latent = generator.normal(size=(case.concepts[place], _WIDTH)) + (case.apart if place < 2 else 0)
    models = []
    for _ in range(2):
        concepts = np.repeat(latent + 0.7 * generator.normal(size=latent.shape), case.terms, axis=0)
        models.append(concepts + 0.7 * generator.normal(size=concepts.shape))
    return models


CASES = [
    Case(sizes, terms, apart)
    for sizes in ((4, 4, 4), (12, 12, 12), (20, 20, 20), (100, 50, 30), (200, 200, 200))
    for terms, apart in ((1, 0.3), (3, 0.3), (1, 1.0))
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case."""
    print(f"{'Categories':54} overlap  interval holds it  marked")
    for case in CASES:
        found = rates(case, repeats)
        print(f"{case!s:54} {found.overlap:7.3f}  {found.held:17.3f}  {found.marked:6.3f}", flush=True)
