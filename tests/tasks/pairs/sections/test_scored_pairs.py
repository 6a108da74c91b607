from __future__ import annotations

from termgauge.tasks.pairs.sections.scored_pairs import scored_pairs_section
from tests.tasks.pairs.sections.drawn import cells_of, check_drawing
from tests.tasks.pairs.sections.made import EASY, HUMAN, found_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


def blocks_of(section):
    return {getattr(block, "id", "prose"): block for block in section.blocks}


def test_coverage_is_that_of_the_results():
    found = found_of({EASY: (VALUES, []), HUMAN: (VALUES, [])}, coverage={"fair": 0.25})
    blocks = blocks_of(scored_pairs_section(found, {EASY: 400, HUMAN: 100}, None))
    figure = blocks["coverage-of-pairs"]
    check_drawing(figure)
    assert set(figure.data.iter_rows()) == {(EASY, "fair", 0.25), (HUMAN, "fair", 0.25)}
    assert "The 2 other models score all pairs." in figure.caption
    rows = cells_of(blocks["shared-pairs"])
    assert [row["Share"].text for row in rows] == ["25 %", "100 %"]
    assert rows[0]["Scored least by"].text == "fair (25 %)"


def test_full_coverage_is_one_sentence():
    section = scored_pairs_section(found_of({EASY: (VALUES, [])}), {}, None)
    assert [block.paragraphs for block in section.blocks] == [("Every model can score every pair of every set.",)]


def test_vocabularies():
    document = {
        "models": [
            {"name": "all", "size": 14, "dimension": 8, "any_word": False, "unknown": []},
            {"name": "some", "size": 7, "dimension": 8, "any_word": True, "unknown": [{"word": "rash", "terms": 3}]},
            {"name": "own", "size": None, "dimension": None, "any_word": False, "unknown": []},
        ],
        "overlap": [[None, 1.0, None], [0.5, None, None], [None, None, None]],
    }
    blocks = blocks_of(scored_pairs_section(found_of({EASY: (VALUES, [])}), {}, document))
    rows = {row["Model"].text: row for row in cells_of(blocks["vocabularies"])}
    assert {name: row["Words"].text for name, row in rows.items()} == {"all": "14", "some": "7 and any other"}
    assert rows["some"]["Lacks most often"].text == "rash"
    overlap = {(row["has"], row["of"]): row["share"] for row in blocks["vocabulary-overlap"].data.iter_rows(named=True)}
    assert overlap == {("all", "some"): 1.0, ("some", "all"): 0.5}
    check_drawing(blocks["vocabulary-overlap"])
