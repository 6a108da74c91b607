"""Do the intervals of a quality study hold the true values, where 30 positives and 30 negatives are drawn from a set?

For shares nothing is left to chance: every outcome of the draw is enumerated, for many sets, good and bad. Alpha is
simulated, with three raters who answer right or toss a coin.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.krippendorff import AlphaResamples, nominal_alpha
from termgauge.statistics.strata import Stratum, pooled_share, share_of_hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWN = 30
SAME = np.linspace(0.5, 0.999, 60)
"""Shares of the positives that people call the same."""
SLIPPED = np.linspace(0.001, 0.3, 60)
"""Shares of the negatives that people call the same."""
MANY = 400_000
RESAMPLES = 1000


class Held(NamedTuple):
    """In which share of draws an interval holds the true value: the least of all sets, the mean, the most."""

    least: float
    mean: float
    most: float


def shares(same: NDArray[np.float64] = SAME, slipped: NDArray[np.float64] = SLIPPED) -> dict[str, Held]:
    """Return how often intervals of accuracy, recall and precision hold, over sets of all these shares."""
    counts = range(DRAWN + 1)
    parts = [Stratum(hits, DRAWN, DRAWN) for hits in counts]
    accuracy = np.array([[pooled_share([one, parts[DRAWN - slips]]).interval for slips in counts] for one in parts])
    recall = np.array([[share_of_hits(one, other).interval for other in parts] for one in parts])
    precision = np.array([part.interval() for part in parts])
    held: dict[str, list[float]] = {"accuracy": [], "recall": [], "precision": []}
    for one in same:
        held["precision"].append(float(np.sum(_chances(one) * _holds(precision, one))))
        for other in slipped:
            chances = np.outer(_chances(one), _chances(other))
            held["accuracy"].append(float(np.sum(chances * _holds(accuracy, (1 + one - other) / 2))))
            held["recall"].append(float(np.sum(chances * _holds(recall, one / (one + other)))))
    return {name: Held(min(each), float(np.mean(each)), max(each)) for name, each in held.items()}


def alpha(agreement: float, repeats: int, seed: int = 1) -> float:
    """Return how often the interval of alpha holds, of raters who say what is so with a given chance."""
    generator = np.random.default_rng(seed)
    truth = nominal_alpha(_answers(MANY, agreement, generator))
    held = 0
    for _ in range(repeats):
        parts = [_answers(DRAWN, agreement, generator, label) for label in (1, 0)]
        low, high = AlphaResamples.from_parts(parts, RESAMPLES, generator).bca().interval(0.05)
        held += bool(low <= truth <= high)
    return held / repeats


def _chances(share: float) -> NDArray[np.float64]:
    return np.array([comb(DRAWN, hits) * share**hits * (1 - share) ** (DRAWN - hits) for hits in range(DRAWN + 1)])


def _holds(intervals: NDArray[np.float64], truth: float) -> NDArray[np.bool_]:
    held: NDArray[np.bool_] = (intervals[..., 0] <= truth + 1e-9) & (truth <= intervals[..., 1] + 1e-9)
    return held


def _answers(
    pairs: int, agreement: float, generator: np.random.Generator, label: int | None = None
) -> NDArray[np.int64]:
    """Return how many of three raters say "not same" and "same" to each pair."""
    truth = generator.integers(0, 2, pairs) if label is None else np.full(pairs, label)
    right = generator.random((pairs, 3)) < agreement
    said = np.where(right, truth[:, None], generator.integers(0, 2, (pairs, 3)))
    return np.column_stack([(said == 0).sum(axis=1), (said == 1).sum(axis=1)])


def main(repeats: int) -> None:
    """Print how often intervals hold."""
    print(f"Quality studies, {DRAWN} positives and {DRAWN} negatives: how often 95 % intervals hold the true value")
    for name, held in shares().items():
        print(f"  {name}: {held.least:.3f} at least, {held.mean:.3f} on average, {held.most:.3f} at most")
    for agreement in (0.7, 0.9, 0.97):
        print(f"  alpha, raters who are right in {agreement:.0%} and else toss: {alpha(agreement, repeats):.3f}")
