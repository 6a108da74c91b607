"""Do the intervals of agreement, alpha and the ceiling hold the true values, who is left out, and are plans right?

Raters with tendencies of their own rate pairs, on a scale from 0 to 6, with noise. The true values are those of the
same raters on very many pairs; then small sets of pairs are drawn. The true ceiling is the correlation of true scores
with mean ratings, on average over panels of such raters. Plans are tried out on ratings of one pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks.levels import simulated
from termgauge.statistics import planning
from termgauge.statistics.agreement import Rated, agreement_intervals, agreement_of
from termgauge.statistics.correlation import spearman
from termgauge.statistics.krippendorff import alpha_intervals, krippendorff_alpha
from termgauge.statistics.reliability import reliability_of
from termgauge.studies.agreement.screening import left_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

MANY = 20_000
"""Pairs whose values count as the true ones."""
RESAMPLES = 1000


@dataclass(frozen=True)
class Case:
    """What is simulated."""

    pairs: int
    raters: int
    missing: float = 0.0
    """The share of ratings that are not there."""
    groups: int = 1
    """Groups that rate pairs of their own, and ten in common."""
    skewed: bool = False
    """Whether most pairs are rated low, as in sets of words."""
    near: bool = False
    """Whether 60 % of the pairs have nearly the same true score."""
    unequal: bool = False
    """Whether some raters are five times as noisy as others."""

    def __str__(self) -> str:
        """Say what it is in one line."""
        parts = [f"{self.pairs} pairs, {self.raters} raters"]
        parts += [f"{self.groups} groups"] if self.groups > 1 else []
        parts += [f"{self.missing:.0%} missing"] if self.missing else []
        kinds = {"skewed": self.skewed, "60 % nearly equal": self.near, "unequal noise": self.unequal}
        return ", ".join([*parts, *(name for name, holds in kinds.items() if holds)])


class Held(NamedTuple):
    """In which share of repeats the 95 % interval holds the true value."""

    iaa1: float
    iaa2: float
    rater: float
    """IAA-1 of the first rater."""
    alpha: float
    """Alpha with intervals."""
    width: float
    """The mean width of the interval of IAA-1."""


class Raters:
    """Some raters: how each uses the scale, and how exactly."""

    def __init__(self, case: Case, generator: np.random.Generator) -> None:
        self.case = case
        count = case.raters * case.groups
        self.shift = generator.normal(0, 0.5, count)
        self.slope = generator.uniform(0.8, 1.2, count)
        self.noise = generator.choice([0.5, 1.0, 2.5], count) if case.unequal else generator.uniform(0.8, 1.6, count)
        self.true = np.empty(0)
        """The true scores of the pairs that were rated last."""

    def rate(self, pairs: int, generator: np.random.Generator) -> Rated:
        """Rate new pairs: so many for each group, of which ten are common to all if there are several groups."""
        case = self.case
        common = 0 if case.groups == 1 else pairs // 5
        own = pairs - common
        items = common + own * case.groups
        true = generator.exponential(1.4, items) if case.skewed else generator.normal(3, 1.6, items)
        if case.near:
            true = np.where(generator.random(items) < 0.6, generator.normal(1, 0.02, items), true)
        self.true = true
        raters, rated = [], []
        for rater in range(case.raters * case.groups):
            start = common + own * (rater % case.groups)
            seen = np.concatenate([np.arange(common), np.arange(start, start + own)])
            seen = seen[generator.random(len(seen)) >= case.missing]
            raters.append(np.full(len(seen), rater))
            rated.append(seen)
        who, what = np.concatenate(raters), np.concatenate(rated)
        heard = self.shift[who] + self.slope[who] * true[what] + self.noise[who] * generator.normal(size=len(who))
        groups = np.arange(case.raters * case.groups) % case.groups
        return Rated.from_ratings(who, what, np.clip(np.round(heard), 0, 6), groups, items)


def held(case: Case, repeats: int, seed: int = 42) -> Held:
    """Simulate a case."""
    generator = np.random.default_rng(seed)
    raters = Raters(case, generator)
    truth = _values(raters.rate(MANY, generator))
    hits, widths = [], []
    for _ in range(repeats):
        rated = raters.rate(case.pairs, generator)
        ends = agreement_intervals(rated, resamples=RESAMPLES)
        groups = rated.groups[rated.raters]
        alpha = alpha_intervals(rated.items, rated.values, ("interval",), groups=groups, resamples=RESAMPLES)
        found = [ends.iaa1, ends.iaa2, ends.rater_iaa1[0], alpha["interval"]]
        hits.append([low <= value <= high for (low, high), value in zip(found, truth, strict=True)])
        widths.append(ends.iaa1.high - ends.iaa1.low)
    iaa1, iaa2, rater, alpha_share = (float(share) for share in np.mean(hits, axis=0))
    return Held(iaa1, iaa2, rater, alpha_share, float(np.mean(widths)))


def _values(rated: Rated) -> list[float]:
    found = agreement_of(rated)
    alpha = krippendorff_alpha(rated.items, rated.values, "interval").value
    return [found.iaa1, found.iaa2, float(found.rater_iaa1[0]), alpha]


class Ceilings(NamedTuple):
    """The true ceiling, what is stated on average, and in which share of studies the interval holds the truth."""

    truth: float
    stated: float
    low: float
    high: float
    held: float


def ceilings(case: Case, repeats: int, seed: int = 42) -> Ceilings:
    """Simulate the ceilings of a case; every study has raters of its own."""
    generator = np.random.default_rng(seed)
    reached = []
    for _ in range(40):
        raters = Raters(case, generator)
        rated = raters.rate(MANY // 5, generator)
        items, means = np.unique(rated.items), np.bincount(rated.items, weights=rated.values)
        counts = np.bincount(rated.items)
        reached.append(spearman(raters.true[items], means[items] / counts[items]))
    studies = [reliability_of(Raters(case, generator).rate(case.pairs, generator)) for _ in range(repeats)]
    stated = np.array([[study.ceiling, *study.interval] for study in studies])
    truth = float(np.mean(reached))
    inside = (stated[:, 1] <= truth) & (truth <= stated[:, 2])
    value, low, high = (float(part) for part in stated.mean(axis=0))
    return Ceilings(truth, value, low, high, float(inside.mean()))


def losing(case: Case, repeats: int, seed: int = 42) -> float:
    """Return the share of studies that leave out one of equally good raters, by the default rule."""
    generator = np.random.default_rng(seed)
    lost = 0
    for _ in range(repeats):
        raters = Raters(case, generator)
        raters.noise[:], raters.slope[:] = 1.2, 1.0
        lost += bool(left_out(raters.rate(case.pairs, generator), None, None))
    return lost / repeats


def planned(deviation: float, width: float, repeats: int, seed: int = 42) -> tuple[int, float, float]:
    """Plan raters for the score of a pair; return how many, the width they give, and how often it holds the mean."""
    generator = np.random.default_rng(seed)
    count = planning.raters_for(width, deviation) or 0
    ratings = np.clip(np.round(generator.normal(3, deviation, (repeats, count))), 0, 6)
    mean = np.clip(np.round(generator.normal(3, deviation, 1_000_000)), 0, 6)
    half = planning.score_width(float(mean.std()), count) / 2
    inside: NDArray[np.bool_] = np.abs(ratings.mean(axis=1) - mean.mean()) <= half
    return count, 2 * half, float(inside.mean())


CEILINGS = [
    Case(100, 5),
    Case(300, 10, unequal=True),
    Case(100, 5, skewed=True),
    Case(300, 10, skewed=True, unequal=True),
    Case(200, 6, skewed=True, missing=0.3),
    Case(100, 5, near=True),
    Case(300, 3, near=True),
    Case(300, 10, near=True, unequal=True),
    Case(100, 12, near=True, unequal=True),
]
PANELS = [
    Case(100, 3), Case(100, 5), Case(20, 6), Case(100, 6), Case(20, 12), Case(100, 12), Case(100, 12, skewed=True),
    Case(200, 20),
]  # fmt: skip
CASES = [
    Case(50, 5),
    Case(100, 3),
    Case(100, 12),
    Case(100, 12, skewed=True),
    Case(300, 5, missing=0.4),
    Case(600, 6),
    Case(50, 6, groups=4),
    Case(50, 10, groups=10, skewed=True),
]


def main(repeats: int = 1000) -> None:
    """Print a line for each case, with a fifth of the repeats, and what plans give."""
    print(f"{'How often 95 % intervals hold the truth':40}  IAA-1  IAA-2  rater  alpha   width")
    for case, found in simulated(held, CASES, [max(2, repeats // 5)] * len(CASES)):
        shares = "".join(f"{share:7.3f}" for share in found[:4])
        print(f"{case!s:40}{shares}{found.width:8.3f}", flush=True)
    print(f"\n{'Ceiling, with raters drawn anew':48}  truth stated    low   high   held")
    for case, one in simulated(ceilings, CEILINGS, [max(2, repeats // 5)] * len(CEILINGS)):
        print(f"{case!s:48}{''.join(f'{value:7.3f}' for value in one)}", flush=True)
    print(f"\n{'Equally good raters: a rater is left out in':48}  share of studies")
    for case, share in simulated(losing, PANELS, [max(2, repeats // 2)] * len(PANELS)):
        print(f"{case!s:48}{share:18.3f}", flush=True)
    print(f"\n{'Raters planned for a width':40}  raters   width  interval holds the mean")
    for deviation, width in ((1.0, 2.0), (1.5, 2.0), (1.5, 1.0)):
        count, wide, share = planned(deviation, width, 10 * repeats)
        print(f"{f'deviation {deviation:g}, at most {width:g}':40}{count:8}{wide:8.2f}{share:25.3f}", flush=True)
