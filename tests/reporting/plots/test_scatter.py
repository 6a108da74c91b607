from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from termgauge.reporting.plots.canvas import SERIES, KeyEntry
from termgauge.reporting.plots.dots import ScatterPanel, ScatterPlot, Spot
from tests.conftest import tried
from tests.reporting.plots.marks import outside, overlapping, texts, titles

names = st.text("abcXYZ -", min_size=1, max_size=30).filter(str.strip)
values = st.floats(-1000, 1000).map(lambda value: round(value, 4))


@st.composite
def plots(draw):
    models = draw(st.lists(names, min_size=1, max_size=12, unique=True))
    panels = []
    for _ in range(draw(st.integers(1, 9))):
        spots = [Spot(draw(values), draw(values), model, SERIES[0]) for model in models]
        panels.append(ScatterPanel((draw(names), f"n = {len(models)}"), spots))
    return ScatterPlot(panels, draw(names), tuple(KeyEntry(model, SERIES[0]) for model in models))


def drawn(plot, width):
    return ET.fromstring(plot.draw(width).svg("a", "b", "c"))


@settings(max_examples=tried(60))
@given(plots(), st.sampled_from([320, 720]))
def test_every_point_is_drawn_inside_and_no_text_meets_another(plot, width):
    root = drawn(plot, width)
    assert outside(root) == []
    assert overlapping(root) == []
    assert len(titles(root)) == sum(len(panel.spots) for panel in plot.panels)


def test_labels_of_panels_side_by_side_do_not_meet():
    values = ((-404.0, 896.0), (-860.0, 890.0))
    panels = [ScatterPanel(("x",), [Spot(value, 0.0, "a", SERIES[0]) for value in pair]) for pair in values]
    root = drawn(ScatterPlot([*panels, *panels], "y"), 720)
    assert {"1000", "−1000"} <= set(texts(root))
    assert overlapping(root) == []


def test_points_are_named_where_there_is_room():
    spots = [Spot(0.1, 1, "left", SERIES[0]), Spot(0.9, 2, "right", SERIES[1]), Spot(0.9, 2.001, "hidden", SERIES[2])]
    root = drawn(ScatterPlot([ScatterPanel(("rho", "n = 3"), spots)], "F"), 400)
    assert {"rho", "n = 3", "F", "left", "right"} <= set(texts(root))
    assert "hidden" not in texts(root), "its name would lie on another"
    assert {"left: 0.1, 1", "hidden: 0.9, 2.001"} <= set(titles(root))


def test_one_point_and_points_that_are_all_alike_have_a_scale():
    for spots in ([Spot(0.0, 0.0, "a", SERIES[0])], [Spot(5.0, 7.0, each, SERIES[0]) for each in "ab"]):
        assert len(titles(drawn(ScatterPlot([ScatterPanel(("x",), spots)], "y"), 320))) == len(spots)
