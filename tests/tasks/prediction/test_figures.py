from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from termgauge.tasks.prediction.sections import heat_figure, row_title, scatter_figures, task_title
from tests.reporting.plots.marks import outside, overlapping, texts, titles
from tests.tasks.prediction.made_scores import INTRINSIC, MODELS, result


def drawn(figure, width=720):
    return ET.fromstring(figure.draw(width).svg("a", "b", "c"))


def test_the_heat_map_has_a_star_where_it_is_significant():
    found = result(intrinsic={**INTRINSIC, "rising": [1, 2, 3, 4, 5, 6, 7]}, extrinsic={"f": [1, 2, 3, 4, 5, 8, 6]})
    figure = heat_figure("both", found)
    printed = texts(drawn(figure))
    assert f"{found.cells[-1].rho:.3f}*".removeprefix("0") in printed
    assert "f (n = 7)" in printed
    assert sum("*" in text for text in printed) == sum(cell.significant for cell in found.cells) == 1
    assert figure.data.columns == ["benchmark", "task", "rho", "n", "significant"]
    assert "The highest is rising and f, rho = 0.96" in figure.description
    assert "does not show that there is no correlation" in figure.caption


@pytest.mark.parametrize("width", [320, 720])
def test_every_model_with_both_scores_is_a_point(width):
    lacking = {**INTRINSIC, "short": [0.1, 0.2, 0.3, None, None, None, None]}
    figures = scatter_figures("", result(intrinsic=lacking))
    assert [figure.folded for figure in figures] == [False, True]
    for figure in figures:
        root = drawn(figure, width)
        assert len(titles(root)) == figure.data.height == 7 + 7 + 3
        assert outside(root) == overlapping(root) == []
        assert "rho = " in " ".join(texts(root))
        assert all(model in texts(root) for model in MODELS)


def test_numbers_of_models_stand_where_they_differ():
    same = result()
    assert (task_title(same, "anatem"), row_title(same, "umnsrs")) == ("anatem (n = 7)", "umnsrs")
    other = result(intrinsic={**INTRINSIC, "short": [0.1, 0.2, 0.3, None, None, None, None]})
    assert (task_title(other, "anatem"), row_title(other, "short")) == ("anatem", "short (n = 3)")


def test_undefined_correlations_have_points_without_rho():
    figure = scatter_figures("", result(intrinsic={"same": [1] * 7, "umnsrs": INTRINSIC["umnsrs"]}))[0]
    assert "n = 7" in texts(drawn(figure))
