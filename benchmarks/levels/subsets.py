"""How often are equal models marked in bands, or equal bands called different, and does the interval of a trend hold?

Two models that are equally good score pairs of bands with known values of rho, of the area under the ROC curve, or of
accuracy. In some cases pairs share concepts, and half of each error belongs to the concept.
"""

from __future__ import annotations

import math
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.levels import simulated
from termgauge.statistics import normal
from termgauge.statistics.compare import SetOutcomes, compare
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.tasks.subsets.measure import trend_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

ALPHA = 0.05


class Case(NamedTuple):
    """What is simulated: a statistic, its true value in each band, pairs of a band, and pairs of a concept."""

    statistic: str
    values: tuple[float, ...]
    pairs: int
    together: int = 1
    across: bool = False
    """Whether the pairs of a concept are in different bands."""

    def __str__(self) -> str:
        """Say what it is in one line."""
        values = " ".join(f"{value:g}" for value in self.values)
        several = f", {self.together} of a concept{' over bands' if self.across else ''}" if self.together > 1 else ""
        return f"{self.statistic} {values}, {self.pairs} pairs a band{several}"


class Rates(NamedTuple):
    """What came out of many repeats."""

    marked: float
    """How often one of two models that are equal was marked in any band."""
    trend: float
    """How often a trend was claimed."""
    differing: float
    """How often the bands were claimed to differ at all."""
    held: float
    """How often the interval held the true change."""


def rates(case: Case, repeats: int, seed: int = 42) -> Rates:
    """Simulate a case."""
    generator, found = np.random.default_rng(seed), []
    count = len(case.values) * case.pairs
    of_pair, concept = np.repeat(np.arange(len(case.values)), case.pairs), np.arange(count) // case.together
    if case.across:
        concept = np.arange(count) % (count // case.together)
    units, change = Units(concept, np.full(count, NO_UNIT)), case.values[-1] - case.values[0]
    statistic = "mean" if case.statistic == "accuracy" else case.statistic
    for _ in range(repeats):
        truth, scores = _drawn(case, concept, generator)
        bands = [
            SetOutcomes(str(at), statistic, units.chosen(of), truth[of], dict(zip("ab", scores[:, of], strict=True)))
            for at, of in enumerate(of_pair == place for place in range(len(case.values)))
        ]
        compared = compare(bands, alpha=ALPHA, family="run")
        one = SetOutcomes("all", statistic, units, truth, {"a": scores[0]})
        trend, kinds = (trend_of(one, of_pair, ALPHA, ordered=ordered) for ordered in (True, False))
        found.append(
            (
                any(each.significant for band in compared.sets for each in band.differences),
                *(each.p_value is not None and each.p_value < ALPHA for each in (trend, kinds)),
                trend.low is not None and trend.high is not None and trend.low <= change <= trend.high,
            )
        )
    return Rates(*(float(share) for share in np.mean(found, axis=0)))


def _drawn(case: Case, concept: NDArray[np.int64], generator: np.random.Generator) -> tuple[Array, Array]:
    """Draw labels or ratings, and the scores of two models; of accuracies, whether a decision is right."""
    true = np.repeat(case.values, case.pairs)
    drawn = generator.normal(size=(3, len(true)))
    if case.together > 1:
        drawn = (drawn + generator.normal(size=drawn.shape)[:, concept]) / math.sqrt(2)
    errors: Array = (drawn[:1] + drawn[1:]) / math.sqrt(2)
    labels, quantiles = (np.arange(len(true)) % 2).astype(np.float64), np.array([*map(normal.quantile, true)])
    if case.statistic == "accuracy":
        return labels, (errors < quantiles).astype(np.float64)
    if case.statistic == "auc":
        return labels, np.asarray(errors + labels * math.sqrt(2) * quantiles, np.float64)
    ratings, pearson = generator.normal(size=len(true)), 2 * np.sin(math.pi / 6 * true)
    return ratings.round(1), np.asarray(pearson * ratings + np.sqrt(1 - pearson**2) * errors, np.float64)


SAME, RISING = (0.9, 0.9, 0.9), (0.85, 0.9, 0.95)
CASES = [
    *(Case("spearman", values, pairs) for values in ((0.6, 0.6, 0.6), (0.4, 0.55, 0.7)) for pairs in (20, 100, 300)),
    *(Case("auc", values, pairs) for values in (SAME, RISING) for pairs in (40, 200, 1000)),
    *(Case("accuracy", values, pairs) for values in (SAME, RISING) for pairs in (40, 200)),
    *(Case("accuracy", values, 400, 4) for values in (SAME, RISING)),
    *(Case(statistic, (0.8,) * 3, 120, 4, across) for statistic in ("spearman", "auc") for across in (False, True)),
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case."""
    print(f"{'Bands':66} models marked  trend claimed  any difference  interval holds")
    for case, found in simulated(rates, CASES, list(repeat(repeats, len(CASES)))):
        print(
            f"{case!s:66} {found.marked:13.3f}  {found.trend:13.3f}  {found.differing:14.3f}  {found.held:14.3f}",
            flush=True,
        )
