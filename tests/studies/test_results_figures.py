"""Plots of a similarity study: nothing lies outside or on top of another, and every rating is drawn."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from termgauge.studies.results.compute import DisputedPair
from termgauge.studies.results.sections import disputed_figure, spread_figure, times_figure
from tests.reporting.plots.marks import outside, overlapping, titles

WIDTHS = [320, 720]
LONG = "a very long term of many words, longer than any room"


def drawn(figure, width):
    return ET.fromstring(figure.draw(width).svg("a", figure.caption, figure.description))


def figures():
    counts = [{"rating": float(rating), "count": rating * 30} for rating in range(7)]
    disputed = [
        DisputedPair(pair=str(at), word1=f"{LONG} {at}", word2="b", n=3, mean=3.0, sd=3.0, ratings=[0.0, 3.0, 6.0, 6.0])
        for at in range(20)
    ]
    times = [{"rater": f"r{at}", "pairs": 9, "median": at + 1.5, "low": at + 1.0, "high": at + 2.0} for at in range(12)]
    return {
        "spread": spread_figure(counts, [at / 2 for at in range(21)]),
        "disputed": disputed_figure(disputed),
        "times": times_figure(times, ["r3"]),
    }


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["spread", "disputed", "times"])
def test_everything_is_drawn_inside(name, width):
    root = drawn(figures()[name], width)
    assert outside(root) == []
    assert overlapping(root) == []


def test_each_rating_of_a_disputed_pair_is_drawn_once():
    root = drawn(figures()["disputed"], 720)
    assert len([tip for tip in titles(root) if f"{LONG} 0 / b" in tip and "gave" in tip]) == 3
    assert any("two raters gave 6" in tip for tip in titles(root))


def test_figures_carry_what_they_draw():
    found = figures()
    assert found["spread"].data.filter(found["spread"].data["what"] == "rating")["count"].sum() == 30 * 21
    assert found["times"].data["rater"].to_list()[0] == "r0"
    assert "r11" in found["times"].description


def test_of_many_raters_the_fastest_are_drawn():
    times = [{"rater": f"r{at}", "pairs": 9, "median": 1000.0 - at, "low": 1.0, "high": 2.0} for at in range(700)]
    figure = times_figure(times, [])
    assert figure.draw(720).height < 1200
    assert figure.data.height == 700
    assert "The fastest 40 of 700." in figure.caption


def test_ratings_of_any_step_have_columns():
    counts = [{"rating": rating, "count": 2} for rating in (0.0, 0.5, 2.0)]
    assert outside(drawn(spread_figure(counts, [5.0]), 320)) == []
    assert outside(drawn(spread_figure([{"rating": 1.0, "count": 2}], []), 320)) == []
