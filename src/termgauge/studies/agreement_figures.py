"""Figures of agreement: a dot for each rater with an interval, and a bar for each rating."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from termgauge.plurals import numbered
from termgauge.reporting.blocks import Figure
from termgauge.reporting.numbers import decimal, number
from termgauge.reporting.plots.canvas import Canvas, KeyEntry, Panel, label_room
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.plots.look import ACCENT, MUTED
from termgauge.reporting.words import some_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.studies.agreement_result import AgreementResult, RaterAgreement

MOST_RATERS = 40
"""Of more raters, only the extreme ones are drawn."""


def rater_figure(result: AgreementResult) -> Figure:
    """Return a plot of the agreement of each rater, the highest first."""
    known = sorted((each for each in result.per_rater if each.iaa1 is not None), key=lambda each: -(each.iaa1 or 0))
    half = MOST_RATERS // 2
    shown = known if len(known) <= MOST_RATERS else [*known[:half], *known[-half:]]
    panels = [
        DotPanel(
            ("IAA-1", "with each other rater"),
            {each.rater: [_dot(result, each, 1)] for each in shown},
            result.before.iaa1,
        ),
        DotPanel(
            ("IAA-2", "with the mean of the others"),
            {each.rater: [_dot(result, each, 2)] for each in shown if each.iaa2 is not None},
            result.before.iaa2,
        ),
    ]
    key = [KeyEntry("accepted", ACCENT), KeyEntry("left out", MUTED, "diamond")] if result.left_out else []
    plot = DotPlot(panels, [each.rater for each in shown], "Spearman's rho", tuple(key), most=1.0)
    some = (
        f" Of {number(len(known))} raters, the {half} highest and the {half} lowest." if len(shown) < len(known) else ""
    )
    lowest, highest = known[-1], known[0]
    rows = [(each.rater, each.group, each.iaa1, *each.iaa1_interval, each.iaa2, *each.iaa2_interval) for each in shown]
    return Figure(
        id="rater-agreement",
        caption=f"Agreement of each rater, with 95 % intervals over pairs; the dashed line is the mean.{some}",
        description=f"Dots for {numbered(len(shown), 'rater')}: IAA-1 is highest for {highest.rater} "
        f"({decimal(highest.iaa1, 2)}) and lowest for {lowest.rater} ({decimal(lowest.iaa1, 2)}).",
        draw=plot.draw,
        data=pl.DataFrame(rows, ["rater", "group", "iaa1", "low", "high", "iaa2", "low2", "high2"], orient="row"),
    )


def _dot(result: AgreementResult, each: RaterAgreement, which: int) -> Dot:
    value, (low, high) = (each.iaa1, each.iaa1_interval) if which == 1 else (each.iaa2, each.iaa2_interval)
    out = each.rater in result.left_out
    tip = f"{each.rater}: {decimal(value, 3)}{', left out' if out else ''}"
    return Dot(value or 0.0, low, high, MUTED if out else ACCENT, "diamond" if out else "circle", tip)


def distribution_figure(result: AgreementResult) -> Figure:
    """Return a plot of how often each rating was given."""
    counts = _binned(result.counts)
    most = max(counts, key=lambda each: each[1])
    return Figure(
        id="rating-distribution",
        caption=f"How often each rating was given, by {some_of(result.raters, result.raters, 'rater')}.",
        description=f"Bars for {numbered(len(counts), 'rating')}; {most[0]} was given most often, "
        f"{numbered(most[1], 'time')}.",
        draw=lambda width: _draw_bars(width, counts),
        data=pl.DataFrame(result.counts, schema={"rating": pl.Float64, "count": pl.Int64}, orient="row"),
    )


def _binned(counts: Sequence[tuple[float, int]], most: int = 21) -> list[tuple[str, int]]:
    """Return counts by rating; of many different ratings, by ranges of equal width."""
    if len(counts) <= most:
        return [(f"{value:g}", count) for value, count in counts]
    low, high = counts[0][0], counts[-1][0]
    bins, wide = [0] * 10, (high - low) / 10
    for value, count in counts:
        bins[min(9, int((value - low) / wide))] += count
    return [(f"{low + at * wide:.3g} to {low + (at + 1) * wide:.3g}", count) for at, count in enumerate(bins)]


def _draw_bars(width: int, counts: Sequence[tuple[str, int]]) -> Canvas:
    canvas = Canvas(width)
    room = label_room([name for name, _count in counts], canvas.room)
    panel = Panel(canvas, room, canvas.room - room - 6, 0, max(1, *(count for _name, count in counts)) * 1.04)
    panel.grid(0, 20 * len(counts), every=84)
    for place, (name, count) in enumerate(counts):
        y = 20 * (place + 0.5)
        canvas.text(room - 10, y, name, align="right")
        canvas.rect(room, y - 6, max(0.5, panel.x(count) - room), 12, ACCENT, tip=f"{name}: {number(count)}")
    return canvas
