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


@settings(max_examples=10)
@given(columns(least=51, most=60))
def test_the_p_value_of_rho_of_many_is_that_of_scipy(both):
    one, other = both
    assume(len(set(one)) > 1 < len(set(other)))
    assert association(one, other).rho_p == pytest.approx(stats.spearmanr(one, other).pvalue, abs=1e-7)


@pytest.mark.parametrize("n", [10, 14, 30])
def test_the_p_value_of_rho_of_some_is_that_of_orders_which_others_draw(n):
    draw = np.random.default_rng(n)
    one, other = draw.normal(size=n).round(1), draw.normal(size=n).round(1)  # with a few ties
    other += 0.3 * one
    theirs = stats.permutation_test(
        (other,), lambda order: stats.spearmanr(one, order).statistic, permutation_type="pairings",
        n_resamples=2000, rng=draw,
    ).pvalue  # fmt: skip
    assert association(one, other).rho_p == pytest.approx(theirs, abs=0.05)


@pytest.mark.parametrize("sizes", [(2, 3), (3, 1, 1), (4, 2, 1)])
def test_in_families_only_their_members_change_places(sizes):
    draw, n = np.random.default_rng(len(sizes)), sum(sizes)
    names = [str(at) for at, size in enumerate(sizes) for _ in range(size)]
    one, other = draw.integers(0, 4, n), draw.integers(0, 4, n)
    blocks = [name if names.count(name) > 1 else "" for name in names]  # who is alone is with the others that are
    ranks = [stats.rankdata(each) for each in (one, other)]
    centred = [each - np.array([each[np.array(blocks) == block].mean() for block in blocks]) for each in ranks]
    orders = [each for each in permutations(range(n)) if all(blocks[at] == blocks[to] for at, to in enumerate(each))]
    products = np.array([centred[0][list(order)] @ centred[1] for order in orders])
    expected = np.mean(np.abs(products) >= abs(centred[0] @ centred[1]) - 1e-9)
    assert association(one, other, names).rho_p == pytest.approx(expected)


def test_large_families_have_orders_drawn():
    draw = np.random.default_rng(3)
    one, noise = draw.normal(size=36), draw.normal(size=36)
    names = [str(at // 12) for at in range(36)]
    related, shifted = association(one, one + 0.5 * noise, names), association(one, noise + np.arange(36), names)
    assert related.rho_p < 0.001
    assert shifted.rho_p > 0.05


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
