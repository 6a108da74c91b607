"""How all plots look: one accent colour, quiet axes, and colours that people with colour blindness tell apart.

Plots are drawn once, in the colours below. A page replaces them by variables of its own, so that one drawing serves
light and dark themes, the screen and print; every colour here therefore stands for a role, and no plot uses another.

What a reader sees who points at a mark is its ``description`` channel (``description="tip:N"``, a column with the whole
sentence, such as ``bge: 0.91 (0.89 to 0.93)``); Vega's ``tooltip`` channel is lost in drawings, and a mark without
a description has no tooltip. The width that a figure is asked to draw is that of the whole picture: axes and legends
included (:func:`termgauge.document.plots.drawing.svg` draws again, narrower, if they make it wider).
"""

from __future__ import annotations

from typing import Any

INK, MUTED, LINE, PAPER = "#1f2328", "#656d76", "#d8dee4", "#ffffff"
"""Text; what is less important; grid lines and axes; the background."""
ACCENT, QUIET = "#0b6e99", "#b9c2cb"
"""What a plot is about; what it is compared with."""
POSITIVE, NEGATIVE = "#0b6e99", "#d1742a"
"""Pairs that mean the same, and pairs that do not."""
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
"""The first is what vl-convert carries and measures text with, so that a drawing is the same on every machine; the
others are as wide."""


LOOK: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "padding": 4,
    "view": {"stroke": None},
    "axis": {
        "domainColor": LINE,
        "tickColor": LINE,
        "gridColor": LINE,
        "gridOpacity": 0.7,
        "ticks": False,
        "labelPadding": 6,
        "labelSeparation": 6,
        "labelColor": MUTED,
        "titleColor": MUTED,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": 260,
    },
    "axisXQuantitative": {"tickCount": 6},
    "axisYQuantitative": {"tickCount": 5},
    "axisDiscrete": {"labelColor": INK, "domain": False},
    "legend": {
        "labelColor": INK,
        "titleColor": MUTED,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "orient": "top",
        "offset": 10,
        "columnPadding": 16,
        "symbolStrokeWidth": 2,
        "labelLimit": 260,
    },
    "header": {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "titleFontSize": 12},
    "title": {"color": INK, "fontSize": 13, "fontWeight": "normal", "anchor": "start"},
    "text": {"color": INK, "fontSize": 12},
    "point": {"filled": True, "size": 60, "opacity": 1},
    "line": {"strokeWidth": 2},
}
"""The configuration of all plots, in Vega-Lite's words; drawings have it wherever a chart does not say otherwise."""


def configured(chart: Any) -> Any:  # noqa: ANN401 - altair's charts share no public type with configure methods
    """Return a chart with the look of all plots, for showing it elsewhere; a report's drawings have it anyway."""
    return chart.configure(**LOOK)
