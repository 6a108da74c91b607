"""Does the test of two models' coverage of a relation by analogies keep its level?

Two models show the same latent offsets of pairs of concepts with noise of their own, so that either could be the other;
an analogy of two pairs holds if their offsets are near each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.compare import compare_set
from termgauge.tasks.analogies.result import outcomes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WIDTH = 4


class Case(NamedTuple):
    """What is simulated: pairs of concepts, noise of each model, and how near is near."""

    pairs: int
    noise: float
    near: float

    def __str__(self) -> str:
        """Say what it is in one line."""
        return f"{self.pairs} pairs, noise {self.noise:g}, near {self.near:g}"


class Rates(NamedTuple):
    """What came out of many repeats."""

    holding: float
    """The share of analogies that hold."""
    marked: float
    """In which share of repeats the difference is significant at 0.05."""
    held: float
    """In which share the 95 % interval of the first model holds the true mean."""


def rates(case: Case, repeats: int, seed: int = 42) -> Rates:
    """Simulate a case."""
    generator = np.random.default_rng(seed)
    rows, marked = [], []
    for _ in range(repeats):
        latent = generator.normal(size=(case.pairs, _WIDTH))
        holding = [_holding(case, latent, generator) for _ in range(2)]
        models = dict(zip(("one", "other"), holding, strict=True))
        found = compare_set(outcomes_of("", np.arange(case.pairs), models))
        marked.append(found.differences[0].significant)
        rows.append((found.by_model["one"].value, found.by_model["one"].low, found.by_model["one"].high))
    shares, low, high = np.array(rows).T
    mean = shares.mean()
    return Rates(float(mean), float(np.mean(marked)), float(np.mean((low <= mean) & (mean <= high))))


def _holding(case: Case, latent: NDArray[np.float64], generator: np.random.Generator) -> NDArray[np.int32]:
    offsets = latent + case.noise * generator.normal(size=latent.shape)
    apart = np.linalg.norm(offsets[:, None] - offsets[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    # The way from one to the other is not the way back.
    return np.argwhere(apart + 0.3 * generator.normal(size=apart.shape) < case.near).astype(np.int32)


CASES = [Case(pairs, *options) for pairs in (5, 10, 20, 30, 100) for options in ((1.0, 3.0), (0.5, 2.2), (1.0, 2.2))]


def main(repeats: int = 1000) -> None:
    """Print a line for each case."""
    print(f"{'Two models of one relation':32} analogies that hold  marked  interval holds the mean")
    for case in CASES:
        found = rates(case, repeats)
        print(f"{case!s:32} {found.holding:19.2f}  {found.marked:6.3f}  {found.held:23.3f}", flush=True)
