"""How well scores tell similar from dissimilar pairs at a threshold, and how two such accuracies differ.

A pair is called similar if its score is at least the threshold. Over the sorted scores the accuracy at every
threshold is one running sum, so the best one costs a sort.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics import normal, student
from termgauge.statistics.bootstrap import SEED, Interval
from termgauge.statistics.inputs import checked_labels, checked_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

FOLDS = 10


class Decided(NamedTuple):
    """The accuracy of decisions at a threshold, and the decisions themselves."""

    value: float
    thresholds: tuple[float, ...]
    decisions: NDArray[np.bool_]
    """For each pair, whether it was called similar."""


def best_accuracy(scores: ArrayLike, labels: ArrayLike) -> Decided:
    """Return the accuracy at the threshold that maximises it on these very pairs.

    The thresholds tried are the scores that occur, and the number just above the highest (no pair is similar). Of
    equally good ones the lowest is taken. The value is optimistic, for the threshold was chosen on the pairs it is
    judged on.
    """
    values = checked_scores(scores)
    similar = checked_labels(labels, len(values))
    threshold = best_cut(values, similar)
    decisions = values >= threshold
    return Decided(float((decisions == similar).mean()), (threshold,), decisions)


def best_decisions(values: NDArray[np.float64], similar: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which pairs are called similar at the best threshold, without any check of what is given."""
    return np.asarray(values >= best_cut(values, similar))


def best_cut(values: NDArray[np.float64], similar: NDArray[np.bool_]) -> float:
    """Return the threshold with the highest accuracy, the lowest of equally good ones."""
    return _best_thresholds(values, similar)[0]


def cross_validated_decisions(
    values: NDArray[np.float64],
    similar: NDArray[np.bool_],
    seed: int = SEED,
    concepts: NDArray[np.int64] | None = None,
) -> NDArray[np.bool_]:
    """Return which pairs are called similar when each is decided at a threshold chosen without it.

    The pairs are dealt into ten folds with the seed, all pairs of one first concept into one fold, as
    :func:`stratified_folds` says; fewer pairs than folds: a fold for each pair. The pairs of a fold are decided at the
    best threshold of all other folds; where pairs have concepts, the kinds of pairs count there as they do in the whole
    set, since whole concepts cannot be dealt evenly.
    """
    fold = stratified_folds(similar, min(FOLDS, len(similar)), seed, concepts)
    kept = [fold != k for k in range(int(fold.max()) + 1)]
    thresholds = _best_thresholds(values, similar, kept, as_whole=concepts is not None)
    return np.asarray(values >= np.array(thresholds)[fold])


