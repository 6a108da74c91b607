"""What every model must do, whatever its kind and wherever it comes from."""

from __future__ import annotations

import json

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.embeddings.model import ConceptModel, Model, PairScorer, TermModel, WordModel
from tests.embeddings import onnx_files
from tests.embeddings import vector_files as files

WORDS = ["fever", "cough", "heart", "attack", "β2", "beta", "blocker"]
IDS = ["C0000001", "C0000002", "C0000003"]
TERMS = ["Fever", "heart attack", "beta-blocker", "fever fever", "unheard-of rash", "", "β2 ... fever"]


def _vectors(rows):
    return np.random.default_rng(11).normal(size=(rows, 6)).astype(np.float32)


def _tokens(folder):
    tokenizers = pytest.importorskip("tokenizers")
    vocabulary = {word: number for number, word in enumerate(["[UNK]", *WORDS])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return files.safetensors({"embeddings": _vectors(8)})


def _onnx(folder):
    pytest.importorskip("onnxruntime")
    onnx_files.write(folder)
    return (folder / "model.onnx").read_bytes()


MAKERS = {
    "word2vec-text.txt": lambda _: files.word2vec_text(WORDS, _vectors(7)),
    "word2vec-binary.bin": lambda _: files.word2vec_binary(WORDS, _vectors(7)),
    "glove.txt": lambda _: files.glove(WORDS, _vectors(7)),
    "words.csv": lambda _: files.csv(WORDS, _vectors(7)),
    "concepts.csv": lambda _: files.csv(IDS, _vectors(3)),
    "fasttext.bin": lambda _: files.fasttext(WORDS, _vectors(7 + 30), buckets=30),
    "tokens.safetensors": _tokens,
    "terms.safetensors": _tokens,
    "encoder.onnx": _onnx,
}
QUERIES = {"terms.safetensors": "?kind=terms", "encoder.onnx": "?pooling=mean&file=encoder.onnx"}
"""What must be said beside the place."""
BASELINES = ["baseline:random", "baseline:levenshtein", "baseline:char-ngrams"]
OF_TERMS = list(QUERIES)
OF_WORDS = [name for name in MAKERS if name not in ("concepts.csv", *OF_TERMS)] + ["baseline:random"]
CLOSED = [name for name in OF_WORDS if name not in ("fasttext.bin", "baseline:random")]
OF_CONCEPTS = ["concepts.csv"]
OF_PAIRS = ["baseline:levenshtein", "baseline:char-ngrams"]


def _load(name, folder, query=""):
    if name in BASELINES:
        if name == "baseline:char-ngrams":
            pytest.importorskip("sklearn")
        return load_model(name + query)
    return load_model(_spec(name, folder) + query)


def _spec(name, folder):
    (folder / name).write_bytes(MAKERS[name](folder))
    return (f"onnx:{folder}" if name.endswith(".onnx") else str(folder / name)) + QUERIES.get(name, "")


@pytest.fixture(params=[*MAKERS, *BASELINES])
def name(request):
    return request.param


def test_every_model_is_of_the_kind_that_its_checks_are_for(name, model):
    kinds = {"words": OF_WORDS, "terms": OF_TERMS, "concepts": OF_CONCEPTS, "pairs": OF_PAIRS}
    assert name in kinds[model.kind]


@pytest.fixture
def model(name, tmp_path):
    return _load(name, tmp_path)


def test_it_keeps_the_protocol_of_its_kind(model):
    protocols = {"words": WordModel, "terms": TermModel, "concepts": ConceptModel, "pairs": PairScorer}
    assert isinstance(model, Model)
    for kind, protocol in protocols.items():
        assert isinstance(model, protocol) == (kind == model.kind)


def test_its_identity_is_stable_and_json(model, name, tmp_path):
    again = _load(name, tmp_path)
    assert model.identity == again.identity
    assert len(model.identity.key) == 64
    assert json.loads(json.dumps(model.identity.as_dict()))["key"] == model.identity.key


def test_its_name_can_be_given(name, tmp_path):
    if name in BASELINES:
        assert load_model(f"Mine={name}").name == "Mine"
    else:
        spec = _spec(name, tmp_path)
        mine = load_model(f"Mine={spec}")
        assert mine.name == "Mine"
        assert mine.identity == load_model(spec).identity


@pytest.mark.parametrize("name", OF_WORDS)
def test_a_word_has_the_same_vector_however_it_is_asked_for(model):
    words = [word for word, known in zip(WORDS, model.known(WORDS), strict=True) if known]
    vectors = model.vectors(words)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(words), model.dimension)
    assert np.isfinite(vectors).all()
    np.testing.assert_array_equal(model.vectors(words[::-1]), vectors[::-1])
    np.testing.assert_array_equal(np.vstack([model.vectors([word]) for word in words]), vectors)
    rows = model.vocabulary.find(words)
    if (rows >= 0).all():
        np.testing.assert_array_equal(model.gather(rows), vectors)
    assert model.vectors([]).shape == (0, model.dimension)


