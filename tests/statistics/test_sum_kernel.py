from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from termgauge.statistics.resample_kernels import resampled_sums

rows = st.one_of(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(1, 4)), elements=st.floats(-1e3, 1e3)),
    hnp.arrays(np.int32, st.tuples(st.integers(1, 9), st.integers(1, 4)), elements=st.integers(-(2**31), 2**31 - 1)),
)


@given(rows, st.integers(0, 4), st.integers(0, 99))
def test_sums_are_those_of_plain_python_in_the_same_order(table, resamples, seed):
    drawn = np.random.default_rng(seed).integers(0, len(table), (resamples, 7))
    found = resampled_sums({"rows": table}, drawn)
    whole = table.dtype == np.int32
    expected = [
        [sum(column, 0 if whole else 0.0) for column in zip(*table[some].tolist(), strict=True)] for some in drawn
    ]
    assert found.tolist() == expected
    assert found.dtype == (np.int64 if whole else np.float64)
    assert found.shape == (resamples, table.shape[1])


def test_sums_are_right_to_the_last_digits():
    table = np.random.default_rng(0).random((500, 2))
    drawn = np.random.default_rng(1).integers(0, 500, (3, 4000))
    for sums, some in zip(resampled_sums({"rows": table}, drawn), drawn, strict=True):
        np.testing.assert_allclose(sums, [math.fsum(table[some, column]) for column in (0, 1)], rtol=1e-12)
