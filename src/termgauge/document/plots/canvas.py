"""A sheet of pixels on which plots are laid out by hand and which altair draws in one piece.

Small multiples drawn as one chart each would take seconds to compile, repeat their axes and names, and grow past the
edge of narrow pages. Here panels turn values into places on one sheet: widths add up exactly, names stand once, and a
plot of forty panels is as quick as one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from termgauge.document.plots.look import INK, LINE, MUTED, PAPER, configured

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import altair as alt

GAP = 20
"""Pixels between panels."""
NARROW = 520
"""Below this a page is a phone."""
SIZE, SMALL = 12, 11
"""Of text, in pixels."""
_PIXEL = 4
"""The size at which the path of a symbol is in pixels: a line is one symbol, not a row of data for each point."""
PADDING = 12
"""What the look of all plots adds to the width."""

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
    """Return about how wide a text is, in pixels.

    Examples
    --------
    >>> text_width("ill") < text_width("www") < text_width("www", 14)
    True
    """
    return size * sum(_WIDTH_OF.get(char) or _width_of(char) for char in text)


def _width_of(char: str) -> float:
    return 1.0 if ord(char) > 0x2E7F else 0.667 if char.isupper() else 0.556


def shortened(text: str, width: float, size: float = SIZE) -> str:
    """Return a text that fits into so many pixels; a name without spaces keeps its end, where versions stand.

    Examples
    --------
    >>> shortened("edit distance", 200), shortened("edit distance", 50)
    ('edit distance', 'edit dis…')
    >>> shortened("PubMed-and-PMC-w2v-300", 90), shortened("PubMed-and-PMC-w2v-100", 90)
    ('PubMed-a…300', 'PubMed-a…100')
    """
    if text_width(text, size) <= width:
        return text
    for kept in range(len(text) - 1, 0, -1):
        end = 0 if " " in text else kept // 3
        found = f"{text[: kept - end].rstrip()}…{text[len(text) - end :]}"
        if text_width(found, size) <= width:
            return found
    return "…"


def label_room(names: Iterable[str], width: float, share: float = 0.3) -> int:
    """Return how many pixels names may take at the left: what the longest needs, at most a part of the width."""
    longest = max((text_width(name) for name in names), default=0.0)
    return math.ceil(min(longest + 10, width * (share + 0.06 if width < NARROW else share)))


def side_by_side(count: int, width: float, least: int) -> int:
    """Return how many panels of at least so many pixels stand in a row, so that rows are about equally full.

    Examples
    --------
    >>> side_by_side(4, 700, 150), side_by_side(5, 700, 150), side_by_side(4, 300, 150)
    (4, 3, 1)
    """
    most = max(1, min(count, int((width + GAP) // (least + GAP))))
    return math.ceil(count / math.ceil(count / most))


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers between two others, at most so many.

    Examples
    --------
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
            return [round(place * step, 12) + 0.0 for place in range(first, last + 1)]
    return [low]


def outward(low: float, high: float, step: float = 0.1) -> tuple[float, float]:
    """Return a range that ends on steps and holds another.

    Examples
    --------
    >>> outward(0.513, 0.932)
    (0.5, 1.0)
    """
    ends = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    return round(ends[0], 9), round(ends[1] if ends[1] > ends[0] else ends[0] + step, 9)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points)


class KeyEntry(NamedTuple):
    """A line of a plot's key."""

    label: str
    colour: str
    shape: str = "circle"
    """Of a symbol; ``line`` for a stroke, ``square`` for a surface."""
    dash: tuple[int, ...] = ()


