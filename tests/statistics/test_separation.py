"""AUC and accuracy, against scikit-learn, statsmodels and plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.separation import auc, best_accuracy, cross_validated_accuracy, stratified_folds, wilson

rows = st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=2, max_size=40)


def split(drawn):
    scores, labels = np.array([float(score) for score, _ in drawn]), np.array([label for _, label in drawn])
    assume(labels.any() and not labels.all())
    return scores, labels


@given(rows)
def test_auc_is_that_of_scikit_learn(drawn):
    scores, labels = split(drawn)
    assert auc(scores, labels).value == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)


@given(rows)
def test_best_accuracy_is_that_of_trying_every_threshold(drawn):
    scores, labels = split(drawn)
    tried = [*sorted(set(scores)), math.inf]
    right = [int(((scores >= threshold) == labels).sum()) for threshold in tried]
    found = best_accuracy(scores, labels)
    assert found.value == max(right) / len(labels)
    expected = tried[right.index(max(right))]  # the lowest of the best
    assert found.thresholds[0] == expected or (expected == math.inf and found.thresholds[0] > scores.max())
    np.testing.assert_array_equal(found.decisions, scores >= found.thresholds[0])


def test_nothing_similar_can_be_best():
    found = best_accuracy([0.9, 0.8, 0.2, 0.1], [0, 0, 0, 1])
    assert found.value == 0.75
    assert not found.decisions.any()


@pytest.mark.parametrize(("right", "n"), [(0, 7), (7, 7), (1, 30), (480, 566)])
def test_wilson_is_that_of_statsmodels(right, n):
    np.testing.assert_allclose(wilson(right, n), proportion_confint(right, n, method="wilson"), atol=1e-12)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(2, 10))
def test_folds_have_the_same_share_of_each_kind(positives, negatives, folds):
    labels = np.array([True] * positives + [False] * negatives)
    fold = stratified_folds(labels, folds)
    for part in (labels, ~labels, labels | True):
        counts = np.bincount(fold[part], minlength=folds)
        assert counts.max() - counts.min() <= 1


def test_cross_validation_decides_each_pair_without_it():
    generator = np.random.default_rng(4)
    labels = np.arange(203) % 2 == 0
    scores = labels + generator.normal(size=203)
    found = cross_validated_accuracy(scores, labels)
    fold = stratified_folds(labels, 10)
    for k, threshold in enumerate(found.thresholds):
        rest = best_accuracy(scores[fold != k], labels[fold != k])
        assert threshold == rest.thresholds[0]
        np.testing.assert_array_equal(found.decisions[fold == k], scores[fold == k] >= threshold)
    assert found.value == (found.decisions == labels).mean()
    again = cross_validated_accuracy(scores, labels)
    np.testing.assert_array_equal(found.decisions, again.decisions)


def test_cross_validation_takes_away_the_optimism_of_noise():
    generator = np.random.default_rng(0)
    labels = np.arange(60) % 2 == 0
    noise = generator.normal(size=(200, 60))
    best = np.mean([best_accuracy(scores, labels).value for scores in noise])
    crossed = np.mean([cross_validated_accuracy(scores, labels).value for scores in noise])
    assert best > 0.57
    assert abs(crossed - 0.5) < 0.03


@pytest.mark.long
def test_intervals_of_auc_hold_the_true_value_as_often_as_they_say():
    generator = np.random.default_rng(8)
    labels = np.arange(160) % 2 == 0
    true = 0.5 * math.erfc(-1 / 2)  # of two normals one standard deviation apart
    held = 0
    for _ in range(600):
        found = auc(labels + generator.normal(size=160), labels)
        held += found.low <= true <= found.high
    assert abs(held / 600 - 0.95) < 3 * math.sqrt(0.95 * 0.05 / 600)


def test_perfect_separation_and_constant_scores():
    assert auc([3, 4, 1, 2], [1, 1, 0, 0])[:3] == (1, 1, 1)
    assert auc([5, 5, 5, 5], [1, 1, 0, 0])[:3] == (0.5, 0.5, 0.5)
    assert best_accuracy([5, 5, 5, 5], [1, 1, 0, 0]).value == 0.5


def test_one_pair_of_each_kind_has_an_area_but_no_interval():
    found = auc([1, 0], [1, 0])
    assert found.value == 1
    assert math.isnan(found.low)
    assert cross_validated_accuracy([1, 0], [1, 0]).n == 2


@pytest.mark.parametrize("statistic", [auc, best_accuracy, cross_validated_accuracy])
@pytest.mark.parametrize(
    ("scores", "labels", "words"),
    [
        ([0.1, math.nan], [1, 0], "missing"),
        ([0.1, 0.2], [0, 0], "no positive pair"),
        ([0.1], [1], "no negative pair"),
        ([0.1, 0.2], [1, 2], "1 \\(similar\\) or 0"),
        ([0.1, 0.2], [1, 0, 1], "2 scores for 3 pairs"),
    ],
)
def test_bad_input_is_told_in_one_sentence(statistic, scores, labels, words):
    with pytest.raises(TermgaugeError, match=words):
        statistic(scores, labels)
