"""What agreement found, typed: as ``--json`` prints it, and as pages, terminals and notebooks show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from termgauge.display import Showing
from termgauge.plurals import numbered
from termgauge.tasks.results import Ends, Finite, Record

if TYPE_CHECKING:
    import polars as pl

    from termgauge.reporting.blocks import Document, Section

NO_ENDS: Ends = (None, None)


class BothValues(Record):
    """IAA-1 and IAA-2."""

    iaa1: Finite
    iaa2: Finite


class AlphaValues(Record):
    """Krippendorff's alpha; None where it is undefined."""

    nominal: Finite
    ordinal: Finite
    interval: Finite


class RaterAgreement(Record):
    """What is known of a rater, before anybody is left out."""

    rater: str
    group: str
    iaa1: Finite
    iaa2: Finite
    missing: int
    """Missing ratings, of pairs that somebody of the group rated."""
    self_consistency: Finite
    """The share of pairs seen twice with equal ratings; None if there is none."""
    longest_run: int
    ratings: int
    self_difference: Finite = None
    alternation: int = 0
    used: int = 0
    """How many different ratings were given."""
    seconds: Finite = None
    """The median time of an answer."""
    iaa1_interval: Ends = NO_ENDS
    iaa2_interval: Ends = NO_ENDS
    flags: list[str] = Field(default_factory=list)


class GroupAgreement(Record):
    """The agreement within a group, without those who are left out."""

    group: str
    raters: int
    pairs: int
    iaa1: Finite
    iaa2: Finite
    iaa1_interval: Ends = NO_ENDS
    iaa2_interval: Ends = NO_ENDS


class Intervals(Record):
    """Intervals over pairs, at 95 %."""

    iaa1: Ends = NO_ENDS
    iaa2: Ends = NO_ENDS
    before: dict[str, Ends] = Field(default_factory=dict)
    alpha: dict[str, Ends] = Field(default_factory=dict)
    alpha_after: dict[str, Ends] = Field(default_factory=dict)
    ceiling: Ends = NO_ENDS


class ReliabilityValues(Record):
    """How reliable the mean ratings of the accepted raters are, and what that allows."""

    mean: Finite
    single: Finite
    ceiling: Finite
    halves: Finite
    ratings_per_pair: Finite
    pair_variance: Finite
    rater_variance: Finite
    rest_variance: Finite
    within_variance: Finite


class Plan(Record):
    """How many raters, or pairs, intervals of the wanted widths take."""

    width: float
    """Wanted, of a pair's score from 0 to 10."""
    score_width: Finite
    """What it is now for a typical pair."""
    raters_per_pair: int | None
    """How many raters of each pair it takes."""
    rho_width: float
    """Wanted, of correlations."""
    iaa1_pairs: int | None
    iaa2_pairs: int | None
    """How many pairs intervals of agreement take."""
    model_rho: float
    """The correlation of a model that is planned for."""
    model_width: Finite
    """What its interval is on the pairs there are."""
    model_pairs: int
    """How many pairs it takes."""


class AgreementResult(Showing, Record):
    """How far raters agree. Values of raters and `before` count all raters; `iaa1` and `iaa2` the accepted ones."""

    raters: int
    pairs: int
    ratings: int
    groups: int
    iaa1: Finite
    iaa2: Finite
    left_out: list[str]
    per_rater: list[RaterAgreement]
    alpha: AlphaValues
    """Of all raters."""
    undefined: int
    """Pairs of raters whose correlation is undefined."""
    before: BothValues
    intervals: Intervals
    alpha_after: AlphaValues
    """Without those who are left out."""
    alpha_undefined: str = ""
    """Why alpha is undefined; empty where it is not."""
    reasons: dict[str, str] = Field(default_factory=dict)
    """Why each of those who are left out is."""
    rule: str = "others"
    least_panel: int = 0
    """How many raters a panel must have for anybody of it to be left out; 0 if the rule was asked for."""
    consistency: int = 0
    """Pairs of the consistency set on which raters are judged; 0 if they are judged on their group's pairs."""
    moved: dict[str, int] = Field(default_factory=dict)
    """Whose ratings calibration moved, and by how much."""
    scale: tuple[float, float]
    per_group: list[GroupAgreement] = Field(default_factory=list)
    counts: list[tuple[float, int]] = Field(default_factory=list)
    """How often each rating was given."""
    reliability: ReliabilityValues
    plan: Plan
    resamples: int = 0
    notes: list[str] = Field(default_factory=list)

    def accepted(self) -> list[str]:
        """Return the raters who are not left out."""
        return [each.rater for each in self.per_rater if each.rater not in self.left_out]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return self.model_dump(mode="json")

    def to_frame(self) -> pl.DataFrame:
        """Return what is known of each rater as a table."""
        import polars as pl

        rows = [
            {
                **each.model_dump(exclude={"iaa1_interval", "iaa2_interval", "flags"}),
                "left_out": each.rater in self.left_out,
            }
            for each in self.per_rater
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def sections(self) -> list[Section]:
        """Return it as sections of a document."""
        from termgauge.studies.agreement.sections import agreement_sections

        return agreement_sections(self)

    def document(self, title: str = "Agreement of raters") -> Document:
        """Return it as a document."""
        from termgauge.studies.agreement.sections import agreement_document

        return agreement_document(self, title)

    def _brief(self) -> str:
        values = ", ".join(
            f"{name} {value:.3f}" for name, value in (("IAA-1", self.iaa1), ("IAA-2", self.iaa2)) if value is not None
        )
        of = f"{numbered(self.raters, 'rater')} on {numbered(self.pairs, 'pair')}"
        return f"agreement of {of}{': ' if values else ''}{values}"

    def _shown(self) -> Document:
        return self.document("")
