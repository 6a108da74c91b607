from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings import neighbours as module
from termgauge.embeddings.load import load_model
from termgauge.embeddings.neighbours import Nearest, neighbours
from termgauge.exceptions import TermgaugeError
from tests.embeddings import vector_files as files


def made(tmp_path, words, vectors):
    (tmp_path / "a.bin").write_bytes(files.word2vec_binary(words, vectors))
    return load_model(tmp_path / "a.bin")


@pytest.mark.parametrize("block", [16, 1 << 20])
def test_equals_gensim(tmp_path, gensim, monkeypatch, block):
    monkeypatch.setattr(module, "BLOCK_BYTES", block)
    words = [f"w{number}" for number in range(150)]
    vectors = np.random.default_rng(9).normal(size=(150, 8)).astype(np.float32)
    theirs = gensim.KeyedVectors(8)
    theirs.add_vectors(words, vectors)
    ours = neighbours(made(tmp_path, words, vectors), ["w3", "w77"], 10)
    for query in ("w3", "w77"):
        expected = theirs.most_similar(query, topn=10)
        found = [(entry.text, entry.similarity) for entry in ours if entry.query == query]
        assert [text for text, _ in found] == [text for text, _ in expected]
        np.testing.assert_allclose([value for _, value in found], [value for _, value in expected], atol=1e-6)
        assert [entry.rank for entry in ours if entry.query == query] == list(range(1, 11))


@given(st.data())
def test_nearest_is_what_sorting_gives(data):
    values = st.sampled_from([-1.0, 0.0, 0.5, 1.0])
    size = data.draw(st.integers(1, 12))
    rows = np.array(data.draw(st.lists(st.tuples(values, values), min_size=size, max_size=size)), np.float32)
    query = np.array([data.draw(st.sampled_from([(1.0, 0.0), (1.0, 1.0), (-0.5, 2.0)]))], np.float32)
    k, cut = data.draw(st.integers(1, 14)), data.draw(st.integers(0, size))
    best = Nearest(query, k)
    best.offer(0, rows[:cut])
    best.offer(cut, rows[cut:])
    units = module.unit(rows)
    cosines = (module.unit(query) @ units.T)[0].astype(np.float64)
    order = sorted((row for row in range(size) if rows[row].any()), key=lambda row: (-cosines[row], row))[:k]
    kept = np.isfinite(best.similarities[0])
    assert best.rows[0][kept].tolist() == order


def test_a_term_is_the_mean_of_its_words_and_may_be_searched_among_terms(tmp_path):
    words, vectors = ["a", "b", "c", "d"], np.array([[1, 0], [0, 1], [1, 1], [-1, 0]], np.float32)
    model = made(tmp_path, words, vectors)
    assert [entry.text for entry in neighbours(model, ["a b"], 2)] == ["c", "a"]
    found = neighbours(model, ["a"], 5, among=["c a", "d", "a b", "unknown", "a"])
    assert [entry.text for entry in found] == ["c a", "a b", "d"]


def test_zero_and_repeated_vectors_are_no_neighbours(tmp_path):
    words = ["a", "b", "zero", "a"]
    vectors = np.array([[1, 0], [1, 1], [0, 0], [1, 1]], np.float32)
    with pytest.warns(UserWarning, match="zeros|once"):
        model = made(tmp_path, words, vectors)
    assert [entry.text for entry in neighbours(model, ["b"], 9)] == ["a"]


def test_concepts(tmp_path):
    ids, vectors = ["C0000001", "C0000002", "C0000003"], np.array([[1, 0], [1, 1], [0, 1]], np.float32)
    model = made(tmp_path, ids, vectors)
    assert [entry.text for entry in neighbours(model, ["C0000001"], 1)] == ["C0000002"]
    with pytest.raises(TermgaugeError, match="'C9' has no vector"):
        neighbours(model, ["C9"], 1)


@pytest.mark.parametrize(
    ("spec", "query", "k", "what"),
    [
        ("baseline:random", "fever", 3, "no vocabulary to search"),
        ("baseline:levenshtein", "fever", 3, "has no vectors"),
        ("baseline:random", "fever", 0, "at least 1"),
    ],
)
def test_what_cannot_be_asked(spec, query, k, what):
    with pytest.raises(TermgaugeError, match=what):
        neighbours(load_model(spec), [query], k)


def test_a_query_without_a_vector_gets_a_suggestion(tmp_path):
    model = made(tmp_path, ["fever", "cough"], np.eye(2, dtype=np.float32))
    with pytest.raises(TermgaugeError, match=r"'fevr' has no vector in 'a'.*Did you mean 'fever'\?"):
        neighbours(model, ["fevr"], 1)
