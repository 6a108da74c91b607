"""Lines over a few places, such as bands of frequency, or over numbers: a panel for each set, a line for each model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from termgauge.reporting.plots.canvas import (
    MUTED,
    SMALL,
    Canvas,
    KeyEntry,
    heading,
    panel_rows,
    scale,
    shortened,
    text_width,
    tick_labels,
    ticks,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TALL, _LEAST, _AXIS = 170, 220, 34
_STEP = 5.0
"""Pixels between the marks of two models at one place."""
_LEAST_APART = 26
"""Pixels between two numbers of the axis."""


class LinePoint(NamedTuple):
    """A value at a place, with its interval where there is one, and what a reader sees who points at it."""

    value: float
    low: float | None = None
    high: float | None = None
    tip: str = ""


@dataclass(frozen=True)
class LinePanel:
    """The lines of one thing that was measured."""

    title: str
    places: Sequence[str]
    """What stands below the axis, from left to right."""
    lines: Mapping[str, Sequence[LinePoint | None]]
    """By name, a point for each place; None where there is no value."""
    at: Sequence[float] = ()
    """Where each place is, if they are numbers; else all are equally far apart."""


@dataclass(frozen=True)
class LinePlot:
    """Panels of lines with the same names and the same scale."""

    panels: Sequence[LinePanel]
    entries: Sequence[KeyEntry]
    """The key: a name, its colour and its shape."""
    axis: str
    """What the values are, and over what."""
    joined: bool = True
    """Whether points of neighbouring places are joined; not where places have no order."""
    least: float | None = None
    """Where the scale of values starts; where the values do, if it is not said."""

    def draw(self, width: int) -> Canvas:
        """Draw it; panels that do not fit side by side stand below."""
        canvas = Canvas(width)
        canvas.key(self.entries)
        points = (point for panel in self.panels for line in panel.lines.values() for point in line if point)
        domain = scale((end for point in points for end in point[:3]), self.least)
        most = max((len(panel.places) for panel in self.panels if not panel.at), default=1)
        wide, rows = panel_rows(self.panels, canvas.room, max(_LEAST, _AXIS + 46 * most))
        top = canvas.height + 8
        for row in rows:
            for left, panel in row:
                self._panel(canvas, panel, left, wide, top, domain)
            top = canvas.height + 16
        canvas.text(0, top, shortened(self.axis, canvas.room), colour=MUTED, size=SMALL)
        return canvas

    def _panel(
        self, canvas: Canvas, panel: LinePanel, left: float, wide: float, top: float, domain: tuple[float, float]
    ) -> None:
        heading(canvas, left, top + 6, wide, panel.title)
        low, high = domain
        end = top + 24 + _TALL

        def height(value: float) -> float:
            return end - _TALL * (min(high, max(low, value)) - low) / (high - low)

        marks = ticks(low, high, 6)
        for mark, text in zip(marks, tick_labels(marks), strict=True):
            canvas.rule((left + _AXIS, height(mark)), (left + wide, height(mark)))
            canvas.text(left + _AXIS - 6, height(mark), text, align="right", colour=MUTED, size=SMALL)
        count = max(1, len(panel.places))
        slot = (wide - _AXIS) / count
        ordered = panel.at or range(count)
        per_place = (wide - _AXIS - (16 if panel.at else slot)) / ((ordered[-1] - ordered[0]) or 1)
        start = left + _AXIS + (8 if panel.at else slot / 2)
        places = [start + per_place * (at - ordered[0]) for at in ordered]
        last = -math.inf
        for x, label in zip(places, panel.places, strict=False):
            if not panel.at or x - last >= _LEAST_APART:
                shown = label if panel.at else shortened(label, slot - 4, SMALL)
                middle = min(x, canvas.room - text_width(shown, SMALL) / 2)
                canvas.text(middle, end + 12, shown, align="center", colour=MUTED, size=SMALL)
                last = x
        step = 0.0 if panel.at else min(_STEP, (slot - 12) / max(1, len(self.entries)))
        for number, entry in enumerate(self.entries):
            shift = step * (number - (len(self.entries) - 1) / 2)
            former: tuple[float, float] | None = None
            for x, point in zip(places, panel.lines.get(entry.label, ()), strict=False):
                at = None if point is None else (x + shift, height(point.value))
                if point is not None and at is not None:
                    if point.low is not None and point.high is not None:
                        ends = (at[0], height(point.low)), (at[0], height(point.high))
                        canvas.rule(*ends, entry.colour, front=True)
                    canvas.point(*at, entry.colour, shape=entry.shape, tip=point.tip)
                    if self.joined and former is not None:
                        canvas.line([former, at], entry.colour)
                former = at


def curves(
    at: Sequence[int],
    lines: Mapping[str, Sequence[float]],
    styles: Sequence[tuple[str, str]],
    axis: str,
    digits: int = 3,
) -> LinePlot:
    """Return lines over numbers, from zero up: of each model its value at each number, its colour and its shape."""
    points = {
        model: [
            LinePoint(value, tip=f"{model}, {axis.rsplit(maxsplit=1)[-1]} = {number}: {value:.{digits}f}")
            for number, value in zip(at, values, strict=True)
        ]
        for model, values in lines.items()
    }
    entries = [KeyEntry(model, *style) for model, style in zip(lines, styles, strict=True)]
    return LinePlot([LinePanel("", [*map(str, at)], points, at)], entries, axis, least=0.0)


def scattered(
    panels: Sequence[tuple[str, Mapping[str, tuple[float, float]]]], entries: Sequence[KeyEntry], axis: str
) -> LinePlot:
    """Return points by two scores: in each panel those of each name, across and upwards."""
    drawn = []
    for title, spots in panels:
        ordered = sorted(spots, key=lambda name: spots[name])
        points = {
            name: [None] * at + [LinePoint(spots[name][1], tip="{}: {:g}, {:g}".format(name, *spots[name]))]
            for at, name in enumerate(ordered)
        }
        across = [spots[name][0] for name in ordered]
        drawn.append(LinePanel(title, [f"{value:.3g}".replace("-", "−") for value in across], points, across))
    return LinePlot(drawn, entries, axis)
