"""Groups of concepts, how they are split, and what leaks."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termgauge as tg
from termgauge.benchmark.pairset import PairSet
from termgauge.integrations.splits import (
    Knowledge,
    assign_splits,
    concept_groups,
    trained_concepts,
    training_terms,
)
from tests.integrations.leaks import leaks
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


LEAKING_TEXTS = [
    ("A", "flu"),
    ("A", "influenza"),
    ("B", "cough"),
    ("B", "tussis"),
    ("C", "ache"),
    ("C", "pain"),
    ("D", "rash"),
]


def split(*rows):
    return pl.DataFrame(list(rows), schema=["anchor", "positive", "negative"], orient="row")


TRAIN, TEST = split(("flu", "influenza", "cough")), split(("ache", "pain", "rash"))


def test_splits_that_are_apart_have_none():
    assert list(leaks({"train": TRAIN, "test": TEST}, LEAKING_TEXTS, [("A", "B"), ("C", "C")][1:])) == []


@pytest.mark.parametrize(
    ("test", "texts", "linked", "found"),
    [
        (split(("ache", "pain", "Influenza")), [], [], "the text 'influenza' stands in train and test"),
        (split(("ache", "pain", "tussis")), [], [], "the concept B stands in train and test"),
        (TEST, [("A", "Ache")], [], "the concept A stands in train and test"),
        (TEST, [], [("A", "C")], "the concept C of test stands for one of train"),
        (TEST, [], [("D", "A")], "the concept D of test stands for one of train"),
        (split(("ache", "pain", "pain")), [], [], "test: 'pain' means the same as 'ache'"),
        (TEST, [], [("C", "D")], "test: 'rash' means the same as 'ache'"),
        (split(("ache", "pain", "itch")), [("C", "ITCH")], [], "test: 'itch' means the same as 'ache'"),
    ],
)
def test_what_is_planted_is_found(test, texts, linked, found):
    assert found in list(leaks({"train": TRAIN, "test": test}, [*LEAKING_TEXTS, *texts], linked))


def test_what_was_trained_on_is_found_by_id_and_by_text(tmp_path):
    terms = [("train", *each) for each in LEAKING_TEXTS[:4]] + [("test", *each) for each in LEAKING_TEXTS[4:]]
    pl.DataFrame(terms, ["split", "concept", "text"], orient="row").write_parquet(tmp_path / "concepts.parquet")
    trained = training_terms(tmp_path)
    assert trained.equals(training_terms(tmp_path / "concepts.parquet"))
    pairs = {"term_1": ["ache", "itch"], "term_2": ["pain", "rash"], "label": [1, 0]}
    ids = {"concept_1": ["C", "E"], "concept_2": ["C", "D"]}
    for terms, concepts, found in (
        ({}, ids, []),
        ({}, {}, []),
        ({"term_1": ["ache", "FLU"]}, {}, ["A"]),
        ({"term_2": ["Tussis", "flu"]}, ids, ["A", "B"]),
        ({}, {**ids, "concept_2": [None, "B"]}, ["B"]),
    ):
        frame = pl.DataFrame({**pairs, **terms, **concepts})
        assert trained_concepts(tg.PairSet("mine", frame), trained) == found


def test_an_export_that_is_none_is_said(tmp_path):
    with pytest.raises(
        tg.TermgaugeError, match=r"concepts\.parquet: is not there; name the folder that termgauge export"
    ):
        training_terms(tmp_path)
    TRAIN.write_parquet(tmp_path / "concepts.parquet")
    with pytest.raises(tg.TermgaugeError, match=r"concepts\.parquet: is no readable Parquet file .*split"):
        training_terms(tmp_path)
