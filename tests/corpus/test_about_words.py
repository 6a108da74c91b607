"""What the commands about words show."""

from __future__ import annotations

import termgauge as tg
from termgauge.corpus.sections import words_document


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
