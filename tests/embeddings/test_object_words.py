"""Word vectors of other libraries are the vectors that those libraries give."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.embeddings.model import WordModel
from termgauge.embeddings.objects import as_model, table_of
from termgauge.embeddings.table_models import ConceptVectors
from termgauge.exceptions import TermgaugeError, TermgaugeWarning

gensim = pytest.importorskip("gensim")
SENTENCES = [["heart", "attack", "Fever", "of", "unknown", "origin"], ["cough", "Fever", "heart"]] * 10
TERMS = ["Heart attack", "unheard-of rash", "Fever", ""]


def trained(kind, **more):
    return kind(SENTENCES, vector_size=6, min_count=1, sample=0, seed=1, workers=1, **more)


@pytest.fixture(scope="module")
def word2vec():
    return trained(gensim.models.Word2Vec)


@pytest.fixture(scope="module")
def fasttext():
    return trained(gensim.models.FastText, bucket=50, min_n=2, max_n=3)


def test_keyed_vectors_are_those_of_the_same_file(word2vec, tmp_path):
    word2vec.wv.save_word2vec_format(str(tmp_path / "a.bin"), binary=True)
    model, file = as_model(word2vec.wv), load_model(tmp_path / "a.bin")
    assert isinstance(model, WordModel)
    assert list(model.vocabulary) == list(file.vocabulary) == word2vec.wv.index_to_key
    one, two = model.words_of(TERMS), file.words_of(TERMS)
    np.testing.assert_array_equal(one.means, two.means)
    np.testing.assert_array_equal(model.vectors(["Fever"])[0], word2vec.wv["Fever"])
    assert one.missing.tolist() == [False, True, False, True]


def test_a_model_is_known_by_its_words_and_vectors_whatever_holds_them(word2vec):
    keyed = word2vec.wv
    models = [
        as_model(each)
        for each in (
            word2vec,
            keyed,
            (keyed.index_to_key, keyed.vectors),
            (np.array(keyed.index_to_key), keyed.vectors),
            dict(zip(keyed.index_to_key, keyed.vectors.tolist(), strict=True)),
        )
    ]
    assert len({model.identity.key for model in models}) == 1
    assert dict(models[0].identity.options) == {"identified": "its words and vectors"}
    assert [model.name for model in models[:3]] == ["Word2Vec", "KeyedVectors", "words"]
    changed = keyed.vectors.copy()
    changed[-1, -1] += 1e-4
    others = [as_model((keyed.index_to_key, changed)), as_model((keyed.index_to_key[::-1], keyed.vectors))]
    others.append(as_model(keyed, lowercase=True))
    assert len({model.identity.key for model in (models[0], *others)}) == 4


def test_training_on_makes_another_model():
    model = trained(gensim.models.Word2Vec)
    before = as_model(model).identity.key
    assert as_model(model).identity.key == before
    model.train(SENTENCES, total_examples=len(SENTENCES), epochs=1)
    assert as_model(model).identity.key != before


def test_fasttext_makes_vectors_of_words_that_it_has_not_seen(fasttext):
    model = as_model(fasttext, name="mine")
    assert isinstance(model, WordModel)
    assert model.composes
    assert model.known(["heart", "hearts", "\udc80"]).all()
    words = ["hearts", "heart", "unseen", "Fever"]
    np.testing.assert_array_equal(model.vectors(words), np.array([fasttext.wv[word] for word in words]))
    assert model.words_of(["Hearts attacked"]).missing.tolist() == [False]
    assert model.vectors([]).shape == (0, 6)
    assert as_model(fasttext.wv).identity == model.identity


def test_fasttext_without_ngrams_has_its_words_alone():
    model = as_model(trained(gensim.models.FastText, max_n=0, min_n=1))
    assert not model.composes or not model.known(["zzz"]).any()


def test_ngrams_are_part_of_the_identity():
    one, two = (trained(gensim.models.FastText, bucket=50, min_n=2, max_n=3) for _ in range(2))
    assert as_model(one).identity.key == as_model(two).identity.key
    two.wv.vectors_ngrams[7] += 1
    assert as_model(one).identity.key != as_model(two).identity.key


def test_options_are_those_of_files(word2vec):
    model = as_model(word2vec, missing="available", lowercase=True)
    assert model.identity.words == "lowercase=true&split=words&phrases=&missing=available"
    assert model.words_of(["heart of gold"]).missing.tolist() == [False]
    with pytest.raises(TermgaugeError, match=r"'python:' has no option 'mising'.*Did you mean 'missing'"):
        as_model(word2vec, mising="zero")
    with pytest.raises(TermgaugeError, match="The option 'missing' is one of strict, available, zero"):
        as_model(word2vec, missing="never")


def test_ids_of_concepts_are_concepts():
    table = {"C0000001": [1.0, 2], "C0000002": [3.0, 4]}
    model = as_model(table)
    assert isinstance(model, ConceptVectors)
    assert model.find(["C0000002", "C0000009"]).tolist() == [1, -1]
    assert as_model(table, kind="words").kind == "words"


def test_zeros_and_repeated_words_are_told():
    with pytest.warns(TermgaugeWarning, match="1 word has a vector of zeros"):
        as_model({"a": [0.0, 0.0], "b": [1.0, 2.0]})
    with pytest.warns(TermgaugeWarning, match="1 word stands in it more than once"):
        as_model((["a", "a"], np.ones((2, 2))))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "A table of words is empty"),
        ({1: [1.0]}, "A table of words holds 1 where a word is needed"),
        ({"a": [1.0], "b": [1.0, 2.0]}, "are rows of different lengths; give as many rows"),
        ({"a": "b"}, "are rows of something that is no number"),
        ((["a", "b"], np.ones((3, 2))), "has 2 words and 3 vectors; give one each"),
        ((["a"], np.array([[np.nan]])), "the vector of 'a' holds NaN or infinity"),
    ],
)
def test_bad_tables_are_one_sentence(given, sentence):
    with pytest.raises(TermgaugeError, match=sentence) as refused:
        as_model(given)
    assert "\n" not in str(refused.value)


class Spacy:
    """What spaCy's vectors offer; those of spaCy itself are tested where it is installed."""

    def __init__(self, mode):
        self.mode, self.strings = mode, {11: "heart", 12: "attack"}
        self.key2row, self.data = {11: 1, 12: 0, 13: -1}, np.array([[1.0, 2.0], [3.0, 4.0]])
        self.minn = self.maxn = self.hash_count = self.hash_seed = 1
        self.bow = self.eow = "<"

    def get_batch(self, words):
        return np.array([[len(word), 1.0] if word != "no" else [0.0, 0.0] for word in words])


def test_rows_of_spacy_are_found_by_their_strings():
    model = as_model(Spacy("default"))
    assert model.vectors(["heart", "attack"]).tolist() == [[3, 4], [1, 2]]
    assert not model.composes


def test_floret_has_vectors_of_any_word_and_no_vocabulary():
    model = as_model(Spacy("floret"), missing="available")
    assert isinstance(model, WordModel)
    assert (model.dimension, len(model.vocabulary)) == (2, 0)
    assert model.known(["heart", "no"]).tolist() == [True, False]
    assert model.words_of(["heart no"]).vectors.tolist() == [[5, 1]]
    assert model.vectors([]).shape == (0, 2)
    assert dict(model.identity.options) == {"identified": "its words and vectors"}


@pytest.mark.parametrize("given", [[1, 2], "text", 3, (1, 2), (["a"], [[1.0]]), len, object()])
def test_other_things_are_no_tables(given):
    assert table_of(given) is None
