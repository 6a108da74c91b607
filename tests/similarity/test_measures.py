"""The declarations: names that round-trip, and one clear sentence for a name that is none."""

from __future__ import annotations

import subprocess
import sys

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.similarity.measures import MEASURES, find_measure, find_measures, measures_for

COEFFICIENTS = ["cos", "pearson", "spearman", "kendall"]
OF_WORDS = [f"{way}_{name}" for way in ("avg", "pair") for name in COEFFICIENTS] + ["fuzzy_jaccard", "max_jaccard"]
OF_TERMS = COEFFICIENTS


def test_names_are_those_of_the_protocol():
    assert list(MEASURES) == OF_WORDS + OF_TERMS
    assert [measure.name for measure in measures_for("words")] == OF_WORDS
    assert [measure.name for measure in measures_for("terms")] == OF_TERMS
    assert measures_for("concepts") == measures_for("terms")


@pytest.mark.parametrize("name", OF_WORDS + OF_TERMS)
def test_a_declaration_is_whole_and_round_trips(name):
    measure = find_measure(name)
    assert str(measure) == measure.name == name
    assert find_measure(str(measure)) is measure
    assert measure.of == ("words" if name in OF_WORDS else "terms")
    assert measure.range == ((0, 1) if measure.family == "jaccard" else (-1, 1))
    assert measure.citation.endswith((".", "2019", "8782."))
    assert measure.description
    assert "\n" not in measure.description


@pytest.mark.parametrize(
    ("wrong", "meant"), [("avg_cosine", "avg_cos"), ("Pair_Kendal", "pair_kendall"), ("jaccard_max", "max_jaccard")]
)
def test_an_unknown_name_gets_the_closest_one(wrong, meant):
    with pytest.raises(TermgaugeError, match=f"no measure '{wrong}'.*Did you mean '{meant}'"):
        find_measure(wrong)


def test_an_unknown_name_like_no_other_gets_all_of_them():
    with pytest.raises(TermgaugeError, match=r"no measure 'xyz'\. Take one of avg_cos, .* or kendall\."):
        find_measure("xyz")


def test_a_measure_of_another_kind_is_refused():
    with pytest.raises(TermgaugeError, match="'cos' compares vectors of terms, not of words; take one of avg_cos"):
        find_measures(["avg_cos", "cos"], "words")
    with pytest.raises(TermgaugeError, match="'avg_cos' compares vectors of words, not of concepts; take one of cos"):
        find_measures(["avg_cos"], "concepts")
    with pytest.raises(TermgaugeError, match="no kind of model 'sentences'; take one of words, terms or concepts"):
        measures_for("sentences")


def test_declarations_cost_no_heavy_import():
    heavy = "{'numpy', 'numba', 'scipy', 'polars', 'rapidfuzz'}"
    code = f"import sys, termgauge.similarity; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
