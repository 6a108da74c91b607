from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from termgauge.engine.diff import RunDiff, diff_document
from termgauge.reporting.plots.canvas import ACCENT, QUIET
from termgauge.reporting.plots.drawing import svg, themed
from termgauge.tasks.changes import SetChange, ValueChange
from tests.reporting.plots.marks import SVG, outside, overlapping, titles

SETS = ("hp-2025-01-16/fsn-syn/hard/levenshtein", "hp-2025-01-16/syn-syn/easy/random")


def change(model, name, after, *, significant):
    return ValueChange(
        model, name, ("avg_cos", "avg_cos"), "auc", 0.7, after, 900, (1.0, 1.0), paired=True, identical=False,
        test="DeLong", low=after - 0.72, high=after - 0.68, p_value=0.01, adjusted_p=0.04, significant=significant,
    )  # fmt: skip


@pytest.fixture(scope="module")
def figure():
    values = [
        change(model, name, 0.85 - 0.1 * place, significant=place != 1)
        for place, model in enumerate(("bge-small", "glove", "a model with a name that is longer than most"))
        for name in SETS
    ]
    sets = tuple(SetChange(name, name, "same", (900, 900)) for name in SETS)
    (drawn,) = diff_document(RunDiff(("a", "b"), 0.05, "holm", 6, (), (), sets, tuple(values), ())).figures()
    return drawn


@pytest.mark.parametrize("width", [320, 720])
def test_changes_are_drawn_with_significant_ones_in_colour(figure, width):
    root = ET.fromstring(svg(figure, width))
    assert outside(root) == []
    assert overlapping(root) == []
    colours = {
        circle.find(f"{SVG}title").text.split(",")[0]: group.get("fill")
        for group in root.findall(f"{SVG}g")
        for circle in group.findall(f"{SVG}circle")
    }
    assert colours == {
        "bge-small": ACCENT,
        "glove": QUIET,
        "a model with a name that is longer than most": ACCENT,
    }
    assert len(titles(root)) == 6
    assert "var(--quiet" in themed(svg(figure, width))


def test_the_data_say_which_are_significant(figure):
    assert figure.data.columns[-1] == "significant"
    assert figure.data.filter("significant")["model"].unique().len() == 2
