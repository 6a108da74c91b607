"""BCa intervals and rhos over resamples, against SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from termgauge.statistics.bootstrap import Bca, draws, resampled_rhos, resamples_for
from tests.conftest import tried

tied = hnp.arrays(np.float64, st.tuples(st.just(3), st.integers(2, 25)), elements=st.integers(-3, 3).map(float))


def rho(x, y):
    """Return SciPy's rho, quietly NaN for constant input."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return math.nan
    return stats.spearmanr(x, y).statistic


def difference(x, y, gold):
    return rho(x, gold) - rho(y, gold)


@settings(max_examples=tried(60), deadline=None)
@given(tied, st.integers(0, 2**32 - 1))
def test_rhos_of_resamples_are_those_of_scipy(values, seed):
    gold, scores = values[0], values[1:]
    found = resampled_rhos(scores, gold, 6, seed)
    for r, drawn in enumerate(np.concatenate(list(draws(len(gold), 6, seed)))):
        expected = [rho(row[drawn], gold[drawn]) for row in scores]
        np.testing.assert_allclose(found.replicates[:, r], expected, atol=1e-12)


@settings(max_examples=tried(60), deadline=None)
@given(tied)
def test_rhos_with_one_item_left_out_are_those_of_scipy(values):
    gold, scores = values[0], values[1:]
    found = resampled_rhos(scores, gold, 1)
    np.testing.assert_allclose(found.estimates, [rho(row, gold) for row in scores], atol=1e-12)
    for i in range(len(gold)):
        expected = [rho(np.delete(row, i), np.delete(gold, i)) for row in scores]
        np.testing.assert_allclose(found.left_out[:, i], expected, atol=1e-12)


def test_orders_that_are_equal_give_exactly_equal_rhos():
    generator = np.random.default_rng(1)
    x, gold = generator.normal(size=(2, 300))
    found = resampled_rhos(np.stack([x, np.exp(3 * x), -x]), gold, 200)
    np.testing.assert_array_equal(found.replicates[0], found.replicates[1])
    np.testing.assert_array_equal(found.left_out[0], found.left_out[1])
    np.testing.assert_array_equal(found.replicates[0], -found.replicates[2])


def test_resamples_do_not_depend_on_how_they_are_chunked(monkeypatch):
    scores, gold = np.random.default_rng(2).normal(size=(2, 2, 40))
    whole = resampled_rhos(scores, gold[0], 50, 9)
    monkeypatch.setattr("termgauge.statistics.bootstrap.DRAWS_AT_ONCE", 120)
    np.testing.assert_array_equal(whole.replicates, resampled_rhos(scores, gold[0], 50, 9).replicates)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ties", [False, True])
def test_interval_equals_scipy_on_the_same_resamples(seed, ties):
    generator = np.random.default_rng(seed)
    gold = generator.normal(size=24)
    x, y = gold + generator.normal(size=(2, 24)) * [[0.5], [1.5]]
    if ties:
        gold, x, y = (np.round(values) for values in (gold, x, y))
    found = resampled_rhos(np.stack([x, y]), gold, 400, seed).difference(0, 1)
    for alpha in (0.05, 0.3):
        theirs = stats.bootstrap(
            (x, y, gold), difference, paired=True, vectorized=False, n_resamples=400, method="BCa",
            confidence_level=1 - alpha, rng=np.random.default_rng(seed),
        ).confidence_interval  # fmt: skip
        np.testing.assert_allclose(found.interval(alpha), theirs, atol=1e-6 if ties else 1e-12)


