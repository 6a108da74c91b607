"""Distances in a narrow band against RapidFuzz: who is left, and how far away."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.nearest.narrow_band import (
    BAND,
    RUN,
    clear_windows,
    load_run,
    mark_windows,
    near_texts,
    new_run,
    width_for,
    window_rows,
)


def symbols(text):
    return np.frombuffer(text.encode(), np.uint8).astype(np.uint16)


def near(query, texts, cutoff, wider=0):
    """Return those of some texts of one size that are near a query, with their distances."""
    windows = np.zeros((window_rows(len(query)), 128), np.uint64)
    mark_windows(windows, symbols(query), max(wider, width_for(cutoff)))
    size, run = len(texts[0]), new_run()
    starts, joined = np.arange(len(texts) + 1) * size, symbols("".join(texts) + "a")
    load_run(run, np.arange(len(texts), dtype=np.int32), joined, starts)
    count = near_texts(windows, len(query), joined, size, cutoff, run, len(texts))
    clear_windows(windows, symbols(query), max(wider, width_for(cutoff)))
    assert not windows.any()
    return dict(zip(run.texts[:count].tolist(), run.state[2, :count].tolist(), strict=True))


def expected(query, texts, cutoff):
    distances = {number: Levenshtein.distance(query, text) for number, text in enumerate(texts)}
    return {number: distance for number, distance in distances.items() if distance <= cutoff}


@pytest.mark.parametrize("most", [3, 15, 16, 31, 32, 63])
@given(st.data())
def test_those_within_the_cutoff_are_left(most, data):
    query = data.draw(st.text("abc", max_size=12) | st.text("ab", min_size=40, max_size=150))
    cutoff = data.draw(st.integers(0, most))
    size = data.draw(st.integers(max(0, len(query) - cutoff), len(query) + cutoff))
    texts = data.draw(st.lists(st.text("abc", min_size=size, max_size=size), min_size=1, max_size=20))
    texts.append((query + "abc" * BAND)[:size])
    texts.append(("cab" * BAND + query)[-size:] if size else "")
    assert near(query, texts, cutoff, wider=data.draw(st.sampled_from([0, BAND]))) == expected(query, texts, cutoff)


@pytest.mark.parametrize("cutoff", [5, 20, 40])
def test_a_full_run(cutoff):
    rng = np.random.default_rng(cutoff)
    query = "".join(rng.choice(list("abcd"), 100))
    texts = []
    for number in range(RUN):
        letters = np.array(list(query))
        letters[rng.choice(100, number % 100, replace=False)] = "x"
        texts.append("".join(letters))
    found = near(query, texts, cutoff)
    assert found == expected(query, texts, cutoff)
    assert 0 < len(found) < RUN
