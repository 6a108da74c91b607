from __future__ import annotations

import json

import numpy as np
import pytest

from termgauge.embeddings.files.matrices import looks_like_safetensors, open_safetensors
from termgauge.exceptions import TermgaugeError
from tests.embeddings import vector_files as files

MATRIX = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def written(tmp_path):
    def write(content):
        path = tmp_path / "a.safetensors"
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_what_the_library_writes_is_read(tmp_path, dtype):
    library = pytest.importorskip("safetensors.numpy")
    library.save_file({"other": np.arange(3), "embeddings": MATRIX.astype(dtype)}, tmp_path / "a.safetensors")
    tensors = open_safetensors(tmp_path / "a.safetensors")
    assert looks_like_safetensors((tmp_path / "a.safetensors").read_bytes())
    np.testing.assert_array_equal(tensors.matrix().gather(np.array([1, 0])), MATRIX[::-1])
    np.testing.assert_array_equal(tensors.array("other"), np.arange(3))
    assert tensors.array("embeddings") is None
    assert tensors.array("missing") is None


def test_which_matrix_is_meant(written):
    both = open_safetensors(written(files.safetensors({"one": MATRIX, "two": -MATRIX})))
    np.testing.assert_array_equal(both.matrix("two").gather(np.arange(2)), -MATRIX)
    with pytest.raises(TermgaugeError, match=r"holds 2 matrices \(one, two\).*\?tensor=NAME"):
        both.matrix()
    with pytest.raises(TermgaugeError, match=r"has no matrix 'tow'; it has one, two\. Did you mean 'two'"):
        both.matrix("tow")
    known = open_safetensors(written(files.safetensors({"one": MATRIX, "embedding.weight": -MATRIX})))
    np.testing.assert_array_equal(known.matrix().gather(np.arange(2)), -MATRIX)


def test_a_file_that_is_cut_anywhere_is_refused(tmp_path):
    whole = files.safetensors({"embeddings": MATRIX})
    for size in range(8, len(whole) + 1):
        path = tmp_path / f"{size}.safetensors"
        path.write_bytes(whole[:size])
        if size == len(whole):
            assert set(open_safetensors(path).tensors) == {"embeddings"}
        else:
            with pytest.raises(TermgaugeError, match="no whole safetensors file"):
                open_safetensors(path)


@pytest.mark.parametrize(
    "header",
    [
        [],
        {"a": 1},
        {"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}},
        {"a": {"dtype": "F32", "shape": [2]}},
    ],
)
def test_headers_that_describe_nothing(written, header):
    text = json.dumps(header).encode()
    with pytest.raises(TermgaugeError, match="its header"):
        open_safetensors(written(len(text).to_bytes(8, "little") + text + bytes(8)))
