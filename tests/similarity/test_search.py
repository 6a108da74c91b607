"""Ranks by the fast search equal ranks by definition: ties, several names, hidden names, blocks of any size."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.similarity import search
from termgauge.similarity.search import (
    Listed,
    NameIndex,
    best_concepts,
    concept_ranks,
    nearest_concepts,
    nearest_of_others,
)
from tests.similarity.brute_force import case_with_ties, ranks_by_definition, units


@pytest.mark.parametrize("seed", range(60))
def test_ranks_equal_their_definition_on_data_with_ties(seed, monkeypatch):
    names, concepts, queries, right, hidden = case_with_ties(seed)
    monkeypatch.setattr(search, "_NAMES_AT_ONCE", 7 if seed % 2 else 2048)
    monkeypatch.setattr(search, "_QUERIES_AT_ONCE", 5 if seed % 4 < 2 else 1024)
    found = concept_ranks(NameIndex(names, concepts), queries, Listed.from_lists(right), Listed.from_lists(hidden))
    ranks, wrong = ranks_by_definition(names, concepts, queries, right, hidden)
    assert found.rank.tolist() == ranks
    asked = ~np.isnan(units(queries)[:, 0])
    assert found.wrong_row[asked].tolist() == np.array(wrong)[asked].tolist()
    assert np.array_equal(found.right_row >= 0, found.rank > 0)


def test_ranks_equal_their_definition_on_long_vectors():
    rng = np.random.default_rng(1)
    centre = rng.normal(size=200)  # cosines near 1, where single precision tells little apart
    names = (centre + rng.normal(0, 0.02, (3000, 200))).astype(np.float32)
    names[1500:1600] = names[100:200]
    concepts = np.sort(rng.integers(0, 2000, 3000))
    queries = (centre + rng.normal(0, 0.02, (50, 200))).astype(np.float32)
    right = [[int(each)] for each in rng.choice(concepts, 50)]
    none = [[] for _ in right]
    found = concept_ranks(NameIndex(names, concepts), queries, Listed.from_lists(right), Listed.from_lists(none))
    ranks, wrong = ranks_by_definition(names, concepts, queries, right, none)
    assert (found.rank.tolist(), found.wrong_row.tolist()) == (ranks, wrong)


def test_equal_names_rank_by_id():
    index = NameIndex(np.ones((5, 3), np.float32), np.arange(5))
    found = concept_ranks(
        index, np.full((5, 3), 7, np.float32), Listed.from_lists([[i] for i in range(5)]), Listed.from_lists([[]] * 5)
    )
    assert found.rank.tolist() == [1, 2, 3, 4, 5]
    assert found.wrong_row.tolist() == [1, 0, 0, 0, 0]
    several = concept_ranks(index, np.ones((1, 3), np.float32), Listed.from_lists([[4, 2]]), Listed.from_lists([[]]))
    assert several.rank.tolist() == [3]
    assert several.right_row.tolist() == [2]


def test_very_long_and_very_short_vectors_count():
    names = np.array([[1e-30, 0], [0, 1e30], [1e30, 1e30], [np.inf, 0]], np.float32)
    queries = np.array([[1e-35, 0], [1, 1e-3]], np.float32)
    found = concept_ranks(
        NameIndex(names, np.arange(4)), queries, Listed.from_lists([[2], [3]]), Listed.from_lists([[], []])
    )
    assert found.rank.tolist() == [2, 0]
    assert found.wrong_row.tolist() == [0, 0]


def test_an_empty_index_ranks_nothing():
    index = NameIndex(np.empty((0, 4), np.float32), np.empty(0, np.int64))
    found = concept_ranks(
        index, np.ones((2, 4), np.float32), Listed.from_lists([[0], [1]]), Listed.from_lists([[], []])
    )
    assert found.rank.tolist() == [0, 0]
    assert np.isnan(found.wrong).all()


def test_names_must_be_in_the_order_of_their_concepts():
    with pytest.raises(ValueError, match="order"):
        NameIndex(np.ones((2, 2), np.float32), np.array([1, 0]))


@pytest.mark.parametrize("seed", range(6))
def test_nearest_names_of_others_equal_their_definition(seed):
    names, concepts, *_ = case_with_ties(seed)
    rows, cosines = nearest_of_others(NameIndex(names, concepts), 3)
    wide = units(names)
    for at in range(len(names)):
        near = (
            np.round(wide @ np.nan_to_num(wide[at]), 12) if not np.isnan(wide[at, 0]) else np.full(len(names), np.nan)
        )
        others = [row for row in range(len(names)) if concepts[row] != concepts[at] and not np.isnan(near[row])]
        best = sorted(others, key=lambda row: (-near[row], row))[:3]
        assert rows[at].tolist() == best + [-1] * (3 - len(best))
        assert np.allclose(cosines[at][: len(best)], near[best], atol=1e-11)


@pytest.mark.parametrize("seed", range(12))
def test_the_nearest_concepts_equal_their_definition(seed):
    names, concepts, queries, *_ = case_with_ties(seed)
    rows, cosines = nearest_concepts(NameIndex(names, concepts), queries, 4)
    table = np.round(units(queries) @ units(names).T, 12)
    by_score = best_concepts(table.copy(), concepts, 4)
    for query, near in enumerate(table):
        best = {}
        for row in sorted(np.flatnonzero(~np.isnan(near)).tolist(), key=lambda row: (-near[row], row)):
            best.setdefault(concepts[row], row)
        expected = list(best.values())[:4]
        for found, scores in ((rows, cosines), by_score):
            assert found[query].tolist() == expected + [-1] * (4 - len(expected))
            assert np.allclose(scores[query][: len(expected)], near[expected], atol=1e-11)
