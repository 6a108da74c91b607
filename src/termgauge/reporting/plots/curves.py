"""Curves: a line for each model over the same few numbers, such as neighbours or epochs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge.reporting.plots.canvas import SMALL, Canvas, KeyEntry, decimals, text_width, ticks
from termgauge.reporting.plots.look import MUTED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_TOP, _TALL, _WIDEST = 8, 200, 560
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
        highest = max(max(each) for each in self.lines.values())
        most = self.least + (highest - self.least) * 1.05 if highest > self.least else self.least + 1.0
        marks = ticks(self.least, most, 6)
        digits = max(map(decimals, marks))
        left = max(text_width(f"{mark:.{digits}f}", SMALL) for mark in marks) + 8
        wide = min(canvas.room - left - 12, _WIDEST)
        span = max(1, self.at[-1] - self.at[0])

        def place(number: int, value: float) -> tuple[float, float]:
            share = (value - self.least) / (most - self.least)
            return left + 8 + (wide - 16) * (number - self.at[0]) / span, _TOP + _TALL * (1 - share)

        for mark in marks:
            y = place(self.at[0], mark)[1]
            canvas.rule((left, y), (left + wide, y))
            canvas.text(left - 6, y, f"{mark:.{digits}f}", align="right", colour=MUTED, size=SMALL)
        last = float("-inf")
        for number in self.at:
            x = place(number, self.least)[0]
            if x - last >= _LEAST_APART:
                canvas.text(x, _TOP + _TALL + 12, str(number), align="center", colour=MUTED, size=SMALL)
                last = x
        canvas.text(left, _TOP + _TALL + 28, self.axis, colour=MUTED, size=SMALL)
        entries = []
        for (model, own), (colour, shape) in zip(self.lines.items(), self.styles, strict=True):
            points = [place(number, value) for number, value in zip(self.at, own, strict=True)]
            canvas.line(points, colour)
            for (x, y), number, value in zip(points, self.at, own, strict=True):
                tip = f"{model}, {self.axis.split()[-1]} = {number}: {value:.{self.digits}f}"
                canvas.point(x, y, colour, shape=shape, tip=tip)
            entries.append(KeyEntry(model, colour, shape))
        canvas.height += 8
        canvas.key(entries)
        return canvas
