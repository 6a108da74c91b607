"""What each item contributes to a value, against definitions, and thresholds of F1, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import average_precision_score, f1_score, precision_recall_curve

from termgauge.statistics.estimators import ESTIMATORS
from tests.conftest import tried

tables = hnp.arrays(np.float64, st.tuples(st.just(4), st.integers(4, 25)), elements=st.integers(-3, 3).map(float))


@settings(max_examples=tried(100))
@given(tables)
def test_areas_and_contributions_are_those_of_delong(table):
    scores, labels = table[:3], table[3] > 0
    assume(0 < labels.sum() < len(labels))
    high, low = scores[:, labels], scores[:, ~labels]
    won = (high[:, :, None] > low[:, None, :]) + 0.5 * (high[:, :, None] == low[:, None, :])
    found = ESTIMATORS["auc"](scores, labels * 1.0)
    np.testing.assert_allclose(found.values, won.mean(axis=(1, 2)), atol=1e-12)
    added = found.influence / len(labels)
    for kind, shares in ((labels, won.mean(axis=2)), (~labels, won.mean(axis=1))):
        expected = np.cov(shares, ddof=0) / kind.sum()
        np.testing.assert_allclose(added[:, kind] @ added[:, kind].T, expected, atol=1e-12)


@settings(max_examples=tried(80), deadline=None)
@given(tables)
def test_average_precision_is_that_of_scikit_learn_with_and_without_each_pair(table):
    scores, labels = table[:3], table[3] > 0
    assume(1 < labels.sum() < len(labels))
    n, found = len(labels), ESTIMATORS["ap"](scores, labels * 1.0)
    for value, influence, row in zip(found.values, found.influence, scores, strict=True):
        assert value == pytest.approx(average_precision_score(labels, row), abs=1e-12)
        without = [average_precision_score(np.delete(labels, i), np.delete(row, i)) for i in range(n)]
        np.testing.assert_allclose(influence, (n - 1) * (np.mean(without) - without), atol=1e-11)


@settings(max_examples=tried(80), deadline=None)
@given(tables)
def test_f1_is_that_of_the_lowest_best_threshold(table):
    scores, labels = table[:3], table[3] > 0
    assume(0 < labels.sum() < len(labels))
    for value, row in zip(ESTIMATORS["f1"](scores, labels * 1.0).values, scores, strict=True):
        precision, recall, _ = precision_recall_curve(labels, row)
        assert value == pytest.approx(max(2 * p * r / (p + r) for p, r in zip(precision, recall, strict=True) if p + r))


def test_contributions_to_f1_are_what_more_of_a_pair_adds():
    generator = np.random.default_rng(4)
    labels = generator.random(40) < 0.4
    scores = labels ^ (generator.random(40) < 0.2)
    found = ESTIMATORS["f1"](scores[None] * 1.0, labels * 1.0)
    adds = np.array([f1_score(labels, scores, sample_weight=1 + 1e-6 * np.eye(40)[pair]) for pair in range(40)])
    np.testing.assert_allclose(found.influence[0] / 40, (adds - found.values[0]) / 1e-6, atol=1e-5)
