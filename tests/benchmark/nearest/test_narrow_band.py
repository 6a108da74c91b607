"""Distances in a narrow band against RapidFuzz: who is left, and how far away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.nearest.bands import (
    BAND,
    RUN,
    flip_windows,
    near_texts,
    width_for,
)
from tests.benchmark.nearest.runs import expected, full_run, left_in, queries_and_texts, run_of, symbols


def near(query, texts, cutoff, wider=0):
    """Return those of some texts of one size that are near a query, with their distances."""
    windows = np.zeros((len(query) + BAND + 2, 128), np.uint64)
    flip_windows(windows, symbols(query), max(wider, width_for(cutoff)))
    run, joined = run_of(texts)
    count = near_texts(windows, len(query), joined, len(texts[0]), cutoff, run, len(texts))
    flip_windows(windows, symbols(query), max(wider, width_for(cutoff)))
    assert not windows.any()
    return left_in(run, count)


@pytest.mark.parametrize("most", [3, 15, 16, 31, 32, 63])
@given(st.data())
def test_those_within_the_cutoff_are_left(most, data):
    query, cutoff, texts = data.draw(queries_and_texts(most))
    assert near(query, texts, cutoff, wider=data.draw(st.sampled_from([0, BAND]))) == expected(query, texts, cutoff)


@pytest.mark.parametrize("cutoff", [5, 20, 40])
def test_a_full_run(cutoff):
    query, texts = full_run(100, cutoff)
    found = near(query, texts, cutoff)
    assert found == expected(query, texts, cutoff)
    assert 0 < len(found) < RUN
