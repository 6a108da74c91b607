"""DeLong's covariance and test, against the definition with every similar and dissimilar pair compared."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from termgauge.statistics.delong import areas_and_wins, delong
from termgauge.statistics.dependence import Dependence
from tests.conftest import tried

tables = hnp.arrays(np.float64, st.tuples(st.just(4), st.integers(4, 25)), elements=st.integers(-3, 3).map(float))


def by_definition(scores, labels):
    """Return areas and covariance from the table of all comparisons (DeLong, DeLong and Clarke-Pearson 1988)."""
    high, low = scores[:, labels], scores[:, ~labels]
    won = (high[:, :, None] > low[:, None, :]) + 0.5 * (high[:, :, None] == low[:, None, :])
    v10, v01 = won.mean(axis=2), won.mean(axis=1)
    return won.mean(axis=(1, 2)), np.cov(v10) / v10.shape[1] + np.cov(v01) / v01.shape[1]


@settings(max_examples=tried(100))
@given(tables)
def test_areas_and_covariance_are_those_of_the_definition(table):
    scores, labels = table[:3], table[3] > 0
    assume(2 <= labels.sum() <= len(labels) - 2)
    areas, covariance = by_definition(scores, labels)
    found = delong(scores, labels)
    np.testing.assert_allclose(found.values, areas, atol=1e-12)
    np.testing.assert_allclose([found.variance(i) for i in range(3)], np.diag(covariance), atol=1e-12)
    least = 2.0 ** (1 - min(labels.sum(), (~labels).sum()))
    for i in range(3):
        for j in range(3):
            expected = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
            assert found.variance(i, j) == pytest.approx(expected, abs=1e-12)
            if expected > 1e-9:
                t = abs(areas[i] - areas[j]) / math.sqrt(expected)
                p = max(least, 2 * stats.t.sf(t, found.freedom(i, j)))
                assert found.difference(i, j, 0.05)[1] == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize(("positives", "negatives"), [(100, 100), (130, 400)])
def test_with_many_pairs_it_is_the_test_of_delong(positives, negatives):
    labels = np.arange(positives + negatives) < positives
    scores = labels + np.random.default_rng(7).normal(size=(2, len(labels)))
    areas, covariance = by_definition(scores, labels)
    error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
    interval, p = delong(scores, labels).difference(0, 1, 0.05)
    difference = areas[0] - areas[1]
    assert p == pytest.approx(2 * stats.norm.sf(abs(difference) / error))
    np.testing.assert_allclose(interval, stats.norm.interval(0.95, difference, error))


def test_between_few_and_many_pairs_it_is_the_test_of_welch():
    # Satterthwaite's degrees of freedom, of the two parts of the variance.
    labels = np.arange(70) < 15
    scores = labels + np.random.default_rng(8).normal(size=(2, 70))
    high, low = scores[:, labels], scores[:, ~labels]
    won = (high[:, :, None] > low[:, None, :]).astype(float)
    apart = won[0] - won[1]
    found = delong(scores, labels)
    welch = stats.ttest_ind(apart.mean(axis=1), -apart.mean(axis=0), equal_var=False)
    assert found.freedom(0, 1) == pytest.approx(welch.df)
    few = delong(scores[:, 8:], labels[8:])
    assert few.freedom(0, 1) == 6


def everybody(n):
    return Dependence.from_concepts(list(range(n)), [None] * n)


def test_pairs_without_common_concepts_are_independent():
    labels = np.arange(60) % 3 == 0
    scores = labels + np.random.default_rng(9).normal(size=(2, 60))
    one, other = delong(scores, labels), delong(scores, labels, everybody(60))
    assert other.effective == pytest.approx(one.effective)
    assert other.variance(0, 1) == pytest.approx(one.variance(0, 1))
    assert other.design_effect(0) == pytest.approx(1)
    assert other.freedom(0, 1) == pytest.approx(19)  # both kinds might share concepts, so the fewer count
    assert other.difference(0, 1, 0.05)[1] >= one.difference(0, 1, 0.05)[1]


def test_pairs_given_four_times_say_no_more_than_once():
    labels = np.arange(80) % 2 == 0
    scores = labels + np.random.default_rng(10).normal(size=(2, 80))
    once = delong(scores, labels)
    four = delong(
        np.tile(scores, 4), np.tile(labels, 4), Dependence.from_concepts(np.tile(np.arange(80), 4), [None] * 320)
    )
    assert four.effective == pytest.approx(once.effective)
    assert four.variance(0, 1) == pytest.approx(once.variance(0, 1), rel=0.03)
    assert four.difference(0, 1, 0.05)[1] == pytest.approx(once.difference(0, 1, 0.05)[1], rel=0.1)


def test_a_tiny_change_has_the_variance_of_the_change_itself():
    generator = np.random.default_rng(1)
    labels = np.arange(20_000) % 2 == 0
    one = labels + generator.normal(size=20_000)
    other = one.copy()
    lowest = np.flatnonzero(labels)[:1]
    other[lowest] = one.min() - 1
    found = delong(np.stack([one, other]), labels)
    _, wins = areas_and_wins(np.stack([one, other]), labels)
    difference = wins[0] - wins[1]
    assert np.count_nonzero(difference[labels]) == 1
    by_hand = sum(float(np.var(difference[kind] / 20_000, ddof=1)) / 10_000 for kind in (labels, ~labels))
    assert found.variance(0, 1) == pytest.approx(by_hand, rel=1e-6)


def test_systems_that_rank_alike_do_not_differ():
    generator = np.random.default_rng(2)
    scores = generator.normal(size=300)
    found = delong(np.stack([scores, np.exp(scores)]), generator.random(300) < 0.5)
    assert found.variance(0, 1) == 0
    interval, p = found.difference(0, 1, 0.05)
    assert p == 1
    assert np.isnan(interval).all()


@pytest.mark.parametrize(("pairs", "expected"), [(4, 0.5), (20, 2.0**-9)])
def test_a_difference_without_variance_is_not_taken_for_certain(pairs, expected):
    labels = np.arange(pairs) % 2 == 0
    found = delong(np.stack([labels.astype(float), np.zeros(pairs)]), labels)
    assert found.variance(0, 1) == 0
    interval, p = found.difference(0, 1, 0.05)
    assert p == expected
    assert np.isnan(interval).all()


def test_one_similar_pair_gives_no_variance():
    found = delong(np.array([[1.0, 0, 2], [0.0, 1, 2]]), np.array([True, False, False]))
    assert math.isnan(found.variance(0))
    assert math.isnan(found.difference(0, 1, 0.05)[1])
