from __future__ import annotations

from termgauge.tasks.pairs.sections.sets import heatmap, heatmap_section, row_label
from tests.tasks.pairs.sections.drawn import check_drawing
from tests.tasks.pairs.sections.made import EASY, HARD, HUMAN, found_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}
LOW = {"good": 0.3, "fair": None, "edit": 0.1}


def test_labelled_and_rated_sets_apart():
    found = found_of({EASY: (VALUES, []), HARD: (LOW, []), HUMAN: (VALUES, [])})
    section = heatmap_section(found)
    assert [figure.id for figure in section.blocks[1:]] == ["heatmap-accuracy", "heatmap-spearman"]
    for figure in section.blocks[1:]:
        check_drawing(figure)
    data = section.blocks[1].data
    assert {(row["set"], row["model"]): row["value"] for row in data.iter_rows(named=True)} == {
        **{(EASY, model): value for model, value in VALUES.items()},
        **{(HARD, model): value for model, value in LOW.items() if value is not None},
    }
    assert "The highest value is 0.900 (good on Names vs synonyms, easy," in section.blocks[1].description
    assert "the lowest 0.100 (edit on Names vs synonyms, hard," in section.blocks[1].description


def test_nothing_to_show():
    found = found_of({HUMAN: ({"good": None}, [])})
    assert heatmap_section(found) is None
    assert heatmap(found, graded=False) is None


def test_rows_are_named_within_their_group():
    labels = [row_label(each) for each in found_of({EASY: (VALUES, []), HUMAN: (VALUES, [])}).sets]
    assert labels == ["edit distance, easy", "UMNSRS-Sim"]
