from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from termgauge.embeddings.convert import FORMATS, convert
from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.embeddings import vector_files as files

SUFFIX = {"word2vec-text": ".txt", "word2vec-binary": ".bin", "numpy": ".npy", "safetensors": ".safetensors"}


@pytest.fixture
def model(tmp_path, table):
    words, vectors = table
    vectors[0] = [1e-38, -0.1, 3.4e38, 1 / 3, 0]
    (tmp_path / "source.bin").write_bytes(files.word2vec_binary([*words, "fever"], np.vstack([vectors, vectors[:1]])))
    with pytest.warns(TermgaugeWarning, match="more than once"):
        return load_model(tmp_path / "source.bin")


@pytest.mark.parametrize("to", FORMATS)
def test_what_is_written_reads_back(tmp_path, model, table, to):
    written = convert(model, tmp_path / "out" / f"v{SUFFIX[to]}", None)
    assert all(path.is_file() for path in written)
    again = load_model(written[0])
    assert list(again.vocabulary) == table[0]
    assert again.vectors(table[0]).tobytes() == model.vectors(table[0]).tobytes()


@pytest.mark.parametrize("to", ["word2vec-text", "word2vec-binary"])
def test_gensim_reads_what_is_written(tmp_path, model, table, gensim, to):
    (path,) = convert(model, tmp_path / "v", to)
    theirs = gensim.KeyedVectors.load_word2vec_format(str(path), binary=to == "word2vec-binary")
    assert theirs.index_to_key == table[0]
    np.testing.assert_array_equal(theirs.vectors, table[1])


def test_numpy_and_safetensors_read_what_is_written(tmp_path, model, table):
    path, _ = convert(model, tmp_path / "v.npy")
    np.testing.assert_array_equal(np.load(path), table[1])
    safetensors = pytest.importorskip("safetensors.numpy")
    (path,) = convert(model, tmp_path / "v.safetensors")
    found = safetensors.load_file(path)
    np.testing.assert_array_equal(found["vectors"], table[1])
    text = found["words"].tobytes()
    offsets = found["word_offsets"].tolist()
    assert [text[a:b].decode() for a, b in pairwise(offsets)] == table[0]


def test_words_that_a_format_cannot_hold(tmp_path):
    (tmp_path / "g.txt").write_bytes(b"new york 1 2\nfever 3 4\n")
    model = load_model(f"glove:{tmp_path / 'g.txt'}")
    with pytest.raises(TermgaugeError, match="'new york' has a space in it"):
        convert(model, tmp_path / "o.bin")
    assert not (tmp_path / "o.bin").exists()
    with pytest.warns(TermgaugeWarning, match="spaces"):
        convert(model, tmp_path / "o.txt")
    assert list(load_model(tmp_path / "o.txt").vocabulary) == ["new york", "fever"]
    (tmp_path / "s.safetensors").write_bytes(
        files.safetensors(
            {
                "vectors": np.eye(2, dtype=np.float32),
                "words": np.frombuffer(b"a\nbc", np.uint8),
                "word_offsets": np.array([0, 3, 4]),
            }
        )
    )
    odd = load_model(tmp_path / "s.safetensors")
    assert list(odd.vocabulary) == ["a\nb", "c"]
    with pytest.raises(TermgaugeError, match="line end"):
        convert(odd, tmp_path / "o.npy")


@pytest.mark.parametrize("offsets", [[0, 3], [0, 9, 4], [1, 3, 4], [0, 3, 9]])
def test_words_that_do_not_fit_their_vectors(tmp_path, offsets):
    tensors = {
        "vectors": np.eye(2, dtype=np.float32),
        "words": np.frombuffer(b"abcd", np.uint8),
        "word_offsets": np.array(offsets),
    }
    (tmp_path / "s.safetensors").write_bytes(files.safetensors(tensors))
    with pytest.raises(TermgaugeError, match="do not fit"):
        load_model(tmp_path / "s.safetensors")


@pytest.mark.parametrize(
    ("out", "to", "what"), [("a.xyz", None, "no format"), ("a.bin", "nunpy", "Did you mean 'numpy'")]
)
def test_unknown_formats(tmp_path, model, out, to, what):
    with pytest.raises(TermgaugeError, match=what):
        convert(model, tmp_path / out, to)


def test_models_without_a_vocabulary(tmp_path):
    for spec in ("baseline:random", "baseline:levenshtein"):
        with pytest.raises(TermgaugeError, match="no vocabulary"):
            convert(load_model(spec), tmp_path / "a.bin")
