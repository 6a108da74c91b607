"""A ranking: names, dots with intervals, and the numbers beside them; on phones the dots stand below the names."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from termgauge.reporting.plots.canvas import (
    ACCENT,
    INK,
    MUTED,
    NARROW,
    SMALL,
    Canvas,
    Panel,
    label_room,
    outward,
    shortened,
    text_width,
)
from termgauge.reporting.plots.dots import scale_step

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROW, _TALL, _GAP = 26, 42, 16
_PANEL = 60
"""Pixels that the dots need at least."""


class Place(NamedTuple):
    """A line of a ranking."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    numbers: Sequence[str]
    """What stands beside the dot."""
    first: bool = False
    """Whether it is among the best."""
    parted: bool = False
    """Whether a line parts it from the one before."""


@dataclass(frozen=True)
class RankingPlot:
    """A ranking, the best first."""

    places: Sequence[Place]
    heads: Sequence[str]
    """What the numbers are."""
    optional: Sequence[int] = ()
    """Which numbers a phone does not show."""

    @property
    def domain(self) -> tuple[float, float]:
        """The ends of the scale."""
        known = [end for place in self.places for end in place[1:4] if end is not None and math.isfinite(end)]
        low, high = min(known, default=0.0), max(known, default=1.0)
        return outward(low, high, scale_step(high - low))

    def draw(self, width: int) -> Canvas:
        """Draw it."""
        canvas = Canvas(width)
        phone = width < NARROW
        columns = [at for at in range(len(self.heads)) if not (phone and at in self.optional)]
        rights, left = {}, float(canvas.room)
        for at in reversed(columns):
            rights[at] = left
            sizes = (text_width(place.numbers[at]) for place in self.places)
            left -= max(text_width(self.heads[at], SMALL), *sizes) + _GAP
        names = label_room((place.name for place in self.places), left if phone else canvas.room, 1.0 if phone else 0.3)
        start = 0 if phone else min(names + 6, left - _PANEL)
        panel = Panel(canvas, start + 6, (canvas.room if phone else left) - start - 12, *self.domain)
        for at, right in rights.items():
            canvas.text(right, 8, self.heads[at], align="right", colour=MUTED, size=SMALL)
        top, row = 20, _TALL if phone else _ROW
        panel.grid(top, bottom := top + row * len(self.places))
        for index, place in enumerate(self.places):
            y = top + row * index
            if place.parted:
                canvas.rule((0, y), (canvas.room, y))
            self._place(canvas, place, y + _ROW / 2, start or left, rights)
            self._dot(panel, place, y + (_TALL - 12 if phone else _ROW / 2))
        canvas.height = max(canvas.height, bottom)
        return canvas

    def _place(self, canvas: Canvas, place: Place, y: float, room: float, rights: dict[int, float]) -> None:
        canvas.text(0, y, shortened(place.name, room - 6), bold=place.first)
        for at, right in rights.items():
            canvas.text(right, y, place.numbers[at], align="right", colour=MUTED if at in self.optional else INK)

    def _dot(self, panel: Panel, place: Place, y: float) -> None:
        if place.value is None:
            return
        colour = ACCENT if place.first else MUTED
        if place.low is not None and place.high is not None and math.isfinite(place.low):
            panel.canvas.rule((panel.x(place.low), y), (panel.x(place.high), y), colour, stroke=2.5, front=True)
        tip = f"{place.name}: {', '.join(filter(None, place.numbers))}"
        panel.canvas.point(panel.x(place.value), y, colour, radius=5, tip=tip)
