"""The parts of the compiled search, each against NumPy; the whole is tested with :mod:`.search`."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.tasks.analogies import kernel
from termgauge.tasks.analogies.kernel import CHUNK, chunk_maxima, list_greatest, scale_rows
from termgauge.tasks.analogies.reference import _scores


def test_rows_are_scaled_to_length_one():
    vectors = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    vectors[2], vectors[3, 0], vectors[4, 1] = 0, np.nan, np.inf
    units, inverse = np.full_like(vectors, 9), np.full(6, 9.0)
    scale_rows(vectors, units, inverse, 1, 6)
    assert (units[0] == 9).all()  # not asked for
    for row in (1, 5):
        length = np.linalg.norm(vectors[row].astype(np.float64))
        assert inverse[row] == pytest.approx(1 / length, rel=1e-12)
        np.testing.assert_allclose(units[row], vectors[row] / length, rtol=1e-6)
    assert (inverse[2:5] == 0).all()
    assert (units[2:5] == 0).all()


def test_the_greatest_of_each_chunk():
    table = np.random.default_rng(1).normal(size=(3, 5 * CHUNK)).astype(np.float32)
    maxima = np.zeros((3, 5), np.float32)
    chunk_maxima(table, maxima, 0, 2)
    np.testing.assert_array_equal(maxima[:2], table[:2].reshape(2, 5, CHUNK).max(axis=2))
    assert (maxima[2] == 0).all()


@pytest.mark.parametrize("most", [5, 40, 1024])
def test_lists_hold_the_greatest_in_order(most):
    generator = np.random.default_rng(2)
    table = generator.normal(size=(4, 2000)).astype(np.float32).round(1)  # ties
    table[1, ::3] = -np.inf  # words that never rank
    table[3] = 1  # all alike
    greatest, places = np.zeros((4, most), np.float32), np.zeros((4, most), np.int32)
    lengths = np.full(4, -1, np.int32)
    list_greatest(table, greatest, places, lengths, 0, 4)
    assert (lengths <= most).all()
    assert (lengths >= 0).all()
    for row in range(4):
        size = lengths[row]
        order = np.argsort(-table[row], kind="stable")[:size]
        np.testing.assert_array_equal(places[row, :size], order)
        np.testing.assert_array_equal(greatest[row, :size], table[row, order])
    assert lengths[3] == 0 or lengths[3] == 2000
    if most == 1024:
        assert lengths[0] > 0


@pytest.mark.parametrize(
    ("method", "code"), [("add", kernel.ADD), ("mul", kernel.MUL), ("direction", kernel.DIRECTION)]
)
def test_exact_scores_are_those_of_the_definition(method, code):
    generator = np.random.default_rng(3)
    vectors = generator.normal(size=(20, 6)).astype(np.float32)
    units = vectors.astype(np.float64) / np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    x_h, y_h, y_j = units[:3]
    expected = _scores(units, x_h, y_h, y_j, method)
    for row in range(20):
        inverse = 1 / np.linalg.norm(vectors[row].astype(np.float64))
        score = kernel._score(vectors[row], inverse, x_h, y_h, y_j, code)
        assert score == pytest.approx(expected[row], abs=1e-12, nan_ok=True)
