"""The kernels against plain NumPy, at the edges of what numbers can be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from termgauge.embeddings.units import unit_vectors
from termgauge.similarity.vector_kernels import all_finite, dots, mean_rows, rank_unit_rows, unit_rows

NUMBERS = st.floats(-1e300, 1e300, allow_subnormal=False)


@given(hnp.arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 6)), elements=NUMBERS))
def test_units_are_those_of_the_plain_function(table):
    out = np.empty_like(table)
    unit_rows(table.copy(), False, out)
    np.testing.assert_allclose(out, unit_vectors(table, np.float64), rtol=0, atol=1e-12)


@given(hnp.arrays(np.float64, (4, 7), elements=st.integers(-5, 5).map(float)))
def test_dots_of_prepared_vectors_are_correlations(table):
    pearson, spearman = np.empty_like(table), np.empty_like(table)
    unit_rows(table.copy(), True, pearson)
    rank_unit_rows(table.copy(), np.argsort(table, axis=1), spearman)
    first, second = (each.ravel() for each in np.mgrid[:4, :4])
    for prepared, seen_as in ((pearson, np.asarray), (spearman, stats.rankdata)):
        out = np.empty(16)
        dots(prepared, first, second, out)
        for value, i, j in zip(out, first, second, strict=True):
            x, y = seen_as(table[i]), seen_as(table[j])
            expected = np.corrcoef(x, y)[0, 1] if np.ptp(x) and np.ptp(y) else np.nan
            assert value == pytest.approx(expected, abs=1e-12, nan_ok=True)
            assert np.isnan(value) or -1 <= value <= 1


def test_means_do_not_depend_on_the_order_of_the_words():
    vectors = np.array([[1e16], [1.0], [-1e16], [3.0]])
    offsets, out = np.array([0, 4, 8, 8]), np.empty((3, 1))
    mean_rows(vectors, offsets, np.array([0, 1, 2, 3, 3, 2, 1, 0]), out)
    assert out[:2, 0].tolist() == [math.fsum(vectors[:, 0]) / 4] * 2
    assert np.isnan(out[2, 0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_seen(bad):
    row = np.ones(9)
    assert all_finite(row)
    row[7] = bad
    assert not all_finite(row)
    out = np.empty((1, 9))
    unit_rows(row[None].copy(), False, out)
    assert np.isnan(out).all()
