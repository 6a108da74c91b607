"""What commands about words, pairs, word vectors and taggers show."""

from __future__ import annotations

import pytest

import termgauge as tg
from termgauge.corpus.sections import (
    accuracy_section,
    tagger_section,
    tagging_section,
    training_section,
    word_pairs_section,
    words_document,
)
from termgauge.corpus.tagger import Accuracy, Tagger
from termgauge.corpus.training import train_vectors
from termgauge.corpus.word_pairs import word_pairs
from termgauge.reporting.blocks import Document
from termgauge.reporting.writers.markdown import markdown
from tests.corpus.plain_pairs import random_made


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


def shown(section):
    return markdown(Document("", (), (), (section,)))


def test_how_it_was_trained():
    assert "learned 42 tags from 397,690 tokens in 16,334 sentences" in shown(tagger_section(Tagger.load()))


def test_how_often_it_is_right():
    nouns, verbs, others = (
        dict(zip(("tokens", "precision", "recall"), rates, strict=True))
        for rates in ((60, 0.9, 0.75), (40, 0.7, 0.875), (0, None, None))
    )
    tags = {"NN": nouns, "VB": verbs, "UH": others}
    classes = {"noun": nouns, "verb": verbs, "other": others}
    text = shown(accuracy_section(Accuracy(9, 100, 0.8, 0.8, classes, tags)))
    assert "100 tokens in 9 sentences" in text
    assert "0.8000" in text
    assert "0.9000" in text
    assert "UH" not in text
    assert "fewer than 20" in text
    text = shown(
        accuracy_section(Accuracy(9, 100, 1.0, None, None, {"Q": {"tokens": 100, "precision": 1.0, "recall": 1.0}}))
    )
    assert "Noun" not in text
    assert "fewer than" not in text


def test_what_was_tagged():
    text = shown(tagging_section({"documents": 1, "tokens": 1234}, {"NN": 5, "VB": 7}))
    assert "1,234" in text
    assert text.index("VB") < text.index("NN")
