"""What is shown of pairs and of vectors."""

from __future__ import annotations

import pytest

from termgauge.corpus.sections import training_section, word_pairs_section
from termgauge.corpus.training import train_vectors
from termgauge.corpus.word_pairs import word_pairs
from tests.corpus.plain_pairs import random_made

pytestmark = pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")


def rows_of(section):
    (table,) = section.blocks
    return {row[0].text: [cell.value for cell in row[1:]] for row in table.rows}, table.notes


def test_counts_stand_as_in_the_paper(tmp_path):
    words, resources = random_made(5).write(tmp_path)
    made = word_pairs(words, resources, per_quarter=3)
    rows, notes = rows_of(word_pairs_section(made))
    assert rows["pairs in the table"] == [
        made.pairs.filter(made.pairs["class"] == name).height for name in made.classes
    ]
    assert rows["biomedical words"] == [counts.pools["biomedical"] for counts in made.classes.values()]
    assert rows["candidates from onto"] == [counts.candidates["onto"] for counts in made.classes.values()]
    assert any("No expert looked at the biomedical pairs" in note for note in notes)
    _, notes = rows_of(word_pairs_section(word_pairs(words, resources, propose=True)))
    assert notes == ()


def test_stand_ins_for_experts_are_named(tmp_path):
    (tmp_path / "w.tsv").write_text("word\tclass\tlog_ratio\na\tnoun\t3\nb\tnoun\t4\n")
    (tmp_path / "t.tsv").write_text("word1\tword2\trelation\na\tb\tmade\n")
    made = word_pairs(tmp_path / "w.tsv", tmp_path / "t.tsv", domain_source="log-ratio", per_quarter=1)
    _, notes = rows_of(word_pairs_section(made))
    assert any("No expert sorted these words" in note and "threshold 2" in note for note in notes)


def test_vectors_are_listed(tmp_path):
    (tmp_path / "text.txt").write_text("The doctor treats a patient.\n" * 20)
    made = train_vectors(tmp_path / "text.txt", tmp_path / "v", dimension=2, deterministic=True)
    (table,) = training_section(made).blocks
    assert [cell.text for cell in table.rows[0]] == ["5", "5", "trained", f"word2vec:{tmp_path / 'v' / 'window-5.bin'}"]
    assert table.notes == ("The corpus has 100 words in 20 sentences.",)
