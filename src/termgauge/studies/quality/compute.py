"""How right a benchmark is, judged by people: truth by majority, and how the labels stand against it (14.3 to 14.5).

Positives and negatives of each set were drawn separately, so every interval is put together from those two parts; what
a set is as a whole is estimated by letting each pair stand for as many as it was drawn from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.krippendorff import AlphaResamples, nominal_alpha
from termgauge.statistics.strata import Estimate, Stratum, pooled_share, share_of_hits
from termgauge.tasks.results import Ends, Finite, Record, finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.studies.ratings import Ratings


DontKnow = Literal["missing", "category"]


LabelSizes = tuple[int, int]
"""How many positives and negatives a set has in all."""


class SetQuality(Record):
    """How right the labels of one set are. A positive has label 1; shares are between 0 and 1."""

    set: str
    asked: int
    positives: int
    """Of the pairs that were asked."""
    negatives: int
    set_positives: int | None = None
    """Of the whole set; None where that is not known."""
    set_negatives: int | None = None
    tp: int
    """Positives that people call the same; fp: that they do not; fn and tn: negatives likewise."""
    fp: int
    fn: int
    tn: int
    without_truth: int
    """Pairs on which no answer has a majority."""
    without_truth_share: Finite
    without_truth_interval: Ends
    alpha: Finite
    alpha_interval: Ends
    alpha_answers: int
    alpha_pairs: int
    accuracy: Finite
    accuracy_interval: Ends
    recall: Finite
    recall_interval: Ends
    precision: Finite
    precision_interval: Ends
    whole_accuracy: Finite = None
    """Estimated for the whole set, whose labels may be balanced otherwise than the pairs that were drawn."""
    whole_accuracy_interval: Ends = (None, None)
    whole_recall: Finite = None
    whole_recall_interval: Ends = (None, None)

    def measured(self, name: str) -> tuple[float | None, Ends]:
        """Return ``accuracy``, ``alpha`` and so on, with its interval."""
        value: float | None = getattr(self, "without_truth_share" if name == "without_truth" else name)
        return value, getattr(self, f"{name}_interval")


class QualityResult(Record):
    """What people say about the labels of a benchmark."""

    raters: int
    pairs: int
    dont_know: DontKnow
    level: float
    resamples: int
    overall: SetQuality
    sets: list[SetQuality]
    per_rater: list[dict[str, Any]]
    """What each said: ``same``, ``not_same``, ``dont_know`` and ``unanswered``; the share of equal answers with each of
    the others, over pairs that both decided (``agreement``); ``alpha_without`` and ``median_seconds``."""
    contradicted: list[dict[str, Any]]
    """Pairs whose label the majority contradicts (``truth``: 1 for the same, null if no answer has a majority)."""
    undecided: list[dict[str, Any]]


RESAMPLES = 5000
LEVEL = 0.05
OVERALL = "all"
_NOT_SAME, _SAME, _DONT_KNOW, _NOTHING = 0, 1, 2, -1


class _Answers(NamedTuple):
    """Answers as counts: for each pair, how many raters said what."""

    pairs: pl.DataFrame
    said: NDArray[np.int8]
    """Pairs x raters, as the codes below say."""
    raters: list[str]

    def counts(self, *kinds: int) -> NDArray[np.int64]:
        return np.stack([(self.said == kind).sum(axis=1) for kind in kinds], axis=1)

    def truths(self) -> NDArray[np.float64]:
        """Return the truth of each pair: 1 or 0 if more than half of all raters of the study say so, else NaN."""
        same, not_same = len(self.raters) < 2 * self.counts(_SAME, _NOT_SAME).T
        return np.where(same, 1.0, np.where(not_same, 0.0, np.nan))


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
    Krippendorff's alpha or a `category` of its own. The key has ``pair``, ``set`` and ``label`` of each pair.
    """
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
        alpha = AlphaResamples.from_parts(by_label, resamples, seed + number)
        alphas.append(alpha)
        size = (sizes or {}).get(name)
        sets.append(_set_quality(name, labels[here], truths[here], counts[here], alpha, size))
    same, not_same, unknown = answers.counts(_SAME, _NOT_SAME, _DONT_KNOW).T
    together = AlphaResamples(
        np.concatenate([alpha.units for alpha in alphas]), np.sum([alpha.sums for alpha in alphas], 0)
    )
    judged = answers.pairs.with_columns(
        truth=pl.Series(truths).fill_nan(None).cast(pl.Int64), same=same, not_same=not_same, dont_know=unknown
    )
    return QualityResult.model_validate({
        "raters": len(answers.raters),
        "pairs": answers.pairs.height,
        "dont_know": dont_know,
        "level": LEVEL,
        "resamples": resamples,
        "overall": _set_quality(OVERALL, labels, truths, counts, together, None),
        "sets": sets,
        "per_rater": list(_per_rater(ratings, answers, kinds)),
        "contradicted": judged.filter(pl.col("truth") != pl.col("label")).to_dicts(),
        "undecided": judged.filter(pl.col("truth").is_null()).to_dicts(),
    })  # fmt: skip


