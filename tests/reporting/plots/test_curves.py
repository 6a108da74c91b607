from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from termgauge.reporting.plots.canvas import ACCENT, QUIET
from termgauge.reporting.plots.lines import curves
from tests.reporting.plots.marks import SVG, outside, overlapping, titles

STYLES = [(ACCENT, "circle"), (QUIET, "square")]


def drawn(plot, width=720):
    return ET.fromstring(plot.draw(width).svg("a", "b", "c"))


@st.composite
def plots(draw):
    size = draw(st.integers(1, 25))
    line = st.lists(st.floats(0, 100).map(lambda value: round(value, 3)), min_size=size, max_size=size)
    lines = draw(st.lists(line, min_size=1, max_size=2))
    named = {f"model {at}": each for at, each in enumerate(lines)}
    return named, curves(range(1, size + 1), named, STYLES[: len(lines)], "epoch")


@given(plots(), st.sampled_from([320, 500, 720]))
def test_everything_is_drawn_inside(made, width):
    lines, plot = made
    root = drawn(plot, width)
    assert outside(root) == []
    assert overlapping(root) == []
    assert titles(root) == [
        f"{model}, epoch = {at}: {value:.3f}" for model, line in lines.items() for at, value in enumerate(line, 1)
    ]


def test_places_are_in_proportion_to_values():
    root = drawn(curves([5, 10, 20], {"a": [0.2, 0.4, 0.4]}, STYLES[:1], "neighbours k"))
    points = [(float(circle.get("cx")), float(circle.get("cy"))) for circle in root.iter(f"{SVG}circle")]
    (x1, y1), (x2, y2), (x3, y3) = points[-3:]
    assert round((x3 - x2) / (x2 - x1), 2) == 2
    assert y1 > y2 == y3
    assert "a, k = 5: 0.200" in titles(root)
