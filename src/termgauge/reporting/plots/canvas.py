"""A sheet of pixels on which plots are laid out by hand, and which is written as SVG.

Panels turn values into places on one sheet: widths add up exactly, names stand once, and a plot of forty panels is as
quick as one. SVG is written here because libraries that draw it bring an engine of a browser or megabytes of fonts.
Marks of one style that follow one another stand in a group, which says once what they share. A page
replaces the colours below by variables of its own, so that one drawing serves light and dark themes, the screen and
print: every colour stands for a role, and no plot uses another.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from termgauge.exceptions import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

INK, MUTED, LINE, PAPER = "#1f2328", "#656d76", "#d8dee4", "#ffffff"
"""Text; what is less important; grid lines and axes; the background."""
ACCENT, QUIET = "#0b6e99", "#b9c2cb"
"""What a plot is about; what it is compared with."""
SERIES = ("#0b6e99", "#d1742a", "#4b9b5f", "#9b5fa5", "#b59410", "#7a8793", "#c2476b", "#3f5fbf")
"""Of models; after Okabe and Ito and Paul Tol, with enough difference in lightness for print."""
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
"""Of models, so that colour is never the only sign."""
RAMP = ("#f3f7f9", "#cfe3ec", "#9cc6d8", "#5fa3bf", "#2a80a3", "#0b5d82", "#06405c")
"""From low to high, of heat maps; the same in all themes."""
ON_LOW, ON_HIGH, TURN = "#010305", "#fdfeff", 0.67
"""Text on the ramp, the same in all themes (ink and paper are not), and the share of the ramp from which the second
reads better than the first."""

FONT = "'Liberation Sans', Arimo, 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans Condensed', sans-serif"
"""All as wide as Helvetica, by whose widths text is laid out."""


GAP = 20
"""Pixels between panels."""
NARROW = 520
"""Below this a page is a phone."""
SIZE, SMALL = 12, 11
"""Of text, in pixels."""
_PADDING = 6
"""Pixels between the marks and every edge."""
_GRID, _SURFACE, _STROKE, _SYMBOL, _TEXT = range(5)
"""Depths of marks: those of a greater one lie in front."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TALL = math.sqrt(3) / 2
_SYMBOLS = {
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "diamond": ((-1, 0), (0, -1), (1, 0), (0, 1)),
    "triangle-up": ((0, -_TALL), (1, _TALL), (-1, _TALL)),
    "triangle-down": ((0, _TALL), (1, -_TALL), (-1, -_TALL)),
    "triangle-right": ((_TALL, 0), (-_TALL, -1), (-_TALL, 1)),
    "triangle-left": ((-_TALL, 0), (_TALL, -1), (_TALL, 1)),
    "cross": (
        (-1, -0.4), (-0.4, -0.4), (-0.4, -1), (0.4, -1), (0.4, -0.4), (1, -0.4),
        (1, 0.4), (0.4, 0.4), (0.4, 1), (-0.4, 1), (-0.4, 0.4), (-1, 0.4),
    ),
}  # fmt: skip
"""The corners of symbols of radius 1; the one that is missing is the circle."""
_ANCHORS = {"left": "", "center": ' text-anchor="middle"', "right": ' text-anchor="end"'}

_WIDTHS = {
    0.222: "ijl'|",
    0.278: " .,:;!/\\ftI[]",
    0.333: "r()-`",
    0.5: "cksvxyzJ",
    0.722: "wCDHNRUæ",
    0.778: "GOQ",
    0.833: "mM",
    0.944: "W@%…—",
}
_WIDTH_OF = {char: width for width, chars in _WIDTHS.items() for char in chars}


def text_width(text: str, size: float = SIZE) -> float:
    """Return about how wide a text is, in pixels."""
    others = (1.0 if ord(char) > 0x2E7F else 0.667 if char.isupper() else 0.556 for char in text)
    return size * sum(_WIDTH_OF.get(char, width) for char, width in zip(text, others, strict=True))


def shortened(text: str, width: float, size: float = SIZE) -> str:
    """Return a text that fits into so many pixels; a name without spaces keeps its end, where versions stand.

    >>> shortened("edit distance", 50), shortened("PubMed-and-PMC-w2v-300", 90)
    ('edit dis…', 'PubMed-a…300')
    """
    if text_width(text, size) <= width:
        return text
    for kept in range(len(text) - 1, 0, -1):
        end = 0 if " " in text else kept // 3
        short = f"{text[: kept - end].rstrip()}…{text[len(text) - end :]}"
        if text_width(short, size) <= width:
            return short
    return "…"


def label_room(names: Iterable[str], width: float, share: float = 0.3) -> int:
    """Return how many pixels names may take at the left: what the longest needs, at most a part of the width."""
    longest = max((text_width(name) for name in names), default=0.0)
    return math.ceil(min(longest + 10, width * (share + 0.06 if width < NARROW else share)))


_Panel = TypeVar("_Panel")


