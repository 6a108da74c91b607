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
from termgauge.statistics.agreement import Rated, agreement_intervals, agreement_of
from termgauge.statistics.bootstrap import UNDEFINED
from termgauge.statistics.krippendorff import Level, alpha_intervals, krippendorff_alpha
from termgauge.statistics.reliability import Reliability, reliability_of
from termgauge.studies.agreement import screening
from termgauge.studies.options import AgreementOptions
from termgauge.studies.ratings import Ratings, read_ratings
from termgauge.tasks.results import Ends, Finite, Record

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

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
        ratings = read_ratings(ratings, scale=chosen.scale, raters=chosen.raters)
    with track("Measuring agreement"):
        return _result(ratings, chosen)


class _Agreed:
    """IAA-1, IAA-2 and alpha of some ratings, with intervals if there are resamples."""

    def __init__(self, rated: Rated, resamples: int, seed: int) -> None:
        self.rated, self.values = rated, agreement_of(rated)
        self.ends = agreement_intervals(rated, resamples=resamples, seed=seed)
        alphas = {level: krippendorff_alpha(rated.items, rated.values, level) for level in LEVELS}
        self.alpha, self.why = {level: alpha.value for level, alpha in alphas.items()}, alphas["nominal"].why
        self.alpha_ends = alpha_intervals(
            rated.items, rated.values, LEVELS if resamples else (), groups=rated.groups[rated.raters],
            resamples=resamples, seed=seed,
        )  # fmt: skip

    def both(self, part: str, at: int) -> dict[str, Any]:
        """Return the values of a rater or of a group, with their intervals."""
        return {
            f"{name}{end}": getattr(source, f"{part}_{name}")[at]
            for name in ("iaa1", "iaa2")
            for end, source in (("", self.values), ("_interval", self.ends))
        }


def _result(ratings: Ratings, options: AgreementOptions) -> AgreementResult:
    groups = screening.groups_of(ratings, options.groups)
    raters, names = list(groups), list(dict.fromkeys(groups.values()))
    rated = screening.rated_of(ratings, groups)
    consistency = screening.consistency_pairs(ratings, rated, common=options.common_pairs)
    out = screening.left_out(rated, options.rule, consistency)
    resamples = _affordable(rated, options.resamples)
    before = after = _Agreed(rated, resamples, options.seed)
    counts, moved = np.diff(rated.starts), dict[str, int]()
    kept = np.array([index not in out for index in range(len(raters))], np.bool_)
    if options.calibrate:
        accepted = [rater for at, rater in enumerate(raters) if at not in out]
        moved = screening.calibration(ratings, accepted, consistency)
        rated = screening.rated_of(screening.moved(ratings, moved), groups)
    if out or moved:
        after = _Agreed(rated.some(kept), resamples, options.seed)
    rated = after.rated
    reliability = reliability_of(rated, seed=options.seed)
    rates = np.diff(rated.starts) > 0
    signs = {record.rater: record._asdict() for record in screening.carelessness_of(ratings, groups)}
    ends_before = {"iaa1": before.ends.iaa1, "iaa2": before.ends.iaa2} if resamples and counts.any() else {}
    spared = 0 if options.rule else int(screening.small_panels(before.rated, consistency).sum())
    return AgreementResult.model_validate({
        "raters": len(raters),
        "pairs": ratings.pairs.height,
        "ratings": len(before.rated.values),
        "groups": len(names),
        "iaa1": after.values.iaa1,
        "iaa2": after.values.iaa2,
        "left_out": [raters[index] for index in out],
        "per_rater": [
            {**signs[rater], "group": groups[rater], "ratings": int(counts[at]), **before.both("rater", at)}
            for at, rater in enumerate(raters)
        ],
        "alpha": before.alpha,
        "undefined": int(before.values.undefined.sum()) // 2,
        "before": {"iaa1": before.values.iaa1, "iaa2": before.values.iaa2},
        "intervals": {
            "iaa1": after.ends.iaa1,
            "iaa2": after.ends.iaa2,
            "before": ends_before,
            "alpha": before.alpha_ends,
            "alpha_after": after.alpha_ends,
            "ceiling": reliability.interval if resamples else UNDEFINED,
        },
        "alpha_after": after.alpha,
        "alpha_undefined": before.why,
        "reasons": {raters[index]: reason for index, reason in out.items()},
        "rule": options.rule or "others",
        "least_panel": 0 if options.rule else screening.LEAST_PANEL,
        "consistency": 0 if consistency is None else int(consistency.sum()),
        "moved": moved,
        "scale": ratings.scale,
        "per_group": [
            {
                "group": name,
                "raters": int((rates & (rated.groups == at)).sum()),
                "pairs": len(np.unique(rated.items[rated.groups[rated.raters] == at])),
                **after.both("group", at),
            }
            for at, name in enumerate(names)
        ],
        "counts": list(zip(*map(np.ndarray.tolist, np.unique(before.rated.values, return_counts=True)), strict=True)),
        "reliability": vars(reliability),
        "plan": _plan(after, ratings.scale, reliability, options),
        "resamples": resamples,
        "notes": [*ratings.notes, *_notes(before, raters, spared, resamples < options.resamples and resamples)],
    })  # fmt: skip


def _affordable(rated: Rated, wanted: int) -> int:
    """Return how many resamples are drawn: fewer than wanted of very many ratings."""
    sizes = np.bincount(rated.groups)
    work = int(np.sum(sizes[rated.groups] * np.diff(rated.starts))) // 2 + 1
    return max(min(wanted, LEAST_RESAMPLES), min(wanted, MOST_WORK // work))


def _notes(before: _Agreed, raters: Sequence[str], spared: int, fewer: int) -> Iterator[str]:
    """Yield what was decided: raters `spared` in small panels, `fewer` resamples than wanted, undefined values."""
    if spared:
        who = capitalised(some_of(spared, len(raters), "rater"))
        yield (
            f"{who} {plural(spared, 'is', 'are')} in a panel of fewer than {screening.LEAST_PANEL}, which is too small "
            "to judge one of them by the others, so that nobody of it is left out; the rule 'others' does it all the "
            "same."
        )
    if fewer:
        yield f"Intervals are made of {fewer:,} resamples, because so many ratings take long."
    if named := [raters[index] for index in np.flatnonzero(before.values.undefined).tolist()]:
        more = f" and {len(named) - 10} more" if len(named) > 10 else ""
        yield (
            f"Correlations of {', '.join(named[:10])}{more} with others are undefined (fewer than three pairs in "
            "common, or equal ratings throughout) and left out of the means."
        )


def _plan(
    after: _Agreed, scale: tuple[float, float], reliability: Reliability, options: AgreementOptions
) -> dict[str, Any]:
    low, high = scale
    deviation = 10 * math.sqrt(reliability.within_variance) / (high - low) if low < high else math.nan
    pairs, wanted = len(np.unique(after.rated.items)), options.rho_width
    widths = {name: ends.high - ends.low for name, ends in (("iaa1", after.ends.iaa1), ("iaa2", after.ends.iaa2))}
    return {
        "width": options.width,
        "score_width": planning.score_width(deviation, reliability.ratings_per_pair),
        "raters_per_pair": planning.raters_for(options.width, deviation),
        "rho_width": wanted,
        **{f"{name}_pairs": planning.pairs_for_interval(wanted, pairs, width) for name, width in widths.items()},
        "model_rho": _TYPICAL_RHO,
        "model_width": planning.rho_width(_TYPICAL_RHO, pairs),
        "model_pairs": planning.pairs_for_rho(wanted, _TYPICAL_RHO),
    }
