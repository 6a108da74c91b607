from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.statistics.reliability import noise_ratio, reliability_of
from tests.studies.raters import drawn, rated_of


@given(st.floats(0.05, 0.99), st.floats(0.1, 1), st.floats(0.1, 1))
def test_noise_gives_the_correlation_that_it_came_from(rho, one, other):
    noise = noise_ratio(rho, one, other)
    assert 1 / math.sqrt((1 + noise * one) * (1 + noise * other)) == pytest.approx(rho, rel=1e-9)


def test_equal_halves_are_stepped_up_as_spearman_and_brown_did():
    found = reliability_of(rated_of(drawn(200, 6)))
    assert found.mean == pytest.approx(2 * found.halves / (1 + found.halves), abs=1e-12)
    third = found.halves / (3 - 2 * found.halves)
    assert found.single == pytest.approx(third, abs=1e-12)
    assert found.interval.low < found.ceiling < found.interval.high <= 1
    assert found.ratings_per_pair == pytest.approx(6)


@pytest.mark.parametrize("raters", [2, 5, 9])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_model_that_knows_the_truth_reaches_the_ceiling(raters, missing):
    from scipy import stats

    generator = np.random.default_rng(2)
    true = generator.normal(0, 1, 4000)
    table = true[:, None] + generator.normal(0, 1, (4000, raters))
    table[generator.random(table.shape) < missing] = np.nan
    rated = ~np.isnan(table).all(axis=1)
    found = reliability_of(rated_of(table))
    reached = stats.spearmanr(true[rated], np.nanmean(table[rated], axis=1)).statistic
    assert found.ceiling == pytest.approx(reached, abs=0.02)
    assert found.single == pytest.approx(0.5, abs=0.04)


def test_noise_alone_allows_nothing():
    table = np.random.default_rng(5).normal(size=(500, 4))
    found = reliability_of(rated_of(table))
    assert found.ceiling < 0.3
    assert found.interval.low == 0


def test_most_pairs_nearly_equal_have_a_low_ceiling():
    from scipy import stats

    generator = np.random.default_rng(3)
    true = np.where(generator.random(300) < 0.6, generator.normal(1, 0.02, 300), generator.normal(3, 1.6, 300))
    table = np.clip(np.round(true[:, None] + generator.normal(0, 1.2, (300, 8))), 0, 6)
    found = reliability_of(rated_of(table))
    reached = stats.spearmanr(true, table.mean(axis=1)).statistic
    assert found.interval.low < reached < found.interval.high
    assert found.ceiling < math.sqrt(found.mean) - 0.05


def test_mean_ratings_that_are_all_equal_and_many_numbers_of_ratings():
    opposite = np.column_stack([np.arange(6.0), 6 - np.arange(6.0)])
    assert reliability_of(rated_of(opposite)).ceiling == 0
    table = drawn(200, 40)
    table[np.arange(40)[None, :] > np.arange(200)[:, None] % 38 + 1] = np.nan
    assert 0.9 < reliability_of(rated_of(table)).ceiling < 1


def test_what_cannot_be_said():
    for table in (drawn(10, 1), np.array([[1.0, 2.0], [np.nan, 3.0]]), np.ones((5, 3))):
        found = reliability_of(rated_of(table))
        assert math.isnan(found.ceiling)
        assert math.isnan(found.interval.low)


def test_components_of_a_complete_table():
    """Against the mean squares of a two-way analysis of variance, written out."""
    table = drawn(50, 4)
    n, m = table.shape
    rows, columns, all_ = table.mean(axis=1, keepdims=True), table.mean(axis=0, keepdims=True), table.mean()
    rest = ((table - rows - columns + all_) ** 2).sum() / ((n - 1) * (m - 1))
    rater = (n * ((columns - all_) ** 2).sum() / (m - 1) - rest) / n
    within = ((table - rows) ** 2).sum() / (n * (m - 1))
    pair = (m * ((rows - all_) ** 2).sum() / (n - 1) - within) / m
    found = reliability_of(rated_of(table))
    variances = (found.pair_variance, found.rater_variance, found.rest_variance, found.within_variance)
    assert variances == pytest.approx((pair, max(rater, 0), rest, within))


def test_components_of_groups_and_of_incomplete_tables():
    table = drawn(60, 4)
    table[:30, 2:] = np.nan
    table[30:, :2] = np.nan
    found = reliability_of(rated_of(table, [0, 0, 1, 1]))
    assert found.rest_variance > 0
    table[0, 0] = np.nan
    found = reliability_of(rated_of(table, [0, 0, 1, 1]))
    assert math.isnan(found.rater_variance)
    assert found.within_variance > 0
