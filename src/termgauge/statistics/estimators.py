"""What a set says of models: each estimator gives their values, and what the values would be without some items.

All that follows (intervals, tests, rankings) needs no more than that: how far a value moves without each unit, and what
each item contributes, centred and on the value's own scale. Arrays are models x items throughout, without NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.correlation import average_ranks
from termgauge.statistics.separation import best_cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


LARGE, LARGE_GROUPS = 0.02, 64
"""The share of all items, and the number of groups, for which average precision is computed anew."""


class Groups(NamedTuple):
    """Groups of items, which may share some: entry by entry, the number of a group and one of its items."""

    group: NDArray[np.int64]
    item: NDArray[np.int64]
    number: int
    """How many groups there are."""

    def sums(self, values: Matrix) -> Matrix:
        """Sum each row of values (rows x items) by group."""
        return np.array([np.bincount(self.group, row[self.item], self.number) for row in values])


@dataclass(frozen=True)
class Estimates:
    """The value of each model on one set."""

    values: Matrix
    """NaN where one is undefined."""
    influence: Matrix
    """Models x items: what each contributes, centred, on the scale of the values."""
    classes: NDArray[np.int64]
    """Of each item: 0, or 1 for the negative pairs of an area."""
    without: Callable[[Groups], Matrix]
    """The values (models x groups) without each group of items; not finite where nothing would be left."""
    training: Matrix | None = None
    """Models x 2, where values would be others if models were trained anew: the variance that this adds to that of
    items, and its own uncertainty, the square of a variance over its degrees of freedom."""


def mean(values: Matrix, _truth: Matrix | None = None) -> Estimates:
    """Return the mean of each model.

    Examples
    --------
    >>> found = mean(np.array([[1.0, 0.0, 1.0, 0.0]]))
    >>> found.without(Groups(np.array([0, 0, 1]), np.array([0, 2, 3]), 2)).round(3).tolist()
    [[0.0, 0.667]]
    """
    return ratio(values, np.ones((1, values.shape[1])))


def ratio(above: Matrix, below: Matrix, sums: tuple[Matrix, Matrix] | None = None) -> Estimates:
    """Return the sum of one quantity over the sum of another, such as 2 tp over 2 tp + fp + fn for F.

    Both `sums` are named where several items count the same thing, such as each term of a triple.
    """
    top, bottom = sums or (above.sum(axis=1, keepdims=True), below.sum(axis=1, keepdims=True))

    def without(groups: Groups) -> Matrix:
        return _divided(top - groups.sums(above), bottom - groups.sums(below))

    quotient = _divided(top, bottom)
    influence = _divided(above - quotient * below, bottom / above.shape[1])
    return Estimates(quotient[:, 0], influence, np.zeros(above.shape[1], np.int64), without)


def auc(scores: Matrix, truth: Matrix) -> Estimates:
    """Return the area under the ROC curve, ties counting half; contributions are DeLong's components (1988).

    These are how many pairs of the other kind each pair wins over, which its ranks among all pairs and among those of
    its own kind tell (Sun and Xu 2014).
    """
    similar = truth > 0
    positives = int(similar.sum())
    negatives = len(truth) - positives
    ranks = np.array([average_ranks(row) for row in scores])
    wins = np.where(similar, ranks, positives - ranks)
    for row, values in zip(wins, scores, strict=True):
        row[similar] -= average_ranks(values[similar])
        row[~similar] += average_ranks(values[~similar])
    total = wins[:, similar].sum(axis=1, keepdims=True)
    areas = total[:, 0] / (positives * negatives)

    def without(groups: Groups) -> Matrix:
        kinds = groups.sums(np.array([similar, ~similar], np.float64))
        pairs = (positives - kinds[:1]) * (negatives - kinds[1:])
        inside = np.array([_wins_inside(row, similar, groups) for row in scores])
        return _divided(total - groups.sums(wins) + inside, pairs)

    n, sizes = len(truth), np.where(similar, positives, negatives)
    influence = (wins / (n - sizes) - areas[:, None]) * (n / sizes)
    return Estimates(areas, influence, (~similar).astype(np.int64), without)


def _wins_inside(scores: Matrix, similar: NDArray[np.bool_], groups: Groups) -> Matrix:
    """Count, for each group, its positive items over its negative ones, ties half: those two sums both count."""
    order = np.lexsort((scores[groups.item], groups.group))
    group, item = groups.group[order], groups.item[order]
    if not len(group):
        return np.zeros(groups.number)
    positive, score = similar[item], scores[item]
    begins = np.append(True, (group[1:] != group[:-1]) | (score[1:] != score[:-1]))
    tie = np.cumsum(begins) - 1
    lower: NDArray[np.int64] = np.cumsum(~positive) - ~positive  # negative entries before this one, of all groups
    before_group: NDArray[np.int64] = lower[np.searchsorted(group, group, "left")]
    before_tie: NDArray[np.int64] = lower[begins][tie]
    in_tie = np.bincount(tie, ~positive)[tie]
    wins = positive * (before_tie - before_group + in_tie / 2)
    return np.asarray(np.bincount(group, wins, groups.number), np.float64)


def f1(scores: Matrix, truth: Matrix) -> Estimates:
    """Return F1 at each model's best threshold, the lowest of equals, which stays as it is without some items."""
    similar = truth > 0
    decisions = np.array([row >= _Curve.of(row, similar).best_f1 for row in scores])
    return ratio(np.asarray(2.0 * (decisions & similar)), decisions + similar.astype(np.float64))


