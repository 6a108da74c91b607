"""Vectors in memory behave as those in files do."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.embeddings.store.vectors import InMemoryMatrix, in_memory_store, sha256_of_rows
from termgauge.exceptions import TermgaugeError

ROWS = np.random.default_rng(1).normal(size=(40_000, 3))


def test_rows_come_in_single_precision_and_in_the_order_asked_for():
    matrix = InMemoryMatrix(ROWS)
    rows = np.array([7, 0, 39_999, 7])
    assert matrix.shape == (40_000, 3)
    assert matrix.gather(rows).dtype == np.float32
    np.testing.assert_array_equal(matrix.gather(rows), ROWS[rows].astype(np.float32))
    matrix.gather(rows)[:] = 0
    np.testing.assert_array_equal(matrix.gather(rows), ROWS[rows].astype(np.float32))
    assert matrix.gather(np.empty(0, np.int64)).shape == (0, 3)
    with pytest.raises(IndexError):
        matrix.gather(np.array([-1]))


def test_blocks_are_the_whole():
    blocks = list(InMemoryMatrix(ROWS).blocks())
    assert len(blocks) > 2
    np.testing.assert_array_equal(np.concatenate([rows for _, rows in blocks]), ROWS.astype(np.float32))
    assert [first for first, _ in blocks] == np.cumsum([0, *(len(rows) for _, rows in blocks[:-1])]).tolist()


def test_a_store_knows_repeated_words_and_zeros():
    store = in_memory_store(["fever", "cough", "fever"], np.array([[1.0, 2], [0, 0], [3, 4]]), "mine")
    assert (store.duplicates, store.zeros) == (1, 1)
    assert store.vocabulary.find(["fever", "cough", "rash"]).tolist() == [0, 1, -1]


@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e300])
def test_a_number_that_is_not_finite_is_refused_by_its_word(bad):
    with pytest.raises(TermgaugeError, match="mine: the vector of 'cough' holds NaN or infinity"):
        in_memory_store(["fever", "cough"], np.array([[1.0, 2], [bad, 0]]), "mine")


def test_a_hash_depends_on_all_numbers_and_on_the_shape_alone():
    changed = ROWS.copy()
    changed[39_999, 2] += 1e-3
    hashes = [sha256_of_rows(rows, "mine") for rows in (ROWS, changed, ROWS.reshape(-1, 6), ROWS[:-1])]
    assert len(set(hashes)) == 4
    for same in (ROWS.copy(order="F"), ROWS.astype(np.float32), np.repeat(ROWS, 2, axis=0)[::2]):
        assert sha256_of_rows(same, "another name") == hashes[0]
