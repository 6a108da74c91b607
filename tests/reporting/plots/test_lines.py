"""Lines over bands: everything is inside, heights are in proportion, and points without a value are left out."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.reporting.plots.canvas import SERIES, KeyEntry
from termgauge.reporting.plots.lines import LinePanel, LinePlot, LinePoint, scattered
from tests.reporting.plots.marks import SVG, outside, overlapping, titles

numbers = st.floats(-0.9, 0.9)
points = st.none() | st.builds(
    lambda value, reach: LinePoint(value, value - reach, value + reach, "tip"), numbers, st.floats(0, 0.1)
)


def drawn(plot, width):
    return ET.fromstring(plot.draw(width).svg("a", "b", "c"))


def plot_of(panels, models, **more):
    return LinePlot(panels, [KeyEntry(model, SERIES[at % 8]) for at, model in enumerate(models)], "rho", **more)


@given(
    st.lists(st.lists(points, min_size=3, max_size=3), min_size=1, max_size=6),
    st.integers(1, 5),
    st.sampled_from([320, 720]),
)
def test_everything_stays_inside_and_has_its_tip(lines, panels, width):
    models = [f"model {at}" for at in range(len(lines))]
    panel = LinePanel("A set with a rather long name", ["< 5", "5–70", "≥ 70"], dict(zip(models, lines, strict=True)))
    root = drawn(plot_of([panel] * panels, models), width)
    assert outside(root) == []
    assert overlapping(root) == []
    assert titles(root).count("tip") == panels * sum(point is not None for line in lines for point in line)


def test_heights_are_in_proportion_and_gaps_are_not_joined():
    line = [LinePoint(0.0), LinePoint(0.5), None, LinePoint(1.0)]
    panel = LinePanel("", ["a", "b", "c", "d"], {"m": line})
    root = drawn(plot_of([panel], ["m"]), 720)
    low, middle, high = [float(each.get("cy")) for each in root.iter(f"{SVG}circle")][-3:]
    assert low - middle == pytest.approx(middle - high, abs=0.2)
    joined = [group for group in root.iter(f"{SVG}g") if group.get("stroke-linejoin")]
    assert sum(len(list(group)) for group in joined) == 1
    apart = drawn(plot_of([panel], ["m"], joined=False), 720)
    assert not [group for group in apart.iter(f"{SVG}g") if group.get("stroke-linejoin")]


def test_a_plot_without_a_value_can_be_drawn():
    plot = plot_of([LinePanel("empty", ["a"], {"m": [None]})], ["m"])
    assert outside(drawn(plot, 320)) == []


def test_points_by_two_scores_stand_in_order_across():
    spots = {"left": (0.1, 1.0), "right": (0.9, 2.0), "beside": (0.9, 2.1)}
    entries = [KeyEntry(name, SERIES[at]) for at, name in enumerate(spots)]
    root = drawn(scattered([("rho", spots), ("alone", {"left": (5.0, 7.0)})], entries, "F"), 400)
    assert outside(root) == overlapping(root) == []
    assert {"left: 0.1, 1", "right: 0.9, 2", "beside: 0.9, 2.1", "left: 5, 7"} == set(titles(root))
