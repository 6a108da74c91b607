"""What the decisions of experts look like."""

from __future__ import annotations

import termgauge as tg
from termgauge.studies.decisions import decisions_document


def cells(table):
    return [[cell.text for cell in row] for row in table.rows]


def test_decisions_and_what_is_left_out(tmp_path):
    header = "word\tclass\tcount\tgeneral_count\tdecision\n"
    (tmp_path / "a.tsv").write_text(f"{header}cell\tnoun\t9\t1\tbiomedical\ngo\tverb\t8\t5\tgeneral\n")
    (tmp_path / "b.tsv").write_text(f"{header}cell\tnoun\t9\t1\tbiomedical\ngo\tverb\t8\t5\tboth\n")
    split, left = decisions_document(tg.decisions([tmp_path / "a.tsv", tmp_path / "b.tsv"])).sections
    assert cells(split.blocks[0]) == [["noun", "1", "0"], ["verb", "0", "0"]]
    assert "over 2 words that two experts decided" in split.blocks[1].paragraphs[0]
    assert cells(split.blocks[2]) == [["together", "–"], ["biomedical", "–"], ["general", "–"]]
    assert cells(left.blocks[0]) == [["go", "verb", "Experts disagree", "general, both"]]
