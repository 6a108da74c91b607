from __future__ import annotations

from termgauge.tasks.pairs.sections.sets import scored_pairs_section
from tests.tasks.pairs.sections.drawn import cells_of
from tests.tasks.pairs.sections.made import EASY, HUMAN, found_of

VALUES = {"good": 0.9, "fair": 0.8, "edit": 0.6}


def blocks_of(section):
    return {getattr(block, "id", "prose"): block for block in section.blocks}


def test_coverage_is_that_of_the_results():
    found = found_of({EASY: (VALUES, []), HUMAN: (VALUES, [])}, coverage={"fair": 0.25})
    blocks = blocks_of(scored_pairs_section(found, {EASY: 400, HUMAN: 100}))
    rows = cells_of(blocks["shared-pairs"])
    assert [row["Share"].text for row in rows] == ["25 %", "100 %"]
    assert rows[0]["Scored least by"].text == "fair (25 %)"


def test_full_coverage_is_one_sentence():
    section = scored_pairs_section(found_of({EASY: (VALUES, [])}), {})
    assert [block.paragraphs for block in section.blocks] == [("Every model can score every pair of every set.",)]
