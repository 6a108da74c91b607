"""How all plots look: one accent colour, quiet axes, and colours that people with colour blindness tell apart.

Plots are drawn once, in the colours below. A page replaces them by variables of its own, so that one drawing serves
light and dark themes, the screen and print; every colour here therefore stands for a role, and no plot uses another.
"""

from __future__ import annotations

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
"""All as wide as Helvetica, by whose widths text is laid out."""
