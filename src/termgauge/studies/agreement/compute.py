"""How far people agree on pairs: one verb, from a table of ratings to agreement, alpha, ceiling and plan."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from termgauge.display import Showing
from termgauge.options import takes
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.reporting.words import capitalised, some_of
from termgauge.statistics import planning
from termgauge.statistics.agreement import AgreementIntervals, Rated, agreement_intervals, agreement_of
from termgauge.statistics.bootstrap import UNDEFINED
from termgauge.statistics.krippendorff import Level, alpha_intervals, krippendorff_alpha
from termgauge.statistics.reliability import Components, Reliability, components_of, reliability_of
from termgauge.studies.agreement import screening
from termgauge.studies.options import AgreementOptions
from termgauge.studies.ratings import Ratings, read_ratings
from termgauge.tasks.results import Ends, Finite, Record

if TYPE_CHECKING:
    import os

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
    seconds: Finite = None
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
    rho_width: float
    iaa1_pairs: int | None
    iaa2_pairs: int | None
    model_rho: float
    """The correlation of a model that is planned for."""
    model_width: Finite
    model_pairs: int


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
    reliability: ReliabilityValues
    plan: Plan
    resamples: int = 0
    notes: list[str] = Field(default_factory=list)

    def accepted(self) -> list[str]:
        """Return the raters who are not left out."""
        return [rater.rater for rater in self.per_rater if rater.rater not in self.left_out]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return self.model_dump(mode="json")

    def to_frame(self) -> pl.DataFrame:
        """Return what is known of each rater as a table."""
        import polars as pl

        rows = [rater.model_dump(exclude={"iaa1_interval", "iaa2_interval", "flags"}) for rater in self.per_rater]
        left_out = pl.col("rater").is_in(self.left_out)
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(left_out=left_out)

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


LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
MOST_WORK = 4_000_000_000
"""Ratings that are looked at in all resamples together: with more, fewer resamples are drawn, and a note says so."""
LEAST_RESAMPLES = 200
_TYPICAL_RHO = 0.6
"""A correlation as good models of words reach; the interval of a lower one is wider."""


@takes(AgreementOptions)
def agreement(ratings: str | os.PathLike[str] | Ratings, **options: Any) -> AgreementResult:  # noqa: ANN401
    """Say how far raters agree, who is left out, and what their ratings are good for.

    Parameters
    ----------
    ratings
        A table of ratings in any of the forms that :func:`read_ratings` takes, or ratings.

    Raises
    ------
    TermgaugeError
        If the table cannot be read, or an option is not what it must be.
    """
    chosen = AgreementOptions.of(**options)
    if not isinstance(ratings, Ratings):
        ratings = read_ratings(ratings, scale=chosen.read_scale(), raters=chosen.read_raters())
    with track("Measuring agreement"):
        return AgreementResult.model_validate(_Study(ratings, chosen).result())


class _Agreed:
    """IAA-1, IAA-2 and alpha of some ratings, with intervals if there are resamples."""

    def __init__(self, rated: Rated, resamples: int, seed: int) -> None:
        self.rated, self.values = rated, agreement_of(rated)
        self.bounded = bool(resamples and len(rated.values))
        raters, groups = ([UNDEFINED] * len(part) for part in (self.values.rater_iaa1, self.values.group_iaa1))
        self.ends = (
            agreement_intervals(rated, resamples=resamples, seed=seed)
            if self.bounded
            else AgreementIntervals(UNDEFINED, UNDEFINED, raters, raters, groups, groups)
        )
        alphas = {level: krippendorff_alpha(rated.items, rated.values, level) for level in LEVELS}
        self.alpha, self.why = {level: alpha.value for level, alpha in alphas.items()}, alphas["nominal"].why
        self.alpha_ends = alpha_intervals(
            rated.items, rated.values, LEVELS if resamples else (), groups=rated.groups[rated.raters],
            resamples=resamples, seed=seed,
        )  # fmt: skip

    def both(self, part: str, at: int) -> dict[str, Any]:
        """Return the values of a rater or of a group, with their intervals."""
        names = {name: f"{part}_{name}" for name in ("iaa1", "iaa2")}
        values = {name: getattr(self.values, field)[at] for name, field in names.items()}
        return values | {f"{name}_interval": getattr(self.ends, field)[at] for name, field in names.items()}


class _Study:
    """What the parts of a result share."""

    def __init__(self, ratings: Ratings, options: AgreementOptions) -> None:
        self.ratings, self.options, self.notes = ratings, options, list(ratings.notes)
        self.groups = screening.groups_of(ratings, options.groups)
        self.raters = list(self.groups)
        rated = screening.rated_of(ratings, self.groups)
        self.consistency = screening.consistency_pairs(ratings, rated, common=options.common_pairs)
        self.out = screening.left_out(rated, options.rule, self.consistency)
        self._note_small_panels(rated)
        self.resamples = self._resamples(rated)
        self.before = self.after = _Agreed(rated, self.resamples, options.seed)
        self.moved: dict[str, int] = {}
        kept = np.array([index not in self.out for index in range(len(self.raters))], np.bool_)
        if options.calibrate:
            accepted = [rater for rater, counts in zip(self.raters, kept, strict=True) if counts]
            moved, self.moved = screening.calibrated(ratings, accepted, self.consistency)
            rated = screening.rated_of(moved, self.groups)
        if self.out or self.moved:
            self.after = _Agreed(rated.some(kept), self.resamples, options.seed)
        self._note_undefined()

    def _resamples(self, rated: Rated) -> int:
        sizes = np.bincount(rated.groups)
        work = int(np.sum(sizes[rated.groups] * np.diff(rated.starts))) // 2 + 1
        wanted = self.options.resamples
        possible = max(min(wanted, LEAST_RESAMPLES), min(wanted, MOST_WORK // work))
        if possible < wanted:
            self.notes.append(f"Intervals are made of {possible:,} resamples, because so many ratings take long.")
        return possible

    def _note_small_panels(self, rated: Rated) -> None:
        spared = int(screening.small_panels(rated, self.consistency).sum())
        if self.options.rule is None and spared:
            who = capitalised(some_of(spared, len(self.raters), "rater"))
            self.notes.append(
                f"{who} {plural(spared, 'is', 'are')} in a panel of fewer than {screening.LEAST_PANEL}, which is too "
                "small to judge one of them "
                "by the others, so that nobody of it is left out; the rule 'others' does it all the same."
            )

    def _note_undefined(self) -> None:
        named = [self.raters[index] for index in np.flatnonzero(self.before.values.undefined)]
        if named:
            more = f" and {len(named) - 10} more" if len(named) > 10 else ""
            self.notes.append(
                f"Correlations of {', '.join(named[:10])}{more} with others are undefined (fewer than three pairs in "
                "common, or equal ratings throughout) and left out of the means."
            )

    def result(self) -> dict[str, Any]:
        """Return all that was found."""
        before, after, options = self.before, self.after, self.options
        reliability, parts = (
            (reliability_of(after.rated, resamples=self.resamples, seed=options.seed), components_of(after.rated))
            if len(after.rated.values)
            else (Reliability(math.nan, math.nan, math.nan, math.nan, UNDEFINED, math.nan), Components(*[math.nan] * 4))
        )
        counts = zip(*np.unique(before.rated.values, return_counts=True), strict=True)
        return {
            "raters": len(self.raters),
            "pairs": self.ratings.pairs.height,
            "ratings": len(before.rated.values),
            "groups": len(set(self.groups.values())),
            "iaa1": after.values.iaa1,
            "iaa2": after.values.iaa2,
            "left_out": [self.raters[index] for index in self.out],
            "per_rater": self._per_rater(),
            "alpha": before.alpha,
            "undefined": int(before.values.undefined.sum()) // 2,
            "before": {"iaa1": before.values.iaa1, "iaa2": before.values.iaa2},
            "intervals": {
                "iaa1": after.ends.iaa1,
                "iaa2": after.ends.iaa2,
                "before": {"iaa1": before.ends.iaa1, "iaa2": before.ends.iaa2} if before.bounded else {},
                "alpha": before.alpha_ends,
                "alpha_after": after.alpha_ends,
                "ceiling": reliability.interval,
            },
            "alpha_after": after.alpha,
            "alpha_undefined": before.why,
            "reasons": {self.raters[index]: reason for index, reason in self.out.items()},
            "rule": options.rule or "others",
            "least_panel": screening.LEAST_PANEL if options.rule is None else 0,
            "consistency": 0 if self.consistency is None else int(self.consistency.sum()),
            "moved": self.moved,
            "scale": self.ratings.scale,
            "per_group": self._per_group(),
            "counts": [(float(value), int(count)) for value, count in counts],
            "reliability": {
                "mean": reliability.mean,
                "single": reliability.single,
                "ceiling": reliability.ceiling,
                "halves": reliability.halves,
                "ratings_per_pair": reliability.per_pair,
                **{f"{name}_variance": value for name, value in parts._asdict().items()},
            },
            "plan": self._plan(reliability.per_pair, parts.within),
            "resamples": self.resamples,
            "notes": self.notes,
        }

    def _per_rater(self) -> list[dict[str, Any]]:
        signs = {record.rater: record._asdict() for record in screening.carelessness_of(self.ratings, self.groups)}
        counts = np.diff(self.before.rated.starts)
        return [
            {**signs[rater], "group": group, "ratings": int(counts[at]), **self.before.both("rater", at)}
            for at, (rater, group) in enumerate(self.groups.items())
        ]

    def _per_group(self) -> list[dict[str, Any]]:
        rated = self.after.rated
        accepted = np.diff(rated.starts) > 0
        return [
            {
                "group": name,
                "raters": int((accepted & (rated.groups == at)).sum()),
                "pairs": len(np.unique(rated.items[rated.groups[rated.raters] == at])),
                **self.after.both("group", at),
            }
            for at, name in enumerate(dict.fromkeys(self.groups.values()))
        ]

    def _plan(self, ratings_per_pair: float, within: float) -> dict[str, Any]:
        low, high = self.ratings.scale
        deviation = 10 * math.sqrt(within) / (high - low) if low < high else math.nan
        pairs, wanted, ends = len(np.unique(self.after.rated.items)), self.options.rho_width, self.after.ends
        return {
            "width": self.options.width,
            "score_width": planning.score_width(deviation, ratings_per_pair),
            "raters_per_pair": planning.raters_for(self.options.width, deviation),
            "rho_width": wanted,
            "iaa1_pairs": planning.pairs_for_interval(wanted, pairs, ends.iaa1.high - ends.iaa1.low),
            "iaa2_pairs": planning.pairs_for_interval(wanted, pairs, ends.iaa2.high - ends.iaa2.low),
            "model_rho": _TYPICAL_RHO,
            "model_width": planning.rho_width(_TYPICAL_RHO, pairs),
            "model_pairs": planning.pairs_for_rho(wanted, _TYPICAL_RHO),
        }
