from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import one_line
from termgauge.reporting.plots.canvas import (
    INK,
    SERIES,
    Canvas,
    KeyEntry,
    panel_rows,
    scale,
    shortened,
    text_width,
    ticks,
)
from tests.reporting.plots.marks import SVG, texts, titles

numbers = st.floats(-10, 10)
texts_with_anything = st.text(st.characters(exclude_characters="\r"), max_size=40)
"""Without what XML reads as the end of a line."""


@given(numbers, st.floats(1e-4, 10), st.integers(2, 12))
def test_ticks_are_few_round_and_within(low, span, most):
    found = ticks(low, low + span, most)
    assert len(found) <= most
    assert all(low - 1e-6 <= value <= low + span + 1e-6 for value in found)
    if len(found) > 2:
        steps = {round(two - one, 9) for one, two in pairwise(found)}
        assert max(steps) - min(steps) < 1e-6


@given(numbers, st.floats(0, 5), st.sampled_from([None, 0.01, 0.05, 0.1]))
def test_a_range_holds_what_it_is_of(low, span, step):
    start, end = scale([low, low + span], step=step)
    assert start <= low + 1e-6
    assert end >= low + span - 1e-6
    assert start < end


def test_a_range_can_be_set():
    assert scale([0.4, 0.35, 1.2, None], least=0.0, most=1.0) == (0.0, 1.0)
    assert scale([1.0], most=1.0) == (0.9, 1.0)


@given(st.text(max_size=40), st.floats(5, 200))
def test_a_shortened_text_fits(text, width):
    found = shortened(text, width)
    assert found == text or text_width(found) <= max(width, text_width("…"))


@given(st.integers(1, 30), st.integers(50, 900), st.integers(40, 200))
def test_panels_fit_side_by_side(count, width, least):
    _wide, rows = panel_rows(range(count), width, least)
    columns = len(rows[0])
    assert 1 <= columns <= count
    assert columns == 1 or columns * least + (columns - 1) * 20 <= width


def test_a_key_wraps_on_narrow_pages():
    heights = []
    for width in (700, 320):
        canvas = Canvas(width)
        canvas.key([KeyEntry(f"a rather long label {place}", "#000000") for place in range(6)])
        heights.append(canvas.height)
    assert heights[0] < heights[1]


@given(texts_with_anything, texts_with_anything)
def test_any_text_can_be_written(text, tip):
    canvas = Canvas(400)
    canvas.text(0, 10, text)
    canvas.point(10, 10, INK, tip=tip)
    root = ET.fromstring(canvas.svg("a", text, tip))
    kept = [re.sub("[\ufffe\uffff]", "\ufffd", one_line(each)) for each in (text, tip)]
    assert [child.text or "" for child in root[:2]] == kept
    assert texts(root) == [kept[0]] * bool(text)
    assert titles(root) == [kept[1]] * bool(tip)


def test_an_empty_canvas_is_a_drawing():
    root = ET.fromstring(Canvas(400).svg("name", "A title", "What it shows."))
    assert (root.get("width"), root.get("role")) == ("400", "img")
    assert [(child.get("id"), child.text) for child in root] == [
        ("name-title", "A title"),
        ("name-desc", "What it shows."),
    ]
    assert root.get("aria-labelledby") == "name-title name-desc"


@given(st.lists(st.tuples(st.sampled_from(["point", "text", "rect", "line"]), st.floats(0, 300)), max_size=20))
def test_marks_lie_behind_texts_and_in_their_order(marks):
    canvas = Canvas(400)
    for kind, x in marks:
        if kind == "point":
            canvas.point(x, 5, SERIES[int(x) % 2], tip=f"{kind} {x}")
        elif kind == "text":
            canvas.text(x, 5, f"{x}", size=11 + int(x) % 2)
        elif kind == "rect":
            canvas.rect(x, 0, 5, 5, INK, tip=f"{kind} {x}")
        else:
            canvas.line([(x, 0), (x, 5)], SERIES[int(x) % 2], tip=f"{kind} {x}")
    root = ET.fromstring(canvas.svg("a", "b", "c"))
    order = ["rect", "line", "point"]
    wanted = sorted(
        (f"{kind} {x}" for kind, x in marks if kind != "text"), key=lambda tip: order.index(tip.split(" ")[0])
    )
    assert titles(root) == wanted
    kinds = [element.tag for group in root.findall(f"{SVG}g") for element in group]
    assert kinds == [kind for kind in kinds if kind != f"{SVG}text"] + [f"{SVG}text"] * len(texts(root))
    assert sorted(texts(root)) == sorted(f"{x}" for kind, x in marks if kind == "text")


def test_marks_are_where_they_were_put():
    canvas = Canvas(300)
    canvas.rect(1, 2, 30, 4, INK)
    canvas.line([(0, 0), (10, math.pi)], INK)
    canvas.rule((5, 6), (7, 8), stroke=2)
    canvas.point(9, 9, INK, radius=2, shape="square")
    canvas.point(9, 9, INK, radius=2)
    canvas.text(50, 60, "turned", angle=-45, align="right", size=10)
    groups = ET.fromstring(canvas.svg("a", "b", "c")).findall(f"{SVG}g")
    marks = {element.tag.removeprefix(SVG): element.attrib for group in groups for element in group}
    assert marks["rect"] == {"x": "1", "y": "2", "width": "30", "height": "4", "fill": INK}
    assert marks["circle"] == {"cx": "9", "cy": "9", "r": "2"}
    assert marks["text"] == {"x": "50", "y": "63", "transform": "rotate(-45 50 60)"}
    assert [path.get("d") for group in groups for path in group if path.tag == f"{SVG}path"] == [
        "M5,6L7,8",
        "M0,0L10,3.1",
        "M7,7L11,7L11,11L7,11Z",
    ]
    assert len([group for group in groups if group.get("stroke-width") == "1.75"]) == 1
    assert groups[-1].get("text-anchor") == "end"
