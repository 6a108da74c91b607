from __future__ import annotations

import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from termgauge.document.plots.canvas import Canvas, KeyEntry, outward, shortened, side_by_side, text_width, ticks

numbers = st.floats(-10, 10)


@given(numbers, st.floats(1e-4, 10), st.integers(2, 12))
def test_ticks_are_few_round_and_within(low, span, most):
    found = ticks(low, low + span, most)
    assert len(found) <= most
    assert all(low - 1e-6 <= value <= low + span + 1e-6 for value in found)
    if len(found) > 2:
        steps = {round(two - one, 9) for one, two in pairwise(found)}
        assert max(steps) - min(steps) < 1e-6


@given(numbers, st.floats(0, 5), st.sampled_from([0.01, 0.05, 0.1]))
def test_a_range_holds_what_it_is_of(low, span, step):
    start, end = outward(low, low + span, step)
    assert start <= low + 1e-6
    assert end >= low + span - 1e-6
    assert start < end


@given(st.text(max_size=40), st.floats(5, 200))
def test_a_shortened_text_fits(text, width):
    found = shortened(text, width)
    assert found == text or text_width(found) <= max(width, text_width("…"))


@given(st.integers(1, 30), st.integers(50, 900), st.integers(40, 200))
def test_panels_fit_side_by_side(count, width, least):
    columns = side_by_side(count, width, least)
    assert 1 <= columns <= count
    assert columns == 1 or columns * least + (columns - 1) * 20 <= width


def test_a_key_wraps_on_narrow_pages():
    heights = []
    for width in (700, 320):
        canvas = Canvas(width)
        canvas.key([KeyEntry(f"a rather long label {place}", "#000000") for place in range(6)])
        heights.append(canvas.height)
    assert heights[0] < heights[1]


def test_an_empty_canvas_is_a_chart():
    assert Canvas(400).chart().to_dict()["width"] == 388


def test_marks_carry_their_tips():
    canvas = Canvas(300)
    canvas.point(10, 10, "#000000", tip="a: 0.5")
    canvas.line([(0, 0), (10, math.pi)], "#000000")
    specification = canvas.chart().to_dict()
    kinds = [layer["mark"]["type"] for layer in specification["layer"]]
    assert kinds == ["point", "point"]
    assert [("description" in layer["encoding"]) for layer in specification["layer"]] == [False, True]
    rows = [row for name in specification["datasets"] for row in specification["datasets"][name]]
    assert {row.get("shape") for row in rows} == {"circle", "M0.0,0.0L10.0,3.1"}
