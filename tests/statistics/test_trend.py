"""Trends over bands: the tests keep their level, find what is there, and allow for pairs that share concepts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from termgauge.statistics import trend as trends
from termgauge.statistics.correlation import spearman
from termgauge.statistics.dependence import Dependence
from termgauge.statistics.separation import auc
from termgauge.statistics.trend import any_difference, area_in_band, rho_in_band, share_in_band, trend

REPEATS = 300
ENOUGH = stats.binom.ppf(0.9999, REPEATS, 0.05) / REPEATS
"""More false claims at a level of 0.05 than this are no chance."""


def parts(n, bands=3):
    return [np.arange(n * band, n * (band + 1)) for band in range(bands)]


def false_claims(draw, n, test):
    generator = np.random.default_rng(7)
    found = [test([draw(generator, members) for members in parts(n)]) for _ in range(REPEATS)]
    return np.mean([p < 0.05 for p in found])


def linear(bands):
    return trend(bands, [0, 1, 2], None, 0.05).p_value


def different(bands):
    return any_difference(bands, None)


def rated(generator, members):
    scores = generator.normal(size=members[-1] + 1)
    ratings = np.round(0.6 * scores + 0.8 * generator.normal(size=len(scores)), 1)
    return rho_in_band(scores, ratings, members, None)


def labelled(generator, members):
    labels = np.arange(members[-1] + 1) % 2.0
    return area_in_band(generator.normal(size=len(labels)) + labels, labels, members, None)


def decided(generator, members):
    return share_in_band(generator.random(members[-1] + 1) < 0.8, members, None)


@pytest.mark.parametrize("draw", [rated, labelled, decided])
@pytest.mark.parametrize("test", [linear, different])
def test_without_a_trend_claims_are_rare(draw, test):
    assert false_claims(draw, 40, test) <= ENOUGH


def test_values_are_those_of_the_statistics():
    generator = np.random.default_rng(1)
    scores, ratings, labels = generator.normal(size=60), generator.normal(size=60), np.arange(60) % 2.0
    members = np.arange(10, 50)
    assert rho_in_band(scores, ratings, members, None).value == pytest.approx(spearman(scores[10:50], ratings[10:50]))
    assert area_in_band(scores, labels, members, None).value == auc(scores[10:50], labels[10:50]).value
    assert share_in_band(labels == 1, members, None).value == 0.5


def test_the_change_is_that_of_the_line_through_all_bands():
    generator = np.random.default_rng(2)
    right = np.concatenate([generator.random(80) < share for share in (0.9, 0.7, 0.8, 0.3)])
    bands = [share_in_band(right, members, None) for members in parts(80, 4)]
    found = trend(bands, [0, 1, 2, 3], None, 0.05)
    slope = np.polyfit(range(4), [band.value for band in bands], 1)[0]
    assert found.change == pytest.approx(3 * slope)
    assert found.low < found.change < found.high < 0
    assert found.p_value < 0.001
    skipped = trend([bands[0], bands[3]], [0, 3], None, 0.05)
    assert skipped.change == pytest.approx(bands[3].value - bands[0].value)


def test_the_error_is_that_of_a_bootstrap_of_pairs():
    generator = np.random.default_rng(3)
    scores = generator.normal(size=300)
    ratings = np.concatenate([0.9, 0.6, 0.2] * np.ones((100, 3)))[np.argsort(np.tile([0, 1, 2], 100), kind="stable")]
    ratings = ratings * scores + generator.normal(size=300)
    bands = [rho_in_band(scores, ratings, members, None) for members in parts(100)]
    found = trend(bands, [0, 1, 2], None, 0.05)
    replicates = []
    for _ in range(400):
        drawn = [generator.choice(members, 100) for members in (parts(100)[0], parts(100)[2])]
        first, last = (np.arctanh(spearman(scores[each], ratings[each])) for each in drawn)
        replicates.append(last - first)
    error = abs(np.arctanh(bands[2].value) - np.arctanh(bands[0].value)) / stats.norm.isf(found.p_value / 2)
    assert error == pytest.approx(np.std(replicates), rel=0.2)


def test_pairs_that_share_concepts_are_not_independent():
    generator = np.random.default_rng(4)
    naive = allowed = 0
    for _ in range(150):
        concept = np.repeat(np.arange(45), 8)
        right = generator.normal(size=45)[concept] + 0.3 * generator.normal(size=len(concept)) > -1
        members = [np.flatnonzero(concept % 3 == band) for band in range(3)]
        shared = Dependence(concept, concept)
        naive += linear([share_in_band(right, each, None) for each in members]) < 0.05
        bands = [share_in_band(right, each, shared) for each in members]
        allowed += trend(bands, [0, 1, 2], shared, 0.05).p_value < 0.05
    assert naive > 40
    assert allowed <= stats.binom.ppf(0.9999, 150, 0.05)


@given(st.integers(0, 2**32 - 1), st.sampled_from([rated, labelled, decided]))
def test_an_interval_excludes_zero_only_if_the_test_says_so(seed, draw):
    generator = np.random.default_rng(seed)
    found = trend([draw(generator, members) for members in parts(20)], [0, 1, 2], None, 0.05)
    assert found.low <= found.change <= found.high
    if found.p_value >= 0.05:
        assert found.low <= 0 <= found.high


def test_too_few_pairs_or_nothing_that_varies():
    ones, members = np.ones(30), np.arange(30)
    assert rho_in_band(ones, members.astype(float), members, None) is None
    assert rho_in_band(members.astype(float), ones, members, None) is None
    assert rho_in_band(members.astype(float), members.astype(float), members[: trends.LEAST_PAIRS - 1], None) is None
    assert area_in_band(members.astype(float), ones, members, None) is None
    assert share_in_band(ones == 1, members[:9], None) is None
    band = share_in_band(ones == 1, members, None)
    assert np.isnan(trend([band], [0], None, 0.05).p_value)
    assert np.isnan(any_difference([band], None))
    assert trend([band, share_in_band(ones == 1, members, None)], [0, 1], None, 0.05).p_value == 1


def test_a_perfect_area_has_an_error_too():
    labels = np.arange(60) % 2.0
    scores = labels + np.where(np.arange(60) == 41, -2, 0)
    perfect, nearly = (area_in_band(scores, labels, members, None) for members in parts(30, 2))
    assert (perfect.value, nearly.value) == (1.0, pytest.approx(14 / 15))
    assert trend([perfect, nearly], [0, 1], None, 0.05).p_value > 0.05