def _in_order(names: Iterable[str], sizes: Mapping[str, LabelSizes]) -> list[str]:
    """Return sets in the order of the paper's tables; those that were not built from a terminology as they come."""
    from termgauge.reporting.set_names import groups_of, titled

    drawn = sorted(names, key=lambda name: list(sizes).index(name) if name in sizes else len(sizes))
    groups = groups_of(titled(name, graded=False) for name in drawn)
    return [titled_set.id for group in groups for titled_set in group.sets]


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
    matrix = np.full((pairs.height, len(raters)), _NOTHING, np.int8)
    column = {rater: at for at, rater in enumerate(raters)}
    for row, rater, rating in first.select("row", "rater", "rating").iter_rows():
        matrix[row, column[rater]] = codes[rating]
    return _Answers(pairs.drop("row"), matrix, raters)


def _set_quality(
    name: str,
    labels: NDArray[np.int64],
    truths: NDArray[np.float64],
    counts: NDArray[np.int64],
    alpha: AlphaResamples,
    size: LabelSizes | None,
) -> dict[str, object]:
    answers = counts.sum(axis=1)
    both = [int(((labels == label) & (truths == truth)).sum()) for label in (1, 0) for truth in (1, 0)]
    asked = (int((labels == label).sum()) for label in (1, 0))
    return {
        "set": name,
        "alpha": (bca := alpha.bca()).estimate,
        "alpha_interval": bca.interval(LEVEL),
        "alpha_answers": int(answers[answers >= 2].sum()),
        "alpha_pairs": int((answers >= 2).sum()),
        **label_quality(*both, *asked, size=size),
    }


def label_quality(
    tp: int, fp: int, fn: int, tn: int, positives: int, negatives: int, *, size: LabelSizes | None = None
) -> dict[str, object]:
    """Return accuracy, recall, precision and the share without truth, each with its interval.

    Precision is a share of the positives that were drawn, and has the interval of such a share. Accuracy is a share of
    both parts, recall the part of all pairs called the same that is among the positives.
    """
    ones, zeros = (None, None) if size is None else size
    right = [Stratum(tp, tp + fp, positives, ones), Stratum(tn, fn + tn, negatives, zeros)]
    hits = Stratum(tp, positives, positives, ones), Stratum(fn, negatives, negatives, zeros)
    open_positives, open_negatives = positives - tp - fp, negatives - fn - tn
    without = [
        Stratum(open_positives, positives, positives, ones), Stratum(open_negatives, negatives, negatives, zeros)
    ]  # fmt: skip
    estimates: dict[str, Estimate] = {
        "accuracy": pooled_share(right, alpha=LEVEL),
        "recall": share_of_hits(*hits, alpha=LEVEL),
        "precision": pooled_share(right[:1], alpha=LEVEL),
        "without_truth": pooled_share(without, alpha=LEVEL),
    }
    if size is not None:
        estimates["whole_accuracy"] = pooled_share(right, whole=True, alpha=LEVEL)
        estimates["whole_recall"] = share_of_hits(*hits, whole=True, alpha=LEVEL)
    return {
        "asked": positives + negatives, "positives": positives, "negatives": negatives,
        "set_positives": ones, "set_negatives": zeros, "tp": tp, "fp": fp, "fn": fn, "tn": tn,
        **{name: estimate.value for name, estimate in estimates.items()},
        **{f"{name}_interval": estimate.interval for name, estimate in estimates.items()},
        "without_truth_share": estimates["without_truth"].value,
        "without_truth": open_positives + open_negatives,
    }  # fmt: skip


def _per_rater(ratings: Ratings, answers: _Answers, kinds: Sequence[int]) -> Iterator[dict[str, object]]:
    matrix = answers.said
    seconds = dict(ratings.first_showings().group_by("rater").agg(pl.col("seconds").median()).iter_rows())
    names = {"same": _SAME, "not_same": _NOT_SAME, "dont_know": _DONT_KNOW, "unanswered": _NOTHING}
    for at, rater in enumerate(answers.raters):
        mine, others = matrix[:, at : at + 1], np.delete(matrix, at, axis=1)
        decided = np.isin(mine, (_SAME, _NOT_SAME)) & np.isin(others, (_SAME, _NOT_SAME))
        yield {
            "rater": rater,
            **{name: int((mine == kind).sum()) for name, kind in names.items()},
            "agreement": int((decided & (mine == others)).sum()) / int(decided.sum()) if decided.any() else None,
            "alpha_without": finite(nominal_alpha(np.stack([(others == kind).sum(axis=1) for kind in kinds], axis=1))),
            "median_seconds": seconds.get(rater),
        }
