"""The compiled rhos: columns are filled where they should be, ties and large sets are as SciPy has them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from termgauge.statistics.bootstrap import sorted_with_ties
from termgauge.statistics.resample_kernels import left_out_rhos, resampled_rhos

TABLES = hnp.arrays(np.float64, st.tuples(st.just(3), st.integers(3, 16)), elements=st.integers(-2, 2).map(float))


def rho(x, y):
    return stats.spearmanr(x, y).statistic if np.ptp(x) and np.ptp(y) else np.nan


@given(TABLES, st.data())
def test_each_resample_is_in_its_column(table, data):
    n = table.shape[1]
    draws = data.draw(hnp.arrays(np.int64, st.tuples(st.integers(1, 4), st.just(n)), elements=st.integers(0, n - 1)))
    rhos = np.empty((2, len(draws)))
    resampled_rhos(*sorted_with_ties(table), draws, rhos)
    expected = [[rho(row[drawn], table[0][drawn]) for drawn in draws] for row in table[1:]]
    np.testing.assert_allclose(rhos, expected, atol=1e-12)


@given(TABLES)
def test_leaving_one_out(table):
    rhos = left_out_rhos(*sorted_with_ties(table))
    for i in range(table.shape[1]):
        rest = np.delete(table, i, axis=1)
        np.testing.assert_allclose(rhos[:, i], [rho(row, rest[0]) for row in rest[1:]], atol=1e-12)


def test_a_system_turned_round_has_exactly_the_rho_turned_round():
    table = np.random.default_rng(0).integers(0, 9, (3, 200)).astype(float)
    table[2] = -table[1]
    rhos = left_out_rhos(*sorted_with_ties(table))
    np.testing.assert_array_equal(rhos[0], -rhos[1])


@pytest.mark.parametrize("ties", [False, True])
def test_sums_of_a_large_set_do_not_overflow(ties):
    n = 300_000
    generator = np.random.default_rng(1)
    table = generator.normal(size=(2, n))
    table[1] += table[0]
    if ties:
        table = table.round(1)
    orders, last = sorted_with_ties(table)
    whole = np.empty((1, 1))
    resampled_rhos(orders, last, np.arange(n)[None], whole)
    without = left_out_rhos(orders, last)
    assert whole[0, 0] == pytest.approx(rho(table[1], table[0]), abs=1e-12)
    for i in (0, 1234, n - 1):
        rest = np.delete(table, i, axis=1)
        assert without[0, i] == pytest.approx(rho(rest[1], rest[0]), abs=1e-12)
