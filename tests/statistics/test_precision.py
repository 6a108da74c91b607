"""Average precision and F1: equal to scikit-learn's, jackknifed by leaving pairs out, and intervals that make sense."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import average_precision_score, f1_score, precision_recall_curve

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.dependence import Dependence
from termgauge.statistics.precision import (
    average_precision,
    best_f1,
    best_threshold,
    cross_validated_decisions,
    f1_of,
    precisions_and_losses,
)
from tests.conftest import tried

sizes = st.shared(st.integers(4, 30), key="n")
scores_with_ties = hnp.arrays(np.float64, sizes, elements=st.integers(-5, 5).map(lambda each: each / 7))
labelled = hnp.arrays(np.bool_, sizes)


@settings(max_examples=tried(80), deadline=None)
@given(scores_with_ties, labelled)
def test_values_are_those_of_scikit_learn(scores, labels):
    assume(0 < labels.sum() < len(labels))
    assert average_precision(scores, labels).value == pytest.approx(average_precision_score(labels, scores), abs=1e-12)
    precision, recall, _ = precision_recall_curve(labels, scores)
    highest = max(2 * p * r / (p + r) for p, r in zip(precision, recall, strict=True) if p + r)
    found = best_f1(scores, labels)
    assert found.value == pytest.approx(highest, abs=1e-12)
    assert f1_score(labels, found.decisions) == pytest.approx(highest, abs=1e-12)
    np.testing.assert_array_equal(found.decisions, scores >= found.thresholds[0])
    lower = scores[scores < found.thresholds[0]]
    assert all(f1_score(labels, scores >= each) < found.value - 1e-12 for each in set(lower.tolist()))


@settings(max_examples=40, deadline=None)
@given(scores_with_ties, labelled)
def test_contributions_are_those_of_leaving_pairs_out(scores, labels):
    assume(1 < labels.sum() < len(labels))
    (value,), (lost,) = precisions_and_losses(scores[None], labels)
    without = [average_precision_score(np.delete(labels, i), np.delete(scores, i)) for i in range(len(labels))]
    np.testing.assert_allclose(value - lost, without, atol=1e-12)


def test_contributions_to_f1_are_what_more_of_a_pair_adds():
    generator = np.random.default_rng(4)
    labels = generator.random(40) < 0.4
    decisions = labels ^ (generator.random(40) < 0.2)
    found = f1_of(decisions[None], labels)
    adds = np.array([f1_score(labels, decisions, sample_weight=1 + 1e-6 * np.eye(40)[pair]) for pair in range(40)])
    adds = (adds - found.values[0]) / 1e-6
    for kind in (labels, ~labels):
        n = kind.sum()
        centred = (adds[kind] - adds[kind].mean()) * np.sqrt(n / (n - 1))
        np.testing.assert_allclose(found.influence[0, kind], centred, atol=1e-5)


@pytest.mark.parametrize("statistic", [average_precision, best_f1])
def test_intervals_hold_the_value_and_stay_in_range(statistic):
    generator = np.random.default_rng(5)
    for n in (6, 20, 400):
        labels = np.arange(n) % 2
        value, low, high = statistic(labels * 0.8 + generator.normal(size=n), labels)[:3]
        assert 0 <= low < value < high <= 1
    perfect = statistic(np.arange(20.0), np.arange(20) >= 10)
    assert perfect[:1] + perfect[2:3] == (1.0, 1.0)
    assert 0.5 < perfect.low < 0.9  # ten pairs of either kind do not prove perfection
    assert statistic(np.arange(2000.0), np.arange(2000) >= 1000).low > 0.99
    assert all(math.isnan(end) for end in statistic([0.2, 0.5, 0.1], [0, 1, 0])[1:3])


@pytest.mark.parametrize("statistic", [average_precision, best_f1])
def test_pairs_of_one_concept_count_as_one(statistic):
    generator = np.random.default_rng(6)
    labels = np.tile(np.arange(80) % 2, 4)
    scores = np.tile(np.arange(80) % 2 + generator.normal(size=80), 4)
    alone = statistic(scores, labels)
    shared = statistic(scores, labels, shared=Dependence.from_concepts(np.tile(np.arange(80), 4), [None] * 320))
    assert alone.value == shared.value
    assert shared.high - shared.low == pytest.approx(2 * (alone.high - alone.low), rel=0.15)


def test_thresholds_from_cross_validation():
    generator = np.random.default_rng(7)
    labels = generator.random(300) < 0.3
    scores = labels + generator.normal(size=300)
    crossed = cross_validated_decisions(scores, labels)
    assert f1_score(labels, crossed) <= best_f1(scores, labels).value
    assert f1_score(labels, crossed) > 0.5
    lowest = scores[crossed].min(), scores[~crossed].max()
    assert lowest[1] - lowest[0] < 1  # thresholds of all folds are near each other
    assert best_threshold(scores, labels, weight=100.0) < best_threshold(scores, labels)


@pytest.mark.parametrize("statistic", [average_precision, best_f1])
def test_labels_of_one_kind_are_refused(statistic):
    with pytest.raises(TermgaugeError, match="no negative pair"):
        statistic([0.1, 0.2], [1, 1])
