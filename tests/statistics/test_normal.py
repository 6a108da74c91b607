"""The normal distribution, against SciPy, in both tails."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from termgauge.statistics.normal import cdf, quantile, two_sided


@given(st.floats(-37, 8))
def test_cdf_is_that_of_scipy_also_far_out(z):
    assert cdf(z) == pytest.approx(stats.norm.cdf(z), rel=1e-11)


@given(st.floats(-37, 37))
def test_two_sided_p_values_are_those_of_scipy_also_far_out(z):
    assert two_sided(z) == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-11)
    assert two_sided(-z) == two_sided(z)


@given(st.floats(1e-300, 1, exclude_max=True))
def test_quantiles_are_those_of_scipy(share):
    assert quantile(share) == pytest.approx(stats.norm.ppf(share), rel=1e-9, abs=1e-9)
    assert cdf(quantile(share)) == pytest.approx(share, rel=1e-9)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 1.5])
def test_what_is_certain_lies_infinitely_far_out(share):
    assert quantile(share) == (-math.inf if share <= 0 else math.inf)


def test_infinity_and_nothing():
    assert (cdf(-math.inf), cdf(math.inf)) == (0, 1)
    assert two_sided(math.inf) == two_sided(-math.inf) == 0
    assert two_sided(0) == 1
    assert math.isnan(cdf(math.nan))
    assert math.isnan(two_sided(math.nan))
