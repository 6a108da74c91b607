"""Dots with intervals beside names, in panels or with numbers."""

from __future__ import annotations

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
    panel_rows,
    scale,
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

    def draw(self, width: int) -> Canvas:
        """Draw it; panels without room beside the names stand below."""
        canvas = Canvas(width)
        canvas.key(self.entries)
        dots = (dot for panel in self.panels for several in panel.dots.values() for dot in several)
        ends = [end for dot in dots for end in (dot.value, dot.low, dot.high)]
        domain = scale([*ends, *(panel.reference for panel in self.panels)], self.least, self.most)
        room = label_room(self.names, canvas.room, self.labels)
        wide, rows = panel_rows(self.panels, canvas.room - room, _LEAST, left=room, margin=6)
        lines, tall, top = max(len(panel.lines) for panel in self.panels), _ROW * len(self.names), canvas.height
        for row in rows:
            start = top + 16 * lines + 2
            for index, name in enumerate(self.names):
                canvas.text(room - 10, start + _ROW * (index + 0.5), shortened(name, room - 10), align="right")
            for left, panel in row:
                first, more = (0, room) if len(rows[0]) == 1 else (left, GAP - 6)
                heading(canvas, first, top + 6, wide + more, *panel.lines)
                self._panel(Panel(canvas, left, wide, *domain), panel, start, start + tall)
            top = start + tall + (18 if row is rows[-1] else 46)
        canvas.text(room, top + 10, self.axis, colour=MUTED, size=SMALL)
        return canvas

    def _panel(self, at: Panel, panel: DotPanel, top: float, bottom: float) -> None:
        at.grid(top, bottom, every=48 if at.width < 300 else 84)
        if panel.reference is not None:
            x = at.x(panel.reference)
            at.canvas.rule((x, top), (x, bottom), MUTED, dash=(3, 3))
        for index, name in enumerate(self.names):
            for dot in panel.dots.get(name, ()):
                y = top + _ROW * (index + 0.5)
                at.dot(y, dot.value, dot.low, dot.high, dot.colour, shape=dot.shape, tip=dot.tip)


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
        domain = scale(end for place in self.places for end in place[1:4])
        panel = Panel(canvas, start + 6, (canvas.room if phone else left) - start - 12, *domain)
        for at, right in rights.items():
            canvas.text(right, 8, self.heads[at], align="right", colour=MUTED, size=SMALL)
        top, row = 20, _TALL if phone else _PLACE
        panel.grid(top, bottom := top + row * len(self.places))
        for index, place in enumerate(self.places):
            y = top + row * index
            if place.parted:
                canvas.rule((0, y), (canvas.room, y))
            canvas.text(0, y + _PLACE / 2, shortened(place.name, (start or left) - 6), bold=place.first)
            for at, right in rights.items():
                colour = MUTED if at in self.optional else INK
                canvas.text(right, y + _PLACE / 2, place.numbers[at], align="right", colour=colour)
            if place.value is not None:
                colour, middle = ACCENT if place.first else MUTED, y + (_TALL - 12 if phone else _PLACE / 2)
                tip = f"{place.name}: {', '.join(filter(None, place.numbers))}"
                panel.dot(middle, place.value, place.low, place.high, colour, radius=5, stroke=2.5, tip=tip)
        canvas.height = max(canvas.height, bottom)
        return canvas
