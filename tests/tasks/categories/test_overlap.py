"""Category separation, against triples counted one by one."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.compare import compare_set
from termgauge.statistics.covariance import Covariance
from termgauge.tasks.categories.result import Separation, category_separation, cosine_separation, outcomes_of
from tests.conftest import tried


def separated(counted, owners=None):
    """Return what is shown of what was counted; each term is on its own unless its concept is said."""
    return Separation.of(counted, np.arange(sum(counted.sizes)) if owners is None else owners, 0.05)


def brute(similarity, sizes):
    """Return overlap, triples and means by visiting every triple and pair of full matrices of similarities."""
    counted = overlapping = 0
    for a, b, c in product(*map(range, sizes)):
        close, far = similarity["AB"][a, b], similarity["AC"][a, c]
        if not (math.isnan(close) or math.isnan(far)):
            counted += 1
            overlapping += close <= far
    means = {}
    for name, matrix in similarity.items():
        values = matrix if name in ("AB", "AC") else matrix[np.triu_indices(len(matrix), 1)]
        values = values[~np.isnan(values)]
        means[name] = values.mean() if values.size else math.nan
    return (overlapping / counted if counted else math.nan), counted, means


def symmetric(drawn, size):
    matrix = drawn[:size, :size]
    return np.triu(matrix) + np.triu(matrix, 1).T


entries = st.one_of(st.integers(-2, 2).map(float), st.just(math.nan))


@settings(max_examples=tried(80), deadline=None)
@given(
    st.tuples(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6)),
    hnp.arrays(np.float64, (6, 6, 6), elements=entries),
)
def test_any_similarity_with_ties_and_gaps(sizes, drawn):
    a, b, c = sizes
    matrices = {"AB": drawn[0, :a, :b], "AC": drawn[1, :a, :c]}
    matrices |= {2 * name: symmetric(drawn[2 + i], sizes[i]) for i, name in enumerate("ABC")}
    overlap, triples, means = brute(matrices, sizes)

    found = category_separation(lambda x, y, rows, columns: matrices[x + y][rows, columns], sizes)
    assert found.total == triples
    assert found.overlap == pytest.approx(overlap, nan_ok=True)
    for name, mean in means.items():
        assert found.means[name] == pytest.approx(mean, abs=1e-12, nan_ok=True)
    shown = separated(found)
    assert shown.undefined_triples == a * b * c - triples
    assert shown.overlap == (None if math.isnan(overlap) else found.overlap)
    if shown.low is not None:
        assert 0 <= shown.low <= shown.overlap <= shown.high <= 1
        assert 1 not in sizes


def cosines(one, other):
    lengths = np.linalg.norm(one, axis=1)[:, None] * np.linalg.norm(other, axis=1)
    with np.errstate(invalid="ignore"):
        return np.round(one @ other.T / lengths, 12)


@pytest.mark.parametrize("seed", range(5))
def test_cosines_of_vectors_with_zero_and_repeated_ones(seed):
    generator = np.random.default_rng(seed)
    vectors = {
        name: generator.integers(-1, 2, (size, 3)).astype(float) for name, size in {"A": 9, "B": 8, "C": 11}.items()
    }
    matrices = {name: cosines(vectors[name[0]], vectors[name[1]]) for name in ("AB", "AC", "AA", "BB", "CC")}
    overlap, triples, means = brute(matrices, (9, 8, 11))
    found = cosine_separation(*vectors.values())
    assert found.overlap == pytest.approx(overlap)
    assert found.total == triples
    assert found.sizes == (9, 8, 11)
    for name, mean in means.items():
        assert found.means[name] == pytest.approx(mean, abs=1e-11)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_and_tiles_change_nothing(monkeypatch, dtype):
    generator = np.random.default_rng(0)
    vectors = [generator.normal(size=(size, 20)).astype(dtype) for size in (23, 31, 40)]
    whole = cosine_separation(*vectors)
    monkeypatch.setattr("termgauge.tasks.categories.result._BLOCK_VALUES", 200)
    monkeypatch.setattr("termgauge.tasks.categories.result._TILE", 7)
    again = cosine_separation(*vectors)
    assert (again.overlapping == whole.overlapping).all()
    assert (again.triples == whole.triples).all()
    assert again.means == whole.means
    by_name = dict(zip("ABC", vectors, strict=True))

    def similarity(left, right, rows, columns):
        return cosines(by_name[left].astype(float)[rows], by_name[right].astype(float)[columns])

    tiled = category_separation(similarity, (23, 31, 40))
    assert tiled.overlap == whole.overlap
    assert tiled.means == pytest.approx(whole.means, abs=1e-9)


def test_one_vector_in_all_categories_is_a_tie_everywhere():
    generator = np.random.default_rng(1)
    vector = generator.normal(size=300)
    found = cosine_separation(np.tile(vector, (7, 1)), np.tile(vector, (13, 1)), np.tile(3 * vector, (29, 1)))
    assert found.overlap == 1
    assert separated(found).low > 0.8
    assert separated(found).high == 1


def test_close_categories_overlap_less_than_chance_and_noise_as_much():
    generator = np.random.default_rng(2)
    a, b, c = (generator.normal(size=(60, 10)) for _ in range(3))
    chance = separated(cosine_separation(a, b, c))
    assert 0.4 < chance.overlap < 0.6
    shift = 2 * np.eye(10)[0]
    apart = separated(cosine_separation(a + shift, b + shift, c))
    assert apart.high < chance.low
    assert apart.low < apart.overlap < apart.high


def test_the_error_is_that_of_leaving_concepts_out():
    generator = np.random.default_rng(5)
    sizes = (12, 10, 14)
    owners = [generator.integers(6 * place, 6 * place + 6, size) for place, size in enumerate(sizes)]
    models = [[generator.normal(size=(size, 4)) + (place < 2) for place, size in enumerate(sizes)] for _ in range(2)]
    counted = {str(at): cosine_separation(*vectors) for at, vectors in enumerate(models)}
    outcomes = outcomes_of(counted, np.concatenate(owners))
    every = np.ones(sum(sizes), bool)
    found = outcomes.estimate(["0", "1"], every)
    assert found.values == pytest.approx([1 - each.overlap for each in counted.values()])
    concepts = np.unique(np.concatenate(owners))
    without = [
        [
            1 - cosine_separation(*(each[own != concept] for each, own in zip(vectors, owners, strict=True))).overlap
            for concept in concepts
        ]
        for vectors in models
    ]
    moves = found.values[:, None] - np.array(without)
    covariance = Covariance([(found, outcomes.units_of(["0", "1"], every))])
    assert covariance.matrix == pytest.approx(moves @ moves.T * (len(concepts) - 1) / len(concepts))
    alone, together = separated(counted["0"]), separated(counted["0"], np.concatenate(owners))
    assert (alone.low, alone.high) != (together.low, together.high)


@pytest.mark.parametrize("concepts", [4, 12])
def test_models_that_are_perfectly_apart_are_marked(concepts):
    a, b, c = np.tile([1.0, 0.0], (concepts, 1)), np.tile([1.0, 0.1], (concepts, 1)), np.eye(2)[np.ones(concepts, int)]
    counted = {"good": cosine_separation(a, b, c), "bad": cosine_separation(a, c, b)}
    assert [each.overlap for each in counted.values()] == [0, 1]
    (difference,) = compare_set(outcomes_of(counted, np.arange(3 * concepts))).differences
    assert (difference.value, difference.significant) == (1, True)


def test_similarities_of_nothing():
    found = category_separation(lambda *_: np.full((1, 1), math.nan), (1, 1, 1))
    assert separated(found).overlap is separated(found).low is None
    assert separated(found).undefined_triples == 1


@pytest.mark.parametrize("empty", [1, 2])
def test_a_category_without_terms_is_told_in_one_sentence(empty):
    vectors = [np.ones((1, 2)), np.ones((1, 2)), np.ones((1, 2))]
    vectors[empty] = np.empty((0, 2))
    with pytest.raises(TermgaugeError, match=f"Category {'ABC'[empty]} has no term"):
        cosine_separation(*vectors)
