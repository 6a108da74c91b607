from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings.store import vectors as matrix
from termgauge.embeddings.store.vectors import MappedMatrix
from termgauge.exceptions import TermgaugeError


@pytest.mark.parametrize("dtype", ["<f2", "<f4", "<f8"])
@given(st.lists(st.integers(0, 39), max_size=30), st.integers(0, 40), st.integers(0, 40), st.integers(1, 200))
def test_rows_in_any_order_and_in_blocks(tmp_path, monkeypatch, dtype, some, start, stop, size):
    monkeypatch.setattr(matrix, "_LONG_RUN", 10)
    monkeypatch.setattr(matrix, "_ROWS_BETWEEN_RELEASES", 7)
    rows = np.random.default_rng(0).normal(size=(40, 3)).astype(dtype)
    if not (tmp_path / "a").exists():
        (tmp_path / "a").write_bytes(b"head" + rows.tobytes())
    mapped, expected = MappedMatrix(tmp_path / "a", (40, 3), dtype, 4), rows.astype(np.float32)
    np.testing.assert_array_equal(mapped.gather(np.array(some, np.int64)), expected[some])
    np.testing.assert_array_equal(mapped.gather(np.arange(start, max(start, stop))), expected[start:stop])
    blocks = list(mapped.blocks(size, start, stop))
    assert [first for first, _ in blocks] == np.cumsum([start, *(len(each) for _, each in blocks)])[:-1].tolist()
    np.testing.assert_array_equal(np.vstack([expected[:0], *(each for _, each in blocks)]), expected[start:stop])


def test_bfloat16_is_the_upper_half(tmp_path):
    numbers = np.array([[1.5, -2.0, 0.0078125]], np.float32)
    (tmp_path / "a").write_bytes((numbers.view(np.uint32) >> 16).astype("<u2").tobytes())
    np.testing.assert_array_equal(MappedMatrix(tmp_path / "a", (1, 3), "bfloat16").gather(np.array([0])), numbers)


def test_a_file_that_is_cut_while_it_is_in_use(tmp_path):
    (tmp_path / "a").write_bytes(bytes(1 << 20))
    mapped = MappedMatrix(tmp_path / "a", (1 << 10, 1 << 8))
    os.truncate(tmp_path / "a", 1 << 12)
    for use in (lambda: mapped.gather(np.array([900])), lambda: list(mapped.blocks())):
        with pytest.raises(TermgaugeError, match="is cut off"):
            use()


def test_missing_rows_and_short_files(tmp_path):
    (tmp_path / "a").write_bytes(bytes(23))
    with pytest.raises(TermgaugeError, match="is cut off: 2 vectors of 3 numbers end at byte 24, the file at 23"):
        MappedMatrix(tmp_path / "a", (2, 3))
    with pytest.raises(IndexError):
        MappedMatrix(tmp_path / "a", (1, 3)).gather(np.array([0, -1]))
    assert MappedMatrix(tmp_path / "a", (0, 3)).gather(np.empty(0, np.int64)).shape == (0, 3)


@pytest.mark.parametrize("shape", [(3,), (1, 3), (0,), (0, 3)])
def test_arrays_are_mapped_even_if_they_are_empty(tmp_path, shape):
    (tmp_path / "a").write_bytes(b"head" + np.arange(3, dtype="<i4").tobytes())
    array = matrix.mapped(tmp_path / "a", "<i4", shape, 4)
    assert (array.shape, array.dtype, array.ravel().tolist()) == (shape, np.int32, [0, 1, 2][: np.prod(shape)])
