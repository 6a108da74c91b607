from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from termgauge.tasks.pairs.sections.curves import MOST_POINTS, TOLERANCE, SetScores, roc_curve, roc_figure, thinned
from tests.tasks.pairs.sections.drawn import check_drawing
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, RANDOM, found_of, scores_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


@pytest.fixture
def found():
    return found_of({EASY: (VALUES, []), HARD: (VALUES, []), RANDOM: (VALUES, []), HUMAN: (VALUES, [])})


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=60))
def test_the_curve_is_that_of_scikit_learn(pairs):
    scores = np.array([score / 3 for score, _ in pairs])
    labels = np.array([label for _, label in pairs])
    if 0 < labels.sum() < len(labels):
        false, true, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
        found = roc_curve(scores, labels)
        assert np.allclose(found[0], false)
        assert np.allclose(found[1], true)


@settings(max_examples=25, deadline=None)
@given(st.integers(50, 20_000), st.floats(-1, 3), st.integers(0, 5))
def test_a_thinned_curve_looks_the_same(size, apart, seed):
    generator = np.random.default_rng(seed)
    labels = generator.random(size) < 0.5
    labels[:2] = True, False
    x, y = roc_curve(generator.normal(labels * apart), labels)
    kept = thinned(x, y)
    assert len(kept) <= MOST_POINTS
    assert (kept[0], kept[-1]) == (0, len(x) - 1)
    assert np.all(np.diff(kept) > 0)
    # Curves rise: how far one is from the other is measured along the diagonal, where both are functions.
    along = (x + y) / 2
    off = np.interp(along, along[kept], (y - x)[kept]) - (y - x)
    most = TOLERANCE if len(kept) < MOST_POINTS else 0.02
    assert np.abs(off).max() / np.sqrt(2) <= most + 0.001
    assert abs(np.trapezoid(y[kept], x[kept]) - np.trapezoid(y, x)) < 0.005


def test_areas_are_those_of_the_results(found):
    group = found.groups[0]
    several = [scores_of(found, each.id, seed=place) for place, each in enumerate(group.sets)]
    curves = roc_figure(found, group, several, found.models)
    check_drawing(curves)
    assert curves.data.group_by("set", "model").len()["len"].max() <= MOST_POINTS
    own = curves.data.filter(pl.col("set") == EASY).unique(["model", "auc"])
    assert dict(own.select("model", "auc").iter_rows()) == VALUES
    assert "the greatest area is that of good, 0.900, the smallest 0.600" in curves.description
    assert roc_figure(found, group, [], found.models) is None


def test_scores_that_are_all_equal_have_a_curve(found):
    group = found.groups[0]
    same = SetScores(group.sets[0], np.array([True, False]), {"good": np.array([0.5, 0.5])})
    figure = roc_figure(found, group, [same], ["good"])
    check_drawing(figure)
    assert figure.data.select("false_positives", "true_positives").rows() == [(0.0, 0.0), (1.0, 1.0)]
