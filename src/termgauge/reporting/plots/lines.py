"""Lines over a few places in order, such as bands of frequency: a panel for each set, a line for each model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from termgauge.reporting.plots.canvas import (
    LINE,
    MUTED,
    SMALL,
    Canvas,
    KeyEntry,
    heading,
    outward,
    panel_rows,
    shortened,
    text_width,
    tick_labels,
    ticks,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


_TOP, _CURVES_TALL, _WIDEST = 8, 200, 560
_LEAST_APART = 26
"""Pixels between two numbers of the axis."""


@dataclass(frozen=True)
class Curves:
    """Lines over numbers."""

    at: Sequence[int]
    """The numbers, in order."""
    lines: Mapping[str, Sequence[float]]
    """By model, the value at each number."""
    styles: Sequence[tuple[str, str]]
    """The colour and the shape of each line."""
    axis: str
    """What the numbers are."""
    digits: int = 3
    """Of values, for those who point at them."""
    least: float = 0.0
    """Where the scale of values starts."""

    def draw(self, width: int) -> Canvas:
        """Draw them."""
        canvas = Canvas(width)
        highest = max(max(line) for line in self.lines.values())
        most = self.least + (highest - self.least) * 1.05 if highest > self.least else self.least + 1.0
        marks = ticks(self.least, most, 6)
        texts = tick_labels(marks)
        left = max(text_width(text, SMALL) for text in texts) + 8
        wide = min(canvas.room - left - 12, _WIDEST)
        span = max(1, self.at[-1] - self.at[0])

        def place(number: int, value: float) -> tuple[float, float]:
            share = (value - self.least) / (most - self.least)
            return left + 8 + (wide - 16) * (number - self.at[0]) / span, _TOP + _CURVES_TALL * (1 - share)

        for mark, text in zip(marks, texts, strict=True):
            y = place(self.at[0], mark)[1]
            canvas.rule((left, y), (left + wide, y))
            canvas.text(left - 6, y, text, align="right", colour=MUTED, size=SMALL)
        last = float("-inf")
        for number in self.at:
            x = place(number, self.least)[0]
            if x - last >= _LEAST_APART:
                canvas.text(x, _TOP + _CURVES_TALL + 12, str(number), align="center", colour=MUTED, size=SMALL)
                last = x
        canvas.text(left, _TOP + _CURVES_TALL + 28, self.axis, colour=MUTED, size=SMALL)
        entries = []
        for (model, values), (colour, shape) in zip(self.lines.items(), self.styles, strict=True):
            points = [place(number, value) for number, value in zip(self.at, values, strict=True)]
            canvas.line(points, colour)
            for (x, y), number, value in zip(points, self.at, values, strict=True):
                tip = f"{model}, {self.axis.split()[-1]} = {number}: {value:.{self.digits}f}"
                canvas.point(x, y, colour, shape=shape, tip=tip)
            entries.append(KeyEntry(model, colour, shape))
        canvas.height += 8
        canvas.key(entries)
        return canvas


_TALL, _LEAST, _AXIS = 170, 220, 34
_STEP = 5.0
"""Pixels between the marks of two models at one place."""


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

    @property
    def domain(self) -> tuple[float, float]:
        """The ends of the scale."""
        ends = [
            end
            for panel in self.panels
            for line in panel.lines.values()
            for point in line
            if point is not None
            for end in (point.value, point.low, point.high)
            if end is not None and math.isfinite(end)
        ]
        return outward(min(ends), max(ends)) if ends else (0.0, 1.0)

    def draw(self, width: int) -> Canvas:
        """Draw it; panels that do not fit side by side stand below."""
        canvas = Canvas(width)
        canvas.key(self.entries)
        most = max((len(panel.places) for panel in self.panels), default=1)
        room = max(_LEAST, _AXIS + 46 * most)
        wide, rows = panel_rows(self.panels, canvas.room, room)
        top = canvas.height + 8
        for row in rows:
            for left, panel in row:
                self._panel(canvas, panel, left, wide, top)
            top = canvas.height + 16
        canvas.text(0, top, shortened(self.axis, canvas.room), colour=MUTED, size=SMALL)
        return canvas

    def _panel(self, canvas: Canvas, panel: LinePanel, left: float, wide: float, top: float) -> None:
        heading(canvas, left, top + 6, wide, panel.title)
        low, high = self.domain
        end = top + 24 + _TALL

        def height(value: float) -> float:
            return end - _TALL * (min(high, max(low, value)) - low) / (high - low)

        marks = ticks(low, high, 6)
        for mark, text in zip(marks, tick_labels(marks), strict=True):
            canvas.rule((left + _AXIS, height(mark)), (left + wide, height(mark)), LINE)
            canvas.text(left + _AXIS - 6, height(mark), text, align="right", colour=MUTED, size=SMALL)
        slot = (wide - _AXIS) / max(1, len(panel.places))
        for at, label in enumerate(panel.places):
            x = left + _AXIS + slot * (at + 0.5)
            shown = shortened(label, slot - 4, SMALL)
            half = text_width(shown, SMALL) / 2
            canvas.text(min(x, canvas.room - half), end + 12, shown, align="center", colour=MUTED, size=SMALL)
        step = min(_STEP, (slot - 12) / max(1, len(self.entries)))
        for number, entry in enumerate(self.entries):
            shift = step * (number - (len(self.entries) - 1) / 2)
            points = [
                None if point is None else (left + _AXIS + slot * (at + 0.5) + shift, height(point.value), point)
                for at, point in enumerate(panel.lines.get(entry.label, ()))
            ]
            self._line(canvas, points, entry, height)

    def _line(
        self,
        canvas: Canvas,
        points: Sequence[tuple[float, float, LinePoint] | None],
        entry: KeyEntry,
        height: Callable[[float], float],
    ) -> None:
        for point in points:
            if point is not None:
                x, y, about = point
                if about.low is not None and about.high is not None:
                    canvas.rule((x, height(about.low)), (x, height(about.high)), entry.colour, front=True)
                canvas.point(x, y, entry.colour, shape=entry.shape, tip=about.tip)
        for one, other in pairwise(points):
            if self.joined and one is not None and other is not None:
                canvas.line([one[:2], other[:2]], entry.colour)
