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
from termgauge.statistics.delong import delong
from termgauge.statistics.dependence import Dependence
from termgauge.statistics.separation import (
    auc,
    best_accuracy,
    cross_validated_accuracy,
    share_interval,
    stratified_folds,
    wilson,
)

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


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=2, max_size=80), st.integers(2, 5))
def test_folds_do_not_split_groups(drawn, folds):
    groups, labels = (np.array(column) for column in zip(*drawn, strict=True))
    fold = stratified_folds(labels, folds, groups=groups)
    if len(set(groups)) < folds:
        np.testing.assert_array_equal(fold, stratified_folds(labels, folds))
    else:
        assert all(len(set(fold[groups == group])) == 1 for group in groups)
        assert set(fold) == set(range(folds))  # an empty one has the least of both kinds


def test_folds_of_groups_are_balanced():
    generator = np.random.default_rng(6)
    sizes = generator.integers(1, 29, 300)
    groups = np.repeat(np.arange(300), sizes)
    labels = generator.random(len(groups)) < 0.4
    fold = stratified_folds(labels, 10, groups=groups)
    for part in (labels, ~labels):
        counts = np.bincount(fold[part], minlength=10)
        assert counts.max() - counts.min() <= 0.05 * counts.mean()
    assert (fold != stratified_folds(labels, 10, 1, groups)).any()


def test_cross_validation_by_concept_decides_no_pair_with_its_concept():
    generator = np.random.default_rng(7)
    concepts = np.repeat(np.arange(40), 6)
    labels = generator.random(240) < 0.5
    scores = labels + generator.normal(size=240)
    shared = Dependence.from_concepts(concepts, [None] * 240)
    found = cross_validated_accuracy(scores, labels, shared=shared)
    fold = stratified_folds(labels, 10, groups=shared.first)
    for k, threshold in enumerate(found.thresholds):
        kept = fold != k
        # Both kinds count as in the whole set: a threshold that is best for shares of right decisions weighed so.
        shares = [labels.mean(), 1 - labels.mean()]

        def weighed(at, kept=kept, shares=shares):
            called = scores[kept] >= at
            return shares[0] * called[labels[kept]].mean() + shares[1] * (~called[~labels[kept]]).mean()

        best = max(weighed(at) for at in [*scores[kept], math.inf])
        assert weighed(threshold) == pytest.approx(best)
        np.testing.assert_array_equal(found.decisions[fold == k], scores[fold == k] >= threshold)


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


@given(rows, st.floats(0.001, 0.3))
def test_the_interval_of_an_area_holds_it_and_is_never_empty(drawn, alpha):
    scores, labels = split(drawn)
    assume(2 <= labels.sum() <= len(labels) - 2)
    value, low, high = auc(scores, labels, alpha=alpha)
    assert 0 <= low <= value <= high <= 1
    assert low < high
    turned = auc(-scores, labels, alpha=alpha)
    assert turned[:3] == pytest.approx((1 - value, 1 - high, 1 - low), abs=1e-9)
    alone = auc(scores, labels, alpha=alpha, shared=Dependence.from_concepts(range(len(scores)), [None] * len(scores)))
    assert alone.low <= low + 1e-12
    assert alone.high >= high - 1e-12


def test_with_many_pairs_the_interval_of_an_area_is_nearly_that_of_delong():
    labels = np.arange(20_000) % 2 == 0
    scores = labels + np.random.default_rng(1).normal(size=20_000)
    value, low, high = auc(scores, labels)
    error = math.sqrt(delong(scores[None], labels).variance(0))
    np.testing.assert_allclose([low, high], [value - 1.96 * error, value + 1.96 * error], atol=0.03 * error)


def test_perfect_separation_and_constant_scores():
    value, low, high = auc([3, 4, 1, 2], [1, 1, 0, 0])
    assert (value, high) == (1, 1)
    assert 0.3 < low < 0.5
    value, low, high = auc([5, 5, 5, 5], [1, 1, 0, 0])
    assert value == 0.5
    assert 0 < low < 0.3 < 0.7 < high < 1
    assert best_accuracy([5, 5, 5, 5], [1, 1, 0, 0]).value == 0.5


def test_a_perfect_area_on_eight_pairs_is_not_certain():
    value, low, high = auc([8, 7, 6, 5, 4, 3, 2, 1], [1, 1, 1, 1, 0, 0, 0, 0])
    assert (value, high) == (1, 1)
    assert 0.4 < low < 0.8


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=40))
def test_the_interval_of_a_share_of_pairs_that_share_concepts_is_no_shorter(drawn):
    concepts, right = (np.array(column) for column in zip(*drawn, strict=True))
    n = len(right)
    shared = Dependence.from_concepts(concepts, [None] * n)
    low, high = share_interval(right, 0.05, shared)
    plain = share_interval(right, 0.05)
    assert plain == wilson(int(right.sum()), n)
    assert low <= plain.low + 1e-12
    assert high >= plain.high - 1e-12
    alone = share_interval(right, 0.05, Dependence.from_concepts(range(n), [None] * n))
    assert alone == pytest.approx(wilson(int(right.sum()), n, freedom=max(1, n - 1)))
    if right.all():  # as if each concept had been asked once
        expected = wilson(shared.effective, shared.effective, freedom=max(1, shared.effective - 1))
        assert (low, high) == pytest.approx(expected)


def test_one_error_does_not_make_an_interval_shorter_than_none():
    shared = Dependence.from_concepts(np.repeat(np.arange(50), 20), [None] * 1000)
    right = np.ones(1000, bool)
    without = share_interval(right, 0.05, shared)
    right[0] = False
    one = share_interval(right, 0.05, shared)
    assert one.high - one.low > 0.5 * (without.high - without.low)


def test_one_pair_of_each_kind_has_an_area_but_no_interval():
    found = auc([1, 0], [1, 0])
    assert found.value == 1
    assert math.isnan(found.low)
    assert len(cross_validated_accuracy([1, 0], [1, 0]).decisions) == 2


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