def test_interval_agrees_with_scipy_on_other_resamples():
    generator = np.random.default_rng(3)
    gold = generator.normal(size=30)
    x = gold + generator.normal(size=30)
    ours = resampled_rhos(x[None], gold, 10_000, 1).single(0).interval(0.05)
    theirs = stats.bootstrap(
        (x, gold), rho, paired=True, vectorized=False, n_resamples=2500, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval
    np.testing.assert_allclose(ours, theirs, atol=0.03)


@settings(max_examples=tried(80), deadline=None)
@given(st.integers(0, 10_000), st.floats(-1, 1), st.floats(0.01, 0.5))
def test_p_value_is_the_smallest_alpha_whose_interval_excludes_0(seed, shift, skew):
    generator = np.random.default_rng(seed)
    replicates = generator.normal(shift, 0.4, 999) + skew * generator.exponential(size=999)
    bca = Bca.from_replicates(
        shift, replicates, generator.exponential(skew, 50)
    )  # so many items can reach any p-value here
    assume(3 < (replicates > 0).sum() < 996)  # beyond them, the resamples cannot tell
    p = bca.p_value()
    assume(p > 1.1 / 1000)  # nor below the least that so many resamples can show
    for alpha in (p * 0.98, p * 1.02):
        if alpha < 1:
            low, high = bca.interval(alpha)
            assert (low > 0 or high < 0) == (p < alpha)


@pytest.mark.parametrize("value", [0.0, 2.0])
def test_resamples_that_all_agree_give_no_interval(value):
    bca = Bca.from_replicates(value, np.full(100, value), np.full(3, value))
    assert all(math.isnan(end) for end in bca.interval(0.05))
    assert bca.p_value() == (0.25 if value else 1)


def test_all_on_one_side_of_0_is_as_significant_as_the_resamples_can_show():
    replicates = np.linspace(0.5, 1.5, 999)
    assert Bca.from_replicates(1.0, replicates, np.zeros(99)).p_value() == pytest.approx(2 / 1000)
    assert Bca.from_replicates(-1.0, -replicates, np.zeros(99)).p_value() == pytest.approx(2 / 1000)


@given(st.integers(2, 12))
def test_no_p_value_is_below_what_signs_of_so_few_items_can_reach(items):
    replicates = np.linspace(0.5, 1.5, 99_999)
    assert Bca.from_replicates(1.0, replicates, np.zeros(items)).p_value() == max(2.0 ** (1 - items), 2e-5)


def test_extreme_bias_and_acceleration_give_finite_intervals():
    generator = np.random.default_rng(0)
    replicates = generator.normal(size=500)
    for estimate in (-9.0, 9.0):
        for left_out in (np.array([0.0] * 30 + [1e6]), np.array([0.0] * 30 + [-1e6])):
            low, high = Bca.from_replicates(estimate, replicates, left_out).interval(1e-4)
            assert replicates.min() <= low <= high <= replicates.max()


def test_undefined_values_do_not_count():
    given_values = np.array([0.1, np.nan, 0.3, 0.2])
    bca = Bca.from_replicates(0.2, given_values, given_values)
    assert len(bca.replicates) == 3
    assert 0.1 <= bca.interval(0.5).low <= bca.interval(0.5).high <= 0.3
    assert all(math.isnan(end) for end in Bca.from_replicates(math.nan, given_values, given_values).interval(0.05))
    assert math.isnan(Bca.from_replicates(0.2, np.full(3, np.nan), given_values).p_value())


def test_as_many_resamples_as_the_tails_need():
    assert resamples_for(0.05) == 10_000
    assert resamples_for(0.05 / 25) == 10_000
    assert resamples_for(0.05 / 45) == 18_000
    assert resamples_for(0.05 / 253) == 101_200


@pytest.mark.long
def test_intervals_of_rho_hold_the_true_value_as_often_as_they_say():
    # Of normal variables with correlation r, the true rho is 6/pi asin(r/2).
    generator = np.random.default_rng(5)
    r, n, trials = 0.6, 80, 400
    true = 6 / math.pi * math.asin(r / 2)
    held = 0
    for trial in range(trials):
        gold, noise = generator.normal(size=(2, n))
        scores = r * gold + math.sqrt(1 - r * r) * noise
        low, high = resampled_rhos(scores[None], gold, 1000, trial).single(0).interval(0.05)
        held += low <= true <= high
    error = math.sqrt(0.95 * 0.05 / trials)
    assert abs(held / trials - 0.95) < 3 * error + 0.01


def test_perfect_agreement_has_no_interval():
    found = resampled_rhos(np.arange(30.0)[None], np.arange(30.0), 1000).single(0)
    assert found.estimate == 1
    assert all(math.isnan(end) for end in found.interval(0.05))
