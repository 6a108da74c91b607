"""A comparison in brief and in full: the verdict, a line for each set, then every model and measure in order."""

from __future__ import annotations

from dataclasses import replace

from termgauge.reporting.blocks import Prose, Table
from termgauge.tasks.pairs.compare import MeasureComparison
from termgauge.tasks.pairs.sections.compared import comparison_sections, value_section, verdict_section
from tests.tasks.pairs.sections.drawn import cells_of
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, found_of, run_comparison_of, sized

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}
BEATS = [("good", "fair"), ("good", "edit")]


def test_both_accuracies_and_who_cannot_be_told_from_the_best():
    found = found_of({HARD: (VALUES, BEATS[1:])}, detectable=0.123)
    (compared,) = found.comparisons.values()
    crossed = {"good": 0.875, "fair": 0.8, "edit": 0.6}
    _, section, _ = comparison_sections(run_comparison_of([replace(compared, cross_validated=crossed)]))
    rows = cells_of(section.blocks[0])
    assert [row["Cross-validated"].value for row in rows] == [0.875, 0.8, 0.6]
    assert [row["accuracy"].best for row in rows] == [True, True, False]


def test_the_verdict_is_first_and_where_there_is_none_the_reason():
    found = found_of({EASY: (VALUES, BEATS)}).comparisons
    comparison = run_comparison_of([*found.values()])
    first, *_ = comparison_sections(comparison)
    assert first == verdict_section(comparison)
    assert "good is best" in first.blocks[0].paragraphs[0]
    chosen = replace(comparison, whole=replace(comparison.whole, main=None))
    assert "no verdict" in verdict_section(chosen).blocks[0].paragraphs[0]


def test_values_of_every_set_and_how_many_pairs_there_are():
    found = found_of({EASY: (VALUES, BEATS), HARD: (VALUES, []), HUMAN: (VALUES, [])}, coverage={"fair": 0.5})
    section = value_section(replace(found, records=sized({EASY: 200, HARD: 100, HUMAN: 100})))
    prose, *tables, sizes = section.blocks
    assert isinstance(prose, Prose)
    assert not any(table.folded for table in (*tables, sizes))
    assert len(tables) == 2 * len(found.groups) + 1 == 5  # on shared pairs, beside them on own ones, and the means
    rows = {row["Model"].text: row for row in cells_of(tables[0])}
    assert {name: row["Edit-distance negatives Easy"].value for name, row in rows.items()} == VALUES
    assert rows["good"]["Edit-distance negatives Easy"].against == (2, 0)
    pairs = {row["Set"].note: (row["Pairs"].value, row["Scored by all"].value) for row in cells_of(sizes)}
    assert pairs == {EASY: (200, 100), HARD: (100, 100), HUMAN: (100, 100)}


def test_models_in_order_then_measures():
    compared = found_of({EASY: (VALUES, BEATS), HUMAN: (VALUES, [])}, detectable=0.0412).comparisons
    first, second = compared[EASY], compared[HUMAN]
    found = run_comparison_of([first, second], [MeasureComparison(EASY, "good", first.comparison)])
    *sections, legend = (section for section in comparison_sections(found) if section.id.startswith(("comp", "super")))
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
    assert tables[0].caption.endswith("three comparisons by the jackknife over units.")
    assert "at alpha 0.05, on each set corrected by Holm" in legend.blocks[0].paragraphs[0]
    assert tables[0].notes[0] == "Minimum detectable difference in accuracy (80 % power): 0.041."
    assert [column.heading for column in tables[2].columns] == ["Measure", "accuracy"]
