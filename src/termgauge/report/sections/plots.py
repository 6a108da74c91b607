"""What the plots share: how much room labels need, how many panels fit side by side, and how data reach altair.

A plot is drawn for a width in pixels. Panels are laid out by hand, not by faceting, so that names stand once in a row,
widths add up, and a phone gets the panels one below another.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from termgauge.report.look import INK, MUTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import altair as alt

GAP = 18
"""Pixels between panels."""
EDGE = 24
"""Pixels that the outer edges and the ends of axis labels take."""
NARROW = 520
"""Below this a page is a phone."""


def text_width(text: str, size: float = 11) -> float:
    """Return about how wide a text is, in pixels.

    Examples
    --------
    >>> text_width("accuracy") < text_width("ACCURACY") < text_width("ACCURACY", 14)
    True
    """
    wide = sum(1.0 if ord(char) > 0x2E7F else 0.7 if char.isupper() or char in "mwMW" else 0.55 for char in text)
    return size * wide


def label_room(names: Iterable[str], width: int) -> int:
    """Return how many pixels labels may take at the left: what the longest needs, at most a part of the width."""
    longest = max((text_width(name) for name in names), default=0)
    return int(min(longest + 12, width * (0.34 if width < NARROW else 0.3), 220))


def side_by_side(count: int, width: int, least: int) -> int:
    """Return how many panels of at least so many pixels stand in a row, so that rows are about equally full.

    Examples
    --------
    >>> side_by_side(4, 700, 150), side_by_side(5, 700, 150), side_by_side(4, 300, 150)
    (4, 3, 1)
    """
    most = max(1, min(count, (width + GAP) // (least + GAP)))
    return math.ceil(count / math.ceil(count / most))


def data_of(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Return rows as altair's data; numbers that are not finite become null."""
    import altair as alt

    def plain(value: object) -> object:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return alt.InlineData(values=[{name: plain(value) for name, value in row.items()} for row in rows])


def laid_out(
    panels: Sequence[Callable[[bool, bool], alt.Chart | alt.LayerChart | alt.VConcatChart]],
    columns: int,
    *,
    gap: int = GAP,
) -> alt.VConcatChart:
    """Return panels in rows of so many columns; each is told whether it is the first of its row and in the last row."""
    import altair as alt

    rows = [panels[low : low + columns] for low in range(0, len(panels), columns)]
    charts = [
        alt.hconcat(
            *(panel(place == 0, at * columns + place + columns >= len(panels)) for place, panel in enumerate(row)),
            spacing=gap,
        )
        for at, row in enumerate(rows)
    ]
    return alt.vconcat(*charts, spacing=gap)


def value_axis(**options: Any) -> alt.Axis:  # noqa: ANN401
    """Return a quiet axis of values."""
    import altair as alt

    settings: dict[str, Any] = {"domain": False, "ticks": False, "tickCount": 4, "labelPadding": 4, "titlePadding": 6}
    return alt.Axis(**{**settings, **options})


def name_axis(room: int, *, shown: bool = True) -> alt.Axis:
    """Return an axis of names, with room for them or without them."""
    import altair as alt

    return alt.Axis(
        title=None,
        labels=shown,
        labelLimit=room - 8,
        labelPadding=8,
        domain=False,
        ticks=False,
        grid=False,
        # Room is kept even for short names, so that panels in different rows stand below each other.
        minExtent=room if shown else 0,
        maxExtent=room if shown else 0,
    )


def panel_title(*lines: str) -> alt.TitleParams:
    """Return the title of a panel: what it is, in one or two lines, the last of them quiet."""
    import altair as alt

    if len(lines) == 1:
        return alt.TitleParams(lines[0], fontSize=11, anchor="start", offset=6)
    return alt.TitleParams(
        lines[0],
        subtitle=list(lines[1:]),
        fontSize=11,
        subtitleFontSize=11,
        subtitleColor=MUTED,
        subtitlePadding=2,
        anchor="start",
        offset=6,
    )


