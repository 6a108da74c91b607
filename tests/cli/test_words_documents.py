"""What the commands about words show."""

from __future__ import annotations

import termgauge as tg
from termgauge.cli.words_documents import decisions_document, words_document


def cells(table):
    return [[cell.text for cell in row] for row in table.rows]


def test_steps_add_up(tmp_path):
    (tmp_path / "corpus.tsv").write_text("cells\tNNS\ncell\tNN\n" * 3 + "was\tVBD\nb1\tNN\ngene\tNN\n")
    found = tg.words(tmp_path / "corpus.tsv", general="none")
    document = words_document(found)
    rows = cells(document.sections[0].blocks[0])
    assert [row[1] for row in rows] == ["4", "0", "0", "−1", "−1", "0", "−1", "1"]
    assert [row[2] for row in rows] == ["8", "0", "0", "−1", "", "", "−1", "6"]
    assert cells(document.sections[1].blocks[0]) == [["cell", "6", "1", ""]]


def test_decisions_and_what_is_left_out(tmp_path):
    header = "word\tclass\tcount\tgeneral_count\tdecision\n"
    (tmp_path / "a.tsv").write_text(f"{header}cell\tnoun\t9\t1\tbiomedical\ngo\tverb\t8\t5\tgeneral\n")
    (tmp_path / "b.tsv").write_text(f"{header}cell\tnoun\t9\t1\tbiomedical\ngo\tverb\t8\t5\tboth\n")
    split, left = decisions_document(tg.decisions([tmp_path / "a.tsv", tmp_path / "b.tsv"])).sections
    assert cells(split.blocks[0]) == [["noun", "1", "0"], ["verb", "0", "0"]]
    assert "over 2 words that two experts decided" in split.blocks[1].paragraphs[0]
    assert cells(split.blocks[2]) == [["together", "–"], ["biomedical", "–"], ["general", "–"]]
    assert cells(left.blocks[0]) == [["go", "verb", "Experts disagree", "general, both"]]
