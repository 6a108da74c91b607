from __future__ import annotations

import math
from dataclasses import replace

from termgauge.reporting.blocks import Prose, Table
from termgauge.statistics.power import Detectable
from termgauge.tasks.pairs.compare import MeasureComparison, RunComparison
from termgauge.tasks.pairs.sections.compared import comparison_sections, value_section
from tests.tasks.pairs.sections.drawn import cells_of
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, found_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}
BEATS = [("good", "fair"), ("good", "edit")]


def test_values_of_every_set_and_how_many_pairs_there_are():
    found = found_of({EASY: (VALUES, BEATS), HARD: (VALUES, []), HUMAN: (VALUES, [])}, coverage={"fair": 0.5})
    section = value_section(found, {EASY: 200, HARD: 100, HUMAN: 100})
    prose, *tables, sizes = section.blocks
    assert isinstance(prose, Prose)
    assert not any(table.folded for table in (*tables, sizes))
    assert len(tables) == 2 * len(found.groups) + 1 == 5  # on shared pairs, beside them on own ones, and the means
    rows = {row["Model"].text: row for row in cells_of(tables[0])}
    assert {name: row["Edit-distance negatives Easy"].value for name, row in rows.items()} == VALUES
    assert rows["good"]["Edit-distance negatives Easy"].against == (2, 0, 0)
    pairs = {row["Set"].note: (row["Pairs"].value, row["Scored by all"].value) for row in cells_of(sizes)}
    assert pairs == {EASY: (200, 100), HARD: (100, 100), HUMAN: (100, 100)}


def test_models_in_order_then_measures():
    compared = found_of({EASY: (VALUES, BEATS), HUMAN: (VALUES, [])}).comparisons
    first, second = compared[EASY], compared[HUMAN]
    detectable = Detectable(math.inf, 100, 0.05, 0.8)
    measures = MeasureComparison(EASY, "good", first.comparison)
    found = RunComparison("run", (replace(first, detectable=detectable), second), (measures,))
    *sections, legend = comparison_sections(found)
    assert [section.title for section in sections] == [EASY, HUMAN, f"good on {EASY}"]
    assert "significantly better" in legend.blocks[0].paragraphs[0]
    tables = [block for section in sections for block in section.blocks]
    assert all(isinstance(table, Table) for table in tables)
    assert len({table.id for table in tables}) == 3
    rows = cells_of(tables[0])
    assert [row["Model"].text for row in rows] == ["good", "fair", "edit"]
    assert [str(row["accuracy"].against) for row in rows] == ["+2", "-1", "-1"]
    assert rows[0]["accuracy"].interval.ends == ("0.850", "0.950")
    assert rows[0]["Measure"].text == "cos"
    assert tables[0].caption.endswith("three comparisons by McNemar.")
    assert legend.blocks[0].paragraphs[0].endswith(", at alpha 0.05, on each set corrected by Bonferroni.")
    assert tables[0].notes[0] == "Minimum detectable difference in accuracy (80 % power): none by this estimate."
    assert [column.heading for column in tables[2].columns] == ["Measure", "accuracy"]
