"""DeLong's covariance and test, against the definition with every similar and dissimilar pair compared."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from termgauge.statistics.delong import delong

tables = hnp.arrays(np.float64, st.tuples(st.just(4), st.integers(4, 25)), elements=st.integers(-3, 3).map(float))


def by_definition(scores, labels):
    """Return areas and covariance from the table of all comparisons (DeLong, DeLong and Clarke-Pearson 1988)."""
    high, low = scores[:, labels], scores[:, ~labels]
    won = (high[:, :, None] > low[:, None, :]) + 0.5 * (high[:, :, None] == low[:, None, :])
    v10, v01 = won.mean(axis=2), won.mean(axis=1)
    return won.mean(axis=(1, 2)), np.cov(v10) / v10.shape[1] + np.cov(v01) / v01.shape[1]


@settings(max_examples=100)
@given(tables)
def test_areas_and_covariance_are_those_of_the_definition(table):
    scores, labels = table[:3], table[3] > 0
    assume(2 <= labels.sum() <= len(labels) - 2)
    areas, covariance = by_definition(scores, labels)
    found = delong(scores, labels)
    np.testing.assert_allclose(found.areas, areas, atol=1e-12)
    np.testing.assert_allclose(found.covariance, covariance, atol=1e-12)
    for i in range(3):
        for j in range(3):
            expected = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
            assert found.variance_of_difference(i, j) == pytest.approx(expected, abs=1e-12)
            if expected > 1e-9:
                z = (areas[i] - areas[j]) / math.sqrt(expected)
                assert found.p_value(i, j) == pytest.approx(2 * stats.norm.sf(abs(z)), abs=1e-9)


def test_a_tiny_change_has_the_variance_of_the_change_itself():
    generator = np.random.default_rng(1)
    labels = np.arange(20_000) % 2 == 0
    one = labels + generator.normal(size=20_000)
    other = one.copy()
    lowest = np.flatnonzero(labels)[:1]
    other[lowest] = one.min() - 1
    found = delong(np.stack([one, other]), labels)
    difference = found.wins_of_similar[0] - found.wins_of_similar[1]
    assert np.count_nonzero(difference) == 1
    by_hand = sum(
        float(np.var((wins[0] - wins[1]) / 20_000, ddof=1)) / 10_000
        for wins in (found.wins_of_similar, found.wins_over_dissimilar)
    )
    assert found.variance_of_difference(0, 1) == pytest.approx(by_hand, rel=1e-6)


def test_systems_that_rank_alike_do_not_differ():
    generator = np.random.default_rng(2)
    scores = generator.normal(size=300)
    found = delong(np.stack([scores, np.exp(scores)]), generator.random(300) < 0.5)
    assert found.variance_of_difference(0, 1) == 0
    assert found.p_value(0, 1) == 1


@pytest.mark.parametrize(("pairs", "expected"), [(4, 0.5), (20, 2.0**-9)])
def test_a_difference_without_variance_is_not_taken_for_certain(pairs, expected):
    labels = np.arange(pairs) % 2 == 0
    found = delong(np.stack([labels.astype(float), np.zeros(pairs)]), labels)
    assert found.variance_of_difference(0, 1) == 0
    assert found.p_value(0, 1) == expected


def test_one_similar_pair_gives_no_variance():
    found = delong(np.array([[1.0, 0, 2], [0.0, 1, 2]]), np.array([True, False, False]))
    assert math.isnan(found.p_value(0, 1))
