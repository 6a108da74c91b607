"""Dots, lines and maps show the numbers of the result, and each is drawn narrow and wide."""

from __future__ import annotations

import pytest

from termgauge.reporting.plots.drawing import svg
from termgauge.tasks.coverage.sections import lines_figure, map_figure, values_figure
from tests.tasks.coverage.made_up import result_of, three_models, words
from tests.tasks.pairs.sections.drawn import check_drawing


@pytest.fixture(scope="module")
def result():
    return three_models()


def test_values(result):
    figure = values_figure("lungs", result, ["full", "half"], 5)
    check_drawing(figure)
    assert figure.data["posdcg"].to_list() == [result.models[name].at(5).posdcg for name in ("full", "half")]
    assert "full: 100 % in vocabulary, posDCG " in figure.description
    assert "names of the terminology" not in figure.caption
    assert "names of the terminology" in values_figure("lungs", result, ["encoder"], 5).caption
    assert svg(figure).count("full: ") == 1 + 3  # described, and a tip on each of its dots


def test_lines(result):
    figure = lines_figure("lungs", result, ["full", "half"])
    check_drawing(figure)
    assert figure.data.rows() == [
        (name, k, result.models[name].at(k).posdcg) for name in ("full", "half") for k in (5, 10)
    ]
    assert f"full, k = 5: {result.models['full'].at(5).posdcg:.3f}" in svg(figure)


def test_of_many_models_the_best_have_lines():
    names = [f"m{place}" for place in range(12)]
    result = result_of([words(name, 40, seed=place) for place, name in enumerate(names)], k=(2, 4))
    figure = lines_figure("lungs", result, names)
    assert "the best 8 models" in figure.caption
    assert figure.data["model"].n_unique() == 12
    assert "m8, k = 2" not in svg(figure)


def test_maps(result):
    figure = map_figure("lungs", result, "half", folded=True)
    check_drawing(figure)
    assert figure.folded
    seeds = figure.data.filter("seed")
    assert sorted(seeds["term"]) == sorted(f"w{place}" for place in range(15))
    assert f"15 seeds and {figure.data.height - 15} of their neighbours" in figure.caption
    assert "w3: w3 (c3)" in svg(figure)
