"""What people say about the labels of a benchmark, typed."""

from __future__ import annotations

from typing import Literal, NamedTuple

from termgauge.tasks.results import Ends, Finite, Record

DontKnow = Literal["missing", "category"]


class LabelSizes(NamedTuple):
    """How many positives and negatives a set has in all."""

    positives: int
    negatives: int


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
    """Positives that people call the same."""
    fp: int
    """Positives that they do not."""
    fn: int
    """Negatives that they call the same."""
    tn: int
    """Negatives that they do not."""
    without_truth: int
    """Pairs on which no answer has a majority."""
    without_truth_share: Finite
    without_truth_interval: Ends
    alpha: Finite
    """Krippendorff's alpha, nominal."""
    alpha_interval: Ends
    alpha_answers: int
    alpha_pairs: int
    """With at least two answers."""
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


class QualityRater(Record):
    """What one rater said."""

    rater: str
    same: int
    not_same: int
    dont_know: int
    unanswered: int
    agreement: Finite
    """Share of equal answers with each of the others, over pairs that both decided."""
    alpha_without: Finite
    """Alpha of the others."""
    median_seconds: Finite = None


class JudgedPair(Record):
    """A pair that was asked, and what was said."""

    pair: str
    word1: str
    word2: str
    set: str
    label: int
    truth: int | None
    """1 for the same, 0 for not the same, None if no answer has a majority."""
    same: int
    not_same: int
    dont_know: int


class QualityResult(Record):
    """What people say about the labels of a benchmark."""

    raters: int
    pairs: int
    dont_know: DontKnow
    level: float
    resamples: int
    overall: SetQuality
    sets: list[SetQuality]
    per_rater: list[QualityRater]
    contradicted: list[JudgedPair]
    """Pairs whose label the majority contradicts."""
    undecided: list[JudgedPair]
    """Pairs without truth."""
