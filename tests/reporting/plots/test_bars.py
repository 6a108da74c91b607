"""Bars and columns: everything is drawn inside, nothing on top of another, and lengths are in proportion."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.reporting.plots.bars import Column, Columns, StackedBars
from termgauge.reporting.plots.canvas import NEGATIVE, POSITIVE, QUIET, KeyEntry
from tests.reporting.plots.marks import SVG, outside, overlapping, titles

PARTS = [KeyEntry("same", POSITIVE, "square"), KeyEntry("no majority", QUIET, "square"), KeyEntry("not", NEGATIVE)]
widths = st.sampled_from([320, 500, 720])
counts = st.lists(st.integers(0, 30), min_size=3, max_size=3)


def drawn(plot, width):
    return ET.fromstring(plot.draw(width).svg("a", "b", "c"))


def rects(root):
    return [(float(each.get("x")), float(each.get("width"))) for each in root.iter(f"{SVG}rect")]


@given(st.dictionaries(st.text("abcXYZ -", min_size=1, max_size=40), counts, min_size=1, max_size=8), widths)
def test_bars_stay_inside_and_name_their_parts(bars, width):
    plot = StackedBars([("Positives", bars), ("Negatives", bars)], list(bars), PARTS, "per cent")
    root = drawn(plot, width)
    assert outside(root) == []
    assert overlapping(root) == []
    assert len(titles(root)) == 2 * sum(bool(count) for each in bars.values() for count in each)


def test_parts_are_in_proportion_and_fill_the_bar():
    root = drawn(StackedBars([("", {"a": (1, 0, 3)})], ["a"], PARTS, "per cent"), 720)
    (first, wide), (second, wider) = rects(root)
    assert first + wide == pytest.approx(second, abs=0.2)
    assert wider == pytest.approx(3 * wide, rel=0.01)
    assert titles(root) == ["a, same: 1 of 4 (25 %)", "a, not: 3 of 4 (75 %)"]


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=24), st.integers(1, 3), widths)
def test_columns_stay_inside(heights, panels, width):
    bars = [Column(at - 0.5, at + 0.5, height, f"{at}: {height}") for at, height in enumerate(heights)]
    root = drawn(Columns([(f"panel {at}", "rating", bars) for at in range(panels)]), width)
    assert outside(root) == []
    assert overlapping(root) == []
    assert len(titles(root)) == panels * sum(bool(height) for height in heights)


def test_a_column_is_as_high_as_it_counts():
    bars = [Column(0, 1, 10, "a"), Column(1, 2, 5, "b"), Column(2, 3, 0)]
    root = drawn(Columns([("ratings", "score", bars)], marks=[1.5]), 400)
    high, low = (float(each.get("height")) for each in root.iter(f"{SVG}rect"))
    assert high == pytest.approx(2 * low, abs=0.2)
