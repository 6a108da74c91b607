"""The smallest difference that a set of its size could have shown: small sets prove nothing, and this says how little.

A set is replayed many times. Each time its pairs are drawn anew with replacement, and beside an observed system
stands an invented rival that is worse by a chosen amount but errs on the same pairs as much as the observed systems
do. The amount at which the test finds the difference in 80 % of the replays is what the set can show. Where the
observed system is so near to guessing that no rival can be worse by enough, the rival is better.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.statistics import normal
from termgauge.statistics.bootstrap import SEED, sorted_with_ties
from termgauge.statistics.correlation import average_ranks
from termgauge.statistics.delong import delong
from termgauge.statistics.inputs import checked_gold, checked_labels, checked_level, checked_scores
from termgauge.statistics.mcnemar import mcnemar
from termgauge.statistics.separation import best_decisions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

SIMULATIONS = 400
MOST_PAIRS = 1000
_LEAP = 3.0
_STEP = 1.25
_LIMIT = 0.999
_NOTHING = 1e-9


class Detectable(NamedTuple):
    """The smallest difference that the set would show."""

    difference: float
    """Infinite if even the greatest possible difference would not be found."""
    n: int
    level: float
    power: float
    """The share of replays in which such a difference is found."""


def smallest_detectable_difference(
    scores: Sequence[ArrayLike] | NDArray[np.float64],
    truth: ArrayLike,
    *,
    statistic: str,
    level: float = 0.05,
    power: float = 0.8,
    simulations: int = SIMULATIONS,
    seed: int = SEED,
) -> Detectable:
    """Return the smallest true difference between two systems that the set would show with the given power.

    Parameters
    ----------
    scores
        Systems x pairs, without NaN, of at least two systems.
    truth
        The ratings of a graded set, or the labels 1 and 0 of a binary one.
    statistic
        `spearman`, `accuracy` or `auc`.
    level
        Of one comparison: alpha, divided by the number of comparisons if that is how they are corrected.
    power
        The share of replays in which the difference must be found.
    simulations
        How many times the set is replayed for each difference tried.
    seed
        Of everything drawn.

    Notes
    -----
    The observed system of a replay is the one whose value is the median of all. Its scores, turned into normal
    scores, split into what the truth explains and a rest; the rival has a part of the truth of its own choosing, and
    a rest that correlates with the observed one's as the rests of the observed systems do (the median over all pairs
    of them). The true difference is the mean difference over the replays.

    A difference of rho is tested with the standard error of the jackknife instead of a BCa interval, which would take
    hours; the two agree but for very small sets. Differences of accuracy and of areas are tested as in
    :func:`~termgauge.statistics.significance.compare_systems`. Sets of more than 1,000 pairs are replayed with 1,000,
    and the result is scaled by the root of the ratio, as standard errors are.

    Raises
    ------
    TermgaugeError
        If there are fewer than two systems with scores that vary, or the ratings do not.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> gold = generator.normal(size=200)
    >>> systems = gold + generator.normal(size=(3, 200))
    >>> few = smallest_detectable_difference(systems[:, :50], gold[:50], statistic="spearman", simulations=100)
    >>> many = smallest_detectable_difference(systems, gold, statistic="spearman", simulations=100)
    >>> 1.5 < few.difference / many.difference < 3
    True
    """
    checked_level(level)
    if not level < power < 1:
        raise TermgaugeError(f"The power must lie between the level, {level}, and 1, not be {power}; 0.8 is usual.")
    matrix = np.vstack([checked_scores(row) for row in scores])
    n = matrix.shape[1]
    if statistic not in _TESTS:
        close = did_you_mean(statistic, _TESTS)
        raise TermgaugeError(f"There is no statistic '{statistic}'; choose one of {', '.join(_TESTS)}.{close}")
    graded = statistic == "spearman"
    given = checked_gold(truth, n) if graded else checked_labels(truth, n).astype(np.float64)
    matrix = matrix[matrix.min(axis=1) < matrix.max(axis=1)]
    if len(matrix) < 2 or given.min() == given.max():
        raise TermgaugeError(
            "What a set can show is told from at least two systems whose scores vary, on pairs whose ratings vary."
        )
    size = min(n, MOST_PAIRS)
    replays = _replays(matrix, given, size=size, simulations=simulations, seed=seed, graded=graded)
    found = _smallest(replays, _TESTS[statistic], level, power, better=False)
    if math.isinf(found):
        found = _smallest(replays, _TESTS[statistic], level, power, better=True)
    return Detectable(found * math.sqrt(size / n), n, level, power)


class _Outcome(NamedTuple):
    """What replays with one rival showed."""

    difference: float
    found: float
    """The share in which the test found it."""


@dataclass(frozen=True)
class _Replays:
    """Everything that is drawn; the same draws serve every rival, so that a worse one is found more often."""

    truth: NDArray[np.float64]
    """As given."""
    explained: NDArray[np.float64]
    """What truth contributes to a score: its normal scores, or labels; mean 0 and variance 1."""
    rest: NDArray[np.float64]
    """What else the observed system's scores hold; mean 0, variance 1, uncorrelated with truth."""
    quality: float
    """The correlation of the observed system with truth."""
    shared: float
    """The correlation of the rests of two systems."""
    drawn: NDArray[np.int64]
    """Simulations x pairs."""
    noise: NDArray[np.float64]
    """Simulations x pairs: the rival's own errors."""

    def outcome(self, shift: float, test: _Test, level: float, *, better: bool) -> _Outcome:
        """Replay against a rival whose correlation with truth is lower by `shift`, or higher."""
        sign = -1 if better else 1
        other = float(np.clip(self.quality - sign * shift, -_LIMIT, _LIMIT))
        differences, found = [], 0
        for items, noise in zip(self.drawn, self.noise, strict=True):
            explained, rest = self.explained[items], self.rest[items]
            observed = _mixed(self.quality, explained, rest)
            rival = _mixed(other, explained, self.shared * rest + math.sqrt(1 - self.shared**2) * noise)
            difference, p_value = test(np.stack([observed, rival]), self.truth[items])
            found += sign * difference > 0 and p_value < level
            if not math.isnan(difference):
                differences.append(sign * difference)
        return _Outcome(float(np.mean(differences)) if differences else math.nan, found / len(self.drawn))


