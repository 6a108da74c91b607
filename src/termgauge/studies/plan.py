"""What a study asks of its raters, and how well it will know their agreement, before it is fixed.

Minutes and agreement rest on assumptions, which the plan names.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Prose, Section
from termgauge.statistics.planning import rho_width
from termgauge.statistics.separation import wilson

if TYPE_CHECKING:
    import polars as pl

SECONDS = 10
"""What a rater is assumed to take for a pair."""
CORRELATION = 0.7
"""By how much two raters of similarity are assumed to correlate."""
EQUAL = 0.9
"""On which share of the pairs two raters of quality are assumed to give the same answer."""


@dataclass(frozen=True)
class Workload:
    """What a study asks of a rater of its largest group, and what it will tell about agreement."""

    raters: int | None
    """How many are planned; None if nobody said."""
    groups: int
    pairs: int
    """Different pairs that a rater sees."""
    showings: int
    """Those, and pairs that are shown again."""
    minutes: int
    margin: float | None
    """Half the 95 % interval of the agreement of two raters; None where no two rate the same pairs."""
    assumed: str

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)

    def sentences(self) -> tuple[str, str]:
        """Return the plan in a sentence, and what it assumes in another."""
        again = self.showings - self.pairs
        parts = [
            *([] if self.raters is None else [numbered(self.raters, "rater")]),
            *([] if self.groups == 1 else [f"{self.groups:,} groups"]),
            f"{numbered(self.pairs, 'pair')} each{f' ({again:,} of them twice)' if again else ''}",
            f"about {numbered(self.minutes, 'minute')} per rater",
            "agreement not known"
            if self.margin is None
            else f"agreement known to ± {f'{self.margin:.2f}'.removeprefix('0')}",
        ]
        return f"Plan: {', '.join(parts)}.", self.assumed

    def section(self) -> Section:
        """Return it as a part of a document."""
        return Section("plan", "", (Prose(self.sentences()),))


def workload(layout: pl.DataFrame, raters: int | None, *, rated: bool) -> Workload:
    """Return what a layout asks of raters.

    Parameters
    ----------
    layout
        Who sees which pair when.
    raters
        How many raters are planned, if somebody said so.
    rated
        Whether raters use a scale; else they say whether terms mean the same.
    """
    import polars as pl

    sizes = layout.group_by("group").agg(pairs=pl.col("pair").n_unique(), showings=pl.len())
    groups, pairs, showings = sizes.height, int(sizes["pairs"].max()), int(sizes["showings"].max())  # type: ignore[arg-type]
    minutes = showings * SECONDS / 60
    # Where a group has but one rater, raters can be compared only on the pairs that all groups rate.
    alone = raters is not None and raters < 2 * groups
    compared = layout.filter(kind="consistency")["pair"].n_unique() if alone and groups > 1 else pairs
    return Workload(
        raters=raters,
        groups=groups,
        pairs=pairs,
        showings=showings,
        minutes=max(1, math.ceil(minutes) if minutes < 10 else 5 * round(minutes / 5)),
        margin=None if raters == 1 else _margin(compared, rated=rated),
        assumed=f"This assumes {SECONDS} seconds for a pair, and two raters who "
        + (
            f"correlate by {CORRELATION} (Spearman's rho, 95 % interval); the mean over more raters is known better."
            if rated
            else f"give the same answer to {EQUAL:.0%} of the pairs (95 % interval of that share)."
        ),
    )


def _margin(pairs: int, *, rated: bool) -> float | None:
    if pairs < 4:
        return None
    if rated:
        return rho_width(CORRELATION, pairs) / 2
    low, high = wilson(EQUAL * pairs, pairs)
    return (high - low) / 2
