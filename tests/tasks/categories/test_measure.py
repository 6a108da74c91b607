"""The overlap of models of every kind, against triples counted one by one."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.similarity import reference
from termgauge.tasks.categories import result as module
from termgauge.tasks.categories.members import members_of
from termgauge.tasks.categories.result import separations
from termgauge.tasks.categories.task import CategoryOptions
from tests.engine.toy_models import ToyConcepts, ToyPairs, ToyTerms, ToyWords
from tests.tasks.categories.chosen import TERMS, by_triples, read_source


@pytest.fixture
def members(tmp_path):
    return members_of(read_source(tmp_path), CategoryOptions.of(close=["1", "4"], far="6"), seed=0)


def measured(model, members, measures=()):
    return separations(model, members, list(measures)).counted


@pytest.mark.parametrize("measure", ["avg_cos", "avg_kendall", "pair_spearman", "fuzzy_jaccard", "max_jaccard"])
@pytest.mark.parametrize("block", [1, 5, 1 << 21])
def test_words_by_triples(members, measure, block, monkeypatch):
    monkeypatch.setattr(module, "_PAIRS_AT_ONCE", block)
    model = ToyWords()
    known = {letter: [term for term in terms if term != "unheard of"] for letter, terms in TERMS.items()}

    def similarity(one, two):
        vectors = (model.vectors(term.split()).astype(np.float64) for term in (one, two))
        return round(reference.similarity(measure, *vectors), 10)

    overlap, means = by_triples(similarity, known)
    separation = measured(model, members, [measure])[measure]
    assert separation.overlap == pytest.approx(overlap, abs=1e-12)
    assert separation.sizes == (4, 3, 4)
    assert separation.total == 48
    for pair, mean in means.items():
        assert separation.means[pair] == pytest.approx(mean, abs=1e-9), pair


@pytest.mark.parametrize("measure", ["cos", "kendall"])
def test_terms_by_triples(members, measure):
    model = ToyTerms(without=("rash",))
    known = {letter: [term for term in terms if term != "rash"] for letter, terms in TERMS.items()}

    def similarity(one, two):
        return round(reference.similarity(measure, *(model.encode([term]).astype(float)[0] for term in (one, two))), 10)

    overlap, means = by_triples(similarity, known)
    separation = measured(model, members, [measure])[measure]
    assert (separation.overlap, separation.sizes) == (pytest.approx(overlap), (4, 3, 4))
    assert separation.means == pytest.approx(means, abs=1e-9)


def test_concepts_are_compared_by_their_ids(members):
    assert measured(ToyConcepts(("1", "2", "4", "6", "7")), members)["cos"].sizes == (2, 1, 2)


@pytest.mark.parametrize("block", [1, 1 << 18])
def test_scorers_of_pairs(members, block, monkeypatch):
    monkeypatch.setattr(module, "_TEXTS_AT_ONCE", block)
    overlap, means = by_triples(lambda one, two: -abs(len(one) - len(two)), TERMS)
    own = measured(ToyPairs(), members)["similarity"]
    assert own.overlap == pytest.approx(overlap)
    assert own.means == pytest.approx(means)


def test_a_model_that_knows_nothing_of_a_category_is_refused(members):
    with pytest.raises(TermgaugeError, match="Category B has no term that the model can encode"):
        measured(ToyWords("lost", words=["heart"]), members)


def test_the_measures_of_a_model_are_those_that_were_asked_for_in_its_own_words(members):
    assert list(measured(ToyWords(), members, ["avg_cos", "max_jaccard"])) == ["avg_cos", "max_jaccard"]
    assert list(measured(ToyTerms(), members, ["avg_cos"])) == ["cos"]
