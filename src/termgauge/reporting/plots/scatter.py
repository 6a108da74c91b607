"""Scatter plots in small panels: each has its own scale across, all have the same one upwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from termgauge.reporting.plots.canvas import (
    GAP,
    MUTED,
    SMALL,
    Canvas,
    KeyEntry,
    Panel,
    heading,
    panel_rows,
    shortened,
    text_width,
    tick_labels,
    ticks,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEAST, _TALL, _LINE = 168, 128, 16
_EDGE = 0.08
"""Which share of its scale a panel leaves free at each end."""
_LONGEST_NAME = 90


class Spot(NamedTuple):
    """A point with a name."""

    x: float
    y: float
    name: str
    colour: str
    shape: str = "circle"


@dataclass(frozen=True)
class ScatterPanel:
    """Points of two scores."""

    lines: tuple[str, ...]
    """What is across, and what is to be said of it."""
    spots: Sequence[Spot]


@dataclass(frozen=True)
class ScatterPlot:
    """Panels of the same points by other scores across."""

    panels: Sequence[ScatterPanel]
    upwards: str
    """What is upwards."""
    entries: tuple[KeyEntry, ...] = ()

    def draw(self, width: int) -> Canvas:
        """Draw it."""
        canvas = Canvas(width)
        canvas.key(self.entries)
        canvas.text(0, canvas.height + 10, shortened(self.upwards, canvas.room, SMALL), colour=MUTED, size=SMALL)
        low, high = _scale([spot.y for panel in self.panels for spot in panel.spots])
        marks = ticks(low, high, 5)
        texts = tick_labels(marks)
        room = max(text_width(text, SMALL) for text in texts) + 10
        wide, rows = panel_rows(self.panels, canvas.room - room, _LEAST, left=room)
        lines = max(len(panel.lines) for panel in self.panels)
        top = canvas.height + 10
        for row in rows:
            upper = top + lines * _LINE + 4
            lower = upper + _TALL
            for mark, text in zip(marks, texts, strict=True):
                y = lower - _TALL * (mark - low) / (high - low)
                canvas.text(room - 6, y, text, align="right", colour=MUTED, size=SMALL)
                for left, _ in row:
                    canvas.rule((left, y), (left + wide, y))
            for left, panel in row:
                at = Panel(canvas, left, wide, *_scale([spot.x for spot in panel.spots]))
                heading(canvas, at.left, top + 8, wide, *panel.lines)
                at.grid(upper, lower, every=64, beyond=GAP / 2)
                placed = [(at.x(spot.x), lower - _TALL * (spot.y - low) / (high - low)) for spot in panel.spots]
                for spot, (x, y) in zip(panel.spots, placed, strict=True):
                    tip = f"{spot.name}: {spot.x:g}, {spot.y:g}"
                    canvas.point(x, y, spot.colour, shape=spot.shape, tip=tip)
                _name(at, panel.spots, placed, upper)
            top = lower + 34
        return canvas


def _scale(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    edge = _EDGE * (high - low) or abs(high) * _EDGE or 1.0
    return low - edge, high + edge


def _name(panel: Panel, spots: Sequence[Spot], placed: Sequence[tuple[float, float]], upper: float) -> None:
    """Name the points whose names meet neither each other nor another point; the key names all."""
    taken = [(x, y, 4.0) for x, y in placed]
    for spot, (x, y) in zip(spots, placed, strict=True):
        label = shortened(spot.name, _LONGEST_NAME, SMALL)
        half = text_width(label, SMALL) / 2
        middle = min(max(x, panel.left + half), panel.left + panel.width - half)
        for height in (y - 11, y + 12):
            meets = any(abs(height - other) < 11 and abs(middle - at) < half + wide + 2 for at, other, wide in taken)
            if not meets and upper + 5 < height < upper + _TALL - 4:
                panel.canvas.text(middle, height, label, align="center", size=SMALL)
                taken.append((middle, height, half))
                break
