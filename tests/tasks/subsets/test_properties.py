"""Properties: what each gives for the pairs of a set, and what is said where it cannot be had."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.pairset import PairSet
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.subsets.properties import property_of, spread_of, value_of_term
from termgauge.tasks.subsets.task import SubsetOptions
from tests.domain.terminologies import terminology_of
from tests.tasks.subsets.banded_run import RATINGS, counts, labelled_pairs, rated_pairs


def pairs_of(*terms, **more):
    frame = pl.DataFrame({"term_1": [one for one, _ in terms], "term_2": [two for _, two in terms]})
    return PairSet("some", frame.with_columns(score=pl.Series([float(at) for at in range(len(terms))])), **more)


PAIRS = pairs_of(("Heart attack", "heart"), ("x-ray", "Ray"), ("flu", "heart attack"))
TERMINOLOGY = terminology_of(
    {"top": ["thing"], "mid": ["heart"], "low": ["heart attack", "MI"], "alone": ["flu"], "other": ["Heart"]},
    [("mid", "is_a", "top"), ("low", "is_a", "mid"), ("other", "is_a", "top"), ("low", "is_a", "other")],
)


def values_of(pairs, terminology=None, **options):
    return property_of(SubsetOptions.of(**options), terminology).values(pairs)


@given(
    st.dictionaries(st.sampled_from("abcde"), st.integers(0, 9).map(float), min_size=1),
    st.lists(st.sampled_from("abcde"), min_size=2, max_size=4),
)
def test_terms_of_several_words(known, words):
    term = " ".join(words)
    expected = [known.get(word, math.nan) for word in words]
    for several, combined in (("lowest", min), ("highest", max), ("mean", np.mean)):
        found = value_of_term(term, known.get, several=several)
        if any(map(math.isnan, expected)):
            assert math.isnan(found)
        else:
            assert found == pytest.approx(combined(expected))
    assert math.isnan(value_of_term(term, known.get, several="whole"))
    assert value_of_term(term, {**known, term: 77.0}.get) == 77, "as it is listed"
    assert value_of_term(f"{words[0]} zzz", known.get, absent=0.0) == 0


def test_words_are_looked_up_in_lower_case_and_counted_once(tmp_path):
    found = values_of(rated_pairs(), property=counts(tmp_path))
    assert found.one.tolist() == found.two.tolist()
    assert (found.one[0], found.one[60], found.one[149]) == (3, 20, 500)
    assert len(found.distinct) == 300


def test_words_are_counted_in_text(tmp_path):
    (tmp_path / "text.txt").write_text("Heart, heart; attack! X-ray: ray")
    found = values_of(PAIRS, corpus=[str(tmp_path / "text.txt")])
    assert found.one.tolist() == [1, 1, 0]
    assert found.two.tolist() == [2, 2, 1]
    none = values_of(PAIRS, corpus=[str(tmp_path / "text.txt")], missing="none")
    assert math.isnan(none.one[2])


def test_general_frequency_is_that_of_wordfreq_and_named_so():
    wordfreq = pytest.importorskip("wordfreq")
    found = property_of(SubsetOptions.of(by="frequency"))
    assert "general English by wordfreq" in found.meaning
    values = found.values(PAIRS)
    assert values.one[2] == wordfreq.zipf_frequency("flu", "en")
    assert values.one[0] == min(wordfreq.zipf_frequency(word, "en") for word in ("heart", "attack"))


def test_breadth_is_named_as_what_it_is(tmp_path):
    (tmp_path / "words.tsv").write_text(
        "word\tclass\tcount\tjournals\tsubjects\tmesh_branches\nheart\tnoun\t9\t4\t\t7\n"
    )
    found = property_of(SubsetOptions.of(by="breadth", property=str(tmp_path / "words.tsv")))
    assert found.meaning.startswith("second-level MeSH branches")
    assert found.values(PAIRS).two[0] == 7
    journals = SubsetOptions.of(by="breadth", property=str(tmp_path / "words.tsv"), column="journals")
    assert property_of(journals).meaning.startswith("journals that a word appears in")


def test_senses_are_concepts_that_a_text_names():
    found = values_of(PAIRS, TERMINOLOGY, by="senses")
    assert found.one.tolist() == [1, 0, 1]
    assert found.two.tolist() == [2, 0, 1]


def test_depth_is_the_shortest_way_to_a_root():
    assert values_of(PAIRS, TERMINOLOGY, by="depth").one.tolist()[0] == 2
    frame = PAIRS.frame.with_columns(
        concept_1=pl.Series(["top", "x", "mid"]), concept_2=pl.Series(["mid", "alone", "x"])
    )
    by_ids = values_of(PairSet("ids", frame), TERMINOLOGY, by="depth").one
    assert by_ids[0] == by_ids[2] == 1
    assert math.isnan(by_ids[1])
    with pytest.raises(TermgaugeError, match="has no hierarchy"):
        values_of(PAIRS, terminology_of({"a": ["b"]}), by="depth")


def test_spread_is_the_sample_deviation_of_ratings():
    assert spread_of(rated_pairs()).tolist() == pytest.approx(RATINGS.std(axis=1, ddof=1).tolist())
    ratings = pl.DataFrame({"r1": [1.0, None, None], "r2": [3.0, 2.0, None]})
    found = spread_of(pairs_of(("a", "b"), ("c", "d"), ("e", "f"), ratings=ratings))
    assert found[0] == pytest.approx(math.sqrt(2))
    assert np.isnan(found[1:]).all()


def test_properties_of_pairs_themselves():
    assert values_of(PAIRS, by="score").one.tolist() == [0, 1, 2]
    assert values_of(PAIRS, by="words").one.tolist() == [2, 1, 2]
    expected = [
        Levenshtein.distance(one.lower(), two.lower()) for one, two in PAIRS.frame.select("term_1", "term_2").rows()
    ]
    assert values_of(PAIRS, by="edit-distance").one.tolist() == expected


def test_relations_are_kinds_of_pairs(tmp_path):
    (tmp_path / "pairs.tsv").write_text("word1\tword2\trelation\nheart\theart attack\tpart\nRay\tx-ray\tsame\n")
    found = property_of(SubsetOptions.of(by="relation", property=str(tmp_path / "pairs.tsv")))
    assert (found.labels, found.of) == (("part", "same"), "pairs")
    values = found.values(PAIRS).one
    assert values[:2].tolist() == [0, 1]
    assert math.isnan(values[2])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "name a property"),
        ({"by": "depth"}, "'depth' needs a terminology; name it with --terminology"),
        ({"by": "senses"}, "'senses' needs a terminology.*or a table"),
        ({"by": "relation"}, "'relation' is a column of a table"),
        ({"by": "words", "property": "x.tsv"}, "'words' needs no table"),
        ({"corpus": ["a.txt"], "property": "x.tsv"}, "text is counted"),
        ({"by": "frequency", "column": "count"}, "a column is one of a table"),
    ],
)
def test_what_is_missing_or_contradicts(options, said):
    with pytest.raises(TermgaugeError, match=said):
        property_of(SubsetOptions.of(**options))


def test_a_set_without_what_is_asked_for(tmp_path):
    with pytest.raises(TermgaugeError, match="it is not known what each rater said"):
        values_of(labelled_pairs(), by="spread")
    with pytest.raises(TermgaugeError, match="has labels and no scores"):
        values_of(labelled_pairs(), by="score")
    (tmp_path / "words.tsv").write_text("word\trelation\nheart\tx\n")
    with pytest.raises(TermgaugeError, match="is no table of pairs with a column 'relation'"):
        property_of(SubsetOptions.of(by="relation", property=str(tmp_path / "words.tsv")))
