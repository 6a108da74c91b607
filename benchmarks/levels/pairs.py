"""Do tests of two systems on pairs of terms keep their level, and do intervals hold the true value?

Both systems show the same truth with errors of which they share a part; either could be the other, unless they are
given different qualities. With concepts, labelled pairs are all combinations of the two to eight synonyms of a concept,
and as many pairs of different ones; rated pairs draw each concept several times. Half of an error then belongs to the
concepts. Everything is asked of the functions that users call, as they are by default and as papers do it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.levels import simulated
from termgauge.statistics import normal
from termgauge.statistics.delong import delong
from termgauge.statistics.dependence import Dependence
from termgauge.statistics.inputs import GRADED, STATISTICS
from termgauge.statistics.separation import cross_validated_accuracy
from termgauge.statistics.significance import PAPER, ROBUST, compare_systems
from termgauge.statistics.system_tests import value_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

POPULATION = 400_000
RESAMPLES = 2000
_SYNONYMS = (2, 8)
_PAIRS_OF_A_RATED_CONCEPT = 8


@dataclass(frozen=True)
class Case:
    """What is simulated."""

    statistic: str
    n: int
    qualities: tuple[float, float] = (1.0, 1.0)
    """How far truth moves the scores, in standard deviations of the errors; infinite for the same score everywhere."""
    positives: float = 0.5
    concepts: bool = False
    common: float = 0.5
    """The share of the errors that both systems have."""

    def __str__(self) -> str:
        """Say what it is in one line."""
        kind = "" if self.statistic in GRADED or self.concepts else f", {self.positives:.0%} positive"
        one, other = ("constant" if math.isinf(each) else f"{each:g}" for each in self.qualities)
        systems = f"quality {one}" if one == other else f"qualities {one} and {other}"
        return f"{self.statistic}, {self.n:,} pairs{kind}{', concepts' if self.concepts else ''}, {systems}"


class Rates(NamedTuple):
    """What came out of many repeats."""

    value: float
    """The true value of the first system."""
    marked: float
    """In which share of repeats the difference is significant at 0.05."""
    usually: float
    """The same with the usual tests: BCa, DeLong's, McNemar's, for pairs that are independent."""
    held: float
    """In which share the 95 % interval of the first system holds its true value."""
    usually_held: float
    difference_held: float
    """In which share the 95 % interval of the difference holds the true one."""


class Drawn(NamedTuple):
    """A set, with the scores of two systems (2 x pairs)."""

    scores: NDArray[np.float64]
    truth: NDArray[np.float64]
    shared: Dependence | None


def draw(case: Case, generator: np.random.Generator) -> Drawn:
    """Draw a set."""
    concepts = 0
    if case.concepts and case.statistic not in GRADED:
        truth, first, second, concepts = _synonyms(case.n, generator)
    elif case.concepts:
        truth, concepts = generator.normal(size=case.n), max(3, 2 * case.n // _PAIRS_OF_A_RATED_CONCEPT)
        first = generator.integers(0, concepts, case.n)
        second = (first + generator.integers(1, concepts, case.n)) % concepts
    elif case.statistic in GRADED:
        truth = generator.normal(size=case.n)
    else:
        truth = (np.arange(case.n) < round(case.n * case.positives)).astype(np.float64)
    errors = generator.normal(size=(3, len(truth)))
    if concepts:
        of_concept = generator.normal(size=(3, concepts))
        both = np.where(first == second, of_concept[:, first], (of_concept[:, first] + of_concept[:, second]) / 2**0.5)
        errors = (errors + both) / 2**0.5
    errors = math.sqrt(case.common) * errors[:1] + math.sqrt(1 - case.common) * errors[1:]
    scores = np.stack(
        [
            np.zeros(len(truth)) if math.isinf(quality) else quality * truth + error
            for quality, error in zip(case.qualities, errors, strict=True)
        ]
    )
    if case.statistic in GRADED:
        truth = np.round(2 * truth) / 2  # people's ratings have ties
    return Drawn(scores, truth, Dependence(first, second) if concepts else None)


def _synonyms(
    n: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], int]:
    """Return labels and the concepts of about `n` pairs."""
    low, high = _SYNONYMS
    each = math.fsum(math.comb(k, 2) for k in range(low, high + 1)) / (high - low + 1)
    sizes = generator.integers(low, high + 1, max(3, round(n / 2 / each)))
    similar = np.repeat(np.arange(len(sizes)), sizes * (sizes - 1) // 2)
    one = generator.integers(0, len(sizes), len(similar))
    other = (one + generator.integers(1, len(sizes), len(similar))) % len(sizes)
    labels = np.repeat([1.0, 0.0], len(similar))
    return labels, np.concatenate([similar, one]), np.concatenate([similar, other]), len(sizes)


def true_values(case: Case) -> tuple[float, float]:
    """Return what both systems have on all pairs that there might be: errors are normal, with or without concepts."""
    one, other = (_true_value(case.statistic, quality, case.positives) for quality in case.qualities)
    return one, other


@cache
def _true_value(statistic: str, quality: float, positives: float) -> float:
    """Return a value; areas and accuracies with as many positive as negative pairs are those of two normals."""
    if statistic not in ("auc", "accuracy"):
        scores, truth, _ = draw(Case(statistic, POPULATION, (quality, quality), positives), np.random.default_rng(0))
        return value_of(statistic, scores[0], truth)
    if math.isinf(quality):
        return 0.5
    return normal.cdf(quality / (2 if statistic == "accuracy" else math.sqrt(2)))


def rates(case: Case, repeats: int, seed: int = 42) -> Rates:
    """Simulate a case."""
    generator = np.random.default_rng(seed)
    true = true_values(case)
    found = []
    for _ in range(repeats):
        scores, truth, shared = draw(case, generator)
        robust, paper = (
            compare_systems(
                ["a", "b"], scores, truth, statistic=case.statistic, tests=tests, shared=shared, resamples=RESAMPLES
            )
            for tests in (ROBUST, PAPER)
        )
        low, high = robust.values[0][1:]
        if case.statistic == "accuracy":  # the one without optimism
            low, high = cross_validated_accuracy(scores[0], truth, shared=shared)[1:3]
        apart, usual = robust.between("a", "b"), paper.between("a", "b").significant
        if case.statistic == "auc":
            areas = delong(scores, truth == 1)
            usual = normal.two_sided(apart.value / math.sqrt(areas.variance(0, 1) or math.inf)) < 0.05
        found.append(
            (
                apart.significant,
                usual,
                low <= true[0] <= high,
                paper.values[0].low <= true[0] <= paper.values[0].high,
                not (true[0] - true[1] < apart.low or apart.high < true[0] - true[1]),
            )
        )
    return Rates(true[0], *np.mean(found, axis=0).tolist())


CASES = [
    *(Case("spearman", n, (q, q)) for n in (30, 100, 300) for q in (0.3, 1.3)),
    *(Case("auc", n, (1.0, 1.0), positives) for n in (30, 100, 1000) for positives in (0.1, 0.5)),
    *(
        Case("accuracy", n, qualities)
        for n in (40, 200, 1000, 15_000)
        for qualities in ((0.0, 0.0), (0.0, math.inf), (1.5, 1.5), (1.5, 1.0))
    ),
    *(Case("pearson", n, (q, q)) for n in (30, 100, 300) for q in (0.3, 1.3)),
    *(
        Case(statistic, n, (q, q), positives)
        for statistic in ("ap", "f1")
        for n in (40, 100, 1000)
        for positives in (0.1, 0.5)
        for q in (1.0, 2.5)
    ),
    *(Case("spearman", n, concepts=True) for n in (50, 100, 300, 1000)),
    *(Case("auc", n, concepts=True) for n in (200, 400, 2000, 10_000)),
    *(
        Case("accuracy", n, qualities, concepts=True)
        for n in (200, 400, 2000, 10_000)
        for qualities in ((0.0, 0.0), (0.0, math.inf), (1.5, 1.5))
    ),
    *(Case("pearson", n, concepts=True) for n in (50, 100, 300, 1000)),
    *(Case(statistic, n, concepts=True) for statistic in ("ap", "f1") for n in (200, 400, 2000, 10_000)),
    *(Case(statistic, 1000, (1.0, 0.7), concepts=True) for statistic in STATISTICS),
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case; very many pairs are drawn less often."""
    print(f"{'Two systems on the same pairs':62}  true  marked  usually    holds  usually  holds the difference")
    often = [repeats if case.n < 5000 else max(1, repeats // 4) for case in CASES]
    for case, found in simulated(rates, CASES, often):
        shown = "  ".join(f"{share:7.3f}" for share in found[1:])
        print(f"{case!s:62}{found.value:6.3f} {shown}", flush=True)
