"""Distances with a cut-off against RapidFuzz: equal up to the cut-off, and above it some number above it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.nearest.bands import (
    blocks_of,
    distance_in_blocks,
    flip_positions,
)

TEXTS = st.text("abc", max_size=12) | st.text("ab", min_size=55, max_size=140)


def symbols(text):
    return np.frombuffer(text.encode(), np.uint8).astype(np.uint16)


def marked(query):
    positions = np.zeros((128, blocks_of(len(query))), np.uint64)
    flip_positions(positions, symbols(query))
    return positions


@given(TEXTS, TEXTS, st.integers(0, 150))
def test_any_length(query, text, cutoff):
    positions = marked(query)
    columns = np.empty((positions.shape[1], 2), np.uint64)
    distance, expected = (
        distance_in_blocks(positions, len(query), symbols(text), cutoff, columns),
        Levenshtein.distance(query, text),
    )
    assert distance == expected if expected <= cutoff else distance > cutoff


@given(TEXTS)
def test_clearing_leaves_nothing(query):
    positions = marked(query)
    assert sum(word.bit_count() for word in positions.ravel().tolist()) == len(query)
    flip_positions(positions, symbols(query))
    assert not positions.any()