def stratified_folds(
    similar: NDArray[np.bool_], folds: int, seed: int = SEED, groups: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Return the number of the fold of each pair; folds have the same share of similar pairs, and the same size.

    First the similar pairs are dealt in an order drawn with the seed, then, going on with the next fold, the others
    likewise: both numbers are the same in all folds, each within one pair. Where pairs have groups, a whole group is
    dealt at once, the large ones first, equal ones in an order drawn with the seed: to the fold that has the least of
    the kinds that the group has.
    """
    if groups is not None and len(np.unique(groups)) >= max(2, folds):
        return _folds_of_groups(similar.tobytes(), groups.tobytes(), folds, seed)
    generator = np.random.default_rng(seed)
    dealt = np.concatenate([generator.permutation(np.flatnonzero(similar == kind)) for kind in (True, False)])
    fold = np.empty(len(similar), np.int64)
    fold[dealt] = np.arange(len(similar)) % folds
    return fold


@lru_cache(maxsize=8)  # all systems on a set have the same folds
def _folds_of_groups(labels: bytes, numbers: bytes, folds: int, seed: int) -> NDArray[np.int64]:
    similar, groups = np.frombuffer(labels, np.bool_), np.frombuffer(numbers, np.int64)
    generator = np.random.default_rng(seed)
    names, group = np.unique(groups, return_inverse=True)
    counts = np.stack([np.bincount(group[similar == kind], minlength=len(names)) for kind in (True, False)], axis=1)
    order = generator.permutation(len(names))
    order = order[np.argsort(-counts.sum(axis=1)[order], kind="stable")]
    return np.asarray(_dealt(counts, order, folds)[group])


def _dealt(counts: NDArray[np.int64], order: NDArray[np.int64], folds: int) -> NDArray[np.int64]:
    """Return the fold of each group, from its numbers of similar and dissimilar pairs."""
    total = [[0, 0] for _ in range(folds)]
    fold = np.empty(len(counts), np.int64)
    for group, (one, other) in zip(order.tolist(), counts[order].tolist(), strict=True):
        best = min(range(folds), key=lambda k: (one * total[k][0] + other * total[k][1], sum(total[k])))
        total[best][0] += one
        total[best][1] += other
        fold[group] = best
    return fold


def wilson(right: float, n: float, alpha: float = 0.05) -> Interval:
    """Return Wilson's score interval of a proportion.

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
    values: NDArray[np.float64],
    similar: NDArray[np.bool_],
    kept: Sequence[NDArray[np.bool_]] = (),
    *,
    as_whole: bool = False,
) -> list[float]:
    """Return the best threshold of all pairs, or of each part that is kept; of equally good ones the lowest.

    The scores are sorted once; pairs that are not kept stay in the order but gain and cost nothing. `as_whole` weighs
    the two kinds of a part so that their shares are those of all pairs.
    """
    order = np.argsort(values, kind="stable")
    values = values[order]
    places = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1], [True]]))
    # Raising the threshold past a pair gains one right decision if it is dissimilar, and costs one if it is similar.
    gain = np.where(similar[order], -1, 1)
    thresholds = []
    for part in (mask[order] for mask in kept or [np.ones(len(values), np.bool_)]):
        gains = gain * part
        if as_whole:  # whole numbers, so that equally good thresholds are equal
            positives, there = int(similar.sum()), int(np.count_nonzero(gains < 0))
            others = np.count_nonzero(gains > 0)
            gains = np.where(gains < 0, -positives * others, gains * (len(values) - positives) * there)
        gained = np.concatenate([[0], np.cumsum(gains)])
        best = int(places[np.argmax(gained[places])])
        # A threshold is a score of the pairs that are kept: the next of them, or just above the last.
        scores, before = values[part], np.count_nonzero(part[:best])
        thresholds.append(float(scores[before] if before < len(scores) else np.nextafter(scores[-1], np.inf)))
    return thresholds


_AT_ONCE = 1 << 20


def mcnemar(only_one: int, only_other: int) -> float:
    """Return the two-sided exact binomial p-value, from how many pairs only the one, and only the other, has right.

    >>> mcnemar(1, 5), mcnemar(0, 0)
    (0.21875, 1.0)
    """
    tosses, fewer = only_one + only_other, min(only_one, only_other)
    if 2 * fewer >= tosses - 1:
        return 1.0
    if tosses < 1000:  # the counts of outcomes as whole numbers
        outcomes: int = 2 * sum(math.comb(tosses, k) for k in range(fewer + 1))
        return outcomes / (1 << tosses)
    return min(1.0, 2 * student.incomplete_beta(0.5, tosses - fewer, fewer + 1))


def only_right(right: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return, for any two systems, how many pairs only the first decides rightly; `right` is systems x pairs.

    >>> only_right(np.array([[True, True, False], [True, False, False]]))
    array([[0, 1],
           [0, 0]])
    """
    both = np.zeros((len(right), len(right)), np.int64)
    for start in range(0, right.shape[1], _AT_ONCE):  # so few that single precision counts them exactly
        part = right[:, start : start + _AT_ONCE].astype(np.float32)
        both += (part @ part.T).astype(np.int64)
    only: NDArray[np.int64] = np.diag(both)[:, None] - both
    return only


def difference_interval(only_one: int, only_other: int, n: int, alpha: float) -> Interval:
    """Return an interval of the difference of two accuracies on the same pairs (Bonett and Price 2012).

    One pair is added to each of the two counts, and so two to the total, which keeps the level in small sets; the
    centre of the interval is therefore slightly nearer to 0 than the difference.
    """
    one, other = (only_one + 1) / (n + 2), (only_other + 1) / (n + 2)
    reach = normal.quantile(1 - alpha / 2) * math.sqrt((one + other - (one - other) ** 2) / (n + 2))
    return Interval(max(-1.0, one - other - reach), min(1.0, one - other + reach))
