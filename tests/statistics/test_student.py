from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from termgauge.statistics import student

freedoms = st.floats(1, 5000)


@given(st.floats(0, 60), freedoms)
def test_tails_are_those_of_scipy(t, freedom):
    assert student.two_sided(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-9, abs=1e-300)


@given(st.floats(1e-6, 1 - 1e-6), freedoms)
def test_quantiles_are_those_of_scipy(share, freedom):
    assert student.quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-7, abs=1e-9)


@given(st.integers(0, 3000), st.integers(0, 3000))
def test_the_sign_test_is_that_of_scipy(one, other):
    expected = stats.binomtest(one, one + other).pvalue if one + other else 1.0
    assert student.sign_test(one, other) == pytest.approx(expected, rel=1e-8, abs=1e-290)


@given(st.floats(0, 400), st.floats(0, 400))
def test_the_sign_test_of_counts_that_are_not_whole_lies_between_those_that_are(one, other):
    p = student.sign_test(one, other)
    assert 0 <= p <= 1
    assert p == student.sign_test(other, one)
    assert student.sign_test(one, other + 1) <= p * (1 + 1e-9) or one > other
    whole = student.sign_test(math.floor(one), math.floor(other))
    assert student.sign_test(math.floor(one), math.floor(other) + 1e-9) == pytest.approx(whole, rel=1e-5)


def test_ends():
    assert student.two_sided(0, 3) == 1
    assert student.two_sided(math.inf, 3) == 0
    assert student.quantile(0.5, 3) == 0
    assert student.quantile(1, 3) == math.inf


def test_what_so_few_items_cannot_show():
    assert student.Mean(1.0, 0.0, 2.0, 3).p_value() == 0.25
    assert student.Mean(1.0, 1e-9, 9.0, 10).p_value() == 2 / 2**10
    assert student.Mean(0.5, math.nan, math.nan, 1).p_value() == 1
    assert math.isnan(student.Mean(0.5, 0.0, 9.0, 10).interval(0.05).low)
    low, high = student.Mean(0.02, 0.05, 9.0, 10).share_interval(0.05)
    assert 0 < low < 0.02 < high < 1