@dataclass
class Canvas:
    """Marks at places in pixels, from the left and the top."""

    width: int
    """Of the whole plot."""
    height: float = 0
    """What was used so far; marks make it greater."""
    _marks: dict[tuple[Any, ...], list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def room(self) -> int:
        """The width that marks may use."""
        return self.width - PADDING

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
    ) -> None:
        """Write a text, its middle at a height."""
        if text:
            self._add(4, ("text", align, size, angle), x, y, {"text": text, "colour": colour})
            self.height = max(self.height, y + size / 2 + 1)

    def point(
        self,
        x: float,
        y: float,
        colour: str,
        *,
        shape: str = "circle",
        size: int = 56,
        tip: str = "",
        hollow: bool = False,
    ) -> None:
        """Draw a symbol; a reader who points at it sees the tip."""
        self._add(3, ("point", size, hollow), x, y, {"colour": colour, "shape": shape, "tip": tip})

    def rule(
        self, start: tuple[float, float], end: tuple[float, float], colour: str = LINE, *, stroke: float = 1,
        dash: tuple[int, ...] = (), front: bool = False, tip: str = "",
    ) -> None:  # fmt: skip
        """Draw a straight line."""
        extra = {"x2": end[0], "y2": end[1], "colour": colour, "tip": tip}
        self._add(2 if front else 0, ("rule", stroke, dash), *start, extra)
        self.height = max(self.height, start[1], end[1])

    def line(
        self, points: Sequence[tuple[float, float]], colour: str, *, stroke: float = 1.75, dash: tuple[int, ...] = (),
        tip: str = "",
    ) -> None:  # fmt: skip
        """Draw a line through points."""
        self._add(2, ("line", stroke, dash), 0, 0, {"colour": colour, "shape": _path(points), "tip": tip})

    def area(self, points: Sequence[tuple[float, float]], base: float, colour: str, *, opacity: float = 0.5) -> None:
        """Fill what is between a line and a height."""
        edge = [(points[0][0], base), *points, (points[-1][0], base)]
        self._add(1, ("area", opacity), 0, 0, {"colour": colour, "shape": f"{_path(edge)}Z"})
        self.height = max(self.height, base)

    def rect(self, x: float, y: float, width: float, height: float, colour: str, *, tip: str = "") -> None:
        """Fill a rectangle."""
        self._add(1, ("rect",), x, y, {"x2": x + width, "y2": y + height, "colour": colour, "tip": tip})
        self.height = max(self.height, y + height)

    def key(self, entries: Sequence[KeyEntry]) -> None:
        """Write the key of the plot below what is there, in as many rows as it takes."""
        x, y = 6.0, self.height + 8
        for at, entry in enumerate(entries):
            label = shortened(entry.label, self.room - 20)
            wide = 14 + text_width(label)
            if at and x + wide > self.room:
                x, y = 6.0, y + 19
            if entry.shape == "line":
                self.rule((x - 6, y), (x + 8, y), entry.colour, stroke=2, dash=entry.dash, front=True)
            else:
                self.point(x, y, entry.colour, shape=entry.shape)
            self.text(x + 12, y, label)
            x += wide + 20
        if entries:
            self.height += 12

    def chart(self) -> alt.TopLevelMixin:
        """Return it as a chart with the look of all plots."""
        import altair as alt
        from altair.utils.schemapi import debug_mode

        ordered = sorted(self._marks.items(), key=lambda item: item[0][0])
        with debug_mode(False):  # to check every row against the schema would take most of the time
            layers = [self._layer(f"marks-{place}", kind, rows) for place, ((_, *kind), rows) in enumerate(ordered)]
            sheet = alt.layer(*layers) if layers else alt.Chart(alt.InlineData(values=[])).mark_point()
            chart = configured(sheet.properties(width=self.room, height=math.ceil(self.height)))
            # Last, for each step above copies all that is there.
            chart.datasets = {f"marks-{place}": rows for place, (_, rows) in enumerate(ordered)}
        sheet_of_marks: alt.TopLevelMixin = chart
        return sheet_of_marks

    def _add(self, depth: int, kind: tuple[Any, ...], x: float, y: float, extra: dict[str, Any]) -> None:
        self._marks.setdefault((depth, *kind), []).append({"x": round(x, 2), "y": round(y, 2), **extra})

    def _layer(self, data: str, kind: Sequence[Any], rows: list[dict[str, Any]]) -> alt.Chart:
        import altair as alt

        name, *options = kind
        base = alt.Chart(alt.NamedData(name=data))
        encoding: dict[str, Any] = {
            "x": alt.X("x:Q", scale=alt.Scale(domain=[0, self.room], nice=False), axis=None),
            "y": alt.Y("y:Q", scale=alt.Scale(domain=[math.ceil(self.height), 0], nice=False), axis=None),
            "color": alt.Color("colour:N", scale=None, legend=None),
        }
        if name == "text":
            align, size, angle = options
            mark = base.mark_text(align=align, fontSize=size, angle=angle % 360, baseline="middle")
            encoding["text"] = alt.Text("text:N")
        elif name == "point":
            size, hollow = options
            mark = base.mark_point(filled=not hollow, size=size, opacity=1, strokeWidth=1.75)
        elif name in {"rule", "line"}:
            stroke, dash = options
            style: dict[str, Any] = {"strokeWidth": stroke, **({"strokeDash": list(dash)} if dash else {})}
            path: dict[str, Any] = {"filled": False, "size": _PIXEL, "opacity": 1, "strokeJoin": "round"}
            mark = base.mark_rule(**style) if name == "rule" else base.mark_point(**path, **style)
        elif name == "area":
            mark = base.mark_point(filled=True, size=_PIXEL, strokeWidth=0, opacity=options[0])
        else:
            mark = base.mark_rect(stroke=PAPER, strokeWidth=1)
        if name in {"rule", "rect"}:
            encoding |= {"x2": alt.X2("x2:Q"), "y2": alt.Y2("y2:Q")}
        if name in {"point", "line", "area"}:
            encoding["shape"] = alt.Shape("shape:N", scale=None, legend=None)
        if any(row.get("tip") for row in rows):
            encoding["description"] = alt.Description("tip:N")
        layer: alt.Chart = mark.encode(**encoding)
        return layer


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

    def grid(
        self, top: float, bottom: float, *, labels: bool = True, every: int = 48, digits: int | None = None
    ) -> None:
        """Draw lines at round values, with their labels below."""
        marks = ticks(self.low, self.high, max(2, int(self.width // every) + 1))
        places = digits if digits is not None else max((decimals(value) for value in marks), default=0)
        for value in marks:
            x = self.x(value)
            self.canvas.rule((x, top), (x, bottom))
            if labels:
                text = f"{value:.{places}f}".replace("-", "−")
                half = text_width(text, SMALL) / 2
                x = min(max(x, half), self.canvas.room - half)
                self.canvas.text(x, bottom + 11, text, align="center", colour=MUTED, size=SMALL)

    def dashed(self, value: float, top: float, bottom: float, colour: str = MUTED) -> None:
        """Draw a dashed line at a value to compare with."""
        self.canvas.rule((self.x(value), top), (self.x(value), bottom), colour, dash=(3, 3))


def decimals(value: float) -> int:
    """Return how many digits a round number needs after its point.

    Examples
    --------
    >>> decimals(0.25), decimals(3.0)
    (2, 0)
    """
    return len(f"{value:.6f}".rstrip("0").partition(".")[2])


def heading(canvas: Canvas, x: float, y: float, width: float, *lines: str) -> None:
    """Write what a panel shows: its first line in ink, the others quiet."""
    for place, line in enumerate(lines):
        canvas.text(x, y + 16 * place, shortened(line, min(width, canvas.room - x)), colour=MUTED if place else INK)
