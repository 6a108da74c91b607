from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.reporting.plots.canvas import ON_HIGH, ON_LOW, RAMP
from termgauge.reporting.plots.heat import Heat
from tests.reporting.plots.marks import SVG, outside, overlapping, texts, titles

names = st.text("abcXYZ -", min_size=1, max_size=40).filter(str.strip)


@st.composite
def heats(draw):
    columns = draw(st.lists(names, min_size=1, max_size=30, unique=True))
    rows = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    values = {
        (row, column): round(draw(st.floats(0, 1)), 3) for row in rows for column in columns if draw(st.booleans())
    }
    return Heat(rows, columns, values, (0.0, 1.0))


def drawn(heat, width):
    return ET.fromstring(heat.draw(width).svg("a", "b", "c"))


@given(heats(), st.sampled_from([320, 720]))
def test_every_value_has_a_cell_inside(heat, width):
    root = drawn(heat, width)
    assert outside(root) == []
    assert overlapping(root) == []
    assert len(list(root.iter(f"{SVG}rect"))) == len(titles(root)) == len(heat.values)
    missing = len(heat.rows) * len(heat.columns) - len(heat.values)
    assert texts(root).count("–") == missing


def test_greater_values_are_darker_and_stay_readable():
    columns = [str(place) for place in range(11)]
    values = {("a", column): place / 10 for place, column in enumerate(columns)}
    root = drawn(Heat(["a"], columns, values, (0.0, 1.0)), 720)
    fills = [rect.get("fill") for rect in root.iter(f"{SVG}rect")]
    assert (fills[0], fills[-1]) == (RAMP[0], RAMP[-1])
    reds = [int(fill[1:3], 16) for fill in fills]
    assert all(two < one for one, two in pairwise(reds))
    inks = {
        text.text: group.get("fill") for group in root.findall(f"{SVG}g") for text in group if text.tag == f"{SVG}text"
    }
    assert [inks[text] for text in (".100", ".500", ".800", "1")] == [ON_LOW, ON_LOW, ON_HIGH, ON_HIGH]


@pytest.mark.parametrize(
    ("value", "percent", "shown"),
    [
        (0.931, False, ".931"),
        (-0.25, False, "−.250"),
        (-0.0001, False, ".000"),
        (0.5, True, "50"),
        (0.997, False, ".997"),
        (0.9997, False, ".999"),
        (1.0, False, "1"),
        (0.997, True, "99.7"),
        (1.0, True, "100"),
    ],
)
def test_numbers_are_short(value, percent, shown):
    heat = Heat(["a"], ["b"], {("a", "b"): value}, (-1.0, 1.0), percent=percent)
    assert shown in texts(drawn(heat, 720))


def test_values_beyond_the_scale_have_its_ends_colours():
    heat = Heat(["a"], ["b", "c"], {("a", "b"): -3.0, ("a", "c"): 7.0}, (0.0, 1.0))
    assert [rect.get("fill") for rect in drawn(heat, 720).iter(f"{SVG}rect")] == [RAMP[0], RAMP[-1]]


def test_many_cells_have_no_tips():
    columns = [str(place) for place in range(201)]
    heat = Heat(["a"], columns, {("a", column): 0.5 for column in columns}, (0.0, 1.0))
    assert titles(drawn(heat, 720)) == []
