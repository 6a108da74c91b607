"""Dots with intervals beside names, in panels or with numbers."""

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
    KeyEntry,
    Panel,
    label_room,
    named_panels,
    outward,
    shortened,
    text_width,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROW, _LEAST = 20, 118


class Dot(NamedTuple):
    """A value and its interval."""

    value: float
    low: float | None
    high: float | None
    colour: str
    shape: str = "circle"
    tip: str = ""


@dataclass(frozen=True)
class DotPanel:
    """The dots of one thing that was measured, by name; a name may have several."""

    lines: tuple[str, ...]
    """What it is."""
    dots: Mapping[str, Sequence[Dot]]
    reference: float | None = None
    """A value to compare with, such as what guessing gives."""


@dataclass(frozen=True)
class DotPlot:
    """Panels of dots with the same names and the same scale."""

    panels: Sequence[DotPanel]
    names: Sequence[str]
    """In order."""
    axis: str
    """What the values are."""
    entries: tuple[KeyEntry, ...] = ()
    most: float | None = None
    """Where the scale ends at most."""
    least: float | None = None
    """Where the scale starts; where the values do, if it is not said."""
    labels: float = 0.3
    """How much of the width the names may take."""

    @property
    def domain(self) -> tuple[float, float]:
        """The ends of the scale."""
        ends = [
            end
            for panel in self.panels
            for dots in panel.dots.values()
            for dot in dots
            for end in (dot.value, dot.low, dot.high)
            if end is not None
        ]
        ends += [panel.reference for panel in self.panels if panel.reference is not None]
        low, high = min(ends) if self.least is None else self.least, max(ends)
        low, high = outward(low, high, scale_step(high - low))
        high = high if self.most is None else min(high, self.most)
        return (low if low < high else high - 0.1), high

    def draw(self, width: int) -> Canvas:
        """Draw it."""
        canvas = Canvas(width)
        canvas.key(self.entries)
        domain = self.domain

        def draw(panel: DotPanel, left: float, wide: float, top: float) -> None:
            self._panel(Panel(canvas, left, wide, *domain), panel, top, top + _ROW * len(self.names))

        panels = [(panel, panel.lines) for panel in self.panels]
        named_panels(canvas, self.names, panels, draw, self.axis, least=_LEAST, share=self.labels, row=_ROW)
        return canvas

    def _panel(self, at: Panel, panel: DotPanel, top: float, bottom: float) -> None:
        at.grid(top, bottom, every=48 if at.width < 300 else 84)
        if panel.reference is not None:
            x = at.x(panel.reference)
            at.canvas.rule((x, top), (x, bottom), MUTED, dash=(3, 3))
        for index, name in enumerate(self.names):
            y = top + _ROW * (index + 0.5)
            for dot in panel.dots.get(name, ()):
                if dot.low is not None and dot.high is not None:
                    at.canvas.rule((at.x(dot.low), y), (at.x(dot.high), y), dot.colour, stroke=2, front=True)
                at.canvas.point(at.x(dot.value), y, dot.colour, shape=dot.shape, tip=dot.tip)


def scale_step(span: float) -> float:
    """Return what ends of scales are rounded to: about a fifth of the span, a round number."""
    if span < 1e-6:
        return 0.1
    power = 10.0 ** math.floor(math.log10(span / 4))
    return min(0.1, power * next(factor for factor in (10, 5, 2, 1) if factor * power <= span / 4 + 1e-9 * span))


_PLACE, _TALL, _GAP = 26, 42, 16
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
        top, row = 20, _TALL if phone else _PLACE
        panel.grid(top, bottom := top + row * len(self.places))
        for index, place in enumerate(self.places):
            y = top + row * index
            if place.parted:
                canvas.rule((0, y), (canvas.room, y))
            self._place(canvas, place, y + _PLACE / 2, start or left, rights)
            self._dot(panel, place, y + (_TALL - 12 if phone else _PLACE / 2))
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
