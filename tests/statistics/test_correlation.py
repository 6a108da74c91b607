"""Spearman's rho and its interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.correlation import average_ranks, spearman, spearman_with_interval

numbers = st.lists(st.tuples(st.integers(-5, 5), st.floats(-1, 1)), min_size=3, max_size=40)


@given(numbers)
def test_ranks_and_rho_are_those_of_scipy(rows):
    x, y = np.array(rows, float).T
    np.testing.assert_array_equal(average_ranks(x), stats.rankdata(x))
    if np.ptp(x) and np.ptp(y):
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    else:
        assert math.isnan(spearman(x, y))


@pytest.mark.long
def test_intervals_hold_the_true_value_as_often_as_they_say():
    # Of normal variables with correlation r, the true rho is 6/pi asin(r/2).
    generator = np.random.default_rng(5)
    r, n, trials = 0.6, 80, 400
    true = 6 / math.pi * math.asin(r / 2)
    held = 0
    for trial in range(trials):
        gold, noise = generator.normal(size=(2, n))
        found = spearman_with_interval(r * gold + math.sqrt(1 - r * r) * noise, gold, resamples=1000, seed=trial)
        held += found.low <= true <= found.high
    error = math.sqrt(0.95 * 0.05 / trials)
    assert abs(held / trials - 0.95) < 3 * error + 0.01


@pytest.mark.parametrize("scores", [[0.5, 0.5, 0.5], [1.0, 1.0, 1.0]])
def test_constant_scores_have_no_rho(scores):
    found = spearman_with_interval(scores, [1, 2, 3])
    assert all(math.isnan(x) for x in found[:3])
    assert found.n == 3


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_pairs_have_no_rho(n):
    assert math.isnan(spearman_with_interval(np.arange(n), np.arange(n)).value)


def test_two_pairs_and_perfect_agreement():
    assert spearman_with_interval([0.1, 0.7], [1, 2]).value == 1
    assert spearman_with_interval(np.arange(30), np.arange(30))[:3] == (1, 1, 1)


@pytest.mark.parametrize(
    ("scores", "gold", "words"),
    [
        ([0.1, math.nan], [1, 2], "1 missing values"),
        ([0.1, 0.2], [1, math.nan], "ratings have 1 missing"),
        ([0.1, 0.2], [1, 2, 3], "2 scores for 3 pairs"),
        ([[0.1, 0.2]], [1, 2], "shape"),
    ],
)
def test_bad_input_is_told_in_one_sentence(scores, gold, words):
    with pytest.raises(TermgaugeError, match=words):
        spearman_with_interval(scores, gold)


def test_level_must_make_sense():
    with pytest.raises(TermgaugeError, match="between 0 and 1"):
        spearman_with_interval([1, 2, 3], [1, 2, 3], alpha=5)
