"""McNemar's exact test, against statsmodels and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as of_statsmodels

from termgauge.statistics.separation import difference_interval, mcnemar, only_right


@given(st.integers(0, 400), st.integers(0, 400))
def test_p_value_is_that_of_statsmodels(b, c):
    expected = of_statsmodels([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
    assert mcnemar(b, c) == pytest.approx(min(1, expected), rel=1e-10)


@pytest.mark.parametrize(
    ("b", "c"), [(499, 500), (450, 560), (999, 1), (0, 1200), (30_000, 31_000), (200_000, 201_000), (1, 10**6)]
)
def test_many_pairs(b, c):
    expected = min(1.0, 2 * stats.binom.cdf(min(b, c), b + c, 0.5))
    assert mcnemar(b, c) == pytest.approx(expected, rel=1e-8)
    assert mcnemar(c, b) == mcnemar(b, c)


def test_counts_of_all_systems(monkeypatch):
    right = np.random.default_rng(0).random((5, 101)) < 0.7
    expected = [[int((one & ~other).sum()) for other in right] for one in right]
    monkeypatch.setattr("termgauge.statistics.separation._AT_ONCE", 30)
    np.testing.assert_array_equal(only_right(right), expected)


def test_interval_covers_the_true_difference():
    generator = np.random.default_rng(1)
    cells, n = np.array([0.5, 0.25, 0.15, 0.1]), 80  # both right, only one, only other, neither
    held = 0
    for _ in range(1000):
        counts = generator.multinomial(n, cells)
        low, high = difference_interval(int(counts[1]), int(counts[2]), n, 0.05)
        held += low <= 0.1 <= high
    assert abs(held / 1000 - 0.95) < 3 * math.sqrt(0.95 * 0.05 / 1000)
