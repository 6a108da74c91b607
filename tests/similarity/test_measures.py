"""The declarations: names that round-trip, and one clear sentence for a name that is none."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest

from termgauge.embeddings.model import Kind
from termgauge.exceptions import TermgaugeError
from termgauge.similarity.measures import (
    MEASURES,
    OWN_MEASURE,
    USUAL,
    alike,
    checked_measure,
    chosen_measures,
    default_measure,
    find_measure,
    find_measures,
    measures_for,
    standing_measure,
    translated,
)

COEFFICIENTS = ["cos", "pearson", "spearman", "kendall"]
OF_WORDS = [f"{way}_{name}" for way in ("avg", "pair") for name in COEFFICIENTS] + ["fuzzy_jaccard", "max_jaccard"]
OF_TERMS = COEFFICIENTS
KINDS = get_args(Kind)


def test_names_are_those_of_the_protocol():
    assert list(MEASURES) == [*OF_WORDS, *OF_TERMS, OWN_MEASURE]
    assert [measure.name for measure in measures_for("words")] == OF_WORDS
    assert [measure.name for measure in measures_for("terms")] == OF_TERMS
    assert measures_for("concepts") == measures_for("terms")
    assert [measure.name for measure in measures_for("pairs")] == [OWN_MEASURE]


@pytest.mark.parametrize("name", MEASURES)
def test_a_declaration_is_whole_and_round_trips(name):
    measure = find_measure(name)
    assert str(measure) == measure.name == name
    assert find_measure(str(measure)) is measure
    assert measure.of == ("words" if name in OF_WORDS else "terms" if name in OF_TERMS else "pairs")
    assert measure.range == ((0, 1) if measure.family in ("jaccard", "own") else (-1, 1))
    assert measure.citation.endswith(".") == (name != OWN_MEASURE)
    assert measure.description
    assert "\n" not in measure.description


@pytest.mark.parametrize(
    ("wrong", "meant"), [("avg_cosine", "avg_cos"), ("Pair_Kendal", "pair_kendall"), ("jaccard_max", "max_jaccard")]
)
def test_an_unknown_name_gets_the_closest_one(wrong, meant):
    with pytest.raises(TermgaugeError, match=f"no measure '{wrong}'.*Did you mean '{meant}'"):
        find_measure(wrong)


def test_an_unknown_name_like_no_other_gets_all_of_them():
    with pytest.raises(TermgaugeError, match=r"no measure 'xyz'\. Take one of avg_cos, .* or similarity\."):
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
    assert chosen_measures("words", []) == tuple(OF_WORDS)
    assert chosen_measures("terms", ["avg_cos"]) == ("cos",)
    assert chosen_measures("words", ["cos", "max_jaccard"]) == ("avg_cos", "max_jaccard")
    assert chosen_measures("concepts", ["kendall", "fuzzy_jaccard"]) == ("kendall",)
    assert chosen_measures("terms", ["fuzzy_jaccard"]) == ()
    assert chosen_measures("pairs", ["avg_cos"]) == (OWN_MEASURE,)
    with pytest.raises(TermgaugeError, match=r"'avg_cosine' is no measure.*Did you mean 'avg_cos'"):
        chosen_measures("words", ["avg_cosine"])


@pytest.mark.parametrize("name", MEASURES)
def test_a_name_comes_back_from_every_kind_that_has_it(name):
    own = find_measure(name)
    homes = [kind for kind in KINDS if own in measures_for(kind)]
    for kind in KINDS:
        same = [measure.name for measure in measures_for(kind) if alike(measure.name, name)]
        if same:
            assert translated(name, kind) == same[0]
            assert all(translated(same[0], home) == name for home in homes)
        else:
            with pytest.raises(TermgaugeError, match=f"'{name}' compares"):
                translated(name, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_for_a_model(kind):
    own = chosen_measures(kind, [])
    assert standing_measure(own, kind) == default_measure(kind)
    assert [standing_measure(own, kind, name) for name in own] == list(own)
    assert standing_measure(own[1:], kind) == (own[1] if own[0] == default_measure(kind) and own[1:] else None)
    assert standing_measure([], kind) is None


def test_what_a_later_version_wrote_is_read():
    assert standing_measure(["new_measure", "other"], "new kind") == "new_measure"
    assert standing_measure(["new_measure", "avg_cos"], "words") == "avg_cos"


def test_words_in_the_place_of_a_measure():
    assert checked_measure(USUAL, USUAL, "best") == USUAL
    with pytest.raises(TermgaugeError, match=r"'worst' is no measure, nor 'usual' or 'best'\."):
        checked_measure("worst", USUAL, "best")


def test_declarations_cost_no_heavy_import():
    heavy = "{'numpy', 'numba', 'scipy', 'polars', 'rapidfuzz'}"
    code = f"import sys, termgauge.similarity; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
