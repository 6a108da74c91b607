from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.embeddings import neighbours as module
from termgauge.embeddings.load import load_model
from termgauge.embeddings.neighbours import NeighbourSearch, neighbours
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


NUMBERS = st.sampled_from([0.0, 0.0, 1.0, 1.0, -1.0, 2.0, 0.5, 3.0, 1e30, 1e-30, 3e38, np.nan, np.inf])


@st.composite
def tables(draw):
    width = draw(st.integers(1, 4))
    rows = draw(st.lists(st.lists(NUMBERS, min_size=width, max_size=width), min_size=1, max_size=25))
    return np.array(rows, np.float32)


def by_definition(table, own, k):
    """Return the k rows nearest to the nearest of some rows, by sorting all of them."""
    wide = [[float(number) for number in row] for row in table]

    def cosine(one, other):
        lengths = [sum(number * number for number in vector) ** 0.5 for vector in (one, other)]
        if not all(np.isfinite(lengths)) or 0 in lengths:
            return -np.inf
        return round(sum(a * b for a, b in zip(one, other, strict=True)) / lengths[0] / lengths[1], 9)

    near = {row: max(cosine(wide[each], wide[row]) for each in own) for row in range(len(wide)) if row not in own}
    ranked = sorted((row for row in near if near[row] > -np.inf), key=lambda row: (-near[row], row))
    return ranked[:k]


@given(tables(), st.data())
def test_neighbours_are_those_of_the_definition(table, data):
    queries = data.draw(
        st.lists(st.lists(st.integers(0, len(table) - 1), min_size=1, max_size=3, unique=True), max_size=5)
    )
    k, step = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 30))
    own = np.array([row for rows in queries for row in rows], np.int64)
    offsets = np.cumsum([0, *map(len, queries)])
    search = NeighbourSearch(table[own], offsets, own, k)
    for start in range(0, len(table), step):
        search.offer(start, table[start : start + step])
    assert search.rows.shape == (len(queries), k)
    for found, rows in zip(search.rows.tolist(), queries, strict=True):
        expected = by_definition(table, rows, k)
        assert found == expected + [-1] * (k - len(expected))


@pytest.mark.parametrize("limit", ["_COSINES_AT_ONCE"])
def test_the_sizes_of_pieces_change_nothing(limit, monkeypatch):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(500, 16)).astype(np.float32)
    table[100:150] = table[50:100]  # ties
    own, offsets = rng.permutation(500)[:40], np.arange(0, 41, 2)
    whole = NeighbourSearch(table[own], offsets, own, 7)
    whole.offer(0, table)
    monkeypatch.setattr(module, limit, 300)
    pieces = NeighbourSearch(table[own], offsets, own, 7)
    for start in range(0, 500, 90):
        pieces.offer(start, table[start : start + 90])
    np.testing.assert_array_equal(whole.rows, pieces.rows)
    np.testing.assert_array_equal(whole.cosines, pieces.cosines)


def test_many_equal_rows_come_in_their_order():
    table = np.tile(np.array([[0.3, 0.7, 0.1]], np.float32), (3000, 1))
    search = NeighbourSearch(table[:2], np.array([0, 1, 2]), np.array([0, 1]), 4)
    for start in range(0, 3000, 700):
        search.offer(start, table[start : start + 700])
    assert search.rows.tolist() == [[1, 2, 3, 4], [0, 2, 3, 4]]


def test_what_single_precision_cannot_tell_apart_is_told_apart():
    # Cosines that differ in the tenth decimal.
    angles = np.array([0.0, 2e-5, 1e-5, 3e-5])
    table = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    search = NeighbourSearch(table[:1], np.array([0, 1]), np.array([0]), 3)
    search.offer(0, table)
    assert search.rows.tolist() == [[2, 1, 3]]


def test_rows_get_better_and_better():
    angles = np.linspace(3, 0.1, 5000)
    table = np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)
    search = NeighbourSearch(np.array([[1, 0]], np.float32), np.array([0, 1]), np.array([-1]), 3)
    for start in range(0, 5000, 1000):
        search.offer(start, table[start : start + 1000])
    assert search.rows.tolist() == [[4999, 4998, 4997]]
