"""The best measure of each model and set, and which measures are better, against the results and the comparisons."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from termgauge.engine.evaluate import evaluate
from termgauge.reporting.writers.latex import latex_table
from termgauge.similarity.measures import all_measures
from termgauge.tasks.pairs.sections.paper import paper_section, short_name
from termgauge.tasks.pairs.task import TASK
from tests.engine.toy_models import ToyPairs, ToyTerms, ToyWords, binary_set, graded_set

EASY, RATED = "hp/fsn-syn/easy/random", "human/umnsrs-sim"


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    sets = [binary_set(EASY, size=200), graded_set(RATED, size=120)]
    run = evaluate(sets, [ToyWords(), ToyTerms(), ToyPairs()], tmp_path_factory.mktemp("measures") / "run")
    return TASK.load(run.scored(), "")


@pytest.fixture(scope="module")
def compared(result):
    """Say of the larger differences that they are significant: toys have none that are."""
    found = []
    for one in result.compared.measures:
        size = np.median([abs(each.value) for each in one.comparison.differences if each.value])
        marked = (replace(each, significant=bool(abs(each.value) > size)) for each in one.comparison.differences)
        found.append(replace(one, comparison=replace(one.comparison, differences=tuple(marked))))
    return found


@pytest.fixture(scope="module")
def tables(result, compared):
    best = result.standings_by_best_measures()
    placed = result.standings_by(replace(result.compared, measures=tuple(compared)))
    return {table.id: table for table in paper_section(placed, best).blocks}


def test_short_names_are_those_of_the_paper_and_different():
    names = [short_name(name) for name in all_measures()]
    assert len(set(names)) == len(names)
    assert names[:10] == ["cA", "pA", "sA", "kA", "cP", "pP", "sP", "kP", "fJ", "mJ"]


def test_the_best_measure_has_the_highest_value(result, tables):
    shared = result.results.filter(pl.col("value").is_not_null(), subset="shared", set=RATED, statistic="spearman")
    table = tables["paper-best-measures"]
    values, names = table.rows[::2], table.rows[1::2]  # as in the paper, the measure stands below the value
    assert len(values) == 3
    for value, name in zip(values, names, strict=True):
        own = shared.filter(model=value[0].text)
        assert value[1].value == own["value"].max()
        assert name[1].text in {short_name(each) for each in own.filter(value=value[1].value)["measure"]}


def test_superscripts_are_those_of_the_comparisons(compared, tables):
    marks = [table for name, table in tables.items() if name.startswith("paper-measures")]
    assert len(marks) == 2
    counted = {
        (row["set"], row["model"], row["measure"]): (row["wins"], row["losses"])
        for table in marks
        for row in table.data.iter_rows(named=True)
    }
    for one in compared:
        test = one.comparison
        for measure, counts in test.counts.items():
            assert counted[one.set, one.model, measure] == counts
    assert any(any(counts) for counts in counted.values())
    for table in marks:
        (set_id,) = table.data["set"].unique()
        for row in table.rows:
            shown = {part.rstrip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻") for part in row[1].text.split(", ") if part}
            wanted = {short_name(name) for (of, model, name), counts in counted.items()
                      if (of, model) == (set_id, row[0].text) and any(counts)}  # fmt: skip
            assert shown == wanted
        assert re.search(r"[A-Za-z]\$\^\{[+-]\d", latex_table(table))


@pytest.mark.parametrize("tests", ["robust", "paper"])
def test_papers_get_them_with_the_tests_of_the_page(result, tests):
    asked = TASK.load(replace(result.scored, testing=result.scored.testing.asked(tests=tests)), "")
    (section,) = TASK.paper_sections(asked)
    tables = {table.id: table for table in section.blocks}
    assert {"paper-best-measures", "paper-measures", "paper-measures-random"} <= set(tables)
    best = tables["paper-best-measures"]
    assert all(len(cell.text.partition(".")[2]) == 2 for row in best.rows[::2] for cell in row[1:])
    rho, accuracy = ("BCa", "exact McNemar") if tests == "paper" else ("jackknife", "jackknife")
    assert any(rho in note for note in best.notes)
    assert any("As published" in note for note in best.notes) == (tests == "paper")
    assert any(accuracy in note for note in tables["paper-measures-random"].notes)