def accuracy(scores: Matrix, truth: Matrix) -> Estimates:
    """Return the share of right decisions at each model's best threshold, which stays as it is without some items."""
    similar = truth > 0
    return mean(np.array([(row >= best_cut(row, similar)) == similar for row in scores], np.float64))


def average_precision(scores: Matrix, truth: Matrix) -> Estimates:
    """Return the average precision; large groups of items are left out exactly, of others each item by itself."""
    similar = truth > 0
    curves = [_Curve.of(row, similar) for row in scores]
    precision, lost = (np.array(part) for part in zip(*(curve.precision(similar) for curve in curves), strict=True))
    n = scores.shape[1]
    influence = (n - 1) * (lost - lost.mean(axis=1, keepdims=True))

    def without(groups: Groups) -> Matrix:
        shares = groups.sums(np.ones((1, n)))[0] / n
        left = precision[:, None] - _divided(groups.sums(influence) / n, 1 - shares[None])
        for group in np.argsort(-shares)[:LARGE_GROUPS]:
            kept = np.ones(n, np.bool_)
            kept[groups.item[groups.group == group]] = False
            if shares[group] > LARGE and similar[kept].any():
                left[:, group] = [_Curve.of(row[kept], similar[kept]).precision(similar[kept])[0] for row in scores]
        return left

    return Estimates(precision, influence, np.zeros(n, np.int64), without)


class _Curve(NamedTuple):
    """What is called similar at each of the scores that occur, from the highest down."""

    scores: Matrix
    gained: Matrix
    """Similar pairs with this very score."""
    right: Matrix
    """Similar pairs with this score or a higher one."""
    called: Matrix
    """Pairs with this score or a higher one."""
    place: NDArray[np.int64]
    """For each pair, the place of its score."""

    @classmethod
    def of(cls, values: Matrix, similar: NDArray[np.bool_]) -> _Curve:
        order = np.argsort(-values, kind="stable")
        ordered = values[order]
        last = np.append(ordered[1:] != ordered[:-1], True)
        right, called = np.cumsum(similar[order])[last] * 1.0, (np.flatnonzero(last) + 1).astype(np.float64)
        score_of = np.empty(len(values), np.int64)
        score_of[order] = np.cumsum(last) - last
        return cls(ordered[last], np.diff(right, prepend=0), right, called, score_of)

    @property
    def best_f1(self) -> float:
        """The threshold with the highest F1."""
        scores = 2 * self.right / (self.right[-1] + self.called)
        return float(self.scores[len(scores) - 1 - int(np.argmax(scores[::-1]))])

    def precision(self, similar: NDArray[np.bool_]) -> tuple[float, Matrix]:
        """Return the average precision, and how much it would lose without each pair.

        Without a pair, every similar pair that scores no higher has one fewer above it, and one fewer similar one if
        the pair is similar; the sums over such pairs run from the lowest score up.
        """
        positives = self.right[-1]
        precise = self.gained * self.right / self.called
        value = float(precise.sum()) / positives
        fewer = np.maximum(self.called - 1, 1)
        above = np.cumsum(precise) - precise
        without_other = above + _from_here_on(self.gained * self.right / fewer)
        of_rest = (self.right - 1) / fewer
        without_similar = above + _from_here_on(self.gained * of_rest) - of_rest
        left_out = np.where(
            similar, without_similar[self.place] / max(1, positives - 1), without_other[self.place] / positives
        )
        return value, value - left_out


def _from_here_on(terms: Matrix) -> Matrix:
    return np.asarray(np.cumsum(terms[::-1])[::-1])


def pearson(scores: Matrix, truth: Matrix) -> Estimates:
    """Return Pearson's r."""
    x, y = (_standardised(part) for part in (scores, truth[None]))
    n = x.shape[1]
    parts = np.ones((1, n)), x, x * x, y, y * y, x * y
    totals = [part.sum(axis=1, keepdims=True) for part in parts]

    def without(groups: Groups) -> Matrix:
        left, sx, sxx, sy, syy, sxy = (total - groups.sums(part) for total, part in zip(totals, parts, strict=True))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((sxy - sx * sy / left) / np.sqrt((sxx - sx * sx / left) * (syy - sy * sy / left)))

    r = (x * y).mean(axis=1)
    influence = x * y - r[:, None] * (x * x + y * y) / 2
    return Estimates(r, influence - influence.mean(axis=1, keepdims=True), np.zeros(n, np.int64), without)


def spearman(scores: Matrix, truth: Matrix) -> Estimates:
    """Return Spearman's rho; items keep their ranks without others."""
    return pearson(np.array([average_ranks(row) for row in scores]), average_ranks(truth))


def _standardised(values: Matrix) -> Matrix:
    centred = values - values.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(axis=1, keepdims=True))
    return np.asarray(
        np.divide(centred, spread, out=np.full_like(centred, np.nan), where=spread > 1e-12 * np.abs(values).max())
    )


def _divided(above: Matrix, below: Matrix) -> Matrix:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(np.abs(below) > 1e-12, above / below, np.nan)


ESTIMATORS: dict[str, Callable[[Matrix, Matrix], Estimates]] = {
    "mean": mean,
    "accuracy": accuracy,
    "ratio": ratio,
    "auc": auc,
    "ap": average_precision,
    "f1": f1,
    "spearman": spearman,
    "pearson": pearson,
}
CORRELATIONS = frozenset({"spearman", "pearson"})
LABELLED = frozenset({"accuracy", "auc", "ap", "f1"})
