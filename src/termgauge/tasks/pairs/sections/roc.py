"""ROC curves: how many negatives are let in for the positives that are found, at every threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.reporting.blocks import Figure, block_id
from termgauge.reporting.plots.canvas import (
    GAP,
    SMALL,
    Canvas,
    heading,
    shortened,
    side_by_side,
    text_width,
)
from termgauge.reporting.plots.look import MUTED
from termgauge.reporting.words import decimal, lowered
from termgauge.tasks.pairs.sections.scores import colours_of, left_out

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.reporting.set_names import SetGroup, TitledSet
    from termgauge.tasks.pairs.sections.scores import SetScores
    from termgauge.tasks.pairs.sections.standings import Standings

MOST_POINTS = 120
TOLERANCE = 0.002
"""How far a thinned curve may be from the whole one: less than half a pixel."""
_COARSE = 4000
_READING = (
    " Across, the share of negatives called similar; up, the share of positives. Below each, the areas under the "
    "curves; 0.5, the dashed line, is chance."
)
_AXIS = 28
_SIDES, _LONGEST_NAME = 62, 110
_DASHES: tuple[tuple[int, ...], ...] = ((), (6, 3), (2, 2), (8, 3, 2, 3), (4, 2), (1, 2), (10, 4), (6, 2, 2, 2))


def roc_curve(
    scores: NDArray[np.float64], labels: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the shares of negatives and of positives that score at least each threshold, from the highest down.

    Examples
    --------
    >>> false, true = roc_curve(np.array([0.9, 0.8, 0.8, 0.1]), np.array([True, True, False, False]))
    >>> false.tolist(), true.tolist()
    ([0.0, 0.0, 0.5, 1.0], [0.0, 0.5, 1.0, 1.0])
    """
    order = np.argsort(-scores, kind="stable")
    values, similar = scores[order], labels[order]
    ends = np.append(np.flatnonzero(np.diff(values)), len(values) - 1)
    true, false = np.cumsum(similar)[ends], np.cumsum(~similar)[ends]
    return (
        np.concatenate([[0.0], false / max(1, int(false[-1]))]),
        np.concatenate([[0.0], true / max(1, int(true[-1]))]),
    )


def thinned(
    x: NDArray[np.float64], y: NDArray[np.float64], most: int = MOST_POINTS, tolerance: float = TOLERANCE
) -> NDArray[np.int64]:
    """Return which points of a curve to keep: those farthest from the line through the ones kept so far.

    A curve of many thousands of points is first sampled evenly along its length.
    """
    places = np.arange(len(x))
    if len(places) > _COARSE:
        length = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(x)) + np.abs(np.diff(y)))])
        places = np.unique(np.searchsorted(length, np.linspace(0, length[-1], _COARSE)))
        places = np.unique(np.concatenate([[0], np.minimum(places, len(x) - 1), [len(x) - 1]]))
    x, y = x[places], y[places]
    kept = [0, len(x) - 1]
    open_parts = [_farthest(x, y, 0, len(x) - 1)] if len(x) > 1 else []
    while open_parts and len(kept) < most:
        open_parts.sort()
        distance, low, at, high = open_parts.pop()
        if distance < tolerance:
            break
        kept.append(at)
        open_parts += [_farthest(x, y, low, at), _farthest(x, y, at, high)]
    return places[np.unique(kept)]


def _farthest(x: NDArray[np.float64], y: NDArray[np.float64], low: int, high: int) -> tuple[float, int, int, int]:
    """Return the point between two that is farthest from the line through them, and its distance."""
    if high - low < 2:
        return 0.0, low, low, high
    dx, dy = x[high] - x[low], y[high] - y[low]
    inner = slice(low + 1, high)
    length = float(np.hypot(dx, dy))
    if length == 0:
        distances = np.hypot(x[inner] - x[low], y[inner] - y[low])
    else:
        distances = np.abs(dx * (y[inner] - y[low]) - dy * (x[inner] - x[low])) / length
    at = int(np.argmax(distances))
    return float(distances[at]), low, low + 1 + at, high


