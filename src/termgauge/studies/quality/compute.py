"""How right a benchmark is, judged by people: truth by majority, and how the labels stand against it (14.3 to 14.5).

Positives and negatives of each set were drawn separately, so every interval is put together from those two parts; what
a set is as a whole is estimated by letting each pair stand for as many as it was drawn from.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.krippendorff import AlphaResamples, nominal_alpha
from termgauge.statistics.strata import Estimate, Stratum, pooled_share, share_of_hits
from termgauge.studies.quality.result import DontKnow, JudgedPair, LabelSizes, QualityRater, QualityResult, SetQuality

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.studies.ratings import Ratings

RESAMPLES = 5000
LEVEL = 0.05
OVERALL = "all"
"""What the row of all sets is called."""
_NOT_SAME, _SAME, _DONT_KNOW, _NOTHING = 0, 1, 2, -1


class _Answers(NamedTuple):
    """Answers as counts: for each pair, how many raters said what."""

    pairs: pl.DataFrame
    """pair, word1, word2, set, label."""
    said: NDArray[np.int8]
    """Pairs x raters, as the codes below say."""
    raters: list[str]

    def counts(self, *kinds: int) -> NDArray[np.int64]:
        return np.stack([(self.said == kind).sum(axis=1) for kind in kinds], axis=1)

    def truths(self) -> NDArray[np.float64]:
        same, not_same = self.counts(_SAME, _NOT_SAME).T
        return majority(same, not_same, len(self.raters))


def quality_of(
    ratings: Ratings,
    key: pl.DataFrame,
    *,
    sizes: Mapping[str, LabelSizes] | None = None,
    dont_know: DontKnow = "missing",
    resamples: int = RESAMPLES,
    seed: int = 42,
) -> QualityResult:
    """Return how right the labels of a benchmark are.

    The highest rating of the scale is "same", the lowest "not same", null "don't know", which is `missing` for
    Krippendorff's alpha or a `category` of its own. The key has ``pair``, ``set`` and ``label`` of each pair that was
    asked.
    """
    if dont_know not in ("missing", "category"):
        raise TermgaugeError(f"--dont-know is missing or category, not '{dont_know}'.")
    answers = _answers(ratings, key)
    if not answers.raters:
        raise TermgaugeError("Nobody has answered yet, so there is nothing to report; wait for the raters.")
    truths = answers.truths()
    kinds = (_SAME, _NOT_SAME, _DONT_KNOW) if dont_know == "category" else (_SAME, _NOT_SAME)
    labels = answers.pairs["label"].to_numpy()
    sets, alphas = [], []
    counts = answers.counts(*kinds)
    for number, name in enumerate(_in_order(answers.pairs["set"].unique(maintain_order=True), sizes or {})):
        here = (answers.pairs["set"] == name).to_numpy()
        by_label = [counts[here & (labels == label)] for label in (1, 0)]
        alpha = AlphaResamples(by_label, resamples, seed + number)
        alphas.append(alpha)
        size = (sizes or {}).get(name)
        sets.append(_set_quality(name, labels[here], truths[here], counts[here], alpha, size))
    overall = _set_quality(OVERALL, labels, truths, counts, reduce(add, alphas), None)
    judged = _judged(answers, truths)
    return QualityResult(
        raters=len(answers.raters),
        pairs=answers.pairs.height,
        dont_know=dont_know,
        level=LEVEL,
        resamples=resamples,
        overall=overall,
        sets=sets,
        per_rater=_per_rater(ratings, answers, kinds),
        contradicted=[each for each in judged if each.truth is not None and each.truth != each.label],
        undecided=[each for each in judged if each.truth is None],
    )


def _in_order(names: Iterable[str], sizes: Mapping[str, LabelSizes]) -> list[str]:
    """Return sets in the order of the paper's tables; those that were not built from a terminology as they come."""
    from termgauge.reporting.set_names import groups_of, titled

    drawn = sorted(names, key=lambda name: list(sizes).index(name) if name in sizes else len(sizes))
    groups = groups_of(titled(name, graded=False) for name in drawn)
    return [each.id for group in groups for each in group.sets]


def majority(same: NDArray[np.int64], not_same: NDArray[np.int64], raters: int) -> NDArray[np.float64]:
    """Return the truth of each pair: 1 or 0 if more than half of all raters in the study say so, else NaN.

    Raters who do not know, or did not answer, count among all.

    Examples
    --------
    >>> import numpy as np
    >>> majority(np.array([2, 1, 1]), np.array([1, 2, 1]), 3)
    array([ 1.,  0., nan])
    """
    return np.where(2 * same > raters, 1.0, np.where(2 * not_same > raters, 0.0, np.nan))


