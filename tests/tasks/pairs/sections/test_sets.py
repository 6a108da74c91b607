"""What sets are like, counted anew from their pairs."""

from __future__ import annotations

import polars as pl
import pytest
from rapidfuzz.distance import Levenshtein

from termgauge.benchmark.load import load_sets
from termgauge.benchmark.pairset import PairSet
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.reporting.set_names import titled
from termgauge.tasks.pairs.sections.sets import sets_section
from tests.tasks.pairs.sections.drawn import cells_of


def labelled(name, rows):
    return PairSet(name, pl.DataFrame(rows, ["term_1", "term_2", "label"], orient="row"))


SETS = {
    each.id: each
    for each in (
        labelled("hp/fsn-syn/easy/random", [("heart", "hearts", 1), ("Lung", "big kidney", 0)]),
        labelled("hp/fsn-syn/easy/levenshtein", [("heart", "hearts", 1), ("Lung", "lunge", 0)]),
        labelled(
            "hp/fsn-syn/hard/random", [("heart attack", "infarct", 1), ("cold", "common cold", 1), ("a", "bc", 0)]
        ),
        labelled("ours", [("cold", "common cold", 1), ("heart", "lung", 0)]),
        PairSet(
            "human/umnsrs-sim", pl.DataFrame({"term_1": ["a b", "c"], "term_2": ["d", "e"], "score": [3.0, 1400.0]})
        ),
        PairSet("rated", pl.DataFrame({"term_1": ["a b", "c"], "term_2": ["d", "c d"], "score": [1.0, 4.5]})),
    )
}


def section(sets=SETS, read=SETS.__getitem__):
    made = sets_section([titled(name, graded=each.graded) for name, each in sets.items()], read)
    return {table.id: {row["Set"].text: row for row in cells_of(table)} for table in made.blocks}


def distance(pairs):
    return sum(Levenshtein.distance(one.lower(), two.lower()) for one, two in pairs) / len(pairs)


def test_built_sets_as_in_table_2():
    rows = section()["built-sets"]
    assert list(rows) == ["Names vs synonyms", "– easy", "– hard"]
    easy, both = rows["– easy"], rows["Names vs synonyms"]
    assert easy["Pairs"].text == "2"
    assert easy["Edit distance Positives"].value == distance([("heart", "hearts")])
    assert easy["Edit distance Random neg."].value == distance([("lung", "big kidney")])
    assert easy["Edit distance Edit-distance neg."].value == distance([("lung", "lunge")])
    assert rows["– hard"]["Edit distance Edit-distance neg."].text == "–"
    assert both["Pairs"].text == "5 / 2"
    positives = [("heart", "hearts"), ("heart attack", "infarct"), ("cold", "common cold")]
    assert both["Edit distance Positives"].value == pytest.approx(distance(positives))
    assert rows["– hard"]["Multi-word"].value == pytest.approx(2 / 6)


def test_rated_sets_as_in_table_1_and_others():
    tables = section()
    rated = tables["rated-sets"]
    assert rated["UMNSRS-Sim"]["Ratings"].text == "0–1600"  # the scale of the set, not what occurs
    assert rated["rated"]["Ratings"].text == "1–4.5"
    assert rated["UMNSRS-Sim"]["Multi-word"].text == "25 %"
    assert rated["rated"]["Multi-word"].text == "50 %"
    assert tables["labelled-sets"]["ours"]["Positives"].value == 1


def test_the_shares_are_those_of_the_paper(shared):
    if shared is None:
        pytest.skip("the rated sets themselves are not here")
    wanted = {"hliaoutakis": "47 %", "minimayo-mean": "47 %", "mayosrs": "44 %", "bio-simlex": "0 %"}
    found = load_sets([f"human/{name}" for name in wanted], data_dir=shared / "data" / "similarity", download=False)
    sets = {each.id: each for each in found}
    rows = section(sets, sets.__getitem__)["rated-sets"]
    assert [row["Multi-word"].text for row in rows.values()] == list(wanted.values())
    assert [row["Pairs"].value for row in rows.values()] == [36, 29, 101, 988]


def test_a_set_that_cannot_be_read_costs_its_row():
    def read(name):
        if name == "ours":
            raise TermgaugeError("It is gone.")
        return SETS[name]

    with pytest.warns(TermgaugeWarning, match="What “ours” is like cannot be shown: It is gone"):
        assert set(section(read=read)) == {"built-sets", "rated-sets"}
    assert sets_section([], read) is None
