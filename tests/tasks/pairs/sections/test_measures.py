from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from termgauge.tasks.pairs.compare import MeasureComparison
from termgauge.tasks.pairs.scored import SCHEMA
from termgauge.tasks.pairs.sections.compared import measure_section
from termgauge.tasks.pairs.sections.paper import paper_section
from termgauge.tasks.pairs.sections.standings import standings
from termgauge.tasks.records import ModelRecord
from tests.tasks.pairs.sections.drawn import cells_of, check_drawing
from tests.tasks.pairs.sections.made import EASY, HUMAN, comparison_of, run_comparison_of

MODELS = {
    "words": ModelRecord(kind="words", scheme="glove"),
    "own": ModelRecord(kind="pairs", scheme="baseline:levenshtein"),
}
AREA = "Mean area under the ROC curve"
SETS = [EASY, EASY.replace("fsn", "syn"), HUMAN]
MEASURES = ["avg_cos", "pair_cos", "fuzzy_jaccard", "max_jaccard"]


def results(missing=()):
    generator = np.random.default_rng(0)
    rows = []
    for name in SETS:
        statistic = "spearman" if name == HUMAN else "auc"
        for model, measures in {"words": MEASURES, "own": ["similarity"]}.items():
            for measure in measures:
                value = None if (name, measure) in missing else float(generator.random())
                row = {"model": model, "set": name, "measure": measure, "statistic": statistic, "value": value, "n": 50}
                rows += [row | {"low": None, "high": None, "subset": subset} for subset in ("own", "shared")]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def main_table(section):
    return next(block for block in section.blocks if getattr(block, "id", "") == "measures")


def values(frame, model, name):
    own = frame.filter((pl.col("model") == model) & (pl.col("set") == name) & (pl.col("subset") == "shared"))
    return dict(own.select("measure", "value").iter_rows())


def test_means():
    frame = results()
    section = measure_section(standings(frame, MODELS, {}))
    rows = {row["Measure"].text: row for row in cells_of(main_table(section))}
    means = {measure: np.mean([values(frame, "words", name)[measure] for name in SETS[:2]]) for measure in MEASURES}
    assert {measure: row[AREA].value for measure, row in rows.items()} == pytest.approx(means)
    assert [measure for measure, row in rows.items() if row[AREA].best] == [max(means, key=means.get)]


def test_sets_on_which_a_measure_has_no_value_do_not_count():
    frame = results(missing=[(EASY, "pair_cos")])
    section = measure_section(standings(frame, MODELS, {}))
    rows = {row["Measure"].text: row[AREA].value for row in cells_of(main_table(section))}
    assert rows == pytest.approx(values(frame, "words", SETS[1]))


def test_wins_are_those_of_the_comparisons():
    scores = dict(zip(MEASURES, (0.9, 0.5, 0.8, 0.3), strict=True))
    beats = [("avg_cos", "pair_cos"), ("avg_cos", "max_jaccard")]
    compared = [MeasureComparison(name, "words", comparison_of(name, scores, beats, "auc")) for name in SETS[:2]]
    section = measure_section(standings(results(), MODELS, {}, run_comparison_of([], compared)))
    rows = {row["Measure"].text: row for row in cells_of(main_table(section))}
    assert [row["Better than"].value for row in rows.values()] == [4, 0, 0, 0]
    assert [row["Worse than"].value for row in rows.values()] == [0, 2, 0, 2]
    assert [row["At the top"].value for row in rows.values()] == [2, 0, 2, 0]


def test_one_measure_for_each_model_needs_no_section():
    frame = results().filter(pl.col("measure").is_in(["avg_cos", "similarity"]))
    assert measure_section(standings(frame, MODELS, {})) is None


def test_variances_between_measures_are_those_of_numpy():
    frame = results()
    section = paper_section(standings(frame, MODELS, {}))
    figures = {block.id: block for block in section.blocks if hasattr(block, "draw") and "variance" in block.id}
    assert list(figures) == ["paper-variance-spearman", "paper-variance-auc"]
    for figure in figures.values():
        check_drawing(figure)
        assert set(figure.data["model"]) == {"words"}, "a model of one measure has none"
        for row in figure.data.iter_rows(named=True):
            assert row["variance"] == pytest.approx(np.var(list(values(frame, "words", row["set"]).values())))
