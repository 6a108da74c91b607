"""What the results of a study are, typed: as ``results.json`` keeps them and as pages and notebooks show them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import Field

from termgauge.display import Showing, shortened
from termgauge.plurals import numbered
from termgauge.studies.agreement.result import AgreementResult
from termgauge.studies.quality.result import QualityResult
from termgauge.tasks.results import Finite, Record

if TYPE_CHECKING:
    import polars as pl

    from termgauge.reporting.blocks import Document


class RatingCount(Record):
    """How often a rating was given."""

    rating: float
    count: int


class DisputedPair(Record):
    """A pair on which raters differ."""

    pair: str
    word1: str | None
    word2: str | None
    n: int
    mean: float
    sd: float
    """Sample standard deviation, on the scale of the ratings."""
    ratings: list[float]
    """In ascending order."""


class UnknownPair(Record):
    """A pair of which some raters do not know a word."""

    pair: str
    word1: str | None
    word2: str | None
    unknown: int
    asked: int


class RaterTime(Record):
    """How long a rater took for a pair, in seconds."""

    rater: str
    pairs: int
    median: float
    low: float
    """A quarter of the pairs took less."""
    high: float
    """A quarter of the pairs took more."""


class MovedPair(Record):
    """A pair whose score changes when raters are left out."""

    pair: str
    word1: str | None
    word2: str | None
    before: float
    after: float


class ScoreChange(Record):
    """What leaving raters out changes in the scores, on their scale from 0 to 10."""

    raters: list[str]
    """Who was left out."""
    pairs: int
    """With a score before and after."""
    lost: int
    """Pairs that had ratings of these raters only."""
    moved: int
    """Pairs whose score, with two decimals, is another one."""
    moved_noticeably: int
    """Pairs whose score moves by at least half a point."""
    mean: Finite
    """Of the absolute changes."""
    largest: Finite
    spearman: Finite
    """Of the scores before and after."""
    most: list[MovedPair]
    """Those that move most."""


class Findings(Record):
    """What a similarity study found beside agreement, by the raters who are accepted."""

    ratings: list[RatingCount]
    mean_sd: Finite
    """Mean over pairs of the sample standard deviation of their ratings."""
    disputed: list[DisputedPair]
    unknown: list[UnknownPair]
    times: list[RaterTime]
    change: ScoreChange


class ScoredPair(Record):
    """A pair and its score."""

    pair: str
    word1: str
    word2: str
    score: float | None
    """From 0 to 10; None where nobody who counts rated the pair."""
    n: int
    """Ratings that count."""
    mean: float | None
    sd: float | None
    """Sample standard deviation; as the mean on the scale of the ratings; None for one rating."""
    before: float | None
    """The score by all raters, those among them who are left out."""


class SimilarityResult(Record):
    """What a similarity study found."""

    agreement: AgreementResult
    """Of the raters whom nobody left out by hand."""
    accepted: list[str]
    """Raters whose ratings count."""
    scores: list[ScoredPair]
    findings: Findings

    @property
    def scored(self) -> list[ScoredPair]:
        """The pairs that have a score."""
        return [each for each in self.scores if each.score is not None]

    @property
    def unscored(self) -> list[ScoredPair]:
        """The pairs that nobody who counts has rated."""
        return [each for each in self.scores if each.score is None]


class AdjudicatedPair(Record):
    """What somebody decided about a pair on which raters disagree; no score and no agreement rests on it."""

    pair: int
    word1: str
    word2: str
    rating: float | None
    """None: "I do not know"."""
    answer: str
    """The same in words."""
    reason: str
    decided: str
    """UTC."""


class LeftOutByHand(Record):
    """A rater whom somebody left out, and why."""

    rater: str
    reason: str


class StudyAbout(Record):
    """What a study is, and how far it got."""

    title: str
    kind: str
    study: str
    """The id."""
    question: str
    answers: list[str]
    scale: tuple[float, float]
    seed: int
    groups: int
    consistency: int
    duplicates: int
    pairs: int
    invited: int
    answered: int
    """Raters who gave at least one answer."""
    finished: int
    made_up: int = 0
    """Raters of a demonstration, whom nobody stands behind."""
    left_out_by_hand: list[LeftOutByHand]
    first_answer: str | None = None
    """UTC."""
    last_answer: str | None = None
    termgauge: str = ""


class StudyResults(Showing, Record):
    """The results of a study. One of `similarity` and `quality` is there."""

    study: StudyAbout
    similarity: SimilarityResult | None = None
    quality: QualityResult | None = None
    adjudications: list[AdjudicatedPair] = Field(default_factory=list)
    """What was decided about pairs, beside what raters said."""
    written: list[str] = Field(default_factory=list)
    """Files that were written."""

    def _brief(self) -> str:
        about = self.study
        size = f"{numbered(about.pairs, 'pair')}, {numbered(about.answered, 'rater')}"
        return f"results of the study '{shortened(about.title)}': {size}"

    def _shown(self) -> Document:
        return self.document()

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return self.model_dump(mode="json", exclude_none=False)

    def to_frame(self) -> pl.DataFrame:
        """Return the main table: a row for each rater of a similarity study, or for each set of a quality study."""
        from termgauge.studies.quality.sections import quality_frame

        if self.quality is not None:
            return quality_frame(self.quality.sets)
        assert self.similarity is not None
        return self.similarity.agreement.to_frame()

    def brief(self) -> Document:
        """Return what a terminal shows: the summary and the first tables."""
        whole = self.document()
        return replace(whole, facts=(), sections=whole.sections[:1])

    def document(self) -> Document:
        """Return it as a document."""
        from termgauge.studies.results.sections import results_document

        return results_document(self)
