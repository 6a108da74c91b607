from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from tests.embeddings import vector_files as files

tokenizers = pytest.importorskip("tokenizers")
TOKENS = ["[UNK]", "fever", "##ish", "cough", "heart", "attack", "##s"]


@pytest.fixture
def folder(tmp_path):
    model = tokenizers.models.WordPiece({token: number for number, token in enumerate(TOKENS)}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def vectors(dtype=np.float32):
    return np.random.default_rng(2).normal(size=(7, 3)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
def test_tokens_of_terms(folder, dtype):
    (folder / "model.safetensors").write_bytes(files.safetensors({"embeddings": vectors(dtype)}))
    model = load_model(folder)
    found = model.words_of(["Feverish heart attacks", "cough", "qqq cough", ""])
    assert found.words[:5] == ["fever", "##ish", "heart", "attack", "##s"]
    assert found.missing.tolist() == [False, False, True, True]
    assert found.unknown == [(2, "[UNK]")]
    rows = vectors(dtype).astype(np.float32)
    np.testing.assert_allclose(found.means[0], rows[[1, 2, 4, 5, 6]].mean(axis=0), atol=1e-6)
    lenient = load_model(f"{folder}?missing=available").words_of(["qqq cough"])
    assert not lenient.missing[0]
    np.testing.assert_array_equal(lenient.means[0], rows[3])


def test_bfloat16(folder):
    exact = np.array([[0.5, -2, 3]] * 7, np.float32) * np.arange(1, 8, dtype=np.float32)[:, None]
    (folder / "model.safetensors").write_bytes(
        files.safetensors({"embeddings": (exact.view(np.uint32) >> 16).astype(np.uint16)})
    )
    np.testing.assert_array_equal(load_model(folder).vectors(TOKENS), exact)


def test_mapping_and_weights_of_model2vec(folder):
    rows = vectors()[:2]
    mapping, weights = np.array([0, 1, 0, 1, 0, 1, 0]), np.arange(7, dtype=np.float64)
    tensors = {"embeddings": rows, "mapping": mapping, "weights": weights}
    (folder / "model.safetensors").write_bytes(files.safetensors(tensors))
    expected = rows[mapping] * weights[:, None].astype(np.float32)
    np.testing.assert_array_equal(load_model(folder).vectors(TOKENS), expected)


@pytest.mark.parametrize(
    ("tensors", "what"),
    [
        ({"a": vectors(), "b": vectors()}, r"holds 2 matrices \(a, b\).*\?tensor="),
        ({"a": np.zeros(3, np.float32)}, "holds 0 matrices"),
        ({"embeddings": vectors(), "mapping": np.array([0, 99])}, "'mapping' points outside"),
        ({"embeddings": vectors(), "weights": np.ones(3)}, "has 3 weights for 7 tokens"),
    ],
)
def test_tensors_that_do_not_fit(folder, tensors, what):
    (folder / "model.safetensors").write_bytes(files.safetensors(tensors))
    with pytest.raises(TermgaugeError, match=what):
        load_model(folder)


def test_the_tensor_can_be_named(folder):
    (folder / "model.safetensors").write_bytes(files.safetensors({"a": vectors(), "b": vectors() + 1}))
    np.testing.assert_array_equal(load_model(f"{folder}?tensor=b").vectors(["fever"])[0], vectors()[1] + 1)
    with pytest.raises(TermgaugeError, match="has no matrix 'c'; it has a, b"):
        load_model(f"{folder}?tensor=c")


def test_no_tokenizer(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(files.safetensors({"embeddings": vectors()}))
    with pytest.raises(TermgaugeError, match=r"\?tokenizer=FILE"):
        load_model(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(TermgaugeError, match="no Hugging Face tokenizer"):
        load_model(tmp_path)


def test_equals_wordllama(gensim):
    import importlib.util

    found = importlib.util.find_spec("wordllama")
    if found is None:
        pytest.skip("wordllama is not installed")
    package = Path(found.origin).parent
    data = (package / "weights" / "l2_supercat_256.safetensors").read_bytes()
    length = int.from_bytes(data[:8], "little")
    entry = json.loads(data[8 : 8 + length])["embedding.weight"]
    matrix = np.frombuffer(data[8 + length :], "<f2").reshape(entry["shape"]).astype(np.float32)
    text = (package / "tokenizers" / "l2_supercat_tokenizer_config.json").read_text(encoding="utf-8")
    tokenizer = tokenizers.Tokenizer.from_str(text)
    terms = ["Myocardial infarction", "fever", "naïve β-blocker 発熱", "Crohn's disease, unspecified"]
    ours = load_model("wordllama:").words_of(terms)
    theirs = gensim.KeyedVectors(256)
    names = [tokenizer.id_to_token(number) for number in range(len(matrix))]
    theirs.add_vectors(names, matrix)
    for place, term in enumerate(terms):
        encoded = tokenizer.encode(term, add_special_tokens=False)
        np.testing.assert_allclose(ours.means[place], matrix[encoded.ids].mean(axis=0), rtol=0, atol=1e-6)
        np.testing.assert_array_equal(ours.matrix(place), [theirs[token] for token in encoded.tokens])
