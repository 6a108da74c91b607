from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from termgauge.statistics import student

freedoms = st.floats(1, 5000)


@given(st.floats(0, 60), freedoms)
def test_tails_are_those_of_scipy(t, freedom):
    assert student.two_sided(t, freedom) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-9, abs=1e-300)


@given(st.floats(1e-6, 1 - 1e-6), freedoms)
def test_quantiles_are_those_of_scipy(share, freedom):
    assert student.quantile(share, freedom) == pytest.approx(stats.t.ppf(share, freedom), rel=1e-7, abs=1e-9)


def test_ends():
    assert student.two_sided(0, 3) == 1
    assert student.two_sided(math.inf, 3) == 0
    assert student.quantile(0.5, 3) == 0
    assert student.quantile(1, 3) == math.inf
