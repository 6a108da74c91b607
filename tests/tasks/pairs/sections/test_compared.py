"""A comparison in brief: a line for each set and model, and nothing said twice."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from rich.console import Console

from termgauge.benchmark.sets import ALL_SETS
from termgauge.reporting.writers.terminal import terminal
from termgauge.statistics.power import Detectable
from termgauge.statistics.significance import compare_systems
from termgauge.tasks.pairs.compare import MeasureComparison, RunComparison, SetComparison
from termgauge.tasks.pairs.sections.compared import overview_sections
from tests.tasks.pairs.sections.drawn import cells_of
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, MODELS, found_of

NAMED = {**MODELS, "a-long-model": MODELS["good"]}
VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}
BEATS = [("good", "fair"), ("good", "edit")]


def test_both_accuracies_fit_into_eighty_columns():
    found = found_of({name: ({"a-long-model": 0.9, "fair": 0.8, "edit": 0.6}, []) for name in (EASY, HARD)}, NAMED)
    crossed = (0.875, 0.8, 0.6)
    models = tuple(
        replace(
            each,
            comparison=replace(each.comparison, cross_validated=crossed),
            detectable=Detectable(0.123, 100, 0.05, 0.8),
        )
        for each in found.comparisons.values()
    )
    sections = list(overview_sections(RunComparison("run", models, ())))
    (table,) = sections[0].blocks
    assert [row["CV"].text for row in cells_of(table)] == ["0.875", "0.875"]
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(terminal([replace(sections[0], blocks=(table,))]))
    lines = capture.get().splitlines()
    assert sum("MDD" in line and "CV" in line for line in lines) == 1
    assert sum(line.startswith("Set") for line in lines) == 1


def test_the_best_of_each_set_and_who_keeps_up_with_it():
    found = found_of({EASY: (VALUES, BEATS), HARD: (VALUES, BEATS[1:]), HUMAN: (VALUES, [])}).comparisons
    detectable = Detectable(math.inf, 100, 0.05, 0.8)
    models = tuple(replace(each, detectable=detectable if each.set == HARD else None) for each in found.values())
    measures = MeasureComparison(EASY, "good", found[EASY].comparison)
    sections = list(overview_sections(RunComparison("run", models, (measures,))))
    built, rated = sections[0].blocks
    rows = {row["Set"].note: row for row in cells_of(built)}
    assert {name: row["Best"].text for name, row in rows.items()} == {EASY: "good", HARD: "good"}
    assert {name: row["Not told apart"].text for name, row in rows.items()} == {EASY: "none", HARD: "fair"}
    assert rows[HARD]["MDD"].text == "none"
    assert rows[EASY]["accuracy"].value == 0.9
    (row,) = cells_of(rated)
    assert (row["Set"].note, row["Not told apart"].text) == (HUMAN, "fair, edit")
    assert "MDD" not in row
    wins = cells_of(sections[1].blocks[0])
    assert [(row["Better than model"].text, row["All"].value) for row in wins] == [
        ("1. good", 3), ("2. fair", 0), ("3. edit", 0)
    ]  # fmt: skip
    assert [wins[0][place].value for place in "123"] == [None, 1, 2]
    (row,) = cells_of(sections[2].blocks[0])
    assert (row["Model"].text, row["Least often beaten"].text, row["Unbeaten"].value) == ("good", "good", 1)
    assert row["Most often beaten"].text == "fair (0), edit (0)"
    said = sections[-1].blocks[0].paragraphs[0]
    assert said.startswith("Differences are tested at alpha 0.05, on each set corrected by Bonferroni.")


def test_nothing_compared_is_nothing_shown():
    assert list(overview_sections(RunComparison("run", (), ()))) == []


def test_seven_models_on_21_sets_fit_two_screens(capsys):
    draw = np.random.default_rng(3)
    names, truth = [f"a model {at}" for at in range(7)], np.arange(60) % 2
    ids = ["hp-2025/" + "/".join(name) for name in ALL_SETS] + ["ours"]
    models, measures = [], []
    for name in ids:
        one = compare_systems(names, truth + draw.normal(size=(7, 60)), truth, statistic="accuracy")
        models.append(SetComparison(name, dict.fromkeys(names, "cos"), one, Detectable(0.1, 60, 0.05, 0.8)))
        for model in names:
            own = [f"measure_{at}" for at in range(10)]
            other = compare_systems(own, truth + draw.normal(size=(10, 60)), truth, statistic="accuracy")
            measures.append(MeasureComparison(name, model, other))
    console = Console(width=100)
    console.print(terminal(overview_sections(RunComparison("run", tuple(models), tuple(measures))), width=100))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 130
    assert sum("alpha" in line for line in lines) == 1