def truth_frame(ratings: Ratings, key: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs that have a truth as a labelled set: ``term_1``, ``term_2``, ``label``, each pair once.

    A pair that was asked twice, since two sets have it, and got two truths is left out.
    """
    answers = _answers(ratings, key)
    truths = pl.Series(answers.truths()).fill_nan(None)
    frame = answers.pairs.select(term_1="word1", term_2="word2").with_columns(label=truths)
    kept = frame.drop_nulls("label").group_by("term_1", "term_2", maintain_order=True)
    once = kept.agg(pl.col("label").first(), several=pl.col("label").n_unique() > 1)
    return once.filter(~pl.col("several")).select("term_1", "term_2", pl.col("label").cast(pl.Int8))


def _answers(ratings: Ratings, key: pl.DataFrame) -> _Answers:
    pairs = ratings.pairs.join(key.select(pl.col("pair").cast(pl.String), "set", "label"), on="pair", how="inner")
    pairs = pairs.with_row_index("row")
    first = ratings.first_showings().join(pairs.select("pair", "row"), on="pair", how="inner")
    raters = first["rater"].unique(maintain_order=True).to_list()
    codes = {ratings.scale[0]: _NOT_SAME, ratings.scale[1]: _SAME, None: _DONT_KNOW}
    said = np.full((pairs.height, len(raters)), _NOTHING, np.int8)
    column = {rater: at for at, rater in enumerate(raters)}
    for row, rater, rating in first.select("row", "rater", "rating").iter_rows():
        said[row, column[rater]] = codes[rating]
    return _Answers(pairs.drop("row"), said, raters)


def _set_quality(
    name: str,
    labels: NDArray[np.int64],
    truths: NDArray[np.float64],
    counts: NDArray[np.int64],
    alpha: AlphaResamples,
    size: LabelSizes | None,
) -> SetQuality:
    answers = counts.sum(axis=1)
    tp, fp, fn, tn = (int(((labels == label) & (truths == truth)).sum()) for label in (1, 0) for truth in (1, 0))
    asked = int((labels == 1).sum()), int((labels == 0).sum())
    return SetQuality.model_validate({
        "set": name,
        "alpha": alpha.bca.estimate,
        "alpha_interval": alpha.bca.interval(LEVEL),
        "alpha_answers": int(answers[answers >= 2].sum()),
        "alpha_pairs": int((answers >= 2).sum()),
        **label_quality(tp, fp, fn, tn, *asked, size=size),
    })  # fmt: skip


def label_quality(
    tp: int, fp: int, fn: int, tn: int, positives: int, negatives: int, *, size: LabelSizes | None = None
) -> dict[str, object]:
    """Return accuracy, recall, precision and the share without truth, each with its interval.

    Precision is a share of the positives that were drawn, and has the interval of such a share. Accuracy is a share of
    both parts, recall the part of all pairs called the same that is among the positives.
    """
    ones, zeros = (None, None) if size is None else size
    same = Stratum(tp, tp + fp, positives, ones)
    not_same = Stratum(tn, fn + tn, negatives, zeros)
    without = [
        Stratum(positives - tp - fp, positives, positives, ones),
        Stratum(negatives - fn - tn, negatives, negatives, zeros),
    ]
    hits = Stratum(tp, positives, positives, ones), Stratum(fn, negatives, negatives, zeros)
    found: dict[str, Estimate] = {
        "accuracy": pooled_share([same, not_same], alpha=LEVEL),
        "recall": share_of_hits(*hits, alpha=LEVEL),
        "precision": pooled_share([same], alpha=LEVEL),
    }
    if size is not None:
        found["whole_accuracy"] = pooled_share([same, not_same], whole=True, alpha=LEVEL)
        found["whole_recall"] = share_of_hits(*hits, whole=True, alpha=LEVEL)
    left = pooled_share(without, alpha=LEVEL)
    return {
        "asked": positives + negatives,
        "positives": positives,
        "negatives": negatives,
        "set_positives": ones,
        "set_negatives": zeros,
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "tn": tn,
        "without_truth": positives + negatives - tp - fp - fn - tn,
        "without_truth_share": left.value,
        "without_truth_interval": left.interval,
        **{name: estimate.value for name, estimate in found.items()},
        **{f"{name}_interval": estimate.interval for name, estimate in found.items()},
    }


def _judged(answers: _Answers, truths: NDArray[np.float64]) -> list[JudgedPair]:
    same, not_same, dont_know = answers.counts(_SAME, _NOT_SAME, _DONT_KNOW).T
    rows = answers.pairs.with_columns(
        truth=pl.Series(truths).fill_nan(None).cast(pl.Int64), same=same, not_same=not_same, dont_know=dont_know
    )
    return [JudgedPair.model_validate(row) for row in rows.iter_rows(named=True)]


def _per_rater(ratings: Ratings, answers: _Answers, kinds: Sequence[int]) -> list[QualityRater]:

    said = answers.said
    seconds = dict(ratings.first_showings().group_by("rater").agg(pl.col("seconds").median()).iter_rows())
    found = []
    for at, rater in enumerate(answers.raters):
        own, others = said[:, at : at + 1], np.delete(said, at, axis=1)
        decided = np.isin(own, (_SAME, _NOT_SAME)) & np.isin(others, (_SAME, _NOT_SAME))
        equal = int((decided & (own == others)).sum())
        without = np.stack([(others == kind).sum(axis=1) for kind in kinds], axis=1)
        found.append(
            QualityRater(
                rater=rater,
                same=int((own == _SAME).sum()),
                not_same=int((own == _NOT_SAME).sum()),
                dont_know=int((own == _DONT_KNOW).sum()),
                unanswered=int((own == _NOTHING).sum()),
                agreement=equal / int(decided.sum()) if decided.any() else None,
                alpha_without=nominal_alpha(without),
                median_seconds=seconds.get(rater),
            )
        )
    return found
