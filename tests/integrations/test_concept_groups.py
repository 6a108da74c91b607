"""Groups of concepts, and how they are split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from termgauge.integrations.splits import Knowledge, assign_splits, concept_groups
from tests.integrations.small_sets import labelled, many, terms_file

CONCEPTS = st.sampled_from("ABCDEFGH")
TEXTS = st.lists(
    st.tuples(CONCEPTS, st.sampled_from(["cold", "Cold", "flu", "grippe", "FLU", "ache", "pain"])), min_size=1
)


@given(TEXTS, st.lists(st.tuples(CONCEPTS, CONCEPTS)))
def test_groups_are_what_is_connected(texts, linked):
    known = {concept for concept, _text in texts}
    links = [(one, other) for one, other in linked if {one, other} <= known]
    groups = concept_groups(Knowledge([], texts, links))
    near = {each: {each} for each in known}  # all that can be reached, the slow way
    edges = links + [(one, other) for one, a in texts for other, b in texts if a.lower() == b.lower()]
    for _ in known:
        for one, other in edges:
            near[one] |= near[other]
            near[other] |= near[one]
    assert groups.keys() == known
    assert all((groups[one] == groups[other]) == (other in near[one]) for one in known for other in known)


@given(st.lists(st.integers(1, 5), min_size=60, max_size=200), st.integers(0, 10))
def test_splits_have_about_their_shares(sizes, seed):
    found = assign_splits(sizes, (0.8, 0.1, 0.1), seed)
    assert found == assign_splits(sizes, (0.8, 0.1, 0.1), seed)
    for split, share in enumerate((0.8, 0.1, 0.1)):
        own = sum(size for size, place in zip(sizes, found, strict=True) if place == split)
        assert abs(own - share * sum(sizes)) <= 3 * max(sizes)


def test_a_large_group_goes_to_the_largest_split():
    for seed in range(5):
        assert assign_splits([1] * 50 + [50], (0.8, 0.1, 0.1), seed)[-1] == 0
        assert assign_splits([1] * 50 + [50], (0.1, 0.1, 0.8), seed)[-1] == 2
    assert set(assign_splits([1] * 9, (1.0, 0.0, 0.0), 1)) == {0}
    assert set(assign_splits([1] * 30, (0.5, 0.0, 0.5), 1)) == {0, 2}


def test_each_pair_of_texts_counts_once():
    sets = [labelled({"A": ["Flu", "influenza"], "B": ["INFLUENZA", "flu"], "C": ["ache", "pain"]})]
    assert len(Knowledge.from_sets(sets).positives) == 2
    assert Knowledge.from_sets(sets).linked == []
    assert Knowledge.from_sets([labelled(many(3), [("c0", "c1")])]).linked == [("c0", "c1")]


def test_the_terminology_adds_its_terms(tmp_path):
    known = Knowledge.from_sets(
        [labelled({"c1": ["x", "y"], "c2": ["z", "w"]})], tg.read_terminology(terms_file(tmp_path))
    )
    assert ("c1", "disease 1") in known.texts
    assert all(concept in ("c1", "c2") for concept, _text in known.texts)
    with pytest.raises(tg.TermgaugeError, match="has none of the benchmark's concepts"):
        Knowledge.from_sets([labelled({"k1": ["x", "y"], "k2": ["z", "w"]})], tg.read_terminology(tmp_path / "terms"))


def test_sets_that_cannot_be_split_are_refused(tmp_path):
    import polars as pl

    bare = PairSet("bare", pl.DataFrame({"term_1": ["a"], "term_2": ["b"], "label": [1]}))
    with pytest.raises(tg.TermgaugeError, match=r"bare: has no concept ids .* build the benchmark again"):
        Knowledge.from_sets([bare])
    rated = PairSet("rated", pl.DataFrame({"term_1": ["a"], "term_2": ["b"], "score": [1.5]}))
    with pytest.raises(tg.TermgaugeError, match="rated: has ratings and no labels"):
        tg.export(rated, "triplets", tmp_path / "out")
