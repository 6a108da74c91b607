from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special, stats

from termgauge.statistics.planning import critical_r, detectable_r, power_of_r

few = st.integers(3, 40)
levels = st.floats(0.0005, 0.2)


def by_density(true, n, level):
    """Return the power by the density of r that Hotelling (1953) gives."""
    constant = math.log(n - 2) + math.lgamma(n - 1) - math.log(2 * math.pi) / 2 - math.lgamma(n - 0.5)

    def density(r):
        logs = constant + (n - 1) / 2 * math.log(1 - true**2) + (n - 4) / 2 * math.log(1 - r * r)
        return math.exp(logs - (n - 1.5) * math.log(1 - true * r)) * special.hyp2f1(
            0.5, 0.5, n - 0.5, (true * r + 1) / 2
        )

    least = critical_r(n, level)
    return sum(integrate.quad(density, *ends, limit=200)[0] for ends in ((-1, -least), (least, 1)))


@given(few, levels)
def test_the_critical_correlation_has_just_the_p_value(n, level):
    least = critical_r(n, level)
    t = least * math.sqrt((n - 2) / (1 - least**2))
    assert 2 * stats.t.sf(t, n - 2) == pytest.approx(level, rel=1e-6)


def test_the_critical_correlations_of_the_paper():
    assert [round(critical_r(n), 3) for n in (7, 9, 5)] == [0.754, 0.666, 0.878]


@settings(max_examples=40)
@given(st.floats(-0.97, 0.97), st.integers(4, 40), levels)
def test_power_is_that_of_the_density_of_r(true, n, level):
    assert power_of_r(true, n, level) == pytest.approx(by_density(true, n, level), abs=1e-6)


@pytest.mark.parametrize(("n", "true"), [(3, 0.9), (5, 0.7), (7, 0.5), (9, 0.5), (9, 0.9)])
def test_power_is_what_simulated_studies_find(n, true):
    draw = np.random.default_rng(n)
    one = draw.normal(size=(40_000, n))
    other = true * one + math.sqrt(1 - true**2) * draw.normal(size=one.shape)
    one, other = (each - each.mean(axis=1, keepdims=True) for each in (one, other))
    r = (one * other).sum(axis=1) / np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    share = np.mean(np.abs(r) > critical_r(n))
    assert power_of_r(true, n) == pytest.approx(share, abs=4 * math.sqrt(share * (1 - share) / len(r)))


@settings(max_examples=30)
@given(few, levels)
def test_power_grows_with_the_correlation_and_starts_at_the_level(n, level):
    powers = [power_of_r(true, n, level) for true in (0.0, 0.1, 0.4, 0.8, 0.99, 1.0)]
    assert powers == pytest.approx(sorted(powers), abs=1e-9)
    assert powers[0] == level
    assert powers[-1] == 1
    assert power_of_r(-0.4, n, level) == powers[2]


@settings(max_examples=20)
@given(few, st.floats(0.01, 0.1), st.floats(0.3, 0.95))
def test_what_is_detectable_has_just_that_power(n, level, power):
    assert power_of_r(detectable_r(n, level, power), n, level) == pytest.approx(power, abs=1e-4)


def test_large_and_small_numbers_of_systems():
    assert all(math.isnan(each) for each in (critical_r(2), power_of_r(0.5, 2), detectable_r(2)))
    assert power_of_r(0.5, 2000) == pytest.approx(1)
    # By Fisher's transformation, which is near enough for many.
    expected = stats.norm.sf(stats.norm.ppf(0.975) - math.atanh(0.1) * math.sqrt(997))
    assert power_of_r(0.1, 1000) == pytest.approx(expected, abs=2e-3)
    # As published tables have it: 29 systems find a correlation of 0.5 in 80 % of studies, and 28 do not.
    assert power_of_r(0.5, 28) < 0.8 < power_of_r(0.5, 29)
