"""Accuracy at thresholds, against statsmodels and plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.separation import best_accuracy, cross_validated_decisions, stratified_folds, wilson

rows = st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=2, max_size=40)


def split(drawn):
    scores, labels = np.array([float(score) for score, _ in drawn]), np.array([label for _, label in drawn])
    assume(labels.any() and not labels.all())
    return scores, labels


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
    found = cross_validated_decisions(scores, labels, concepts=concepts)
    fold = stratified_folds(labels, 10, groups=concepts)
    for k in range(10):
        kept = fold != k
        # Both kinds count as in the whole set: a threshold that is best for shares of right decisions weighed so.
        shares = [labels.mean(), 1 - labels.mean()]

        def weighed(at, kept=kept, shares=shares):
            called = scores[kept] >= at
            return shares[0] * called[labels[kept]].mean() + shares[1] * (~called[~labels[kept]]).mean()

        values = {at: weighed(at) for at in [*scores[kept], math.inf]}
        best = [at for at, value in values.items() if value == pytest.approx(max(values.values()))]
        assert any((found[fold == k] == (scores[fold == k] >= at)).all() for at in best)


def test_cross_validation_decides_each_pair_without_it():
    generator = np.random.default_rng(4)
    labels = np.arange(203) % 2 == 0
    scores = labels + generator.normal(size=203)
    found = cross_validated_decisions(scores, labels)
    fold = stratified_folds(labels, 10)
    for k in range(10):
        rest = best_accuracy(scores[fold != k], labels[fold != k])
        np.testing.assert_array_equal(found[fold == k], scores[fold == k] >= rest.thresholds[0])
    np.testing.assert_array_equal(found, cross_validated_decisions(scores, labels))
    assert len(cross_validated_decisions(np.array([1.0, 0.0]), np.array([True, False]))) == 2


def test_cross_validation_takes_away_the_optimism_of_noise():
    generator = np.random.default_rng(0)
    labels = np.arange(60) % 2 == 0
    noise = generator.normal(size=(200, 60))
    best = np.mean([best_accuracy(scores, labels).value for scores in noise])
    crossed = np.mean([(cross_validated_decisions(scores, labels) == labels).mean() for scores in noise])
    assert best > 0.57
    assert abs(crossed - 0.5) < 0.03
    assert best_accuracy([5, 5, 5, 5], [1, 1, 0, 0]).value == 0.5


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
def test_bad_input_is_told_in_one_sentence(scores, labels, words):
    with pytest.raises(TermgaugeError, match=words):
        best_accuracy(scores, labels)
