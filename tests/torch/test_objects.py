"""Objects of sentence-transformers and of spaCy as models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import termgauge as tg
from termgauge.embeddings.model import TermModel, WordModel
from tests.engine.toy_models import binary_set, graded_set
from tests.torch.small_models import save_sentences

torch = pytest.importorskip("torch")
TERMS = ["heart attack", "Crohn's disease", "acute lung failure of the kidney", ""]
SETS = [graded_set(), binary_set()]


@pytest.fixture
def small(tmp_path):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    save_sentences(tmp_path / "small" / "model")
    return sentence_transformers.SentenceTransformer(str(tmp_path / "small" / "model"), device="cpu")


def test_a_sentence_transformer_is_the_model_of_its_folder(small, tmp_path):
    model, folder = tg.as_model(small), tg.load_model(f"sentence-transformers:{tmp_path / 'small' / 'model'}")
    assert isinstance(model, TermModel)
    assert model.name == "small"
    assert str(tmp_path / "small" / "model") in model.source
    np.testing.assert_allclose(model.encode(TERMS), folder.encode(TERMS), atol=1e-6)
    told = dict(model.identity.options)
    assert told["identified"] == "its weights and a sample of 32 vectors"
    assert (told["pooling"], told["max_length"], told["prompt"]) == ("mean", "12", "")
    assert told["modules"] == "Transformer, Pooling, Normalize"
    assert {"sentence-transformers", "torch"} <= dict(model.identity.libraries).keys()


def test_what_changes_its_vectors_changes_its_identity(small):
    def key(**options):
        return tg.as_model(small, **options).identity.key

    keys = [key(), key(prompt_name="query"), key(prompt="heart ")]
    assert key() == keys[0]
    assert key(prompt="acute ") == keys[1], "the prompt of that name"
    small.default_prompt_name = "passage"
    keys.append(key())
    small.default_prompt_name = None
    small.max_seq_length = 5
    keys.append(key())
    small.max_seq_length = 12
    assert key() == keys[0]
    with torch.no_grad():
        small.get_submodule("0").get_parameter("auto_model.embeddings.word_embeddings.weight")[9] += 1e-3
    keys.append(key())
    assert len(set(keys)) == len(keys) == 6


def test_prompts_are_put_before_texts(small):
    for options, text in (({"prompt_name": "query"}, "acute heart"), ({"prompt": "lung "}, "lung heart")):
        prompted = tg.as_model(small, **options).encode(["heart"])
        np.testing.assert_allclose(prompted, small.encode([text]), atol=1e-6)
    with pytest.raises(tg.TermgaugeError, match=r"has no prompt named 'quest'; it has .* Did you mean 'query'"):
        tg.as_model(small, prompt_name="quest")
    with pytest.raises(tg.TermgaugeError, match="give prompt or prompt_name, not both"):
        tg.as_model(small, prompt_name="query", prompt="x")


def test_vectors_are_kept_and_never_mixed_with_those_of_trained_weights(small, cache_folder, monkeypatch):
    model = tg.as_model(small)
    before = model.encode(["heart attack"])
    assert list(Path(cache_folder).rglob("*.chunk"))
    with torch.no_grad():
        for weights in small.parameters():
            weights.add_(0.1)
    with pytest.raises(tg.TermgaugeError, match="has other weights than when it was handed over; hand it over again"):
        model.encode(["lung"])
    trained = tg.as_model(small)
    assert np.abs(trained.encode(["heart attack"]) - before).max() > 1e-3
    monkeypatch.setattr(small, "encode", None)
    np.testing.assert_array_equal(model.encode(["heart attack"]), before)


def test_terms_that_are_cut_are_told(small):
    with pytest.warns(tg.TermgaugeWarning, match="small: 1 of 2 terms is longer than the 12 tokens that it takes"):
        tg.as_model(small).encode(["heart", "heart " * 20])


def test_it_may_stand_alone_though_it_is_a_sequence_of_modules(small, tmp_path):
    run = tg.evaluate(SETS, small, tmp_path / "run")
    assert list(run.record().models) == ["small"]
    assert set(run.results()["model"]) == {"small"}
    assert tg.vocabulary({"mine": small, "chance": "baseline:random"}).models[0].dimension == 16


def test_a_function_may_return_tensors():
    def encode(texts):
        return torch.tensor([[len(text), 1.0] for text in texts], dtype=torch.bfloat16, requires_grad=True)

    np.testing.assert_array_equal(tg.as_model(encode).encode(["abc"]), [[3, 1]])
    np.testing.assert_array_equal(tg.as_model(lambda texts: list(encode(texts))).encode(["abc"]), [[3, 1]])


@pytest.fixture
def pipeline():
    spacy = pytest.importorskip("spacy")
    made = spacy.blank("en")
    for at, word in enumerate(["heart", "attack", "fever", "Crohn"]):
        made.vocab.set_vector(word, np.random.default_rng(at).normal(size=5).astype(np.float32))
    return made


def test_vectors_of_spacy(pipeline):
    model, vocabulary, vectors = map(tg.as_model, (pipeline, pipeline.vocab, pipeline.vocab.vectors))
    assert isinstance(model, WordModel)
    assert model.identity == vocabulary.identity == vectors.identity
    assert sorted(model.vocabulary) == ["Crohn", "attack", "fever", "heart"]
    np.testing.assert_array_equal(model.vectors(["fever"])[0], pipeline.vocab.get_vector("fever"))
    np.testing.assert_allclose(model.words_of(["heart attack"]).means[0], pipeline("heart attack").vector, rtol=1e-6)
    assert model.known(["rash"]).tolist() == [False]
    assert len(tg.vocabulary({"spaCy": pipeline}).models) == 1


def test_a_pipeline_without_vectors_is_told():
    spacy = pytest.importorskip("spacy")
    with pytest.raises(tg.TermgaugeError, match="These vectors of spaCy are empty; give those of a pipeline that has"):
        tg.as_model(spacy.blank("en"))


def test_floret_has_vectors_of_any_word(pipeline):
    from spacy.vectors import Vectors

    data = np.random.default_rng(2).normal(size=(50, 4)).astype(np.float32)
    floret = Vectors(strings=pipeline.vocab.strings, data=data, mode="floret", minn=2, maxn=3, hash_count=2)
    model = tg.as_model(floret)
    words = ["heart", "never-seen", "β2"]
    np.testing.assert_array_equal(model.vectors(words), floret.get_batch(words))
    assert model.known([*words, "\udc80"]).all()
    assert model.words_of(["never-seen rash"]).missing.tolist() == [False]
