from __future__ import annotations

from dataclasses import replace

import pytest

from termgauge.reporting.blocks import Table
from termgauge.tasks.pairs.sections.groups import group_sections, group_tables, own_table, value_table
from termgauge.tasks.pairs.sections.paper import paper_section
from termgauge.tasks.pairs.sections.sets import heatmap, heatmap_section
from termgauge.tasks.pairs.sections.standings import standings
from termgauge.tasks.records import Ceiling, ModelRecord, SetRecord
from tests.tasks.pairs.sections.drawn import cells_of, check_drawing
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, MODELS, RANDOM, found_of, run_comparison_of

VALUES = {"good": 0.9, "fair": 0.85, "edit": 0.6}


def main_table(found, group):
    return value_table(found, group, group.statistic)


@pytest.fixture
def found():
    beats = [("good", "edit"), ("fair", "edit")]
    weak = {"good": 0.5, "fair": None, "edit": 0.52}
    return found_of({EASY: (VALUES, beats), HARD: (weak, []), HUMAN: (VALUES, beats)}, coverage={"fair": 0.4})


def test_the_table_says_what_the_results_and_the_comparison_say(found):
    group = found.groups[0]
    rows = {row["Model"].text: row for row in cells_of(main_table(found, group))}
    easy, hard = "Edit-distance negatives Easy", "Edit-distance negatives Hard"
    assert {model: row[easy].value for model, row in rows.items()} == VALUES
    assert {model: str(row[easy].against) for model, row in rows.items()} == {"good": "+1", "fair": "+1", "edit": "-2"}
    assert {model: row[easy].best for model, row in rows.items()} == {"good": True, "fair": True, "edit": False}
    assert rows["good"][easy].text == "0.900"
    assert rows["good"][easy].interval.ends == ("0.850", "0.950")
    assert rows["fair"][hard].text == "–"
    assert rows["fair"][hard].value is None
    assert "knows no medicine" in rows["edit"]["Model"].note
    assert not rows["good"]["Model"].note


def test_own_values_stand_beside_what_is_scored(found):
    table = own_table(found, found.groups[0])
    fair = next(row for row in cells_of(table) if row["Model"].text == "fair")
    assert [fair[f"easy, edit distance {name}"].text for name in ("Scored", "Own")] == ["40 %", "0.850"]
    assert set(table.data["subset"]) == {"own", "shared"}
    complete = found_of({EASY: (VALUES, [])})
    assert len([*group_tables(complete, complete.groups[0])]) == 1  # all score everything
    assert not any("own pairs alone" in note for note in table.notes)


def test_a_model_that_scores_too_few_pairs_is_shown_on_its_own_alone():
    found = found_of({EASY: (VALUES, [("good", "edit")])}, coverage={"fair": 0.1}, apart=["fair"])
    group = found.groups[0]
    rows = {row["Model"].text: row for row in cells_of(own_table(found, group))}
    shown = [rows["fair"][f"easy, edit distance {name}"].text for name in ("Scored", "Own")]
    assert shown == ["10 %", "0.850"]
    said = "**fair** scores too few pairs of the set “Names vs synonyms, easy, edit-distance negatives” to be compared"
    assert any(note.startswith(said) for note in own_table(found, group).notes)
    assert rows["fair"]["easy, edit distance Own"].note == "on 100 pairs"
    paper = paper_section(found).blocks[0]
    assert any(note.startswith(said) for note in paper.notes)


@pytest.mark.parametrize("guessing", [0.5, 0.625])
def test_guessing_is_the_share_of_the_more_frequent_label(guessing):
    found = found_of({EASY: (VALUES, []), HUMAN: (VALUES, [])}, guessing=guessing)
    labelled, rated = found.groups
    assert f"What guessing gives: {guessing:.3f}." in main_table(found, labelled).notes
    assert not any("uessing" in note for note in main_table(found, rated).notes)


def test_the_data_have_all_digits(found):
    frame = main_table(found, found.groups[0]).data
    assert set(frame["set"]) == {EASY, HARD}
    assert set(frame["subset"]) == {"shared"}
    good = frame.filter((frame["model"] == "good") & (frame["set"] == EASY))
    assert good["statistic"].to_list() == ["accuracy"]
    assert good.select("value", "wins", "losses", "not_told_from_best").row(0) == (0.9, 1, 0, True)
    assert frame.filter((frame["model"] == "fair") & (frame["set"] == HARD))["wins"].to_list() == [None]


def test_sections_of_all_groups(found):
    sections = group_sections(found)
    assert [section.title for section in sections] == [
        "Results by group of sets",
        "Names vs synonyms",
        "Similarity rated by people",
    ]
    assert [section.level for section in sections] == [2, 3, 3]
    folded = [block for section in sections for block in section.blocks if isinstance(block, Table) and block.folded]
    assert [table.caption for table in folded] == [
        "Area under the ROC curve: names vs synonyms.",
        "Cross-validated accuracy: names vs synonyms.",
        "Average precision: names vs synonyms.",
        "F1 at the best threshold: names vs synonyms.",
        "Pearson's r: similarity rated by people.",
    ]
    assert group_sections(found_of({})) == []


def test_the_heat_map_has_the_values(found):
    frame = heatmap(found, graded=False).data
    assert {(row["set"], row["model"]): row["value"] for row in frame.iter_rows(named=True)} == {
        (EASY, "good"): 0.9,
        (EASY, "fair"): 0.85,
        (EASY, "edit"): 0.6,
        (HARD, "good"): 0.5,
        (HARD, "edit"): 0.52,
    }
    assert len(heatmap_section(found).blocks) == 2
    assert heatmap_section(found_of({EASY: ({"good": None}, [])})) is None


def test_hostile_and_equal_names_draw():
    names = ["<b>&\"'</b>", "datum['x'].y", "x" * 300, "a\\u0000", "模型" * 20, " "]
    known = {name: ModelRecord(kind="terms", scheme="onnx") for name in names}
    found = found_of({name: (dict.fromkeys(names, 0.7), []) for name in (RANDOM, "human/<i>", "[0].graded")}, known)
    check_drawing(heatmap(found, graded=False))
    check_drawing(heatmap(found, graded=True))


def test_many_models_and_sets():
    known = {f"model-{place}": ModelRecord(kind="terms", scheme="onnx") for place in range(35)}
    values = {name: place / 40 for place, name in enumerate(known)}
    found = found_of({f"human/{place}": (values, []) for place in range(25)}, known)
    check_drawing(heatmap(found, graded=True))


def test_the_area_can_be_what_models_are_compared_by():
    former = found_of({EASY: (VALUES, [])})
    (one,) = former.comparisons.values()
    by_area = replace(one, comparison=replace(one.comparison, statistic="auc"))
    found = standings(former.results, MODELS, {}, run_comparison_of([by_area]))
    table = main_table(found, found.groups[0])
    assert table.caption.startswith("Area under the ROC curve: ")
    assert set(table.data["statistic"]) == {"auc"}
    assert "Tests: area under the ROC curve by" in group_sections(found)[0].blocks[0].paragraphs[1]


def test_a_ceiling_is_a_note_and_no_model(found):
    group = next(group for group in found.groups if group.graded)
    ceiling = Ceiling(value=0.93, low=0.9, high=0.95, raters=4)
    bounded = replace(found, records={HUMAN: SetRecord(sha256="", pairs=100, ceiling=ceiling)})
    tables = [main_table(each, group) for each in (found, bounded)]
    assert tables[0].rows == tables[1].rows
    (note,) = set(tables[1].notes) - set(tables[0].notes)
    assert "0.930 (0.900 to 0.950, four raters)" in note
