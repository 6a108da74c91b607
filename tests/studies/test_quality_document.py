"""A quality study as tables: what the paper's Table 3 shows, beside intervals and the pairs behind them."""

from __future__ import annotations

import polars as pl
import pytest

from termgauge.studies.quality.compute import quality_of
from termgauge.studies.quality.sections import quality_frame, quality_sections, quality_summary
from tests.studies.made_ratings import quality_ratings

SETS = [f"hp/{kind}/{hard}/{how}" for kind in ("fsn-syn", "same-as") for hard in ("easy", "hard")
        for how in ("random", "levenshtein")]  # fmt: skip
SAID = ["SSS", "SSN", "SNN", "NNN", "NNS", "SND"]


def found_of(sets=SETS, said=SAID, labels=(1, 1, 1, 0, 0, 0), sizes=None):
    pairs = len(said) * len(sets)
    key = pl.DataFrame(
        {
            "pair": [str(at + 1) for at in range(pairs)],
            "set": [name for name in sets for _ in said],
            "label": list(labels) * len(sets),
        }
    )
    return quality_of(quality_ratings(said * len(sets)), key, resamples=200, sizes=sizes)


def tables(result):
    return {
        block.id: block for section in quality_sections(result) for block in section.blocks if hasattr(block, "columns")
    }


def test_the_table_has_a_row_for_each_set_and_one_for_all():
    result = found_of()
    rows = tables(result)["quality"].rows
    assert [row[0].text for row in rows][-1] == "All sets"
    assert len(rows) == len(SETS) + 1
    first = rows[0]
    assert [cell.text for cell in first] == [
        "Names vs synonyms, easy, random negatives", "6", "17 %", "0.11", "0.80", "1.00", "0.67",
    ]  # fmt: skip
    assert first[4].interval is not None


def test_the_papers_form_has_a_column_for_each_set():
    table = tables(found_of())["quality-paper"]
    assert [row[0].text for row in table.rows] == ["NaN", "IAA", "acc", "rec", "prec"]
    assert [column.heading for column in table.columns[1:5]] == ["e-R", "h-R", "e-L", "h-L"]
    assert {column.group for column in table.columns[1:]} == {"fsn-syn", "same-as"}
    assert "quality-paper" not in tables(found_of(["ours", "theirs"]))


def test_sets_that_are_balanced_otherwise_are_estimated_as_a_whole():
    def headings(sizes):
        return [column.heading for column in tables(found_of(["a"], sizes={"a": sizes}))["quality"].columns]

    assert "Whole accuracy" not in headings((100, 100))
    assert headings((100, 300))[-2:] == ["Whole accuracy", "Whole recall"]


def test_pairs_to_look_at():
    found = tables(found_of(["a"]))
    assert [row[0].text for row in found["quality-contradicted"].rows] == ["term 3"]
    assert [row[0].text for row in found["quality-undecided"].rows] == ["term 6"]


def test_without_contradictions_that_is_said():
    result = found_of(["a"], ["SSS", "NNN"], (1, 0))
    (_labels, pairs, _raters) = quality_sections(result)
    assert "No label is contradicted" in pairs.blocks[0].paragraphs[0]
    assert "Both pairs have a truth" in quality_summary(result)[0]


def test_undefined_values_are_dashes_and_said():
    result = found_of(["a"], ["SSS", "SSS"], (1, 1))
    row = tables(result)["quality"].rows[0]
    assert row[3].text == "–"
    assert any("undefined" in sentence for sentence in quality_summary(result))


@pytest.mark.parametrize("sets", [SETS, ["a"]])
def test_the_frame_has_all_values(sets):
    result = found_of(sets)
    frame = quality_frame(result.sets)
    assert frame.height == len(sets)
    assert frame["accuracy"].to_list() == [each.accuracy for each in result.sets]
    assert frame["accuracy_low"].to_list() == [each.accuracy_interval[0] for each in result.sets]


def test_sets_stand_in_the_order_of_the_paper_whatever_was_drawn_first():
    result = found_of(list(reversed(SETS)))
    assert [each.set.split("/", 1)[1] for each in result.sets][:4] == [
        "fsn-syn/easy/random", "fsn-syn/hard/random", "fsn-syn/easy/levenshtein", "fsn-syn/hard/levenshtein",
    ]  # fmt: skip
