"""Encoders that are objects: what they give is checked, and what they are is found out from a sample."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from termgauge.embeddings.model import TermModel
from termgauge.embeddings.objects import BY_SAMPLE, SAMPLE, as_model
from termgauge.exceptions import TermgaugeError


def letters(texts):
    """Return how often some letters are in each text."""
    return [[text.count(letter) + 0.5 for letter in "aeiou"] for text in texts]


class Encoder:
    """Anything that encodes."""

    def __init__(self, factor=1.0):
        self.factor, self.calls = factor, []

    def encode(self, texts):
        self.calls.append(list(texts))
        return np.array(letters(texts)) * self.factor


@pytest.fixture
def static():
    """Return a real StaticModel of model2vec."""
    model2vec, tokenizers = pytest.importorskip("model2vec"), pytest.importorskip("tokenizers")
    vocabulary = {word: at for at, word in enumerate(["[UNK]", "heart", "attack", "fever"])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    vectors = np.random.default_rng(5).normal(size=(4, 6)).astype(np.float32)
    return model2vec.StaticModel(vectors, tokenizer, normalize=True, base_model_name="someone/static-model")


def test_the_sample_stays_what_it_is():
    assert len(SAMPLE) == len(set(SAMPLE)) == 32
    assert as_model(letters).identity.source == "a957583f954d552d41998f7155bd4b4c557ec2386d332ff6532fbff823f068e2"


def test_a_function_makes_a_vector_of_each_term():
    model = as_model(letters)
    assert isinstance(model, TermModel)
    assert (model.name, model.kind, model.dimension) == ("letters", "terms", 5)
    vectors = model.encode(["heart attack", "", "fever", "heart attack", "lone \udc80 surrogate"])
    assert vectors.dtype == np.float32
    np.testing.assert_array_equal(vectors[[0, 2]], np.array(letters(["heart attack", "fever"]), np.float32))
    assert np.isnan(vectors[1]).all()
    np.testing.assert_array_equal(vectors[3], vectors[0])


def test_a_function_is_known_by_its_sample_and_says_so():
    one, two = as_model(letters), as_model(lambda texts: np.array(letters(texts)), name="letters")
    assert one.identity == two.identity
    assert dict(one.identity.options)["identified"] == BY_SAMPLE == "a sample of 32 vectors"
    assert as_model(Encoder()).identity.key == one.identity.key
    assert as_model(Encoder(1.0001)).identity.key != one.identity.key


def test_distinct_texts_are_encoded_once_and_kept_as_long_as_the_model():
    encoder = Encoder()
    model = as_model(encoder, batch_size=40)
    model.encode(["fever", "cough"] * 30 + [f"term {at}" for at in range(60)])
    model.encode(["cough", "term 3"])
    sample, *later = encoder.calls
    assert sample == list(SAMPLE)
    assert [len(texts) for texts in later] == [40, 22]
    folder = model._store._folder
    assert list(folder.glob("*.chunk"))
    renamed = as_model(model, name="another")
    del model
    np.testing.assert_array_equal(renamed.encode(["fever"]), np.array(letters(["fever"]), np.float32))
    assert len(encoder.calls) == 3
    del renamed
    assert not folder.exists()


def test_vectors_of_a_function_are_not_in_the_cache(cache_folder):
    as_model(letters).encode(["fever"])
    assert not list(Path(cache_folder).rglob("*.chunk"))


def test_a_small_batch_is_kept_to_in_the_sample():
    encoder = Encoder()
    as_model(encoder, batch_size=10)
    assert [len(texts) for texts in encoder.calls] == [10, 10, 10, 2]


def _fails(_texts):
    raise RuntimeError("no\nconnection")


@pytest.mark.parametrize(
    ("encode", "sentence"),
    [
        (lambda _texts: np.zeros((3, 2)), "gave 3 vectors for 32 terms"),
        (lambda texts: [[1.0] * len(text) for text in texts], "gave rows of different lengths for 32 texts"),
        (lambda texts: texts, "gave rows of something that is no number for 32 texts"),
        (lambda _texts: None, "gave nothing for 32 texts"),
        (lambda texts: [1.0] * len(texts), r"gave an array of the shape \(32,\) for 32 texts"),
        (lambda texts: np.full((len(texts), 2), np.nan), "gave a vector that holds NaN or infinity for 'heart attack'"),
        (lambda texts: np.full((len(texts), 2), 1e300), "gave a vector that holds NaN or infinity for 'heart attack'"),
        (_fails, r"failed to encode 32 texts, the first of them 'heart attack' \(RuntimeError: no\)"),
        (lambda: 1, r"failed to encode 32 texts, .*\(TypeError: .*takes 0 positional arguments"),
    ],
)
def test_what_an_encoder_must_not_give_is_one_sentence(encode, sentence):
    with pytest.raises(TermgaugeError, match=f"^mine: {sentence}") as refused:
        as_model(encode, name="mine")
    assert "\n" not in str(refused.value)


def test_a_dimension_that_changes_is_noticed():
    widths = iter([3, 4])

    def encode(texts):
        return np.ones((len(texts), next(widths)))

    with pytest.raises(TermgaugeError, match=r"gave a vector of 4 numbers for .* after vectors of 3"):
        as_model(encode, batch_size=16)


def test_our_own_errors_are_not_wrapped():
    def encode(_texts):
        raise TermgaugeError("The key has run out.")

    with pytest.raises(TermgaugeError, match=r"^The key has run out\.$"):
        as_model(encode)


def test_a_static_model_gives_its_own_vectors(static):
    model = as_model(static)
    assert model.name == "static-model"
    terms = ["heart attack", "fever", "heart"]
    np.testing.assert_allclose(model.encode(terms), static.encode(terms), atol=1e-7)
    assert dict(model.identity.options)["identified"] == f"its weights and {BY_SAMPLE}"
    assert dict(model.identity.options)["normalize"] == "true"
    assert dict(model.identity.libraries).keys() == {"model2vec", "tokenizers"}


def test_a_static_model_is_known_by_its_weights(static, cache_folder):
    model = as_model(static)
    model.encode(["heart"])
    assert list(Path(cache_folder).rglob("*.chunk"))
    assert as_model(static).identity == model.identity
    static.embedding[2] *= 2  # of a word that is in the sample, but not alone
    assert as_model(static).identity.key != model.identity.key
    with pytest.raises(TermgaugeError, match="has other weights than when it was handed over; hand it over again"):
        model.encode(["fever"])
    assert model.encode(["heart"]).shape == (1, 6)
    static.embedding[2] /= 2
    static.normalize = False
    assert as_model(static).identity.key != model.identity.key
