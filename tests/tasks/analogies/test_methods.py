"""What tables and bounds promise: no word that beats the answer is ruled out, and those ruled in do beat it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.tasks.analogies.reference import _scores
from termgauge.tasks.analogies.search import SCORINGS, reach


def unit(matrix):
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.mark.parametrize("method", SCORINGS)
@given(seed=st.integers(0, 9999), near=st.booleans())
def test_bounds_hold(method, seed, near):
    generator = np.random.default_rng(seed)
    words = unit(generator.normal(size=(30, 5))).astype(np.float32)
    if near:  # many words that single precision can hardly tell apart
        words[10:] = unit(words[:20] * (1 + 1e-7 * generator.normal(size=(20, 5)))).astype(np.float32)
    ends = unit(words.astype(np.float64)[:8])
    x_h, y_h, x, y = ends[:2], ends[2:4], ends[4:6], ends[6:8]
    scoring = SCORINGS[method]
    bounds = scoring.bounds(x_h, y_h, x, y)
    first, second = scoring.first(words, x_h, y_h), scoring.second(words, y)
    exact = unit(words.astype(np.float64))
    for h in range(2):
        for j in range(2):
            scores = _scores(exact, x_h[h], y_h[h], y[j], method)
            truth = _scores(x[j : j + 1], x_h[h], y_h[h], y[j], method)[0]
            if not bounds.defined[h, j]:
                continue
            assert bounds.truth[h, j] == pytest.approx(truth, abs=1e-9)
            weight = np.broadcast_to(bounds.weight, bounds.truth.shape)[h, j]
            variant = np.broadcast_to(bounds.variant, bounds.truth.shape)[h, j]
            sums = first[h] + weight * second[variant * len(y) + j]
            beats = np.nan_to_num(scores, nan=-np.inf) > truth + 1e-9 * max(1, abs(truth))
            assert (sums[beats] >= bounds.low[h, j]).all()
            high = np.broadcast_to(bounds.high, bounds.truth.shape)[h, j]
            assert beats[sums > high].all()


def test_there_is_a_table_for_each_variant():
    generator = np.random.default_rng(0)
    words, y = unit(generator.normal(size=(9, 4))).astype(np.float32), unit(generator.normal(size=(3, 4)))
    for scoring in SCORINGS.values():
        assert scoring.first(words, y, y[::-1]).shape == (3, 9)
        assert scoring.second(words, y).shape == (3 * scoring.variants, 9)


@pytest.mark.parametrize("width", [3, 100, 1024])
def test_a_product_in_single_precision_is_within_reach(width):
    generator = np.random.default_rng(width)
    one, other = (unit(generator.normal(size=(200, width))) for _ in range(2))
    single = np.einsum("ij,ij->i", one.astype(np.float32), other.astype(np.float32))
    assert np.abs(single - np.einsum("ij,ij->i", one, other)).max() < reach(width)
