from __future__ import annotations

import numpy as np

from termgauge.document.blocks import Prose, Table
from termgauge.tasks.vocabulary.measure import ModelVocabulary, VocabularyReport
from termgauge.tasks.vocabulary.sections import vocabulary_blocks, vocabulary_section
from tests.tasks.pairs.sections.drawn import cells_of, check_drawing

NAN = np.nan
COVERAGE = {"human/one": 0.5, "human/two": 0.75, "hp/fsn-syn": 1.0}
REPORT = VocabularyReport(
    [
        ModelVocabulary("all", "words", "/a/all.bin", 14, 8, False, COVERAGE, []),
        ModelVocabulary("some", "words", "/a/some.bin", 7, 8, True, dict.fromkeys(COVERAGE, 1.0), [("rash*", 3)]),
        ModelVocabulary("own", "terms", "onnx:", None, None, True, {}, []),
        ModelVocabulary("edit", "pairs", "baseline", None, None, False, {}, []),
    ],
    np.array([[NAN, 1.0, NAN, NAN], [0.5, NAN, NAN, NAN], [NAN] * 4, [NAN] * 4]),
)


def test_the_command_shows_sizes_coverage_overlap_and_what_is_missing():
    sizes, coverage, overlap, prose = vocabulary_section(REPORT).blocks
    rows = {row["Model"].text: row for row in cells_of(sizes)}
    words = {name: row["Words"].text for name, row in rows.items()}
    assert words == {"all": "14", "some": "7 and any other", "own": "any word", "edit": "–"}
    assert rows["all"]["Pairs covered Rated"].text == "50 % – 75 %"
    assert rows["all"]["Pairs covered Built"].text == "100 % – 100 %"
    assert rows["own"]["Pairs covered Rated"].text == ""
    by_set = {row["Set"].text: [row[name].value for name in ("all", "some", "own")] for row in cells_of(coverage)}
    assert by_set == {name: [value, 1.0, None] for name, value in COVERAGE.items()}
    shared = {row["Model"].text: [row[name].text for name in ("all", "some", "Average")] for row in cells_of(overlap)}
    assert shared["all"] == ["–", "100 %", "100 %"]
    assert shared["some"] == ["50 %", "–", "50 %"]
    assert prose.paragraphs == ("Words that **some** lacks, with the number of terms that have them: rash∗ (3).",)


def test_one_model_without_sets_is_one_table():
    (table,) = vocabulary_section(VocabularyReport(REPORT.models[3:], np.full((1, 1), NAN))).blocks
    assert isinstance(table, Table)
    assert [column.heading for column in table.columns] == ["Model", "Kind", "Words", "Dimension", "Source"]
    assert table.notes == ()


def test_a_page_shows_the_overlap_as_a_picture():
    table, figure = vocabulary_blocks(REPORT.as_dict())
    rows = {row["Model"].text: row for row in cells_of(table)}
    assert list(rows) == ["all", "some", "own"]
    assert rows["some"]["Lacks most often"].text == "rash*"
    overlap = {(row["has"], row["of"]): row["share"] for row in figure.data.iter_rows(named=True)}
    assert overlap == {("all", "some"): 1.0, ("some", "all"): 0.5}
    check_drawing(figure)
    assert not any(isinstance(block, Prose) for block in (table, figure))
