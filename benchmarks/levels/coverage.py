"""Does the test of two embeddings' %CG and posDCG keep its level, and do the intervals hold the true value?

Two embeddings show the same latent vectors with noise of their own, so that either could be the other; the seeds of the
domain lie around a common point. With more noise in one of them the same simulation shows the power.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.compare import compare_set
from termgauge.tasks.coverage.result import DISCOUNTED, GAIN, Measure, ModelCoverage, discounts, outcomes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Case:
    """What is simulated."""

    seeds: int
    k: int = 10
    nearness: float = 0.7
    """How far seeds are drawn to their common point: about 0.3 gives few hits, 1.5 nearly all."""
    noise: tuple[float, float] = (0.7, 0.7)
    discounted: bool = False
    words: int = 1500
    width: int = 20

    def __str__(self) -> str:
        """Say what it is in one line."""
        measure = "posDCG" if self.discounted else "%CG"
        noise = "" if self.noise[0] == self.noise[1] else f", noise {self.noise[0]:g} and {self.noise[1]:g}"
        return f"{self.seeds} seeds, {measure} {self.k}, nearness {self.nearness:g}{noise}"


class Rates(NamedTuple):
    """What came out of many repeats."""

    mean: float
    """Of %CG or posDCG of the first embedding."""
    marked: float
    """In which share of repeats the difference is significant at 0.05."""
    marked_if_independent: float
    """The same, if seeds were independent (a paired t-test over seeds)."""
    held: float
    """In which share the 95 % interval of the first embedding holds the true mean."""


def rates(case: Case, repeats: int, seed: int = 42) -> Rates:
    """Simulate a case."""
    from scipy import stats

    generator = np.random.default_rng(seed)
    measure = Measure(DISCOUNTED if case.discounted else GAIN, case.k)
    weights = discounts(case.k) if case.discounted else np.ones(case.k)
    marked, naive, values, ends = [], [], [], []
    for _ in range(repeats):
        lists = [_nearest(vectors, case) for vectors in _embeddings(case, generator)]
        models = {name: _covered(near, case) for name, near in zip(("one", "other"), lists, strict=True)}
        found = compare_set(outcomes_of(models, [case.k])[measure])
        marked.append(found.differences[0].significant)
        one, other = ((each < case.seeds) @ weights for each in lists)
        naive.append(bool((one != other).any()) and stats.ttest_rel(one, other).pvalue < 0.05)
        first = found.by_model["one"]
        values.append(first.value)
        ends.append((first.low, first.high))
    mean = float(np.mean(values))
    held = float(np.mean([low <= mean <= high for low, high in ends]))
    return Rates(mean, float(np.mean(marked)), float(np.mean(naive)), held)


def _covered(lists: NDArray[np.int64], case: Case) -> ModelCoverage:
    known, near = np.ones(case.seeds, np.bool_), np.where(lists < case.seeds, lists, -2 - lists)
    return ModelCoverage("", "words", "vocabulary", case.words, known, near, np.arange(case.seeds), (), ())


def _embeddings(case: Case, generator: np.random.Generator) -> list[NDArray[np.float64]]:
    latent = generator.normal(size=(case.words, case.width))
    towards = generator.normal(size=case.width)
    latent[: case.seeds] += case.nearness * np.sqrt(case.width) * towards / np.linalg.norm(towards)
    return [latent + noise * generator.normal(size=latent.shape) for noise in case.noise]


def _nearest(vectors: NDArray[np.float64], case: Case) -> NDArray[np.int64]:
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (units[: case.seeds] @ units.T).astype(np.float32)
    cosines[np.arange(case.seeds), np.arange(case.seeds)] = -2
    some = np.argpartition(-cosines, case.k, axis=1)[:, : case.k]
    order = np.argsort(-np.take_along_axis(cosines, some, axis=1), axis=1)
    return np.asarray(np.take_along_axis(some, order, axis=1), np.int64)


CASES = [
    Case(seeds, *options)
    for seeds in (12, 30, 100, 300)
    for options in ((10,), (40,), (10, 0.3), (10, 1.5), (10, 0.7, (0.7, 0.7), True), (10, 0.7, (0.7, 1.0)))
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case."""
    print(f"{'Two embeddings of one domain':46} mean  marked  if seeds were independent  interval holds the mean")
    for case in CASES:
        found = rates(case, repeats)
        marked = f"{found.marked:6.3f}  {found.marked_if_independent:25.3f}"
        print(f"{case!s:46}{found.mean:5.2f}  {marked}  {found.held:23.3f}", flush=True)