def roc_figure(
    standings: Standings, group: SetGroup, several: Sequence[SetScores], models: Sequence[str], *, folded: bool = False
) -> Figure | None:
    """Return the ROC curves of a group of labelled sets; None if there are no scores."""
    curves: dict[tuple[str, str], tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    for each in several:
        for model in models:
            if model in each.scores:
                false, true = roc_curve(each.scores[model], each.labels)
                kept = thinned(false, true)
                curves[each.set.id, model] = false[kept], true[kept]
    if not curves:
        return None
    sets = [each.set for each in several if any(name == each.set.id for name, _ in curves)]
    areas = _areas(standings, sets)
    frame = pl.DataFrame(
        [
            {
                "set": name,
                "model": model,
                "false_positives": one,
                "true_positives": two,
                "auc": areas.get((name, model)),
            }
            for (name, model), (false, true) in curves.items()
            for one, two in zip(false.tolist(), true.tolist(), strict=True)
        ],
        schema_overrides={"auc": pl.Float64},
    )
    colours = colours_of(standings, models)

    return Figure(
        id=block_id("roc", group.id),
        caption=(
            f"ROC curves: {lowered(group.title)}." + ("" if folded else _READING) + left_out(standings, sets, models)
        ),
        description="; ".join(_in_words(each, areas) for each in sets) + ".",
        draw=lambda width: _drawn(curves, sets, areas, colours, width),
        data=frame,
        folded=folded,
    )


def _areas(standings: Standings, sets: Sequence[TitledSet]) -> dict[tuple[str, str], float]:
    rows = standings.frame(sets, ["auc"]).iter_rows(named=True)
    return {(row["set"], row["model"]): row["value"] for row in rows if row["value"] is not None}


def _in_words(each: TitledSet, areas: Mapping[tuple[str, str], float]) -> str:
    own = {model: area for (name, model), area in areas.items() if name == each.id}
    if not own:
        return each.title
    best = max(own, key=lambda model: own[model])
    return (
        f"{each.title}: the greatest area is that of {best}, {decimal(own[best], 3)}, the smallest "
        f"{decimal(min(own.values()), 3)}"
    )


def _drawn(
    curves: Mapping[tuple[str, str], tuple[NDArray[np.float64], NDArray[np.float64]]],
    sets: Sequence[TitledSet],
    areas: Mapping[tuple[str, str], float],
    colours: Mapping[str, str],
    width: int,
) -> Canvas:
    canvas = Canvas(width)
    longest = max(text_width(model) for model in colours)
    columns = side_by_side(len(sets), canvas.room, max(130, int(min(longest, _LONGEST_NAME)) + _AXIS + _SIDES))
    wide = (canvas.room - GAP * (columns - 1)) / columns
    side = min(wide - _AXIS, 220)
    top = 0.0
    for low in range(0, len(sets), columns):
        bottom = top
        for place, each in enumerate(sets[low : low + columns]):
            left = place * (wide + GAP) + _AXIS
            lines = (each.over, each.brief.lower()) if each.over else (each.brief,)
            heading(canvas, left, top + 6, wide - _AXIS + GAP - 6, *lines)
            start = top + 16 * len(lines) + 8
            _axes(canvas, left, start, side)
            own = {model: curve for (name, model), curve in curves.items() if name == each.id}
            ranked = sorted(own, key=lambda model: -areas.get((each.id, model), -1.0))
            y = start + side + 36
            for model in ranked:
                dash = _DASHES[list(colours).index(model) % len(_DASHES)]
                area = areas.get((each.id, model))
                shown = decimal(area, 3)
                points = [
                    (left + side * one, start + side * (1 - two))
                    for one, two in zip(own[model][0].tolist(), own[model][1].tolist(), strict=True)
                ]
                canvas.line(points, colours[model], dash=dash, tip=f"{model}: {shown}")
                canvas.rule((left, y), (left + 16, y), colours[model], stroke=2, dash=dash, front=True)
                canvas.text(left + 22, y, shortened(model, side - _SIDES))
                canvas.text(left + side, y, shown, align="right")
                y += 17
            bottom = max(bottom, y)
        top = bottom + 14
    return canvas


def _axes(canvas: Canvas, left: float, top: float, side: float) -> None:
    for share in (0.0, 0.5, 1.0):
        x, y = left + side * share, top + side * (1 - share)
        canvas.rule((x, top), (x, top + side))
        canvas.rule((left, y), (left + side, y))
        label = f"{share:g}"
        canvas.text(min(x, canvas.room - 4), top + side + 11, label, align="center", colour=MUTED, size=SMALL)
        canvas.text(left - 6, y, label, align="right", colour=MUTED, size=SMALL)
    canvas.rule((left, top + side), (left + side, top), MUTED, dash=(3, 3))
