"""How well the highest scores are those of similar pairs: average precision, and F1 at the best threshold.

Unlike the area under the ROC curve, both depend on how many pairs of the set are similar. Over the scores from the
highest to the lowest, precision and recall at every threshold are running sums, and so is what either value would be
without one pair. That is what a pair contributes, so intervals and tests follow as they do for areas.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.bootstrap import SEED, UNDEFINED, Value
from termgauge.statistics.delong import TwoKinds
from termgauge.statistics.inputs import checked_labels, checked_level, checked_scores
from termgauge.statistics.separation import Decided, dealt_folds, wilson

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from termgauge.statistics.dependence import Dependence


def average_precision(
    scores: ArrayLike, labels: ArrayLike, *, alpha: float = 0.05, shared: Dependence | None = None
) -> Value:
    """Return the mean, over the similar pairs, of the precision among all pairs that score at least as high.

    Equal scores are called similar together. The interval is Wilson's, at the number of decisions that would have the
    variance of the jackknife; with fewer than two pairs of either kind it is NaN.

    Examples
    --------
    >>> round(average_precision([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0]).value, 4)
    0.8333
    """
    checked_level(alpha)
    values = checked_scores(scores)
    return share_value(precisions(values[None], checked_labels(labels, len(values)), shared), 0, alpha)


def best_f1(scores: ArrayLike, labels: ArrayLike, *, alpha: float = 0.05, shared: Dependence | None = None) -> Decided:
    """Return the harmonic mean of precision and recall at the threshold that maximises it on these very pairs.

    A pair is called similar if its score is at least the threshold. The thresholds tried are the scores that occur; of
    equally good ones the lowest is taken. The value is optimistic, as that of
    :func:`~termgauge.statistics.separation.best_accuracy` is, and the interval is Wilson's as for
    :func:`average_precision`, at that threshold.

    Examples
    --------
    >>> best_f1([0.9, 0.8, 0.7, 0.1], [1, 0, 1, 0])[:1]
    (0.8,)
    """
    checked_level(alpha)
    values = checked_scores(scores)
    similar = checked_labels(labels, len(values))
    threshold = best_threshold(values, similar)
    decisions = values >= threshold
    return Decided(*share_value(f1_of(decisions[None], similar, shared), 0, alpha), (threshold,), decisions)


def share_value(found: TwoKinds, system: int, alpha: float) -> Value:
    """Return a value with Wilson's interval, at the number of decisions that would have the same variance.

    To what the pairs show is added one pair of the rarer kind on which the system errs: few errors say little about
    how they come.
    """
    value = float(found.values[system])
    if math.isnan(found.variance(system)):
        return Value(value, *UNDEFINED)
    one, alone = 1 / min(found.counts), float(np.square(found.adds(system)).sum())
    n = (value * (1 - value) + one) / (alone + one * one) / found.design_effect(system)
    return Value(value, *wilson(value * n, n, alpha, found.freedom(system)))


def _two_kinds(
    values: NDArray[np.float64],
    influence: NDArray[np.float64],
    similar: NDArray[np.bool_],
    shared: Dependence | None,
) -> TwoKinds:
    """Centre what each pair adds to values, in each kind of pairs."""
    kinds = similar, ~similar
    if min(map(np.count_nonzero, kinds)) < 2:
        return TwoKinds(values, None, similar, shared)
    centred = np.empty_like(influence)
    for kind in kinds:
        part = influence[:, kind]
        n = part.shape[1]
        centred[:, kind] = (part - part.mean(axis=1, keepdims=True)) * math.sqrt(n / (n - 1))
    return TwoKinds(values, centred, similar, shared)


def precisions(scores: NDArray[np.float64], similar: NDArray[np.bool_], shared: Dependence | None = None) -> TwoKinds:
    """Return the average precision of all systems (scores are systems x pairs; both kinds of pairs occur)."""
    return _two_kinds(*precisions_and_losses(scores, similar), similar, shared)


def precisions_and_losses(
    scores: NDArray[np.float64], similar: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the average precision of all systems, and how much it would lose without each pair (systems x pairs)."""
    values, losses = zip(*(_with_left_out(row, similar) for row in scores), strict=True)
    return np.array(values), np.array(losses)


