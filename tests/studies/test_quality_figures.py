"""Plots of a quality study: nothing lies outside, in any width."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import polars as pl
import pytest

from termgauge.studies.quality.compute import quality_of
from termgauge.studies.quality.sections import measures_figure
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
def test_everything_is_drawn_inside(found, width):
    names = {each.set: f"a long name of a set, {each.set}" for each in found.sets}
    figure = measures_figure(found, names)
    root = ET.fromstring(figure.draw(width).svg("a", figure.caption, figure.description))
    assert outside(root) == []
    assert overlapping(root) == []
    assert titles(root)
