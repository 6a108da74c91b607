from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_curve

from termgauge.statistics.separation import best_accuracy
from termgauge.tasks.pairs.sections.distributions import (
    BINS,
    FALSE_POSITIVES,
    SetScores,
    distribution_figure,
    histograms,
    roc_figure,
)
from tests.tasks.pairs.sections.drawn import check_drawing
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, RANDOM, found_of, scores_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


@pytest.fixture
def found():
    return found_of({EASY: (VALUES, []), HARD: (VALUES, []), RANDOM: (VALUES, []), HUMAN: (VALUES, [])})


def test_histograms_are_those_of_numpy(found):
    several = [scores_of(found, name, seed=place) for place, name in enumerate((EASY, HARD))]
    made = histograms(several, found.models)
    for model in found.models:
        both = np.concatenate([each.scores[model] for each in several])
        edges = np.histogram_bin_edges(both, BINS)
        for each in several:
            one = made.filter(model=model, set=each.set.id)
            assert one["low"].to_list() == edges[:-1].tolist()
            assert one["high"].to_list() == edges[1:].tolist()
            assert one["positives"].to_list() == np.histogram(each.scores[model][each.labels], edges)[0].tolist()
            assert one["negatives"].to_list() == np.histogram(each.scores[model][~each.labels], edges)[0].tolist()
            assert one["positives"].sum() + one["negatives"].sum() == len(each.labels)
            assert set(one["best_threshold"]) == {best_accuracy(each.scores[model], each.labels).thresholds[0]}


def test_a_figure_carries_its_data(found):
    group = found.groups[0]
    several = [scores_of(found, each.id, seed=place) for place, each in enumerate(group.sets)]
    figure = distribution_figure(found, group, several, found.models)
    check_drawing(figure)
    assert figure.data.height == len(several) * len(found.models) * BINS


def test_scores_that_are_all_equal_have_a_picture(found):
    group = found.groups[0]
    same = SetScores(group.sets[0], np.array([True, False]), {"good": np.array([0.5, 0.5])})
    figure = distribution_figure(found, group, [same], ["good"])
    check_drawing(figure)
    assert figure.data["positives"].sum() == figure.data["negatives"].sum() == 1


def test_roc_curves_are_those_of_scikit_learn(found):
    group = found.groups[0]
    several = [scores_of(found, each.id, seed=place) for place, each in enumerate(group.sets)]
    figure = roc_figure(group, several, found.models)
    check_drawing(figure)
    for each in several:
        for model in found.models:
            false, true, _ = roc_curve(each.labels, each.scores[model], drop_intermediate=False)
            shown = figure.data.filter(set=each.set.id, model=model)
            assert shown["false_positives"].to_list() == list(FALSE_POSITIVES)
            np.testing.assert_allclose(shown["true_positives"], np.interp(FALSE_POSITIVES, false, true), atol=1e-12)
