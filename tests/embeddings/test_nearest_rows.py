from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings import nearest_rows
from termgauge.embeddings.nearest_rows import NearestRows, ahead, narrow_units

NUMBERS = st.sampled_from([0.0, 0.0, 1.0, 1.0, -1.0, 2.0, 0.5, 3.0, 1e30, 1e-30, 3e38, np.nan, np.inf])


@st.composite
def tables(draw):
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(NUMBERS, min_size=width, max_size=width), min_size=1, max_size=25))
    return np.array(rows, np.float32)


def by_definition(table, own, k):
    """Return the k rows nearest to the nearest of some rows, by sorting all of them."""
    wide = [[float(number) for number in row] for row in table]

    def cosine(one, other):
        lengths = [sum(number * number for number in vector) ** 0.5 for vector in (one, other)]
        if not all(np.isfinite(lengths)) or 0 in lengths:
            return -np.inf
        return round(sum(a * b for a, b in zip(one, other, strict=True)) / lengths[0] / lengths[1], 9)

    near = {row: max(cosine(wide[each], wide[row]) for each in own) for row in range(len(wide)) if row not in own}
    ranked = sorted((row for row in near if near[row] > -np.inf), key=lambda row: (-near[row], row))
    return ranked[:k]


@given(tables(), st.data())
def test_neighbours_are_those_of_the_definition(table, data):
    queries = data.draw(
        st.lists(st.lists(st.integers(0, len(table) - 1), min_size=1, max_size=3, unique=True), max_size=5)
    )
    k, step = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 30))
    own = np.array([row for rows in queries for row in rows], np.int64)
    offsets = np.cumsum([0, *map(len, queries)])
    nearest = NearestRows(table[own], offsets, own, k)
    for start in range(0, len(table), step):
        nearest.offer(start, table[start : start + step])
    assert nearest.rows.shape == (len(queries), k)
    for found, rows in zip(nearest.rows.tolist(), queries, strict=True):
        expected = by_definition(table, rows, k)
        assert found == expected + [-1] * (k - len(expected))


@pytest.mark.parametrize("limit", ["_COSINES_AT_ONCE", "_CANDIDATES_AT_ONCE", "_NUMBERS_AT_ONCE"])
def test_the_sizes_of_pieces_change_nothing(limit, monkeypatch):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(500, 16)).astype(np.float32)
    table[100:150] = table[50:100]  # ties
    own, offsets = rng.permutation(500)[:40], np.arange(0, 41, 2)
    whole = NearestRows(table[own], offsets, own, 7)
    whole.offer(0, table)
    monkeypatch.setattr(nearest_rows, limit, 300)
    pieces = NearestRows(table[own], offsets, own, 7)
    for start in range(0, 500, 90):
        pieces.offer(start, table[start : start + 90])
    np.testing.assert_array_equal(whole.rows, pieces.rows)
    np.testing.assert_array_equal(whole.cosines, pieces.cosines)


def test_many_equal_rows_come_in_their_order():
    table = np.tile(np.array([[0.3, 0.7, 0.1]], np.float32), (3000, 1))
    nearest = NearestRows(table[:2], np.array([0, 1, 2]), np.array([0, 1]), 4)
    for start in range(0, 3000, 700):
        nearest.offer(start, table[start : start + 700])
    assert nearest.rows.tolist() == [[1, 2, 3, 4], [0, 2, 3, 4]]


def test_what_single_precision_cannot_tell_apart_is_told_apart():
    # Cosines that differ in the tenth decimal.
    angles = np.array([0.0, 2e-5, 1e-5, 3e-5])
    table = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    nearest = NearestRows(table[:1], np.array([0, 1]), np.array([0]), 3)
    nearest.offer(0, table)
    assert nearest.rows.tolist() == [[2, 1, 3]]


def test_rows_get_better_and_better():
    angles = np.linspace(3, 0.1, 5000)
    table = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    nearest = NearestRows(np.array([[1, 0]], np.float32), np.array([0, 1]), np.array([-1]), 3)
    for start in range(0, 5000, 1000):
        nearest.offer(start, table[start : start + 1000])
    assert nearest.rows.tolist() == [[4999, 4998, 4997]]


def test_unit_vectors_of_any_length():
    vectors = np.array([[3, 4], [3e38, 0], [0, 1e-40], [0, 0], [np.inf, 1], [np.nan, 1]], np.float32)
    found = narrow_units(vectors)
    np.testing.assert_allclose(found[:3], [[0.6, 0.8], [1, 0], [0, 1]], rtol=1e-6)
    assert np.isnan(found[3:]).any(axis=1).all()


def test_ahead_keeps_order_and_errors():
    assert list(ahead(range(5))) == [0, 1, 2, 3, 4]

    def failing():
        yield 1
        raise ValueError("bad")

    with pytest.raises(ValueError, match="bad"):
        list(ahead(failing()))
