"""Distances of a run of texts in blocks of rows, against RapidFuzz: who is left, and how far away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.nearest.bands import RUN, blocks_of, far_texts, flip_positions
from tests.benchmark.nearest.runs import expected, full_run, left_in, queries_and_texts, run_of, symbols


def near(query, texts, cutoff):
    """Return those of some texts of one size that are near a query, with their distances."""
    positions = np.zeros((128, blocks_of(len(query))), np.uint64)
    flip_positions(positions, symbols(query))
    run, joined = run_of(texts)
    columns = np.empty((blocks_of(len(query)), 2), np.uint64)
    return left_in(run, far_texts(positions, len(query), joined, len(texts[0]), cutoff, run, columns, len(texts)))


@pytest.mark.parametrize("most", [3, 63, 64, 160])
@given(st.data())
def test_those_within_the_cutoff_are_left(most, data):
    query, cutoff, texts = data.draw(queries_and_texts(most))
    assert near(query, texts, cutoff) == expected(query, texts, cutoff)


@pytest.mark.parametrize(("length", "cutoff"), [(100, 40), (100, 80), (300, 130)])
def test_a_full_run(length, cutoff):
    query, texts = full_run(length, cutoff)
    found = near(query, texts, cutoff)
    assert found == expected(query, texts, cutoff)
    assert 0 < len(found) < RUN
