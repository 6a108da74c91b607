"""The fast search for analogies equals the plain definition, and gensim."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from termgauge.tasks.analogies import search as analogy_search
from termgauge.tasks.analogies.search import Vectors, beaters
from tests.conftest import tried
from tests.tasks.analogies.reference import rank_of_answer

METHODS = ("add", "mul", "direction")


def counted(vectors, x, y, limit, method="add", **more):
    parts = list(beaters(vectors, np.asarray(x), np.asarray(y), limit, method=method, **more))
    assert [start for start, _ in parts] == list(np.cumsum([0, *(len(counts) for _, counts in parts[:-1])]))
    return np.concatenate([counts for _, counts in parts])


def expected(matrix, x, y, limit, method="add"):
    counts = np.full((len(x), len(x)), limit)
    for h in range(len(x)):
        for j in range(len(x)):
            rank = rank_of_answer(matrix, (x[h], y[h]), (x[j], y[j]), method) if h != j else None
            counts[h, j] = limit if rank is None else min(limit, rank - 1)
    return counts


@st.composite
def cases(draw):
    """Vocabularies full of ties: few different numbers, duplicates, vectors of zeros, ends that repeat."""
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    words, width = draw(st.integers(2, 150)), draw(st.integers(1, 5))
    pairs, limit = draw(st.integers(1, 8)), draw(st.integers(1, 12))
    if draw(st.booleans()):
        matrix = generator.integers(-2, 3, (words, width)).astype(np.float32)
    else:
        matrix = generator.standard_normal((words, width), np.float32)
        copies = generator.integers(0, words, (2, words // 3))
        matrix[copies[0]] = matrix[copies[1]] * draw(st.sampled_from([1, 3, -1]))
    some = generator.integers(0, words, draw(st.integers(1, 6)))  # ends are drawn from few words, so they meet again
    x, y = generator.choice(some, (2, pairs))
    return matrix, x, y, limit


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=tried(120), deadline=None)
@given(case=cases())
def test_equals_the_definition_on_small_vocabularies_with_ties(method, case):
    matrix, x, y, limit = case
    assert (counted(Vectors.of(matrix), x, y, limit, method) == expected(matrix, x, y, limit, method)).all()


@pytest.mark.parametrize("noise", [0.5, 2.0, 5.0])
@pytest.mark.parametrize("method", METHODS)
def test_relations_of_all_strengths(method, noise):
    generator = np.random.default_rng(11)
    matrix = generator.standard_normal((6000, 40), np.float32)
    matrix[generator.integers(0, 6000, 1500)] = matrix[generator.integers(0, 6000, 1500)]  # words in copies
    x, y = generator.permutation(6000)[:80].reshape(2, 40)
    matrix[x] = matrix[y] + generator.standard_normal(40, np.float32)
    matrix[x] += np.float32(noise) * generator.standard_normal((40, 40), np.float32)
    found = counted(Vectors.of(matrix), x, y, 10, method)
    assert (found[:6, :6] == expected(matrix, x[:6], y[:6], 10, method)).all()
    assert 0 < (found < 10).mean() < 1


@pytest.mark.parametrize("method", METHODS)
def test_words_that_are_nearly_an_end_of_a_pair(method):
    """The distance of such words from the end does not follow from their dot product."""
    generator = np.random.default_rng(4)
    matrix = generator.standard_normal((60, 8))
    x, y = np.arange(0, 12, 2), np.arange(1, 12, 2)
    for at, apart in enumerate((1e-2, 1e-3, 1e-4, 1e-5, 3e-7)):
        matrix[20 + at :: 5] = matrix[generator.integers(0, 12, 8)] + apart * generator.standard_normal((8, 8))
    found = counted(Vectors.of(matrix.astype(np.float32)), x, y, 60, method)
    assert (found == expected(matrix.astype(np.float32), x, y, 60, method)).all()


@pytest.mark.parametrize("method", METHODS)
def test_words_very_near_to_the_answer(method):
    """Each answer has many words about it that differ from it in the last digits of single precision alone."""
    generator = np.random.default_rng(7)
    pairs, width = 6, 24
    x, y = generator.standard_normal((2, pairs, width))
    x[1:] = y[1:] + (x[0] - y[0]) + 0.4 * generator.standard_normal((pairs - 1, width))
    near = x[:, None] * (1 + generator.choice([0, 1e-7, -1e-7, 2e-7], (pairs, 30, width)))
    rest = generator.standard_normal((500, width))
    matrix = np.concatenate([near[:, :15].reshape(-1, width), x, y, rest, near[:, 15:].reshape(-1, width)])
    matrix = matrix.astype(np.float32)
    begin = pairs * 15
    rows = np.arange(begin, begin + pairs), np.arange(begin + pairs, begin + 2 * pairs)
    found = counted(Vectors.of(matrix), *rows, 100, method)
    assert (found == expected(matrix, *rows, 100, method)).all()
    assert len(np.unique(found)) > 5  # the answers stand in the midst of words near them


@pytest.mark.parametrize("method", METHODS)
def test_blocks_and_batches_change_nothing(method, monkeypatch):
    generator = np.random.default_rng(3)
    matrix = generator.standard_normal((1500, 10), np.float32)
    x, y = generator.integers(0, 60, (2, 30))
    whole = counted(Vectors.of(matrix), x, y, 40, method)
    monkeypatch.setattr(analogy_search, "_ANALOGIES_AT_ONCE", 100)
    monkeypatch.setattr(analogy_search, "_FIRST_WORDS", 16)
    monkeypatch.setattr(analogy_search, "_TABLE_BYTES", 8 * 60 * 128)
    monkeypatch.setattr(analogy_search, "_SLICE", 7)
    steps = []
    assert (counted(Vectors.of(matrix), x, y, 40, method, advance=steps.append) == whole).all()
    assert (whole < 40).any()
    assert (whole == expected(matrix, x, y, 40, method)).all()
    assert sum(steps) == pytest.approx(1)


def test_rows_that_never_rank():
    matrix = np.array([[2, 1], [2, 1], [1, 0], [0, 1], [0, 0], [np.nan, 1], [np.inf, 1]], np.float32)
    x, y = np.array([1, 3, 4, 2, 2]), np.array([3, 2, 2, 5, 6])
    every = Vectors.of(matrix)
    assert counted(every, [1, 3], [2, 0], 9).tolist() == expected(matrix, [1, 3], [2, 0], 9).tolist()
    assert (counted(every, x, y, 9) == expected(matrix, x, y, 9)).all()
    without = Vectors(len(matrix), every.gather, np.array([0]))  # row 0 is a repetition of row 1
    ranked = np.array([[0, 0], [2, 1], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]], np.float32)
    assert (counted(without, [1, 3], [2, 2], 9) == expected(ranked, [1, 3], [2, 2], 9)).all()
    assert (counted(without, [0, 3], [2, 2], 9) == 9).all()


def test_a_target_without_direction():
    """x_h + y_j = y_h: nothing is near to no direction."""
    third = np.sqrt(3) / 2
    matrix = np.array([[1, 0], [-0.5, third], [0.5, third], [0, 1]], np.float32)
    assert rank_of_answer(matrix, (0, 2), (3, 1)) is None
    assert counted(Vectors.of(matrix), [0, 3], [2, 1], 5)[0, 1] == 5


def test_groups_are_no_analogies_with_themselves():
    generator = np.random.default_rng(1)
    matrix = generator.standard_normal((50, 4), np.float32)
    x, y = generator.permutation(50)[:12].reshape(2, 6)
    groups = np.array([0, 0, 1, 2, 2, 2])
    found = counted(Vectors.of(matrix), x, y, 50, groups=groups)
    plain = counted(Vectors.of(matrix), x, y, 50)
    same = groups[:, None] == groups
    assert (found[same] == 50).all()
    assert (found[~same] == plain[~same]).all()


def test_a_limit_beyond_the_vocabulary():
    matrix = np.eye(4, dtype=np.float32)
    found = counted(Vectors.of(matrix), [0, 2], [1, 3], 1000)
    assert found.tolist() == [[1000, 0], [0, 1000]]


def test_no_pairs_and_one_pair():
    matrix = np.eye(4, dtype=np.float32)
    assert list(beaters(Vectors.of(matrix), np.empty(0, np.int64), np.empty(0, np.int64), 3)) == []
    assert counted(Vectors.of(matrix), [0], [1], 3).tolist() == [[3]]


@pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")
def test_answers_of_gensim():
    """Random vectors, all analogies, as gensim ranks them; its 3CosMul too."""
    from gensim.models import KeyedVectors

    generator = np.random.default_rng(5)
    matrix = generator.standard_normal((400, 12), np.float32)
    vectors = KeyedVectors(12)
    vectors.add_vectors([str(row) for row in range(400)], matrix)
    vectors.fill_norms()
    x, y = generator.permutation(400)[:24].reshape(2, 12)
    matrix[x[1:]] = vectors.vectors[x[1:]] = matrix[y[1:]] + matrix[x[0]] - matrix[y[0]]
    vectors.fill_norms(force=True)
    for method in ("add", "mul"):
        ask = vectors.most_similar if method == "add" else vectors.most_similar_cosmul
        found = counted(Vectors.of(matrix), x, y, 10, method)
        for h in range(12):
            for j in range(12):
                if h != j:
                    best = ask(positive=[str(x[h]), str(y[j])], negative=[str(y[h])], topn=10)
                    assert (found[h, j] < 10) == (str(x[j]) in [word for word, _ in best])
        assert 0 < (found < 10).sum() < 132
