"""How well scores tell similar from dissimilar pairs: area under the ROC curve, and accuracy at a threshold.

A pair is called similar if its score is at least the threshold. Over the sorted scores the accuracy at every
threshold is one running sum, so the best one costs a sort.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics import normal
from termgauge.statistics.bootstrap import SEED, Interval
from termgauge.statistics.delong import Delong, delong
from termgauge.statistics.inputs import checked_labels, checked_level, checked_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

FOLDS = 10


class Area(NamedTuple):
    """The area under the ROC curve, with DeLong's interval."""

    value: float
    low: float
    high: float
    n: int


class Accuracy(NamedTuple):
    """The share of right decisions, with Wilson's interval, and the decisions themselves."""

    value: float
    low: float
    high: float
    thresholds: tuple[float, ...]
    """The threshold, or one per fold."""
    decisions: NDArray[np.bool_]
    """For each pair, whether it was called similar."""
    n: int


def auc(scores: ArrayLike, labels: ArrayLike, *, alpha: float = 0.05) -> Area:
    """Return the area under the ROC curve: the chance that a similar pair scores higher, ties counting 1/2.

    The interval is the normal one with DeLong's variance, cut at 0 and 1; with fewer than two pairs of either kind
    there is no variance, and the interval is NaN.
    """
    checked_level(alpha)
    values = checked_scores(scores)
    return area_of(delong(values[None], checked_labels(labels, len(values))), 0, alpha)


def area_of(areas: Delong, system: int, alpha: float) -> Area:
    """Return the area of one of several systems, as :func:`auc` does."""
    value, error = float(areas.areas[system]), math.sqrt(areas.covariance[system, system])
    n = areas.wins_of_similar.shape[1] + areas.wins_over_dissimilar.shape[1]
    if math.isnan(error):
        return Area(value, math.nan, math.nan, n)
    reach = normal.quantile(1 - alpha / 2) * error
    return Area(value, max(0.0, value - reach), min(1.0, value + reach), n)


def best_accuracy(scores: ArrayLike, labels: ArrayLike, *, alpha: float = 0.05) -> Accuracy:
    """Return the accuracy at the threshold that maximises it on these very pairs.

    The thresholds tried are the scores that occur, and the number just above the highest (no pair is similar). Of
    equally good ones the lowest is taken. The value is optimistic, for the threshold was chosen on the pairs it is
    judged on; see :func:`cross_validated_accuracy`.
    """
    checked_level(alpha)
    values = checked_scores(scores)
    similar = checked_labels(labels, len(values))
    (threshold,) = _best_thresholds(values, similar)
    return _accuracy(values >= threshold, similar, [threshold], alpha)


def best_decisions(values: NDArray[np.float64], similar: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which pairs are called similar at the best threshold, without any check of what is given."""
    return np.asarray(values >= _best_thresholds(values, similar)[0])


def cross_validated_accuracy(
    scores: ArrayLike, labels: ArrayLike, *, alpha: float = 0.05, seed: int = SEED
) -> Accuracy:
    """Return the accuracy when each pair is decided at a threshold chosen without it.

    The pairs are dealt into folds: first the similar ones in an order drawn with the seed, then, going on with the
    next fold, the others likewise, so that the folds have the same share of similar pairs and the same size, each
    within one pair. The pairs of a fold are decided at the best threshold (as in :func:`best_accuracy`) of all other
    folds. The value is the share of right decisions over all pairs. Fewer pairs than folds: a fold for each pair.
    """
    checked_level(alpha)
    values = checked_scores(scores)
    similar = checked_labels(labels, len(values))
    count = min(FOLDS, len(values))
    fold = stratified_folds(similar, count, seed)
    thresholds = _best_thresholds(values, similar, [fold != k for k in range(count)])
    return _accuracy(values >= np.array(thresholds)[fold], similar, thresholds, alpha)


def stratified_folds(similar: NDArray[np.bool_], folds: int, seed: int = SEED) -> NDArray[np.int64]:
    """Return the number of the fold of each pair, dealt as :func:`cross_validated_accuracy` says."""
    generator = np.random.default_rng(seed)
    dealt = np.concatenate([generator.permutation(np.flatnonzero(similar == kind)) for kind in (True, False)])
    fold = np.empty(len(similar), np.int64)
    fold[dealt] = np.arange(len(similar)) % folds
    return fold


def wilson(right: int, n: int, alpha: float = 0.05) -> Interval:
    """Return Wilson's score interval of a proportion.

    Examples
    --------
    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    z = normal.quantile(1 - alpha / 2)
    share = right / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # At 0 and n the end is the value itself, but for rounding.
    return Interval(min(share, max(0.0, centre - reach)), max(share, min(1.0, centre + reach)))


def _best_thresholds(
    values: NDArray[np.float64], similar: NDArray[np.bool_], kept: Sequence[NDArray[np.bool_]] = ()
) -> list[float]:
    """Return the best threshold of all pairs, or of each part that is kept; of equally good ones the lowest.

    The scores are sorted once; pairs that are not kept stay in the order but gain and cost nothing.
    """
    order = np.argsort(values, kind="stable")
    values = values[order]
    places = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1], [True]]))
    # Raising the threshold past a pair gains one right decision if it is dissimilar, and costs one if it is similar.
    gain = np.where(similar[order], -1, 1)
    thresholds = []
    for part in (each[order] for each in kept or [np.ones(len(values), np.bool_)]):
        gained = np.concatenate([[0], np.cumsum(gain * part)])
        place = int(places[np.argmax(gained[places])])
        # A threshold is a score of the pairs that are kept: the next of them, or just above the last.
        scores, before = values[part], np.count_nonzero(part[:place])
        thresholds.append(float(scores[before] if before < len(scores) else np.nextafter(scores[-1], np.inf)))
    return thresholds


def _accuracy(
    decisions: NDArray[np.bool_], similar: NDArray[np.bool_], thresholds: list[float], alpha: float
) -> Accuracy:
    n = len(similar)
    right = int((decisions == similar).sum())
    low, high = wilson(right, n, alpha)
    return Accuracy(right / n, low, high, tuple(thresholds), decisions, n)
