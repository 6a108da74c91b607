"""Corrections for many comparisons, against statsmodels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.inputs import adjusted, corrected_level

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
@settings(max_examples=25)  # statsmodels collects garbage at each call
@given(given_values=p_values)
def test_adjusted_values_are_those_of_statsmodels(correction, given_values):
    expected = multipletests(given_values, method=correction)[1]
    np.testing.assert_allclose(adjusted(given_values, correction), expected, rtol=1e-12)


@given(p_values, p_values)
def test_comparisons_that_were_not_made_do_not_count(made, more):
    with_gaps = np.array([*made, *[math.nan] * len(more)])
    for correction in ("holm", "bonferroni", "none"):
        found = adjusted(with_gaps, correction)
        np.testing.assert_array_equal(found[: len(made)], adjusted(made, correction))
        assert np.isnan(found[len(made) :]).all()


def test_none_changes_nothing():
    np.testing.assert_array_equal(adjusted([0.2, 0.01], "none"), [0.2, 0.01])
    assert len(adjusted([], "holm")) == 0


def test_levels():
    assert corrected_level(0.05, 253, "bonferroni") == 0.05 / 253
    assert corrected_level(0.05, 253, "none") == 0.05
    assert corrected_level(0.05, 0, "bonferroni") == 0.05


def test_unknown_correction():
    with pytest.raises(TermgaugeError, match="Did you mean 'bonferroni'"):
        adjusted([0.1], "bonferoni")
