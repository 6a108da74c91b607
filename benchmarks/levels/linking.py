"""Does the test of two models' linking keep its level?

Queries of one concept are right or wrong together, and some queries mean two concepts. Two models show the same ease of
each concept with a leaning of their own, so that either could be the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from termgauge.similarity.search import Listed
from termgauge.statistics.compare import compare
from termgauge.tasks.linking.result import measures_at, outcomes_of

MOST_QUERIES = 4
TWO_CONCEPTS = 0.05
"""The share of queries that mean another concept, too."""


class Case(NamedTuple):
    """What is simulated: concepts, and how often the right one is first."""

    concepts: int
    accuracy: float

    def __str__(self) -> str:
        """Say what it is in one line."""
        return f"{self.concepts} concepts, accuracy {self.accuracy:g}"


def marked(case: Case, repeats: int, seed: int = 42) -> dict[str, float]:
    """Return in which share of repeats the difference is significant at 0.05, for each measure."""
    generator = np.random.default_rng(seed)
    counts = dict.fromkeys((measure.key for measure in measures_at([1])), 0)
    for _ in range(repeats):
        owners = np.repeat(np.arange(case.concepts), generator.integers(1, MOST_QUERIES + 1, case.concepts))
        others = np.where(generator.random(len(owners)) < TWO_CONCEPTS, (owners + 1) % case.concepts, owners)
        right = Listed.from_lists([sorted({*pair}) for pair in zip(owners.tolist(), others.tolist(), strict=True)])
        ranks = {name: _ranks(case, owners, generator) for name in ("one", "other")}
        for key, outcomes in outcomes_of(ranks, right, [1], {}).items():
            found = compare([outcomes], min_coverage=0.0).sets[0]
            counts[key[0]] += any(each.significant for each in found.differences)
    return {key: count / repeats for key, count in counts.items()}


def _ranks(case: Case, owners: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return ranks that concepts share in part: a beta distribution says how often each concept comes first."""
    strength = 1.5
    chances = generator.beta(strength * case.accuracy, strength * (1 - case.accuracy), case.concepts)
    first = generator.random(len(owners)) < chances[owners]
    return np.where(first, 1, generator.integers(2, 50, len(owners))).astype(np.int32)


CASES = [Case(30, 0.35), Case(100, 0.97), Case(300, 0.97)]


def main(repeats: int = 1000) -> None:
    """Print a line for each case."""
    for case in CASES:
        found = marked(case, repeats)
        print(f"{case!s:32} {'  '.join(f'{key}: {share:.3f}' for key, share in found.items())}", flush=True)
