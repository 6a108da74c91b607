from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.embeddings.model import TermModel
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from tests.embeddings import vector_files as files

tokenizers = pytest.importorskip("tokenizers")
TOKENS = ["[UNK]", "fever", "cough", "heart", "attack", "##s", "acute"]
TERMS = ["heart attacks", "Fever", "acute zoster fever", "zoster", "", "heart heart attack", "cough"]
ROWS = np.random.default_rng(4).normal(size=(7, 5)).astype(np.float32)


def _tokenizer():
    made = tokenizers.Tokenizer(
        tokenizers.models.WordPiece({token: at for at, token in enumerate(TOKENS)}, unk_token="[UNK]")
    )
    made.normalizer = tokenizers.normalizers.Lowercase()
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    return made


@pytest.fixture
def folder(tmp_path):
    _tokenizer().save(str(tmp_path / "tokenizer.json"))
    (tmp_path / "model.safetensors").write_bytes(files.safetensors({"embeddings": ROWS}))
    return tmp_path


def _same_as_the_library(ours, theirs):
    """Compare; where the library gives zeros for nothing, ours is missing."""
    nothing = ~theirs.any(axis=1)
    np.testing.assert_array_equal(np.isnan(ours).all(axis=1), nothing)
    np.testing.assert_allclose(ours[~nothing], theirs[~nothing], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_model2vec_as_its_library_computes_it(tmp_path, normalize, weighted):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model2vec = pytest.importorskip("model2vec")
    more = {"weights": np.linspace(0.2, 2, 7), "token_mapping": np.array([0, 1, 2, 3, 1, 2, 6])} if weighted else {}
    library = model2vec.StaticModel(ROWS, _tokenizer(), normalize=normalize, **more)
    library.save_pretrained(tmp_path / "saved")
    model = load_model(f"model2vec:{tmp_path / 'saved'}?kind=terms")
    assert isinstance(model, TermModel)
    _same_as_the_library(model.encode(TERMS), library.encode(TERMS))


def test_wordllama_as_its_library_computes_it():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inference = pytest.importorskip("wordllama.inference")
    safetensors = pytest.importorskip("safetensors.numpy")
    home = Path(inference.__file__).parent  # its own `load` asks the network for the tokenizer that is here
    library = inference.WordLlamaInference(
        safetensors.load_file(home / "weights" / "l2_supercat_256.safetensors")["embedding.weight"],
        tokenizers.Tokenizer.from_file(str(home / "tokenizers" / "l2_supercat_tokenizer_config.json")),
    )
    terms = ["myocardial infarction", "β2-blocker", "fever", "疲労", "Crohn's disease, unspecified", "a" * 300]
    model = load_model("wordllama:?kind=terms")
    _same_as_the_library(model.encode(terms), library.embed(terms))
    scaled = load_model("wordllama:?kind=terms&normalize=true")
    _same_as_the_library(scaled.encode(terms), library.embed(terms, norm=True))
    assert np.isnan(model.encode([""])).all()


def test_unknown_text_counts_for_wordllama_and_not_for_model2vec(folder):
    one = load_model(f"wordllama:{folder}?kind=terms").encode(TERMS)
    two = load_model(f"model2vec:{folder}?kind=terms").encode(TERMS)
    np.testing.assert_allclose(one[2], ROWS[[6, 0, 1]].mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(two[2], ROWS[[6, 1]].mean(axis=0), rtol=1e-5)
    np.testing.assert_array_equal(one[3], ROWS[0])
    assert np.isnan(two[3]).all()
    assert np.isnan(one[4]).all()


def test_the_settings_may_ask_for_length_1(folder):
    (folder / "config.json").write_text('{"normalize": true}')
    model, plain = (
        load_model(f"model2vec:{folder}?kind=terms"),
        load_model(f"model2vec:{folder}?kind=terms&normalize=no"),
    )
    assert np.linalg.norm(model.encode(["heart attacks"])) == pytest.approx(1)
    np.testing.assert_allclose(plain.encode(["cough"])[0], ROWS[2])
    assert model.identity.key != plain.identity.key


def test_long_terms_are_cut_and_told_of(folder):
    (folder / "config.json").write_text('{"max_length": 2}')
    model = load_model(f"model2vec:{folder}?kind=terms")
    with pytest.warns(TermgaugeWarning, match="1 of 2 terms is longer than 2 tokens"):
        vectors = model.encode(["heart cough fever", "heart cough"])
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_words_stay_the_default(folder):
    words, terms = load_model(f"model2vec:{folder}"), load_model(f"model2vec:{folder}?kind=terms")
    assert (words.kind, terms.kind) == ("words", "terms")
    assert words.identity.key != terms.identity.key


def test_many_terms_are_taken_in_blocks(folder, monkeypatch):
    model = load_model(f"model2vec:{folder}?kind=terms")
    expected = model.encode(TERMS * 3)
    monkeypatch.setattr("termgauge.embeddings.encoders.static_tokens.BLOCK", 2)
    np.testing.assert_array_equal(model.encode(TERMS * 3), expected)
    assert model.encode([]).shape == (0, 5)


def test_what_makes_no_sense_is_refused(folder):
    with pytest.raises(TermgaugeError, match=r"leave out \?missing="):
        load_model(f"model2vec:{folder}?kind=terms&missing=available")
    (folder / "config.json").write_text("{")
    with pytest.raises(TermgaugeError, match=r"config.json, line 1: is no JSON"):
        load_model(f"model2vec:{folder}?kind=terms")
