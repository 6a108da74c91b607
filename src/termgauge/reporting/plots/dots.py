"""Dots with intervals beside names, in panels or with numbers; spots of two scores, each across on its own scale."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from termgauge.reporting.plots.canvas import (
    ACCENT,
    GAP,
    INK,
    MUTED,
    NARROW,
    SMALL,
    Canvas,
    KeyEntry,
    Panel,
    heading,
    label_room,
    named_panels,
    outward,
    panel_rows,
    shortened,
    text_width,
    tick_labels,
    ticks,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_ROW, _LEAST = 20, 118
CEILING = (8, 3, 2, 3)
"""How the line of a ceiling is dashed, so that it looks like no other."""


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
    ceiling: float | None = None
    """A value that nothing can be expected to exceed."""


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
        marks = (mark for panel in self.panels for mark in (panel.reference, panel.ceiling))
        ends += [mark for mark in marks if mark is not None]
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
        if panel.ceiling is not None:
            x = at.x(panel.ceiling)
            at.canvas.rule((x, top), (x, bottom), INK, stroke=1.5, dash=CEILING, tip=f"ceiling: {panel.ceiling:.3f}")
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


_SPOTS_WIDE, _SPOTS_TALL, _LONGEST_NAME = 168, 128, 90
_EDGE = 0.08
"""Which share of its scale a panel of spots leaves free at each end."""


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
        wide, rows = panel_rows(self.panels, canvas.room - room, _SPOTS_WIDE, left=room)
        lines = max(len(panel.lines) for panel in self.panels)
        top = canvas.height + 10
        for row in rows:
            upper = top + lines * 16 + 4
            lower = upper + _SPOTS_TALL
            for mark, text in zip(marks, texts, strict=True):
                y = lower - _SPOTS_TALL * (mark - low) / (high - low)
                canvas.text(room - 6, y, text, align="right", colour=MUTED, size=SMALL)
                for left, _ in row:
                    canvas.rule((left, y), (left + wide, y))
            for left, panel in row:
                at = Panel(canvas, left, wide, *_scale([spot.x for spot in panel.spots]))
                heading(canvas, at.left, top + 8, wide, *panel.lines)
                at.grid(upper, lower, every=64, beyond=GAP / 2)
                placed = [(at.x(spot.x), lower - _SPOTS_TALL * (spot.y - low) / (high - low)) for spot in panel.spots]
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
            if not meets and upper + 5 < height < upper + _SPOTS_TALL - 4:
                panel.canvas.text(middle, height, label, align="center", size=SMALL)
                taken.append((middle, height, half))
                break