@pytest.mark.parametrize("name", CLOSED)
def test_unknown_words_have_no_vector_and_are_said_to(model):
    assert model.known(["zzyzx", "fever"]).tolist() == [False, True]
    with pytest.raises(KeyError, match="zzyzx"):
        model.vectors(["fever", "zzyzx"])


@pytest.mark.parametrize("name", OF_WORDS)
def test_words_of_terms_hang_together(model):
    found = model.words_of(TERMS)
    assert len(found) == len(TERMS)
    assert found.vectors.shape == (len(found.words), model.dimension)
    assert found.indptr[0] == 0
    assert found.indptr[-1] == len(found.indices)
    assert (np.diff(found.indptr) >= 0).all()
    np.testing.assert_array_equal(found.vectors, model.vectors(found.words))
    np.testing.assert_array_equal(np.isnan(found.means).any(axis=1), found.missing)
    assert found.missing[5]  # nothing in it
    lost = {term for term, _ in found.unknown}
    empty = {term for term in range(len(TERMS)) if found.indptr[term] == found.indptr[term + 1]}
    assert set(np.flatnonzero(found.missing).tolist()) == lost | empty
    assert len(model.words_of([])) == 0


@pytest.mark.parametrize("name", OF_WORDS)
def test_the_available_policy_only_ever_adds_terms(name, tmp_path):
    strict = _load(name, tmp_path)
    lenient = _load(name, tmp_path, "?missing=available")
    assert strict.identity.key != lenient.identity.key
    one, two = strict.words_of(TERMS), lenient.words_of(TERMS)
    assert (two.missing <= one.missing).all()
    np.testing.assert_array_equal(one.indices, two.indices)


@pytest.mark.parametrize("name", OF_CONCEPTS)
def test_concepts_are_found_by_id_alone(model):
    assert model.find([*IDS, "C9999999", "c0000001"]).tolist() == [0, 1, 2, -1, -1]
    np.testing.assert_array_equal(model.gather(model.find(IDS)), _vectors(3))
    with pytest.raises(IndexError):
        model.gather(model.find(["C9999999"]))


@pytest.mark.parametrize("name", OF_PAIRS)
def test_scores_are_symmetric_and_greatest_for_a_term_and_itself(model):
    there, back = model.score(TERMS, TERMS[::-1]), model.score(TERMS[::-1], TERMS)
    np.testing.assert_allclose(there, back)
    same = model.score(TERMS, TERMS)
    assert np.isnan(same[5])
    np.testing.assert_allclose(np.delete(same, 5), 1)


@pytest.mark.parametrize("name", OF_TERMS)
def test_a_term_has_the_same_vector_whatever_its_company(model):
    vectors = model.encode(TERMS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TERMS), model.dimension)
    assert np.isnan(vectors[5]).all()  # nothing in it
    assert (np.isnan(vectors).any(axis=1) == np.isnan(vectors).all(axis=1)).all()
    np.testing.assert_array_equal(model.encode(TERMS[::-1]), vectors[::-1])
    np.testing.assert_array_equal(np.vstack([model.encode([term]) for term in TERMS]), vectors)
    np.testing.assert_array_equal(model.encode([TERMS[1]] * 3), vectors[[1, 1, 1]])
    assert model.encode([]).shape == (0, model.dimension)
    assert model.encode(["lone \udc80 surrogate"]).shape == (1, model.dimension)
