from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from termgauge.tasks.prediction.sections import scatter_figures
from tests.reporting.plots.marks import outside, overlapping, texts, titles
from tests.tasks.prediction.made_scores import INTRINSIC, MODELS, result


def drawn(figure, width=720):
    return ET.fromstring(figure.draw(width).svg("a", "b", "c"))


@pytest.mark.parametrize("width", [320, 720])
def test_every_model_with_both_scores_is_a_point(width):
    lacking = {**INTRINSIC, "short": [0.1, 0.2, 0.3, None, None, None, None]}
    figures = list(scatter_figures("", result(intrinsic=lacking)))
    assert [figure.folded for figure in figures] == [False, True]
    for figure in figures:
        root = drawn(figure, width)
        assert len(titles(root)) == figure.data.height == 7 + 7 + 3
        assert outside(root) == overlapping(root) == []
        assert "rho = " in " ".join(texts(root))
        assert all(model in texts(root) for model in MODELS)


def test_undefined_correlations_have_points_without_rho():
    figure = next(scatter_figures("", result(intrinsic={"same": [1] * 7, "umnsrs": INTRINSIC["umnsrs"]})))
    assert "same, n = 7" in texts(drawn(figure))