def shortened(text: str, width: float, size: float = 11) -> str:
    """Return a text that fits into so many pixels."""
    if text_width(text, size) <= width:
        return text
    kept = text
    while kept and text_width(f"{kept}…", size) > width:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def reference_rule(value: float, axis: str = "x") -> alt.Chart:
    """Return a dashed line at a value to compare with, such as what guessing gives."""
    import altair as alt

    mark = alt.Chart(data_of([{"at": value}])).mark_rule(color=MUTED, strokeDash=[3, 3], opacity=0.8)
    return mark.encode(x="at:Q") if axis == "x" else mark.encode(y="at:Q")


def outward(low: float, high: float, step: float = 0.05) -> tuple[float, float]:
    """Return a range that ends on steps and holds another.

    Examples
    --------
    >>> outward(0.513, 0.932, 0.1)
    (0.5, 1.0)
    """
    return round(math.floor(low / step + 1e-9) * step, 6), round(math.ceil(high / step - 1e-9) * step, 6)


class KeyEntry(NamedTuple):
    """A line of a plot's key."""

    label: str
    colour: str
    shape: str = "circle"
    """Of a symbol; ``line`` for a stroke."""
    dash: tuple[int, ...] = ()


def key(entries: Sequence[KeyEntry], width: int, room: int) -> alt.LayerChart:
    """Return the key of a plot, in as many rows as it takes, at the left, above the room that its labels take.

    Legends of the library start where the first panel does and grow past the edge of narrow pages.
    """
    import altair as alt

    rows: list[dict[str, Any]] = []
    x, y, lines = 6.0, 8.0, 1
    for entry in entries:
        label = shortened(entry.label, width - 24)
        room = text_width(label) + 34
        if rows and x + room - 16 > width - 16:
            x, y, lines = 6.0, y + 18, lines + 1
        rows.append({**entry._asdict(), "label": label, "x": x, "y": y, "text_x": x + 12, "x2": x + 7, "x1": x - 5})
        x += room
    across = alt.Scale(domain=[0, width - 16], range=[-room, width - 16 - room], nice=False)
    scale = {"x": across, "y": alt.Scale(domain=[lines * 18, 0], nice=False)}

    def place(field: str) -> dict[str, Any]:
        return {
            "x": alt.X(f"{field}:Q", scale=scale["x"], axis=None),
            "y": alt.Y("y:Q", scale=scale["y"], axis=None),
        }

    colour = alt.Color("colour:N", scale=None, legend=None)
    texts = alt.Chart(data_of([{name: row[name] for name in ("label", "text_x", "y")} for row in rows]))
    layers: list[alt.Chart] = [
        texts.mark_text(align="left", baseline="middle", fontSize=11, color=INK).encode(
            **place("text_x"), text="label:N"
        )
    ]
    symbols = [row for row in rows if row["shape"] != "line"]
    if symbols:
        base = alt.Chart(data_of([{name: row[name] for name in ("colour", "shape", "x", "y")} for row in symbols]))
        shape = alt.Shape("shape:N", scale=None, legend=None)
        layers.append(base.mark_point(filled=True, size=48, opacity=1).encode(**place("x"), color=colour, shape=shape))
    for row in rows:
        if row["shape"] == "line":
            base = alt.Chart(data_of([{name: row[name] for name in ("colour", "x1", "x2", "y")}]))
            mark = base.mark_rule(strokeWidth=2, strokeDash=list(row["dash"]) or alt.Undefined)
            layers.append(mark.encode(**place("x1"), x2="x2:Q", color=colour))
    return alt.layer(*layers).properties(width=width - 16 - room, height=lines * 18)


def below_key(chart: alt.VConcatChart, entries: Sequence[KeyEntry], width: int, room: int) -> alt.VConcatChart:
    """Return a plot with its key above it; as it is if there is nothing to explain."""
    import altair as alt

    return alt.vconcat(key(entries, width, room), chart, spacing=10) if entries else chart
