from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from termgauge.benchmark.pairset import PairSet
from termgauge.similarity import reference
from termgauge.similarity.measures import select_measures
from termgauge.similarity.scoring import numbered, score_pairs
from tests.engine.toy_models import ToyConcepts, ToyPairs, ToyTerms, ToyWords, graded_set


def test_terms_are_numbered_once():
    pairs = PairSet("x", pl.DataFrame({"term_1": ["a", "b", "a"], "term_2": ["b", "a", "a"], "label": [1, 0, 1]}))
    terms, first, second = numbered(pairs)
    assert [[terms[one], terms[two]] for one, two in zip(first, second, strict=True)] == [
        ["a", "b"],
        ["b", "a"],
        ["a", "a"],
    ]
    assert len(terms) == 2


def test_words_are_scored_as_the_reference_does_and_missing_words_are_nan():
    pairs = graded_set()
    model = ToyWords(words=ToyWords().words[:-3])
    names = select_measures("words", [])
    scores = score_pairs(model, pairs, names)
    assert list(scores) == list(names)
    seen = 0
    for row, (one, two) in enumerate(pairs.frame.select("term_1", "term_2").iter_rows()):
        known = model.known(one.split()).all() and model.known(two.split()).all()
        for name in names:
            if known:
                wanted = reference.similarity(name, model.vectors(one.split()), model.vectors(two.split()))
                assert scores[name][row] == pytest.approx(wanted, abs=1e-5)
            else:
                assert np.isnan(scores[name][row])
        seen += known
    assert 0 < seen < len(pairs)
    assert model.calls == 1


def test_terms_and_concepts_without_a_vector_are_nan():
    pairs = graded_set()
    lost = pairs.frame["term_1"][0]
    scores = score_pairs(ToyTerms(without=(lost,)), pairs, ["cos"])["cos"]
    uses = [lost in row for row in pairs.frame.select("term_1", "term_2").iter_rows()]
    assert np.array_equal(np.isnan(scores), uses)
    frame = pairs.frame.with_columns(
        concept_1=pl.Series([None if row % 5 == 0 else f"C{row % 3}" for row in range(len(pairs))]),
        concept_2=pl.Series([f"C{row % 4}" for row in range(len(pairs))]),
    )
    scores = score_pairs(ToyConcepts(("C0", "C1", "C2")), PairSet("c", frame), ["cos", "kendall"])
    known = [row % 5 != 0 and row % 4 != 3 for row in range(len(pairs))]
    assert np.array_equal(~np.isnan(scores["cos"]), known)
    same = [row % 3 == row % 4 for row in range(len(pairs))]
    assert scores["cos"][np.array(known) & same] == pytest.approx(1)
    assert np.isnan(score_pairs(ToyConcepts(("C0",)), pairs, ["cos"])["cos"]).all()


@pytest.mark.parametrize(
    "model", [ToyWords(), ToyWords(words=["heart"]), ToyTerms(), ToyConcepts(("C1",)), ToyPairs()], ids=lambda m: m.name
)
def test_progress_adds_up_to_all_pairs(model):
    pairs, done = graded_set(), []
    score_pairs(model, pairs, select_measures(model.kind, []), done.append)
    assert sum(done) == pytest.approx(len(pairs))
