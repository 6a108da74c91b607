"""Is the smallest difference that a set is said to show the one that its test finds in four of five cases?

Systems are binormal: scores of similar pairs lie higher, and half of the errors are common. What a set is said to show
is taken from four equally good systems; then sets are drawn with two systems that differ by that, by less and by more,
and the test that users get is counted. A curve through these powers gives the difference at which it is 80 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.levels import simulated
from termgauge.statistics import normal
from termgauge.statistics.power import smallest_detectable_difference
from termgauge.statistics.significance import compare_systems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

COMMON = 0.5
SYSTEMS = 4
FACTORS = (0.7, 0.85, 1.0, 1.2, 1.4)


@dataclass(frozen=True)
class Case:
    """What is simulated: a statistic, how many pairs, and the true value of equally good systems."""

    statistic: str
    n: int
    value: float

    def __str__(self) -> str:
        """Say what it is in one line."""
        return f"{self.statistic} {self.value:g}, {self.n:,} pairs"


class Found(NamedTuple):
    """What came out."""

    stated: float
    """The smallest difference that sets are said to show, the median of some."""
    power: float
    """How often a difference of that size is found."""
    needed: float
    """The difference that is found in 80 % of sets."""


def draw(
    case: Case, values: Sequence[float], generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw the scores of systems with these true values, and labels."""
    apart = [normal.quantile(value) * (2 if case.statistic == "accuracy" else math.sqrt(2)) for value in values]
    labels = np.repeat([1.0, 0.0], [case.n // 2, case.n - case.n // 2])
    errors = generator.normal(size=(1 + len(values), case.n))
    errors = math.sqrt(COMMON) * errors[0] + math.sqrt(1 - COMMON) * errors[1:]
    return np.array(apart)[:, None] * labels + errors, labels


def found(case: Case, repeats: int, seed: int = 42) -> Found:
    """Simulate a case; `repeats` sets are drawn for each of five differences."""
    generator = np.random.default_rng(seed)
    stated = float(
        np.median(
            [
                smallest_detectable_difference(
                    *draw(case, [case.value] * SYSTEMS, generator), statistic=case.statistic
                ).difference
                for _ in range(11 if case.n < 5000 else 5)
            ]
        )
    )
    worse = case.value - max(FACTORS) * stated > 0.5  # else the other one is better
    powers = []
    for factor in FACTORS:
        other = case.value - factor * stated if worse else case.value + factor * stated
        hits = 0
        for _ in range(repeats):
            scores, labels = draw(case, [case.value, min(other, 1 - 1e-9)], generator)
            apart = compare_systems(["a", "b"], scores, labels, statistic=case.statistic).between("a", "b")
            hits += apart.significant and (apart.value > 0) == worse
        powers.append((hits + 0.5) / (repeats + 1))
    return Found(stated, powers[FACTORS.index(1.0)], stated * _factor_with(0.8, powers))


def _factor_with(power: float, powers: Sequence[float]) -> float:
    """Return the factor at which the power is so much: a line through normal quantiles, over logarithms of factors."""
    quantiles = np.array([normal.quantile(each) for each in powers])
    weights = [normal.density(z) / math.sqrt(share * (1 - share)) for z, share in zip(quantiles, powers, strict=True)]
    slope, height = np.polyfit(np.log(FACTORS), quantiles, 1, w=weights)
    return math.exp((normal.quantile(power) - float(height)) / float(slope))


CASES = [
    Case(statistic, n, value)
    for statistic in ("accuracy", "auc")
    for n in (100, 1000, 30_000)
    for value in (0.55, 0.7, 0.9, 0.99)
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case; a tenth of the repeats for each difference, less often for very many pairs."""
    print(f"{'Smallest difference with 80 % power':36}  stated  power there  by simulation  stated / simulated")
    often = [max(2, repeats // (10 if case.n < 5000 else 25)) for case in CASES]
    for case, (stated, power, needed) in simulated(found, CASES, often):
        print(f"{case!s:36}{stated:8.4f}{power:13.2f}{needed:15.4f}{stated / needed:20.2f}", flush=True)
