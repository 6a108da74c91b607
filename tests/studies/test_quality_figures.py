"""Plots of a quality study: nothing lies outside, and the bars hold the counts."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import polars as pl
import pytest

from termgauge.studies.quality.compute import quality_of
from termgauge.studies.quality.sections import measures_figure, truths_figure
from tests.reporting.plots.marks import outside, overlapping, titles
from tests.studies.made_ratings import quality_ratings


@pytest.fixture(scope="module")
def found():
    said = ["SSS", "SSN", "SNN", "NNN", "NNN", "SND"] * 8
    key = pl.DataFrame(
        {
            "pair": [str(at) for at in range(1, 49)],
            "set": [f"hp/fsn-syn/{'easy' if at < 24 else 'hard'}/random" for at in range(48)],
            "label": [1, 1, 1, 0, 0, 0] * 8,
        }
    )
    return quality_of(quality_ratings(said), key, resamples=200)


@pytest.mark.parametrize("width", [320, 720])
@pytest.mark.parametrize("make", [measures_figure, truths_figure])
def test_everything_is_drawn_inside(found, make, width):
    names = {each.set: f"a long name of a set, {each.set}" for each in found.sets}
    figure = make(found, names)
    root = ET.fromstring(figure.draw(width).svg("a", figure.caption, figure.description))
    assert outside(root) == []
    assert overlapping(root) == []
    assert titles(root)


def test_bars_hold_the_counts(found):
    figure = truths_figure(found, {each.set: each.set for each in found.sets})
    for each in found.sets:
        positives, negatives = figure.data.filter(pl.col("set") == each.set).sort("label", descending=True).rows()
        assert positives[2:] == (each.tp, each.positives - each.tp - each.fp, each.fp)
        assert negatives[2:] == (each.fn, each.negatives - each.fn - each.tn, each.tn)
