from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.statistics import planning

positive = st.floats(0.05, 5)


@given(positive, positive)
def test_so_many_raters_are_enough_and_one_less_is_not(width, deviation):
    count = planning.raters_for(width, deviation)
    assert planning.score_width(deviation, count) <= width * (1 + 1e-9)
    assert count == 1 or planning.score_width(deviation, count - 1) > width * (1 - 1e-9)


@given(st.floats(0.01, 0.5), st.floats(-0.95, 0.95))
def test_so_many_pairs_are_enough_and_one_less_is_not(width, rho):
    count = planning.pairs_for_rho(width, rho)
    assert planning.rho_width(rho, count) <= width
    assert count == 4 or planning.rho_width(rho, count - 1) > width


def test_four_times_the_pairs_halve_an_interval():
    assert planning.pairs_for_interval(0.1, 100, 0.2) == 400
    assert planning.pairs_for_interval(0.1, 100, math.nan) is None
    assert planning.raters_for(1.0, math.nan) is None
    assert math.isnan(planning.rho_width(0.5, 3))
    assert math.isnan(planning.score_width(1.0, 0))


def test_the_width_of_rho_is_that_of_simulations():
    """Normal scores with a true Spearman correlation near 0.6."""
    generator = np.random.default_rng(1)
    one = generator.normal(size=(4000, 200))
    other = 0.62 * one + math.sqrt(1 - 0.62**2) * generator.normal(size=one.shape)
    ranks = [np.argsort(np.argsort(each, axis=1), axis=1) - 99.5 for each in (one, other)]
    rhos = (ranks[0] * ranks[1]).sum(axis=1) / (ranks[0] ** 2).sum(axis=1)
    low, high = np.quantile(rhos, [0.025, 0.975])
    assert planning.rho_width(float(rhos.mean()), 200) == pytest.approx(high - low, rel=0.06)
