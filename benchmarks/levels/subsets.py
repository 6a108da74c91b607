"""How often is a trend over bands claimed where there is none, how often is one found, and does its interval hold?

Pairs are drawn for bands with known values of rho, of the area under the ROC curve, or of accuracy. In some cases each
concept has several pairs, which are right or wrong together; beside it stands what happens if that is not allowed for.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.levels import simulated
from termgauge.statistics.dependence import Dependence
from termgauge.statistics.trend import any_difference, area_in_band, rho_in_band, share_in_band, trend

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.statistics.trend import BandValue

_NORMAL = NormalDist()
_ALPHA = 0.05


class Case(NamedTuple):
    """What is simulated: a statistic, its true value in each band, pairs of a band, and pairs of a concept."""

    statistic: str
    values: tuple[float, ...]
    pairs: int
    together: int = 1

    def __str__(self) -> str:
        """Say what it is in one line."""
        values = " ".join(f"{value:g}" for value in self.values)
        concepts = f", {self.together} of a concept" if self.together > 1 else ""
        return f"{self.statistic} {values}, {self.pairs} pairs a band{concepts}"


class Rates(NamedTuple):
    """What came out of many repeats."""

    claimed: float
    """How often a trend was claimed."""
    differing: float
    """How often the bands were claimed to differ at all."""
    held: float
    """How often the interval held the true change."""
    naive: float
    """How often a trend was claimed if pairs were taken as independent."""


def rates(case: Case, repeats: int, seed: int = 42) -> Rates:
    """Simulate a case."""
    generator = np.random.default_rng(seed)
    count = len(case.values) * case.pairs
    members = [np.arange(place * case.pairs, (place + 1) * case.pairs) for place in range(len(case.values))]
    concept = np.arange(count) // case.together
    shared = Dependence(concept, concept) if case.together > 1 else None
    places = list(range(len(members)))
    change = case.values[-1] - case.values[0]
    found = []
    for _ in range(repeats):
        drawn = _drawn(case, concept, generator)
        bands = _bands(case, drawn, members, shared)
        tested = trend(bands, places, shared, _ALPHA)
        naive = trend(_bands(case, drawn, members, None), places, None, _ALPHA) if shared else tested
        differing = any_difference(bands, shared)
        found.append(
            (tested.p_value < _ALPHA, differing < _ALPHA, tested.low <= change <= tested.high, naive.p_value < _ALPHA)
        )
    return Rates(*(float(share) for share in np.mean(found, axis=0)))


def _drawn(
    case: Case, concept: NDArray[np.int64], generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw scores and ratings, or labels; of accuracies, whether a decision is right."""
    count = len(concept)
    true = np.repeat(case.values, case.pairs)
    own, other = generator.normal(size=(2, count))
    if case.statistic == "rho":
        pearson = 2 * np.sin(math.pi / 6 * true)  # whose population has this rho
        return own, np.round(pearson * own + np.sqrt(1 - pearson**2) * other, 1)
    if case.statistic == "area":
        labels = generator.permutation(np.arange(count) % 2).astype(np.float64)
        return own + labels * math.sqrt(2) * np.array([_NORMAL.inv_cdf(value) for value in true]), labels
    if case.together > 1:
        own = math.sqrt(0.5) * (own + generator.normal(size=count)[concept])
    return (own < np.array([_NORMAL.inv_cdf(value) for value in true])).astype(np.float64), true


def _bands(
    case: Case,
    drawn: tuple[NDArray[np.float64], NDArray[np.float64]],
    members: list[NDArray[np.int64]],
    shared: Dependence | None,
) -> list[BandValue]:
    scores, truth = drawn
    if case.statistic == "accuracy":
        found = [share_in_band(scores == 1, each, shared) for each in members]
    else:
        in_band = rho_in_band if case.statistic == "rho" else area_in_band
        found = [in_band(scores, truth, each, shared) for each in members]
    return [band for band in found if band is not None]


CASES = [
    *(Case("rho", values, pairs) for values in ((0.6, 0.6, 0.6), (0.4, 0.55, 0.7)) for pairs in (20, 100, 300)),
    *(Case("area", values, pairs) for values in ((0.9, 0.9, 0.9), (0.85, 0.9, 0.95)) for pairs in (40, 200, 1000)),
    *(Case("accuracy", values, 400, 4) for values in ((0.9, 0.9, 0.9), (0.85, 0.9, 0.95))),
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case."""
    print(f"{'Bands':56} trend claimed  any difference  interval holds  trend if independent")
    for case, found in simulated(rates, CASES, [repeats] * len(CASES)):
        print(
            f"{case!s:56} {found.claimed:13.3f}  {found.differing:14.3f}  {found.held:14.3f}  {found.naive:20.3f}",
            flush=True,
        )
