"""How far people agree on pairs: one verb, from a table of ratings to agreement, alpha, ceiling and plan."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.options import takes
from termgauge.plurals import plural
from termgauge.progress import track
from termgauge.reporting.words import capitalised, some_of
from termgauge.statistics import planning
from termgauge.statistics.agreement import Agreement, AgreementIntervals, Rated, agreement_intervals, agreement_of
from termgauge.statistics.bootstrap import UNDEFINED, Interval
from termgauge.statistics.krippendorff import Level, alpha_intervals, krippendorff_alpha
from termgauge.statistics.reliability import Reliability, components_of, reliability_of
from termgauge.studies.agreement import screening
from termgauge.studies.agreement.result import (
    NO_ENDS,
    AgreementResult,
    AlphaValues,
    BothValues,
    GroupAgreement,
    Intervals,
    Plan,
    RaterAgreement,
    ReliabilityValues,
)
from termgauge.studies.agreement.screening import carelessness_of
from termgauge.studies.options import AgreementOptions
from termgauge.studies.ratings import Ratings, read_ratings

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

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
    given = (
        ratings
        if isinstance(ratings, Ratings)
        else read_ratings(ratings, scale=chosen.read_scale(), raters=chosen.read_raters())
    )
    with track("Measuring agreement"):
        return _Study(given, chosen).result()


class _Study:
    """What the parts of a result share."""

    def __init__(self, ratings: Ratings, options: AgreementOptions) -> None:
        self.ratings, self.options = ratings, options
        self.groups = screening.groups_of(ratings, options.groups)
        self.raters = list(self.groups)
        self.rated = screening.rated_of(ratings, self.groups)
        self.consistency = screening.consistency_pairs(ratings, self.rated, common=options.common_pairs)
        self.out = screening.left_out(self.rated, options.rule, self.consistency)
        self.moved: dict[str, int] = {}
        self.notes = list(ratings.notes)
        self._note_small_panels()
        self.resamples = self._resamples()
        self.after = self._after()

    def _after(self) -> Rated:
        """Return the ratings of the accepted raters, moved if that was asked for."""
        rated = self.rated
        if self.options.calibrate:
            accepted = [rater for place, rater in enumerate(self.raters) if place not in self.out]
            moved, self.moved = screening.calibrated(self.ratings, accepted, self.consistency)
            rated = screening.rated_of(moved, self.groups)
        return rated.some(np.array([place not in self.out for place in range(len(self.raters))], np.bool_))

    def _resamples(self) -> int:
        sizes = np.bincount(self.rated.groups)
        work = int(np.sum(sizes[self.rated.groups] * np.diff(self.rated.starts))) // 2 + 1
        wanted = self.options.resamples
        possible = max(min(wanted, LEAST_RESAMPLES), min(wanted, MOST_WORK // work))
        if possible < wanted:
            self.notes.append(f"Intervals are made of {possible:,} resamples, because so many ratings take long.")
        return possible

    def _agreed(self, rated: Rated) -> tuple[Agreement, AgreementIntervals | None]:
        some = self.resamples and len(rated.values)
        intervals = agreement_intervals(rated, resamples=self.resamples, seed=self.options.seed) if some else None
        return agreement_of(rated), intervals

    def result(self) -> AgreementResult:
        """Return all that was found."""
        before, before_ends = self._agreed(self.rated)
        same = not self.out and not self.moved
        after, after_ends = (before, before_ends) if same else self._agreed(self.after)
        alpha, alpha_ends, why = self._alphas(self.rated)
        alpha_after, alpha_after_ends, _ = (alpha, alpha_ends, why) if same else self._alphas(self.after)
        reliability = self._reliability()
        undefined = int(before.undefined.sum()) // 2
        self._note_undefined(before)
        return AgreementResult(
            raters=len(self.raters),
            pairs=self.ratings.pairs.height,
            ratings=len(self.rated.values),
            groups=len(set(self.groups.values())),
            iaa1=after.iaa1,
            iaa2=after.iaa2,
            left_out=[self.raters[place] for place in self.out],
            per_rater=self._per_rater(before, before_ends),
            alpha=alpha,
            undefined=undefined,
            before=BothValues(iaa1=before.iaa1, iaa2=before.iaa2),
            intervals=Intervals(
                iaa1=after_ends.iaa1 if after_ends else NO_ENDS,
                iaa2=after_ends.iaa2 if after_ends else NO_ENDS,
                before={"iaa1": before_ends.iaa1, "iaa2": before_ends.iaa2} if before_ends else {},
                alpha=alpha_ends,
                alpha_after=alpha_after_ends,
                ceiling=reliability.interval,
            ),
            alpha_after=alpha_after,
            alpha_undefined=why,
            reasons={self.raters[place]: reason for place, reason in self.out.items()},
            rule=self.options.rule or "others",
            least_panel=screening.LEAST_PANEL if self.options.rule is None else 0,
            consistency=0 if self.consistency is None else int(self.consistency.sum()),
            moved=self.moved,
            scale=self.ratings.scale,
            per_group=self._per_group(after, after_ends),
            counts=[
                (float(value), int(count))
                for value, count in zip(*np.unique(self.rated.values, return_counts=True), strict=True)
            ],
            reliability=self._reliability_values(reliability),
            plan=self._plan(reliability, after_ends),
            resamples=self.resamples,
            notes=self.notes,
        )

    def _note_small_panels(self) -> None:
        spared = int(screening.small_panels(self.rated, self.consistency).sum())
        if self.options.rule is None and spared:
            who = capitalised(some_of(spared, len(self.raters), "rater"))
            self.notes.append(
                f"{who} {plural(spared, 'is', 'are')} in a panel of fewer than {screening.LEAST_PANEL}, which is too "
                "small to judge one of them "
                "by the others, so that nobody of it is left out; the rule 'others' does it all the same."
            )

    def _note_undefined(self, found: Agreement) -> None:
        named = [self.raters[place] for place in np.flatnonzero(found.undefined)]
        if named:
            more = f" and {len(named) - 10} more" if len(named) > 10 else ""
            self.notes.append(
                f"Correlations of {', '.join(named[:10])}{more} with others are undefined (fewer than three pairs in "
                "common, or equal ratings throughout) and left out of the means."
            )

    def _per_rater(self, found: Agreement, ends: AgreementIntervals | None) -> list[RaterAgreement]:
        counts = np.diff(self.rated.starts)
        signs = {}
        for each in carelessness_of(self.ratings, self.groups):
            known = each._asdict()
            signs[each.rater] = {name: known[name] for name in RaterAgreement.model_fields if name in known}
        return [
            RaterAgreement(
                **{**signs[rater], "flags": list(signs[rater]["flags"])},
                group=self.groups[rater],
                iaa1=found.rater_iaa1[at],
                iaa2=found.rater_iaa2[at],
                ratings=int(counts[at]),
                iaa1_interval=ends.rater_iaa1[at] if ends else NO_ENDS,
                iaa2_interval=ends.rater_iaa2[at] if ends else NO_ENDS,
            )
            for at, rater in enumerate(self.raters)
        ]

    def _per_group(self, found: Agreement, ends: AgreementIntervals | None) -> list[GroupAgreement]:
        names = list(dict.fromkeys(self.groups.values()))
        accepted = np.diff(self.after.starts) > 0
        groups = []
        for place, name in enumerate(names):
            items = self.after.items[self.after.groups[self.after.raters] == place]
            groups.append(
                GroupAgreement(
                    group=name,
                    raters=int((accepted & (self.after.groups == place)).sum()),
                    pairs=len(np.unique(items)),
                    iaa1=found.group_iaa1[place],
                    iaa2=found.group_iaa2[place],
                    iaa1_interval=ends.group_iaa1[place] if ends else NO_ENDS,
                    iaa2_interval=ends.group_iaa2[place] if ends else NO_ENDS,
                )
            )
        return groups

    def _alphas(self, rated: Rated) -> tuple[AlphaValues, dict[str, Interval], str]:
        found = {level: krippendorff_alpha(rated.items, rated.values, level) for level in LEVELS}
        ends = alpha_intervals(
            rated.items,
            rated.values,
            LEVELS if self.resamples else (),
            groups=rated.groups[rated.raters],
            resamples=self.resamples,
            seed=self.options.seed,
        )
        values = AlphaValues(**{level: alpha.value for level, alpha in found.items()})
        return values, {str(level): each for level, each in ends.items()}, found["nominal"].why

    def _reliability(self) -> Reliability:
        if not len(self.after.values):
            return Reliability(math.nan, math.nan, math.nan, math.nan, UNDEFINED, math.nan)
        return reliability_of(self.after, resamples=self.resamples, seed=self.options.seed)

    def _reliability_values(self, found: Reliability) -> ReliabilityValues:
        parts = components_of(self.after) if len(self.after.values) else None
        return ReliabilityValues(
            mean=found.mean,
            single=found.single,
            ceiling=found.ceiling,
            halves=found.halves,
            ratings_per_pair=found.per_pair,
            pair_variance=parts and parts.pair,
            rater_variance=parts and parts.rater,
            rest_variance=parts and parts.rest,
            within_variance=parts and parts.within,
        )

    def _plan(self, reliability: Reliability, ends: AgreementIntervals | None) -> Plan:
        low, high = self.ratings.scale
        within = components_of(self.after).within if len(self.after.values) else math.nan
        deviation = 10 * math.sqrt(within) / (high - low) if low < high else math.nan
        pairs = len(np.unique(self.after.items))
        wide = _widths(ends)
        wanted = self.options.rho_width
        return Plan(
            width=self.options.width,
            score_width=planning.score_width(deviation, reliability.per_pair),
            raters_per_pair=planning.raters_for(self.options.width, deviation),
            rho_width=wanted,
            iaa1_pairs=planning.pairs_for_interval(wanted, pairs, wide["iaa1"]),
            iaa2_pairs=planning.pairs_for_interval(wanted, pairs, wide["iaa2"]),
            model_rho=_TYPICAL_RHO,
            model_width=planning.rho_width(_TYPICAL_RHO, pairs),
            model_pairs=planning.pairs_for_rho(wanted, _TYPICAL_RHO),
        )


def _widths(ends: AgreementIntervals | None) -> Mapping[str, float]:
    if ends is None:
        return {"iaa1": math.nan, "iaa2": math.nan}
    return {"iaa1": ends.iaa1.high - ends.iaa1.low, "iaa2": ends.iaa2.high - ends.iaa2.low}
