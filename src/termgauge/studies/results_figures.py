"""Plots of a similarity study: spread of ratings and scores, disputed pairs, times, and what leaving out changes."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from termgauge.reporting.blocks import Figure
from termgauge.reporting.numbers import decimal, number
from termgauge.reporting.plots.bars import Column, Columns
from termgauge.reporting.plots.canvas import SMALL, Canvas, KeyEntry, Panel, label_room, shortened, ticks
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from termgauge.reporting.plots.look import ACCENT, LINE, MUTED, NEGATIVE
from termgauge.reporting.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from termgauge.studies.findings import DisputedPair, RaterTime, RatingCount, ScoreChange
    from termgauge.studies.records import ScoredPair

_ROW, _STRIPS, _SIDE = 22, 15, 300
_BINS = 20
MOST_RATERS = 40
"""Of more raters, only the fastest are drawn."""


def spread_figure(counted_ratings: Sequence[RatingCount], scores: Sequence[float]) -> Figure:
    """Return how often each rating was given, and how the scores of pairs are spread."""
    counts = {each.rating: each.count for each in counted_ratings}
    values = sorted(counts)
    half = min((b - a for a, b in pairwise(values)), default=1.0) / 2
    total = sum(counts.values())
    ratings = [
        Column(
            value - half, value + half, counts.get(value, 0), f"rating {value:g}: {counts.get(value, 0):,} of {total:,}"
        )
        for value in values
    ]
    mean = sum(scores) / len(scores) if scores else None
    binned = [0] * _BINS
    for score in scores:
        binned[min(_BINS - 1, int(score / 10 * _BINS))] += 1
    width = 10 / _BINS
    bins = [
        Column(at * width, (at + 1) * width, count, f"{at * width:g} to {(at + 1) * width:g}: {counted(count, 'pair')}")
        for at, count in enumerate(binned)
    ]
    plot = Columns(
        (("Ratings", "rating, as raters gave it", ratings), ("Scores", "score of a pair, 0 to 10", bins)),
        marks=(None, mean),
    )
    often = max(values, key=lambda value: counts.get(value, 0))
    rows = [("rating", value, counts.get(value, 0)) for value in values]
    rows += [("score", at * width, count) for at, count in enumerate(binned)]
    return Figure(
        "spread",
        "How often each rating was given by the raters who count, and how many pairs have which score; dashed: the "
        "mean score.",
        f"Columns. The rating {often:g} was given most often, {counted(counts.get(often, 0), 'time')}; the mean score "
        f"is {decimal(mean, 2, top=None)}.",
        plot.draw,
        pl.DataFrame(rows, ["what", "from", "count"], orient="row"),
    )


def disputed_figure(disputed: Sequence[DisputedPair], scale: tuple[float, float]) -> Figure:
    """Return the ratings of the pairs that people differ on most: a circle for each rating, larger for several."""
    shown = disputed[:_STRIPS]
    names = [f"{each.word1} / {each.word2}" for each in shown]
    described = "; ".join(
        f"{name}: {', '.join(f'{each:g}' for each in pair.ratings)}"
        for name, pair in zip(names[:5], shown, strict=False)
    )
    rows = [(each.word1, each.word2, rating) for each in disputed for rating in each.ratings]
    return Figure(
        "disputed",
        f"The {counted(len(shown), 'pair')} on which raters differ most: a circle for each rating, larger where "
        "several raters gave it; the short line is the mean.",
        f"Ratings of each pair. {described}.",
        lambda width: _draw_strips(width, names, shown, scale),
        pl.DataFrame(rows, ["word1", "word2", "rating"], orient="row"),
    )


def _draw_strips(width: int, names: Sequence[str], pairs: Sequence[DisputedPair], scale: tuple[float, float]) -> Canvas:
    canvas = Canvas(width)
    room = label_room(names, canvas.room, 0.45)
    low, high = scale
    edge = (high - low) / 20
    panel = Panel(canvas, room, canvas.room - room - 6, low - edge, high + edge)
    bottom = 4 + _ROW * len(pairs)
    panel.grid(4, bottom)
    for place, (name, pair) in enumerate(zip(names, pairs, strict=True)):
        y = 4 + _ROW * (place + 0.5)
        canvas.text(room - 10, y, shortened(name, room - 10), align="right")
        counts = {rating: pair.ratings.count(rating) for rating in pair.ratings}
        canvas.rule((panel.x(pair.ratings[0]), y), (panel.x(pair.ratings[-1]), y), LINE, stroke=2, front=True)
        for rating, count in counts.items():
            tip = f"{name}: {counted(count, 'rater')} gave {rating:g}"
            canvas.point(panel.x(rating), y, ACCENT, radius=min(9.0, 3.5 * math.sqrt(count)), tip=tip)
        middle = panel.x(pair.mean)
        canvas.rule((middle, y - 8), (middle, y + 8), NEGATIVE, stroke=2, front=True)
    canvas.text(room, bottom + 28, "rating", colour=MUTED, size=SMALL)
    return canvas


def times_figure(times: Sequence[RaterTime], left_out: Sequence[str]) -> Figure:
    """Return how long each rater took for a pair: the median, and the middle half."""
    everyone = sorted(times, key=lambda each: each.median)
    order = everyone[:MOST_RATERS]
    few = "" if len(order) == len(everyone) else f" The fastest {len(order)} of {number(len(everyone))}."
    dots = {
        each.rater: [
            Dot(
                each.median, each.low, each.high, NEGATIVE if each.rater in left_out else ACCENT,
                "diamond" if each.rater in left_out else "circle", f"{each.rater}: median {each.median:.1f} s",
            )
        ]
        for each in order
    }  # fmt: skip
    entries = (KeyEntry("counts", ACCENT), KeyEntry("left out", NEGATIVE, "diamond"))
    axis = "seconds for a pair: median, and the middle half of all pairs"
    plot = DotPlot([DotPanel((), dots)], [each.rater for each in order], axis, entries if left_out else (), least=0.0)
    slowest = everyone[-1]
    return Figure(
        "times",
        f"How long raters took for a pair; raters who are far faster than the others may not have read.{few}",
        f"Dots. The fastest rater, {order[0].rater}, took {order[0].median:.1f} s for a pair, the slowest, "
        f"{slowest.rater}, {slowest.median:.1f} s (medians).",
        plot.draw,
        pl.DataFrame([each.model_dump() for each in everyone]),
    )


def change_figure(change: ScoreChange, scores: Sequence[ScoredPair]) -> Figure:
    """Return the score of each pair with all raters and without those who were left out."""
    points = [
        (each.word1, each.word2, each.before, each.score)
        for each in scores
        if each.score is not None and each.before is not None
    ]
    return Figure(
        "change",
        "The score of each pair with the ratings of all raters, and without those who were left out.",
        f"A scatter plot of {number(len(points))} pairs about the diagonal; Spearman's rho of both scores is "
        f"{decimal(change.spearman, 3)}, the largest change {decimal(change.largest, 2, top=None)}.",
        lambda width: _draw_change(width, points),
        pl.DataFrame(points, ["word1", "word2", "before", "after"], orient="row"),
    )


def _draw_change(width: int, points: Sequence[tuple[str, str, float, float]]) -> Canvas:
    canvas = Canvas(width)
    left = 24.0
    side = min(canvas.room - left - 8, _SIDE)
    top = 6.0

    def place(before: float, after: float) -> tuple[float, float]:
        return left + side * before / 10, top + side * (1 - after / 10)

    for mark in ticks(0, 10, 6):
        (x, bottom), (_, y) = place(mark, 0), place(0, mark)
        canvas.rule((x, top), (x, bottom))
        canvas.rule((left, y), (left + side, y))
        canvas.text(x, bottom + 11, f"{mark:g}", align="center", colour=MUTED, size=SMALL)
        canvas.text(left - 6, y, f"{mark:g}", align="right", colour=MUTED, size=SMALL)
    canvas.rule(place(0, 0), place(10, 10), MUTED, dash=(3, 3), front=True)
    for word1, word2, before, after in points:
        tip = f"{word1} / {word2}: {before:.2f}, then {after:.2f}"
        canvas.point(*place(before, after), ACCENT, radius=2.8, tip=tip if len(points) <= 500 else "")
    canvas.text(left, top + side + 28, "across: score with all raters; up: score that counts", colour=MUTED, size=SMALL)
    return canvas
