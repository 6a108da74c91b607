"""Spearman's rho."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.correlation import average_ranks, pearson, spearman

numbers = st.lists(st.tuples(st.integers(-5, 5), st.floats(-1, 1)), min_size=3, max_size=40)


@given(numbers)
def test_ranks_and_rho_are_those_of_scipy(rows):
    x, y = np.array(rows, float).T
    np.testing.assert_array_equal(average_ranks(x), stats.rankdata(x))
    if np.ptp(x) and np.ptp(y):
        assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    else:
        assert math.isnan(spearman(x, y))


@pytest.mark.parametrize("scores", [[0.5, 0.5, 0.5], [1.0, 1.0, 1.0]])
def test_constant_scores_have_no_rho(scores):
    assert math.isnan(spearman(scores, [1, 2, 3]))


def test_pearson_is_that_of_scipy():
    generator = np.random.default_rng(8)
    for scale in (1.0, 1e-200, 1e150):
        gold = generator.normal(size=30)
        scores = scale * (gold + generator.normal(size=30)) + 5 * scale
        assert pearson(scores, gold) == pytest.approx(stats.pearsonr(scores / scale, gold).statistic, abs=1e-12)
    assert pearson([1, 2, 4], [10, 20, 40]) == 1
    assert math.isnan(pearson([1, 1], [1, 2]))


@pytest.mark.parametrize("n", [0, 1])
def test_too_few_pairs_have_no_rho(n):
    assert math.isnan(spearman(np.arange(n), np.arange(n)))


def test_two_pairs_and_perfect_agreement():
    assert spearman([0.1, 0.7], [1, 2]) == 1
    assert spearman(np.arange(30), np.arange(30)) == 1


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
        spearman(scores, gold)
