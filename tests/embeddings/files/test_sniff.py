from __future__ import annotations

import pickle
import zipfile

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from tests.embeddings import vector_files as files


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("scheme", ["", "word2vec:", "glove:", "fasttext:"])
def test_pickles_are_refused(tmp_path, protocol, scheme):
    path = tmp_path / "vectors.kv"
    path.write_bytes(pickle.dumps({"vectors": np.ones((2, 2)), "index_to_key": ["a", "b"]}, protocol=protocol))
    with pytest.raises(TermgaugeError, match=r"is a pickle.*save_word2vec_format"):
        load_model(f"{scheme}{path}")


def test_a_gensim_model_is_refused(tmp_path, gensim):
    vectors = gensim.KeyedVectors(2)
    vectors.add_vectors(["a", "b"], np.ones((2, 2), np.float32))
    vectors.save(str(tmp_path / "a.kv"))
    with pytest.raises(TermgaugeError, match="is a pickle"):
        load_model(tmp_path / "a.kv")


def test_a_torch_archive_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.pt", "w") as archive:
        archive.writestr("archive/data.pkl", b"\x80\x02.")
        archive.writestr("archive/data/0", b"1234")
    with pytest.raises(TermgaugeError, match=r"is a pickle.*safetensors.torch"):
        load_model(tmp_path / "a.pt")


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
        (b"PAR1abcd", "Parquet"),
        (b"hello\nworld\n", "not in any format"),
        (b"", "not in any"),
    ],
)
def test_unknown_formats(tmp_path, head, what):
    (tmp_path / "a").write_bytes(head)
    with pytest.raises(TermgaugeError, match=what):
        load_model(tmp_path / "a")


def test_a_safetensors_header_that_begins_like_a_pickle(tmp_path):
    data = files.safetensors({"embeddings": np.eye(2, dtype=np.float32)}, metadata={"x": "y" * 500})
    text = data[8 : 8 + int.from_bytes(data[:8], "little")]
    padded = text.ljust(0x280)
    (tmp_path / "a.safetensors").write_bytes(len(padded).to_bytes(8, "little") + padded + data[8 + len(text) :])
    with pytest.raises(TermgaugeError, match="tokenizer"):
        load_model(tmp_path / "a.safetensors")


def test_places_that_are_not_there(tmp_path):
    with pytest.raises(TermgaugeError, match="no such file"):
        load_model(tmp_path / "nothing.bin")
    with pytest.raises(TermgaugeError, match=r"neither a \.safetensors nor a \.npy"):
        load_model(tmp_path)
    with pytest.raises(TermgaugeError, match="'no_such_package' is not installed"):
        load_model("numpy:package:no_such_package/data")


@pytest.mark.parametrize(
    ("make", "scheme"),
    [
        (files.word2vec_text, "word2vec"),
        (files.word2vec_binary, "word2vec"),
        (files.glove, "glove"),
        (files.csv, "delimited"),
    ],
)
def test_formats_are_known_from_their_content(tmp_path, table, make, scheme):
    (tmp_path / "vectors.dat").write_bytes(make(*table))
    model = load_model(tmp_path / "vectors.dat")
    assert model.identity.scheme == scheme
    assert model.identity.key == load_model(f"{scheme}:{tmp_path / 'vectors.dat'}").identity.key
