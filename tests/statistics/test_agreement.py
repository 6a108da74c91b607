from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.statistics.agreement import Rated, agreement_intervals, agreement_of, interval_of, resampled_counts
from tests.studies.raters import drawn, plain_agreement, rated_of


@st.composite
def tables(draw):
    pairs, raters = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    values = st.sampled_from([0.0, 1.0, 2.0, 3.0, 0.5, math.nan])
    rows = draw(st.lists(st.lists(values, min_size=raters, max_size=raters), min_size=pairs, max_size=pairs))
    groups = draw(st.lists(st.integers(0, 1), min_size=raters, max_size=raters))
    return np.array(rows), groups


@given(tables())
def test_as_a_plain_recomputation_has_it(made):
    table, groups = made
    found = agreement_of(rated_of(table, groups))
    one, two, by_rater_1, by_rater_2, undefined = plain_agreement(table, groups)
    for mine, theirs in ((found.iaa1, one), (found.iaa2, two)):
        assert mine == pytest.approx(theirs, abs=1e-12, nan_ok=True)
    np.testing.assert_allclose(found.rater_iaa1, by_rater_1, atol=1e-12)
    np.testing.assert_allclose(found.rater_iaa2, by_rater_2, atol=1e-12)
    empty = [place for place in range(table.shape[1]) if np.isnan(table[:, place]).all()]
    with_nothing = sum(groups[a] == groups[b] for a in range(len(groups)) for b in range(a) if a in empty or b in empty)
    assert found.undefined.sum() // 2 == undefined - with_nothing


def test_means_that_differ_by_rounding_are_equal():
    table = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.1], [0.3, 0.1, 0.2], [0.9, 0.7, 0.2]])
    means = rated_of(table).means_of_others()
    assert means[0] == pytest.approx(0.25)
    others_of_first = [0.25, 0.2, 0.15, 0.45]
    assert list(np.argsort(means[:4])) == list(np.argsort(others_of_first))
    tied = np.array([[0.0, 0.1, 0.2], [1.0, 0.3, 0.0], [2.0, 0.15, 0.15], [3.0, 0.5, 0.5]])
    assert len(set(rated_of(tied).means_of_others()[:4])) == 2


def test_pairs_are_drawn_among_those_of_the_same_groups():
    table = np.full((12, 4), np.nan)
    table[:2] = 1
    table[2:6, :2] = 1
    table[6:, 2:] = 1
    counts = np.concatenate(list(resampled_counts(rated_of(table, [0, 0, 1, 1]), 300, 1)))
    for part, size in ((slice(0, 2), 2), (slice(2, 6), 4), (slice(6, 12), 6)):
        assert (counts[:, part].sum(axis=1) == size).all()
        assert counts[:, part].mean(axis=0) == pytest.approx(np.ones(size), abs=0.25)


def test_intervals_are_about_the_values_and_repeat_with_the_seed():
    rated = rated_of(drawn(80, 5, missing=0.2))
    found, ends = agreement_of(rated), agreement_intervals(rated, resamples=300)
    assert ends.iaa1.low < found.iaa1 < ends.iaa1.high
    assert ends.iaa2.low < found.iaa2 < ends.iaa2.high
    for value, (low, high) in zip(found.rater_iaa1, ends.rater_iaa1, strict=True):
        assert low < value < high
    assert agreement_intervals(rated, resamples=300)[:6] == ends[:6]
    assert agreement_intervals(rated, resamples=300, seed=7)[:6] != ends[:6]


def test_what_is_undefined_has_no_interval():
    table = np.array([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0], [1.0, 5.0]])
    assert math.isnan(agreement_of(rated_of(table)).iaa1)
    assert math.isnan(agreement_intervals(rated_of(table), resamples=50).iaa1.low)
    assert math.isnan(interval_of(0.5, np.array([np.nan, np.nan, 0.4])).low)


def test_a_rater_alone_agrees_with_nobody():
    found = agreement_of(rated_of(drawn(10, 1)))
    assert math.isnan(found.iaa1)
    assert math.isnan(found.iaa2)
    assert found.undefined.tolist() == [0]


def test_some_raters_and_some_items():
    table = drawn(20, 4)
    rated = rated_of(table, [0, 0, 1, 1])
    without = agreement_of(rated.some(np.array([True, True, True, False])))
    assert without.iaa1 == pytest.approx(plain_agreement(table[:, :2])[0])
    chosen = np.arange(20) < 8
    assert agreement_of(rated.on(chosen)).iaa1 == pytest.approx(plain_agreement(table[:8])[0])
    assert isinstance(rated, Rated)