def panel_rows(
    panels: Sequence[_Panel], width: float, least: float, *, left: float = 0.0, margin: float = 0.0
) -> tuple[float, list[list[tuple[float, _Panel]]]]:
    """Return how wide panels are that share a width, and the rows in which they stand, each with its left edge.

    Rows are about equally full. A margin is left free at the right; it does not make rows of fewer panels.
    """
    most = max(1, min(len(panels), int((width + GAP) // (least + GAP))))
    columns = math.ceil(len(panels) / math.ceil(len(panels) / most))
    wide = (width - GAP * (columns - 1) - margin) / columns
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    return wide, [[(left + at * (wide + GAP), panel) for at, panel in enumerate(row)] for row in rows]


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers between two others, at most so many.

    >>> ticks(0.5, 1.0, 3), ticks(0.0, 0.93, 6), ticks(-0.5, 0.5, 4)
    ([0.6, 0.8, 1.0], [0.0, 0.2, 0.4, 0.6, 0.8], [-0.5, 0.0, 0.5])
    """
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return [low]
    exponent = math.floor(math.log10(span)) - 2
    for step in (factor * 10.0**power for power in range(exponent, exponent + 5) for factor in (1, 2, 5)):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first + 1 <= most:
            return [round(multiple * step, 12) + 0.0 for multiple in range(first, last + 1)]
    return [low]


def scale(
    ends: Iterable[float | None], least: float | None = None, most: float | None = None, step: float | None = None
) -> tuple[float, float]:
    """Return a range that ends on steps and holds all values that there are; its ends may be set.

    If no step is said, it is about a fifth of the span, a round number, and at most 0.1.
    """
    finite = [end for end in ends if end is not None and math.isfinite(end)]
    low, high = min(finite, default=0.0) if least is None else least, max(finite, default=1.0)
    if step is None:
        quarter = (high - low) / 4
        power = 10.0 ** math.floor(math.log10(quarter)) if high - low >= 1e-6 else 0.1
        rounded = (factor * power for factor in (10, 5, 2, 1) if factor * power <= quarter * (1 + 4e-9))
        step = min(0.1, next(rounded, 0.1))
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    high = round(high if high > low else low + step, 9)
    high = high if most is None else min(high, most)
    return (round(low, 9) if low < high else high - 0.1), high


def _path(points: Iterable[tuple[float, float]], end: str = "") -> str:
    return f'path d="M{"L".join(f"{_short(x)},{_short(y)}" for x, y in points)}{end}"'


def _short(value: float) -> str:
    return f"{round(value, 1) or 0:g}"


def printable(text: str) -> str:
    """Return a text in one line, without the characters that XML has no place for."""
    return _NOT_XML.sub("\ufffd", one_line(text))


def _escaped(text: str) -> str:
    """Return a text as XML, in which no quote is left that could end or begin an attribute."""
    return escape(printable(text))


def _stroke(colour: str, width: float, dash: tuple[int, ...]) -> str:
    dashed = f' stroke-dasharray="{",".join(map(str, dash))}"' if dash else ""
    return f'fill="none" stroke="{colour}" stroke-width="{width:g}"{dashed}'


class KeyEntry(NamedTuple):
    """A line of a plot's key."""

    label: str
    colour: str
    shape: str = "circle"
    """Of a symbol; ``square`` for a surface."""


class _Mark(NamedTuple):
    depth: int
    style: str
    """The attributes of its group."""
    element: str


@dataclass
class Canvas:
    """Marks at places in pixels, from the left and the top."""

    width: int
    """Of the whole plot."""
    height: float = 0
    """What was used so far; marks make it greater."""
    _marks: list[_Mark] = field(default_factory=list)

    @property
    def room(self) -> int:
        """The width that marks may use."""
        return self.width - 2 * _PADDING

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        align: str = "left",
        colour: str = INK,
        size: float = SIZE,
        angle: int = 0,
        bold: bool = False,
    ) -> None:
        """Write a text, its middle at a height."""
        if not text:
            return
        turned = f' transform="rotate({angle} {_short(x)} {_short(y)})"' if angle else ""
        attributes = f'x="{_short(x)}" y="{_short(y + 0.3 * size)}"{turned}'
        weight = ' font-weight="bold"' if bold else ""
        style = f'fill="{colour}" font-size="{size:g}"{_ANCHORS[align]}{weight}'
        self._marks.append(_Mark(_TEXT, style, f"<text {attributes}>{_escaped(text)}</text>"))
        self.height = max(self.height, y + size / 2 + 1)

    def point(
        self, x: float, y: float, colour: str, *, shape: str = "circle", radius: float = 3.75, tip: str = ""
    ) -> None:
        """Draw a symbol; a reader who points at it sees the tip."""
        if shape == "circle":
            mark = f'circle cx="{_short(x)}" cy="{_short(y)}" r="{_short(radius)}"'
        else:
            mark = _path(((x + radius * across, y + radius * down) for across, down in _SYMBOLS[shape]), "Z")
        self._add(_SYMBOL, f'fill="{colour}"', mark, tip)

    def rule(
        self, start: tuple[float, float], end: tuple[float, float], colour: str = LINE, *, stroke: float = 1,
        dash: tuple[int, ...] = (), front: bool = False,
    ) -> None:  # fmt: skip
        """Draw a straight line."""
        self._add(_STROKE if front else _GRID, _stroke(colour, stroke, dash), _path((start, end)))
        self.height = max(self.height, start[1], end[1])

    def line(self, points: Sequence[tuple[float, float]], colour: str, *, tip: str = "") -> None:
        """Draw a line through points."""
        self._add(_STROKE, _stroke(colour, 1.75, ()) + ' stroke-linejoin="round"', _path(points), tip)

    def rect(self, x: float, y: float, width: float, height: float, colour: str, *, tip: str = "") -> None:
        """Fill a rectangle."""
        sides = f'x="{_short(x)}" y="{_short(y)}" width="{_short(width)}" height="{_short(height)}"'
        self._add(_SURFACE, f'stroke="{PAPER}"', f'rect {sides} fill="{colour}"', tip)
        self.height = max(self.height, y + height)

    def key(self, entries: Sequence[KeyEntry]) -> None:
        """Write the key of the plot below what is there, in as many rows as it takes."""
        x, y = 6.0, self.height + 8
        for at, entry in enumerate(entries):
            label = shortened(entry.label, self.room - 20)
            wide = 14 + text_width(label)
            if at and x + wide > self.room:
                x, y = 6.0, y + 19
            self.point(x, y, entry.colour, shape=entry.shape)
            self.text(x + 12, y, label)
            x += wide + 20
        if entries:
            self.height += 12

    def svg(self, name: str, title: str, description: str) -> str:
        """Return it as a picture that stands alone; its ids begin with the name."""
        tall = math.ceil(self.height) + 2 * _PADDING
        # Texts never lie on one another, so they may be sorted by style; other marks keep their order.
        marks = sorted(self._marks, key=lambda mark: (mark.depth, mark.style if mark.depth == _TEXT else ""))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{tall}" '
            f'viewBox="{-_PADDING} {-_PADDING} {self.width} {tall}" font-family="{FONT}" '
            f'role="img" aria-labelledby="{name}-title {name}-desc">'
            f'<title id="{name}-title">{_escaped(title)}</title><desc id="{name}-desc">{_escaped(description)}</desc>'
            + "".join(
                f"<g {style}>{''.join(mark.element for mark in group)}</g>"
                for style, group in groupby(marks, key=lambda mark: mark.style)
            )
            + "</svg>"
        )

    def _add(self, depth: int, style: str, mark: str, tip: str = "") -> None:
        rest = f"><title>{_escaped(tip)}</title></{mark.split(' ', 1)[0]}>" if tip else "/>"
        self._marks.append(_Mark(depth, style, f"<{mark}{rest}"))


@dataclass(frozen=True)
class Panel:
    """A part of a canvas with an axis of values across."""

    canvas: Canvas
    left: float
    width: float
    low: float
    high: float

    def x(self, value: float) -> float:
        """Return where a value is."""
        share = (value - self.low) / (self.high - self.low)
        return self.left + self.width * min(1.0, max(0.0, share))

    def grid(self, top: float, bottom: float, *, every: int = 48) -> None:
        """Draw lines at round values, with their labels below."""
        marks = ticks(self.low, self.high, max(2, int(self.width // every) + 1))
        for value, text in zip(marks, tick_labels(marks), strict=True):
            x = self.x(value)
            self.canvas.rule((x, top), (x, bottom))
            half = text_width(text, SMALL) / 2
            x = min(max(x, half), self.canvas.room - half)
            self.canvas.text(x, bottom + 11, text, align="center", colour=MUTED, size=SMALL)

    def dot(
        self, y: float, value: float, low: float | None, high: float | None, colour: str, *,
        shape: str = "circle", radius: float = 3.75, stroke: float = 2, tip: str = "",
    ) -> None:  # fmt: skip
        """Draw a value at a height, and its interval where there is one."""
        if low is not None and high is not None and math.isfinite(low):
            self.canvas.rule((self.x(low), y), (self.x(high), y), colour, stroke=stroke, front=True)
        self.canvas.point(self.x(value), y, colour, shape=shape, radius=radius, tip=tip)


def tick_labels(marks: Sequence[float]) -> list[str]:
    """Return round numbers as text, all with as many digits after the point as one of them needs."""
    digits = max((len(f"{mark:.6f}".rstrip("0").partition(".")[2]) for mark in marks), default=0)
    return [f"{mark:,.{digits}f}".replace("-", "−") for mark in marks]


def heading(canvas: Canvas, x: float, y: float, width: float, *lines: str) -> None:
    """Write what a panel shows: its first line in ink, the others quiet."""
    for index, line in enumerate(lines):
        canvas.text(x, y + 16 * index, shortened(line, min(width, canvas.room - x)), colour=MUTED if index else INK)
