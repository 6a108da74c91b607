from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from termgauge.embeddings.units import unit_vectors

TABLES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6)


@pytest.mark.parametrize(("precision", "digits"), [(np.float32, 1e-6), (np.float64, 1e-14)])
@given(st.data())
def test_units_are_exact_quotients(precision, digits, data):
    width = np.dtype(precision).itemsize * 8
    table = data.draw(hnp.arrays(precision, TABLES, elements=st.floats(width=width, allow_subnormal=False)))
    units = unit_vectors(table, precision)
    assert units.dtype == precision
    for row, unit in zip(table.astype(np.longdouble), units, strict=True):
        length = np.sqrt(np.sum(row * row))
        if np.isfinite(row).all() and row.any():
            np.testing.assert_allclose(unit, row / length, rtol=0, atol=digits)
        else:
            assert np.isnan(unit).all()


def test_vectors_of_any_length():
    vectors = np.array([[3, 4], [3e38, 0], [0, 1e-40], [0, 0], [np.inf, 1], [np.nan, 1]], np.float32)
    for precision in (np.float32, np.float64):
        units = unit_vectors(vectors, precision)
        np.testing.assert_allclose(units[:3], [[0.6, 0.8], [1, 0], [0, 1]], rtol=1e-6)
        assert np.isnan(units[3:]).all()
    assert unit_vectors(vectors[:4], np.float32, zeros=0)[3].tolist() == [0, 0]


def test_tables_without_rows_or_columns():
    assert unit_vectors(np.empty((0, 3)), np.float64).shape == (0, 3)
    assert unit_vectors(np.empty((2, 0)), np.float32).shape == (2, 0)


def test_what_is_given_is_not_changed():
    vectors = np.array([[3.0, 4.0], [0.0, 0.0]], np.float32)
    unit_vectors(vectors, np.float32, zeros=0)
    assert vectors.tolist() == [[3, 4], [0, 0]]
