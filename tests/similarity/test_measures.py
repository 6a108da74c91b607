"""The declarations: names that round-trip, and one clear sentence for a name that is none."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest

from termgauge.embeddings.model import Kind
from termgauge.exceptions import TermgaugeError
from termgauge.similarity.measures import (
    OWN_MEASURE,
    USUAL,
    all_measures,
    check_default_measure,
    check_measure,
    default_measure,
    equivalent_measure,
    find_measure,
    find_measures,
    measure_for_kind,
    measures_for,
    same_measure,
    select_measures,
    usual_measure,
)

COEFFICIENTS = ["cos", "pearson", "spearman", "kendall"]
OF_WORDS = [f"{way}_{name}" for way in ("avg", "pair") for name in COEFFICIENTS] + ["fuzzy_jaccard", "max_jaccard"]
OF_TERMS = COEFFICIENTS
NAMES = [*OF_WORDS, *OF_TERMS, OWN_MEASURE]
KINDS = get_args(Kind)


def test_names_are_those_of_the_protocol():
    assert list(all_measures())[: len(NAMES)] == NAMES
    assert [measure.name for measure in measures_for("words")][: len(OF_WORDS)] == OF_WORDS
    assert [measure.name for measure in measures_for("terms")][: len(OF_TERMS)] == OF_TERMS
    assert measures_for("concepts") == measures_for("terms")
    assert [measure.name for measure in measures_for("pairs")] == [OWN_MEASURE]


@pytest.mark.parametrize("name", NAMES)
def test_a_declaration_is_whole_and_round_trips(name):
    measure = find_measure(name)
    assert str(measure) == measure.name == name
    assert find_measure(str(measure)) is measure
    assert measure.compares == ("words" if name in OF_WORDS else "terms" if name in OF_TERMS else "pairs")
    assert measure.range == ((0, 1) if measure.family in ("jaccard", "own") else (-1, 1))
    assert measure.citation.endswith(".") == (name != OWN_MEASURE)
    assert measure.description
    assert "\n" not in measure.description


@pytest.mark.parametrize(
    ("wrong", "meant"), [("avg_cosine", "avg_cos"), ("Pair_Kendal", "pair_kendall"), ("jaccard_max", "max_jaccard")]
)
def test_an_unknown_name_gets_the_closest_one(wrong, meant):
    with pytest.raises(TermgaugeError, match=f"'{wrong}' is no measure.*Did you mean '{meant}'"):
        find_measure(wrong)


def test_an_unknown_name_like_no_other_gets_all_of_them():
    with pytest.raises(TermgaugeError, match=r"'xyz' is no measure of similarity\. Take one of avg_cos, .*similarity"):
        find_measure("xyz")


def test_a_measure_of_another_kind_is_refused():
    with pytest.raises(TermgaugeError, match="'cos' compares vectors of terms, not of words; take one of avg_cos"):
        find_measures(["avg_cos", "cos"], "words")
    with pytest.raises(TermgaugeError, match="'avg_cos' compares vectors of words, not of concepts; take one of cos"):
        find_measures(["avg_cos"], "concepts")
    with pytest.raises(
        TermgaugeError, match="no kind of model 'sentences'; take one of words, terms, concepts or pairs"
    ):
        measures_for("sentences")


def test_measures_of_each_kind():
    assert select_measures("words", [])[: len(OF_WORDS)] == tuple(OF_WORDS)
    assert select_measures("terms", ["avg_cos"]) == ("cos",)
    assert select_measures("words", ["cos", "max_jaccard"]) == ("avg_cos", "max_jaccard")
    assert select_measures("concepts", ["kendall", "fuzzy_jaccard"]) == ("kendall",)
    assert select_measures("terms", ["fuzzy_jaccard"]) == ()
    assert select_measures("pairs", ["avg_cos"]) == (OWN_MEASURE,)
    with pytest.raises(TermgaugeError, match=r"'avg_cosine' is no measure.*Did you mean 'avg_cos'"):
        select_measures("words", ["avg_cosine"])


@pytest.mark.parametrize("name", all_measures())
def test_a_name_comes_back_from_every_kind_that_has_it(name):
    own = find_measure(name)
    homes = [kind for kind in KINDS if own in measures_for(kind)]
    for kind in KINDS:
        same = [measure.name for measure in measures_for(kind) if same_measure(measure.name, name)]
        if same:
            assert equivalent_measure(name, kind) == same[0]
            assert all(equivalent_measure(same[0], home) == name for home in homes)
        else:
            with pytest.raises(TermgaugeError, match=f"'{name}' compares"):
                equivalent_measure(name, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_for_a_model(kind):
    own = select_measures(kind, [])
    assert default_measure(own, kind) == usual_measure(kind)
    assert [default_measure(own, kind, name) for name in own] == list(own)
    assert default_measure(own[1:], kind) == (own[1] if own[0] == usual_measure(kind) and own[1:] else None)
    assert default_measure([], kind) is None


def test_what_a_later_version_wrote_is_read():
    assert default_measure(["new_measure", "other"], "new kind") == "new_measure"
    assert default_measure(["new_measure", "avg_cos"], "words") == "avg_cos"


def test_words_in_the_place_of_a_measure():
    assert check_measure(USUAL, USUAL, "best") == USUAL
    with pytest.raises(TermgaugeError, match=r"'worst' is no measure, nor 'usual' or 'best'\."):
        check_measure("worst", USUAL, "best")


def test_a_measure_may_be_named_for_each_kind():
    wanted = "words=fuzzy_jaccard, terms=kendall"
    assert check_default_measure(wanted, USUAL) == wanted
    named = [measure_for_kind(wanted, kind) for kind in ("words", "terms", "pairs")]
    assert named == ["fuzzy_jaccard", "kendall", USUAL]
    assert measure_for_kind("best", "terms") == "best"
    with pytest.raises(TermgaugeError, match=r"compares vectors of words, not of terms; take one of cos, pearson"):
        check_default_measure("terms=fuzzy_jaccard")
    with pytest.raises(TermgaugeError, match=r"no kind of model 'trems'.*Did you mean 'terms'"):
        check_default_measure("trems=cos")


def test_declarations_cost_no_heavy_import():
    heavy = "{'numpy', 'numba', 'scipy', 'polars', 'rapidfuzz'}"
    code = f"import sys, termgauge.similarity; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
