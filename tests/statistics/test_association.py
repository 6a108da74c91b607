from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from scipy import stats

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.correlation import association, p_value, without_each

scores = st.floats(-1000, 1000).map(lambda value: round(value, 3))


@st.composite
def columns(draw, least=3, most=30):
    n = draw(st.integers(least, most))
    return tuple(draw(st.lists(scores, min_size=n, max_size=n)) for _ in range(2))


@given(columns())
def test_r_and_its_p_value_are_those_of_scipy(both):
    one, other = both
    assume(len(set(one)) > 1 < len(set(other)))
    found, expected = association(one, other), stats.pearsonr(one, other)
    assert found.n == len(one)
    assert found.r == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, abs=1e-6)
    assert found.rho == pytest.approx(stats.spearmanr(one, other).statistic, abs=1e-9)
    if len(one) > 9:
        assert found.rho_p == pytest.approx(stats.spearmanr(one, other).pvalue, abs=1e-7)


@settings(max_examples=30)
@given(columns(most=5))
@example(([1, 1, 2], [1, 2, 2]))
def test_the_p_value_of_rho_is_the_share_of_orders_for_few(both):
    one, other = both
    assume(len(set(one)) > 1 < len(set(other)))
    seen = abs(stats.spearmanr(one, other).statistic)
    orders = np.array([*permutations(stats.rankdata(other))])
    rhos = [np.corrcoef(stats.rankdata(one), order)[0, 1] for order in np.unique(orders, axis=0)]
    expected = np.mean(np.abs(rhos) >= seen - 1e-9)  # with ties, each order comes equally often
    assert association(one, other).rho_p == pytest.approx(expected, abs=1e-12)


@given(st.floats(-0.999, 0.999), st.integers(4, 200), st.floats(0.001, 0.5))
def test_fishers_interval_is_that_of_scipy(r, n, alpha):
    values = np.arange(n, dtype=float)
    noise = np.random.default_rng(n).normal(size=n)
    found = association(values, r * values + noise)
    expected = stats.pearsonr(values, r * values + noise).confidence_interval(1 - alpha)
    assert found.interval(alpha) == pytest.approx((expected.low, expected.high), abs=1e-9)


@pytest.mark.parametrize(
    "both", [([], []), ([1], [2]), ([1, 2], [2, 1]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [5, 5, 5])]
)
def test_it_is_undefined_for_fewer_than_three_and_for_what_does_not_vary(both):
    found = association(*both)
    assert found.n == len(both[0])
    assert all(math.isnan(value) for value in (found.r, found.p_value, found.rho, found.rho_p))
    assert all(map(math.isnan, found.interval(0.05)))


@given(st.lists(scores, min_size=3, max_size=12, unique=True), st.floats(0.01, 100), st.floats(-50, 50), st.booleans())
def test_a_perfect_correlation_has_no_doubt(values, scale, shift, falling):
    scale = -scale if falling else scale
    found = association(values, [scale * value + shift for value in values])
    assert found.r == pytest.approx(-1 if falling else 1, abs=1e-9)
    exact = association([0.1, 0.2, 0.3, 0.4], [-3, -6, -9, -12] if falling else [3, 6, 9, 12])
    assert (exact.r, exact.p_value) == (-1 if falling else 1, 0.0)
    assert all(map(math.isnan, exact.interval(0.05)))
    assert p_value(1.0, 3) == p_value(-1.0, 10) == 0


@given(columns(most=8))
def test_r_without_each(both):
    found = without_each(*both)
    for place, r in enumerate(found):
        assert r == pytest.approx(association(*(np.delete(each, place) for each in both)).r, nan_ok=True)
    assert len(found) == len(both[0])


def test_three_have_no_interval():
    found = association([1, 2, 3], [1, 3, 2])
    assert found.r == pytest.approx(0.5)
    assert found.p_value == pytest.approx(2 / 3)
    assert all(map(math.isnan, found.interval(0.05)))


def test_tiny_and_huge_scores_lose_nothing():
    one, other = np.array([1.0, 2, 4, 3]), np.array([2.0, 1, 5, 3])
    plain = association(one, other).r
    assert association(one * 1e-200, other * 1e200).r == pytest.approx(plain, abs=1e-12)
    with pytest.raises(TermgaugeError):
        association([1, 2, math.nan], [1, 2, 3])
