from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from termgauge.statistics.separation import best_accuracy
from termgauge.tasks.pairs.sections.distributions import BINS, binned, distribution_figure
from termgauge.tasks.pairs.sections.pictured import score_sections
from termgauge.tasks.pairs.sections.roc import MOST_POINTS, TOLERANCE, roc_curve, roc_figure, thinned
from termgauge.tasks.pairs.sections.scores import SetScores, chosen_models
from termgauge.tasks.records import ModelRecord
from tests.tasks.pairs.sections.drawn import check_drawing
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, RANDOM, found_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


def scores_of(found, name, size=400, seed=0):
    generator = np.random.default_rng(seed)
    labels = np.arange(size) % 2 == 0
    each = next(one for one in found.sets if one.id == name)
    return SetScores(each, labels, {model: generator.normal(labels * 1.0, 0.7) for model in found.models})


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


def test_histograms_are_those_of_numpy(found):
    several = [scores_of(found, name, seed=place) for place, name in enumerate((EASY, HARD))]
    for model in found.models:
        parts = binned(several, model)
        both = np.concatenate([each.scores[model] for each in several])
        edges = np.histogram_bin_edges(both, BINS)
        for each in several:
            one = parts[each.set.id]
            assert np.allclose(one.edges, edges)
            assert one.positives.tolist() == np.histogram(each.scores[model][each.labels], one.edges)[0].tolist()
            assert one.negatives.tolist() == np.histogram(each.scores[model][~each.labels], one.edges)[0].tolist()
            assert int(one.positives.sum() + one.negatives.sum()) == len(each.labels)
            assert one.threshold == best_accuracy(each.scores[model], each.labels).thresholds[0]


def test_scores_that_are_all_equal_have_a_picture(found):
    group = found.groups[0]
    same = SetScores(group.sets[0], np.array([True, False]), {"good": np.array([0.5, 0.5])})
    for made in (distribution_figure, roc_figure):
        check_drawing(made(found, group, [same], ["good"]))


def test_figures_draw_and_carry_their_data(found):
    group = found.groups[0]
    several = [scores_of(found, each.id, seed=place) for place, each in enumerate(group.sets)]
    histograms = distribution_figure(found, group, several, found.models)
    check_drawing(histograms)
    assert histograms.data.height == len(several) * len(found.models) * BINS
    curves = roc_figure(found, group, several, found.models)
    check_drawing(curves)
    assert curves.data.group_by("set", "model").len()["len"].max() <= MOST_POINTS
    own = curves.data.filter(pl.col("set") == EASY).unique(["model", "auc"])
    assert dict(own.select("model", "auc").iter_rows()) == VALUES
    assert distribution_figure(found, group, [], found.models) is None
    assert roc_figure(found, group, [], found.models) is None


def test_sections_read_one_group_at_a_time_and_no_rated_sets(found):
    asked = []

    def read(each, models):
        asked.append(each.id)
        assert set(models) == set(VALUES)
        return scores_of(found, each.id)

    sections = score_sections(found, read)
    assert asked == [RANDOM, EASY, HARD]
    assert [section.id for section in sections] == ["scores", "roc"]
    assert score_sections(found, lambda *_: None) == []


def test_only_the_largest_groups_are_pictured():
    sets = {f"hp/{kind}/easy/random": (VALUES, []) for kind in ("fsn-syn", "syn-syn", "same-as")}
    found = found_of(sets)
    sections = score_sections(found, lambda each, _models: scores_of(found, each.id), most=2)
    every = score_sections(found, lambda each, _models: scores_of(found, each.id), most=3)
    for section, whole in zip(sections, every, strict=True):
        assert [figure.folded for figure in section.blocks[1:]] == [False, True]
        assert [figure.folded for figure in whole.blocks[1:]] == [False, True, True]
        assert "The smallest groups of sets, 1 in number, are not pictured." in section.blocks[0].paragraphs[0]
        assert "not pictured" not in whole.blocks[0].paragraphs[0]


def test_of_many_models_the_best_and_a_baseline_are_pictured():
    known = {f"m{place}": ModelRecord(kind="terms", scheme="onnx") for place in range(20)}
    known["edit"] = ModelRecord(kind="terms", scheme="baseline:levenshtein")
    found = found_of({EASY: ({name: 0.9 - place / 100 for place, name in enumerate(known)}, [])}, known)
    chosen = chosen_models(found, found.sets)
    assert chosen == [*(f"m{place}" for place in range(7)), "edit"]
    figure = roc_figure(found, found.groups[0], [scores_of(found, EASY)], chosen)
    assert "13 more" in figure.caption
    check_drawing(figure)
