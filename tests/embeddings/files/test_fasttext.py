from __future__ import annotations

import random
import warnings

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError
from tests.embeddings import vector_files as files

UNSEEN = ["feverish", "Fieber", "hyper-thermia", "naïveté", "発熱", "x", "β-blocker", "<odd>", "coughs " * 3, "ab"]


@pytest.fixture(scope="module")
def trained(gensim, tmp_path_factory):
    """A model trained on made sentences, saved in Facebook's format, and gensim's view of it."""
    from gensim.models import fasttext

    draw = random.Random(7)
    stems = ["fever", "cough", "naïve", "βblocker", "hepat", "cardi", "nephro", "発", "derm", "neuro"]
    ends = ["", "itis", "osis", "s", "opathy", "ectomy", "é", "-like"]
    words = [stem + end for stem in stems for end in ends]
    sentences = [[draw.choice(words) for _ in range(8)] for _ in range(300)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = gensim.FastText(
            sentences, vector_size=12, window=3, min_count=1, epochs=2, bucket=500, min_n=2, max_n=5, workers=1, seed=3
        )
        path = tmp_path_factory.mktemp("fasttext") / "model.bin"
        fasttext.save_facebook_model(model, str(path))
        return path, fasttext.load_facebook_vectors(str(path))


def test_equals_gensim_in_and_out_of_vocabulary(trained):
    path, theirs = trained
    ours = load_model(path)
    assert list(ours.vocabulary) == theirs.index_to_key
    for words in (theirs.index_to_key, UNSEEN):
        np.testing.assert_allclose(ours.vectors(words), [theirs[word] for word in words], rtol=0, atol=1e-6)
    np.testing.assert_allclose(ours.gather(np.arange(5)), theirs.vectors[:5], rtol=0, atol=1e-6)


def test_any_word_has_a_vector_but_the_vocabulary_comes_first(trained):
    model = load_model(trained[0])
    found = model.words_of(["FEVER coughing", "Hepat-cardi"])
    assert found.words == ["fever", "coughing", "Hepat-cardi"]
    assert not found.missing.any()
    assert model.known(["zzz", ""]).tolist() == [True, True]


def test_in_any_order_and_in_any_number(trained, monkeypatch):
    monkeypatch.setattr("termgauge.embeddings.files.fasttext._WORDS_AT_ONCE", 3)
    model = load_model(trained[0])
    words = [*UNSEEN, *model.vocabulary][:40]
    together = model.vectors(words)
    np.testing.assert_array_equal(together, np.vstack([model.vectors([word]) for word in words]))
    assert model.vectors([]).shape == (0, 12)


@pytest.fixture
def parts():
    words = ["</s>", "fever", "naïve"]
    return words, np.random.default_rng(1).normal(size=(3 + 20, 4)).astype(np.float32)


def load(tmp_path, data):
    (tmp_path / "m.bin").write_bytes(data)
    return load_model(tmp_path / "m.bin")


def equals_gensim(path):
    from gensim.models.fasttext import load_facebook_vectors

    ours, theirs = load_model(path), load_facebook_vectors(str(path))
    assert list(ours.vocabulary) == theirs.index_to_key
    words = [*theirs.index_to_key, *UNSEEN, "</s>"]
    assert ours.known(words).all()
    np.testing.assert_allclose(ours.vectors(words), [theirs[word] for word in words], rtol=0, atol=1e-6)


@pytest.mark.usefixtures("gensim")
@pytest.mark.parametrize("width", [4, 640], ids=["narrow", "begins like a pickle"])
@pytest.mark.parametrize("version", [None, 11, 12])
@pytest.mark.parametrize(
    "words", [["</s>", "fever", "naïve"], ["fever", "naïve", "cough"]], ids=["with </s>", "without"]
)
def test_every_version_equals_gensim(tmp_path, words, version, width):
    matrix = np.random.default_rng(1).normal(size=(len(words) + 20, width)).astype(np.float32)
    (tmp_path / "m.bin").write_bytes(files.fasttext(words, matrix, buckets=20, least=2, version=version))
    equals_gensim(tmp_path / "m.bin")
    assert load_model(f"fasttext:{tmp_path / 'm.bin'}").identity == load_model(tmp_path / "m.bin").identity


@pytest.mark.usefixtures("gensim")
@pytest.mark.parametrize(
    "name", ["lee_fasttext.bin", "lee_fasttext_new.bin", "non_ascii_fasttext.bin", "crime-and-punishment.bin"]
)
def test_files_that_fasttext_itself_wrote_equal_gensim(name):
    from gensim.test.utils import datapath

    equals_gensim(datapath(name))


def test_a_word_too_short_for_any_ngram_is_unknown(tmp_path, parts):
    words, matrix = parts
    model = load(tmp_path, files.fasttext(words, matrix, buckets=20, least=5))
    assert model.known(["ab", "abc"]).tolist() == [False, True]
    assert not model.vectors(["ab"]).any()


@pytest.mark.parametrize("options", [{"buckets": 0}, {"buckets": 20, "most": 0}])
def test_without_subwords_only_the_vocabulary_is_known(tmp_path, parts, options):
    words, matrix = parts
    model = load(tmp_path, files.fasttext(words, matrix, **options))
    assert model.known(["fever", "cough"]).tolist() == [True, False]
    np.testing.assert_array_equal(model.vectors(["fever"])[0], matrix[1])


def test_labels_of_a_classifier_are_no_words(tmp_path, parts):
    words, matrix = parts
    model = load(tmp_path, files.fasttext(words, matrix, buckets=20, labels=["__label__a"]))
    assert list(model.vocabulary) == words


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"quantized": True}, "quantized"),
        ({"pruned": 3}, "pruned"),
        ({"version": 9}, "format 9"),
        ({"buckets": 30}, "its matrix is 23 x 4"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(tmp_path, parts, options, what):
    with pytest.raises(TermgaugeError, match=what):
        load(tmp_path, files.fasttext(*parts, **{"buckets": 20, **options}))


@pytest.mark.parametrize("kept", [10, 60, 100, 130, 200, -1])
def test_cut_off(tmp_path, parts, kept):
    with pytest.raises(TermgaugeError, match="cut off"):
        load(tmp_path, files.fasttext(*parts, buckets=20)[:kept])


@pytest.mark.parametrize("kept", [80, 90, 130, -1])
def test_an_old_file_cut_off(tmp_path, parts, kept):
    with pytest.raises(TermgaugeError, match="cut off"):
        load(tmp_path, files.fasttext(*parts, buckets=20, version=None)[:kept])


def test_a_file_that_shrinks_after_it_was_indexed(tmp_path, parts):
    data = files.fasttext(*parts, buckets=20)
    load(tmp_path, data)
    with pytest.raises(TermgaugeError, match="cut off"):
        load(tmp_path, data[:-4])


@pytest.mark.parametrize(("row", "what"), [(1, "the vector of 'fever' holds nan"), (9, "n-gram bucket 6")])
def test_a_number_that_is_not_finite_is_named(tmp_path, parts, row, what):
    words, matrix = parts
    matrix[row, 1] = np.nan
    with pytest.raises(TermgaugeError, match=what):
        load(tmp_path, files.fasttext(words, matrix, buckets=20))


def test_compressed_is_refused(tmp_path, parts):
    import gzip

    (tmp_path / "m.bin.gz").write_bytes(gzip.compress(files.fasttext(*parts, buckets=20)))
    with pytest.raises(TermgaugeError, match="unpack it first"):
        load_model(tmp_path / "m.bin.gz")


def test_the_matrix_is_not_copied(tmp_path, parts, cache_folder):
    load(tmp_path, files.fasttext(*parts, buckets=20))
    assert not list(cache_folder.glob("vectors/*/vectors.f4"))