def _mixed(quality: float, explained: NDArray[np.float64], rest: NDArray[np.float64]) -> NDArray[np.float64]:
    return quality * explained + math.sqrt(1 - quality**2) * rest


def _replays(
    matrix: NDArray[np.float64],
    truth: NDArray[np.float64],
    *,
    size: int,
    simulations: int,
    seed: int,
    graded: bool,
) -> _Replays:
    generator = np.random.default_rng(seed)
    explained = _normal_scores(truth) if graded else _standardised(truth)
    scores = np.array([_normal_scores(row) for row in matrix])
    qualities = scores @ explained / len(truth)
    rests = np.array([_standardised(row - q * explained) for row, q in zip(scores, qualities, strict=True)])
    between = (rests @ rests.T / len(truth))[np.triu_indices(len(rests), 1)]
    middle = int(np.argsort(qualities, kind="stable")[len(qualities) // 2])
    # A binary set keeps its numbers of similar and dissimilar pairs: a replay without either kind shows nothing.
    kinds = [np.arange(len(truth))] if graded else [np.flatnonzero(truth == kind) for kind in (1, 0)]
    sizes = [size] if graded else [max(1, round(size * len(kinds[0]) / len(truth)))]
    sizes += [] if graded else [max(1, size - sizes[0])]
    drawn = [generator.choice(kind, (simulations, k)) for kind, k in zip(kinds, sizes, strict=True)]
    places = np.concatenate(drawn, axis=1)
    return _Replays(
        truth=truth,
        explained=explained,
        rest=rests[middle],
        quality=float(np.clip(qualities[middle], -_LIMIT, _LIMIT)),
        shared=float(np.clip(np.median(between), -_LIMIT, _LIMIT)),
        drawn=places,
        noise=generator.normal(size=places.shape),
    )


def _smallest(replays: _Replays, test: _Test, level: float, power: float, *, better: bool) -> float:
    """Go up or down from a guess until two rivals enclose the wanted power, halve what is between, then interpolate.

    The guess is what the power would need if the difference were normal with the usual standard error of correlations.
    """
    most = _LIMIT - replays.quality if better else replays.quality + _LIMIT
    spread = math.sqrt(2 * (1 - replays.shared) / replays.drawn.shape[1]) * (1 - replays.quality**2)
    shift = min(most, (normal.quantile(1 - level / 2) + normal.quantile(power)) * spread)
    outcome = replays.outcome(shift, test, level, better=better)
    up = outcome.found < power
    while True:
        if up and shift >= most:
            return math.inf
        if shift < _NOTHING:
            return outcome.difference
        before, last = outcome, shift
        shift = min(most, shift * _LEAP) if up else shift / _LEAP
        outcome = replays.outcome(shift, test, level, better=better)
        if (outcome.found < power) != up:
            break
    while max(shift, last) / min(shift, last) > _STEP:
        middle = math.sqrt(shift * last)
        between = replays.outcome(middle, test, level, better=better)
        if (between.found < power) == up:
            before, last = between, middle
        else:
            outcome, shift = between, middle
    return _interpolated(before, outcome, power, len(replays.drawn))


def _interpolated(one: _Outcome, other: _Outcome, power: float, simulations: int) -> float:
    """Return the difference at which the power is reached; its normal quantile is nearly linear in the difference."""
    at_one, at_other = (
        normal.quantile(min(max(outcome.found, 0.25 / simulations), 1 - 0.25 / simulations)) for outcome in (one, other)
    )
    part = min(1.0, max(0.0, (normal.quantile(power) - at_one) / (at_other - at_one)))
    return one.difference + part * (other.difference - one.difference)


def _normal_scores(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values spread as a normal distribution in the order of the given ones; equal ones stay equal."""
    shares = (average_ranks(values) - 0.5) / len(values)
    distinct, which = np.unique(shares, return_inverse=True)
    return _standardised(np.array([normal.quantile(share) for share in distinct])[which])


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = values - values.mean()
    spread = float(centred.std())
    # What remains of scores that follow truth exactly is rounding.
    return centred / spread if spread > 1e-9 else np.zeros_like(centred)


_Test = Callable[["NDArray[np.float64]", "NDArray[np.float64]"], tuple[float, float]]
"""Takes the scores of two systems and truth; returns the difference and its p-value, NaN where undefined."""


def _spearman_test(scores: NDArray[np.float64], gold: NDArray[np.float64]) -> tuple[float, float]:
    """Test a difference of rho with the standard error of the jackknife."""
    from termgauge.statistics import rank_kernel

    orders, last = sorted_with_ties(np.vstack([gold, scores]))
    rhos, left_out = np.empty((2, 1)), np.empty(scores.shape)
    rank_kernel.resampled_rhos(orders, last, np.arange(len(gold))[None], rhos, 0)
    rank_kernel.left_out_rhos(orders, last, left_out)
    difference = float(rhos[0, 0] - rhos[1, 0])
    without = left_out[0] - left_out[1]
    without = without[~np.isnan(without)]
    if len(without) < 2:
        return difference, math.nan
    error = math.sqrt((len(without) - 1) / len(without) * float(np.sum((without - without.mean()) ** 2)))
    return difference, normal.two_sided(difference / error) if error > 0 else math.nan


def _accuracy_test(scores: NDArray[np.float64], labels: NDArray[np.float64]) -> tuple[float, float]:
    similar = labels == 1
    one, other = (best_decisions(row, similar) == similar for row in scores)
    only_one, only_other = int((one & ~other).sum()), int((other & ~one).sum())
    return (only_one - only_other) / len(labels), mcnemar(only_one, only_other)


def _auc_test(scores: NDArray[np.float64], labels: NDArray[np.float64]) -> tuple[float, float]:
    found = delong(scores, labels == 1)
    return float(found.areas[0] - found.areas[1]), found.p_value(0, 1)


_TESTS: dict[str, _Test] = {"spearman": _spearman_test, "accuracy": _accuracy_test, "auc": _auc_test}