def _with_left_out(values: NDArray[np.float64], similar: NDArray[np.bool_]) -> tuple[float, NDArray[np.float64]]:
    """Return the average precision, and how much it is above what it would be without each pair.

    Without a pair, every similar pair that scores no higher has one fewer above it, and one fewer similar one if the
    pair is similar; the sums over such pairs run from the lowest score up.
    """
    curve = _Curve.from_scores(values, similar)
    positives = int(curve.gained.sum())
    precise = curve.gained * curve.right / curve.called
    value = float(precise.sum()) / positives
    fewer = np.maximum(curve.called - 1, 1)
    above = np.cumsum(precise) - precise
    without_other = above + _from_here_on(curve.gained * curve.right / fewer)
    of_rest = (curve.right - 1) / fewer
    without_similar = above + _from_here_on(curve.gained * of_rest) - of_rest
    left_out = np.where(
        similar, without_similar[curve.place] / max(1, positives - 1), without_other[curve.place] / positives
    )
    return value, value - left_out


def _from_here_on(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.cumsum(terms[::-1])[::-1])


class _Curve(NamedTuple):
    """What is called similar at each of the scores that occur, from the highest down."""

    scores: NDArray[np.float64]
    gained: NDArray[np.float64]
    """Similar pairs with this very score."""
    right: NDArray[np.float64]
    """Similar pairs with this score or a higher one."""
    called: NDArray[np.float64]
    """Pairs with this score or a higher one."""
    place: NDArray[np.int64]
    """For each pair, the place of its score."""

    @classmethod
    def from_scores(cls, values: NDArray[np.float64], similar: NDArray[np.bool_]) -> _Curve:
        order = np.argsort(-values, kind="stable")
        ordered = values[order]
        last = np.append(ordered[1:] != ordered[:-1], True)
        right, called = np.cumsum(similar[order])[last], np.flatnonzero(last) + 1
        place = np.empty(len(values), np.int64)
        place[order] = np.cumsum(last) - last
        return cls(
            ordered[last], np.diff(right, prepend=0).astype(np.float64), right * 1.0, called.astype(np.float64), place
        )


def best_threshold(values: NDArray[np.float64], similar: NDArray[np.bool_], weight: float = 1.0) -> float:
    """Return the threshold with the highest F1, the lowest of equally good ones; a similar pair counts `weight`."""
    curve = _Curve.from_scores(values, similar)
    right = weight * curve.right
    found = 2 * right / (right[-1] + right + curve.called - curve.right)
    return float(curve.scores[len(found) - 1 - int(np.argmax(found[::-1]))])


def f1_of(decisions: NDArray[np.bool_], similar: NDArray[np.bool_], shared: Dependence | None = None) -> TwoKinds:
    """Return the F1 of the decisions of all systems (systems x pairs)."""
    right, either = 2.0 * (decisions & similar), decisions + similar.astype(np.float64)
    total = either.sum(axis=1, keepdims=True)
    found = right.sum(axis=1, keepdims=True) / total
    return _two_kinds(found[:, 0], (right - found * either) / total, similar, shared)


def cross_validated_decisions(
    values: NDArray[np.float64],
    similar: NDArray[np.bool_],
    *,
    seed: int = SEED,
    shared: Dependence | None = None,
) -> NDArray[np.bool_]:
    """Return which pairs are called similar at thresholds of best F1 that were chosen without them.

    The folds are those of :func:`~termgauge.statistics.separation.cross_validated_accuracy`, and as there the kinds of
    pairs count as they do in the whole set.
    """
    order = np.argsort(values, kind="stable")  # what is sorted once is quickly sorted again
    fold, ordered, positive = dealt_folds(similar, seed, shared)[order], values[order], similar[order]
    odds = np.count_nonzero(similar) / np.count_nonzero(~similar)
    decided = np.empty(len(values), np.bool_)
    for number in range(int(fold.max()) + 1):
        kept = fold != number
        positives = int(positive[kept].sum())
        weight = odds * (int(kept.sum()) - positives) / max(1, positives)
        decided[~kept] = ordered[~kept] >= best_threshold(ordered[kept], positive[kept], weight)
    decisions = np.empty_like(decided)
    decisions[order] = decided
    return decisions
