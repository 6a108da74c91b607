"""Kendall's tau-b against SciPy, also beyond the first 1024 places of the marks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from termgauge.similarity import kernels
from termgauge.similarity.kendall import empty_orders, mean_taus, write_orders
from tests.conftest import tried


@pytest.mark.parametrize("width", [1023, 1024, 1025, 2100])
@pytest.mark.parametrize("ties", [False, True])
def test_kendall_of_long_vectors(width, ties):
    rng = np.random.default_rng(width)
    vectors = rng.normal(size=(6, width))
    vectors[3:] += vectors[:3]
    if ties:
        vectors[::2] = np.round(3 * vectors[::2])  # some with ties, some without
    first, second = np.arange(6), np.array([3, 4, 5, 1, 2, 5])
    expected = [stats.kendalltau(vectors[i], vectors[j]).statistic for i, j in zip(first, second, strict=True)]
    np.testing.assert_allclose(kernels.score_terms(vectors, first, second, ["kendall"])[:, 0], expected, atol=1e-12)


@given(st.integers(2, 60), st.integers(1, 5), st.integers(0, 10_000))
@settings(max_examples=tried(60), deadline=None)
def test_tau_b_with_many_ties_is_scipys(width, values, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, values, (2, width))
    expected = np.nan if np.ptp(x) == 0 or np.ptp(y) == 0 else stats.kendalltau(x, y).statistic
    score = kernels.score_terms(np.array([x, y], np.float64), np.array([0]), np.array([1]), ["kendall"])
    assert score[0, 0] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_tau_of_more_than_65536_components():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(2, 66_000))
    vectors[1] += vectors[0]
    score = kernels.score_terms(vectors, np.array([0]), np.array([1]), ["kendall"])[0, 0]
    assert score == pytest.approx(stats.kendalltau(*vectors).statistic, abs=1e-12)


def test_the_mean_is_over_all_pairs_of_words():
    rows = np.random.default_rng(1).integers(0, 5, (5, 12)).astype(np.float64)
    rows[4] = 1.0  # no order
    orders = empty_orders(5, 12, 1 << 20)
    write_orders(rows.copy(), np.argsort(rows, axis=1), orders, 0)
    first, second = (each.ravel() for each in np.mgrid[:5, :5])
    each = np.empty(25)
    mean_taus(orders, np.arange(6), np.arange(5), first, second, each)
    table = each.reshape(5, 5)
    np.testing.assert_allclose(table, table.T)
    assert np.isnan(table[4]).all()
    np.testing.assert_allclose(np.diag(table)[:4], 1)
    out = np.empty(3)
    offsets, words = np.array([0, 2, 4, 5, 5]), np.array([0, 1, 2, 3, 4])
    mean_taus(orders, offsets, words, np.array([0, 0, 1]), np.array([1, 2, 3]), out)
    np.testing.assert_allclose(out, [table[:2, 2:4].mean(), np.nan, np.nan])
