"""The tables of the paper, from a run with its sets."""

from __future__ import annotations

import re

import polars as pl
import pytest

from termgauge.benchmark.pairset import PairSet
from termgauge.benchmark.sets import ALL_SETS
from termgauge.engine.evaluate import compare, evaluate
from termgauge.reporting.writers.latex import latex_table
from termgauge.tasks.pairs.sections.paper import paper_section
from termgauge.tasks.pairs.sections.standings import standings
from tests.engine.toy_models import ToyPairs, ToyTerms, ToyWords, binary_set, graded_set
from tests.tasks.pairs.sections.made import HUMAN, found_of


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    sets = [PairSet(f"hp-1/{'/'.join(name)}", binary_set(seed=at).frame) for at, name in enumerate(ALL_SETS)]
    sets += [PairSet(f"human/{name}", graded_set(seed=at).frame) for at, name in enumerate(("umnsrs-sim", "mayosrs"))]
    models = [ToyTerms(), ToyWords(words=ToyWords().words[:-2]), ToyPairs()]
    run = evaluate(sets, models, tmp_path_factory.mktemp("paper") / "run", measures=["cos"], min_coverage=0)
    record = run.record()
    compared = compare(run, between_measures=False, tests="paper")
    return standings(run.results(), record.models, record.sets, compared, record.testing.asked(tests="paper"))


@pytest.fixture(scope="module")
def tables(found):
    return {block.id: block for block in paper_section(found).blocks}


def test_which_tables_there_are(tables):
    assert list(tables) == [
        "paper-accuracy-levenshtein",
        "paper-auc-levenshtein",
        "paper-accuracy-random",
        "paper-auc-random",
        "paper-rho",
    ]


def test_the_layout_of_table_5(tables):
    table = tables["paper-accuracy-levenshtein"]
    kinds = ("FSN-SYN", "SYN-SYN", "POSS.-EQU.", "REPL.-BY", "SAME-AS")
    wanted = [("", "Model"), *((kind, level) for kind in kinds for level in ("easy", "hard"))]
    assert [(column.group, column.heading) for column in table.columns] == wanted
    assert [row[0].text for row in table.rows] == ["Subset size", "encoder", "words", "own"]
    assert all(re.fullmatch(r"\d+\.\d%", cell.text) for cell in table.rows[0][1:])
    assert all(re.fullmatch(r"\d+\.\d", cell.text) for row in table.rows[1:] for cell in row[1:])
    text = latex_table(table)
    assert all(re.search(rf"\\multicolumn\{{[2-4]\}}\{{c\}}\{{{re.escape(kind)}\}}", text) for kind in kinds)
    assert text.count(r"\cmidrule(lr)") == 5
    assert "Subset size & " in text
    assert r"\textbf{" in text


def test_values_are_those_of_the_results(found, tables):
    made = found
    table = tables["paper-accuracy-random"]
    for column in table.columns[1:]:
        set_id = column.note
        rows = made.results.filter((pl.col("set") == set_id) & (pl.col("subset") == "shared"))
        at = table.columns.index(column)
        for row in table.rows[1:]:
            (value,) = rows.filter((pl.col("model") == row[0].text) & (pl.col("statistic") == "accuracy"))[
                "value"
            ].to_list()
            assert row[at].text == f"{100 * value:.1f}"
        assert table.rows[0][at].text == f"{100 * rows['n'][0] / made.records[set_id].pairs:.1f}%"
        best = max(float(row[at].text) for row in table.rows[1:])
        assert {row[at].best for row in table.rows[1:] if float(row[at].text) == best} == {True}
        assert not any(row[at].best for row in table.rows[1:] if float(row[at].text) < best)


def test_the_layout_of_table_4(tables):
    table = tables["paper-rho"]
    assert [column.heading for column in table.columns] == ["Model", "UMNSRS-Sim", "MayoSRS"]
    assert re.fullmatch(r"\d+/40", table.rows[0][1].text)
    assert any("positive/negative superscripts" in note for note in table.notes)
    assert any("Bonferroni" in note for note in table.notes)


@pytest.mark.parametrize("statistic", ["accuracy", "auc", "f1"])
def test_marks_stand_in_the_table_of_what_was_tested(tmp_path, statistic):
    pairs = PairSet("hp-1/fsn-syn/easy/random", binary_set(size=80).frame)
    right = pairs.frame["label"].cast(pl.Float64)
    models = [ToyPairs("good", tuple(right)), ToyPairs("poor", tuple(float(place % 7) for place in range(80)))]
    run = evaluate([pairs], models, tmp_path / "run")
    compared = compare(run, between_measures=False, statistic=statistic)
    record = run.record()
    made = standings(run.results(), record.models, record.sets, compared, record.testing.asked(statistic=statistic))
    marked = {table.id: [str(row[1].against) for row in table.rows[1:]] for table in paper_section(made).blocks}
    wanted = {f"paper-{each}-random": ["", ""] for each in ("accuracy", "auc")}
    assert marked == wanted | {f"paper-{statistic}-random": ["+1", "-1"]}


def test_a_model_without_a_value_has_none_by_its_best_measure():
    found = found_of({HUMAN: ({"good": 0.5, "fair": None}, []), "human/mayosrs": ({"fair": 0.4}, [])})
    tables = {block.id: block for block in paper_section(found, found).blocks}
    shown = [[cell.text for cell in row] for row in tables["paper-best-measures"].rows]
    assert shown == [["good", "0.50", "–"], ["", "cos", ""], ["fair", "–", "0.40"], ["", "", "cos"]]


def test_nothing_to_show(found):
    empty = standings(found.results.head(0), {}, {})
    assert paper_section(empty) is None
