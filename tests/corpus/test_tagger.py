"""The tagger as a whole: training, opening, and tagging documents portion by portion."""

from __future__ import annotations

import pytest

from termgauge.corpus import tagger as tagger_module
from termgauge.corpus.sentences import sentences
from termgauge.corpus.tagger import Tagger
from termgauge.io.documents import Document, DocumentMetadata

TAGGED = "The\tDT\ncells\tNNS\ngrow\tVBP\n.\t.\n\nA\tDT\ngene\tNN\nactivates\tVBZ\nit\tPRP\n.\t.\n\n" * 25
TEXT = "The protein activates two genes. Human T cells were isolated (n=5) and cultured with IL-2."


@pytest.fixture(scope="module")
def shipped():
    return Tagger.load()


def test_the_shipped_tagger_knows_biomedical_words(shipped):
    found = shipped.tag(sentences(TEXT))
    assert found[0] == ["DT", "NN", "VBZ", "CD", "NNS", "."]
    assert found[1][:5] == ["JJ", "NN", "NNS", "VBD", "VBN"]
    assert shipped.training["tokens"] == 397_690
    assert set(shipped.about()["tags"]) >= {"NN", "VBZ"}


def test_training_saving_and_opening(tmp_path):
    (tmp_path / "train.tsv").write_text(TAGGED)
    made = Tagger.train([tmp_path / "train.tsv"], epochs=2, seed=7)
    made.save(tmp_path / "my.npz")
    opened = Tagger.load(tmp_path / "my.npz")
    assert opened.training == {"files": ["train.tsv"], "sentences": 50, "tokens": 225, "epochs": 2, "seed": 7}
    assert opened.tag([["The", "cells", "grow", "."], [], ["A", "gene"]]) == [
        ["DT", "NNS", "VBP", "."],
        [],
        ["DT", "NN"],
    ]
    Tagger.train([tmp_path / "train.tsv"], epochs=2, seed=7).save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "my.npz").read_bytes()


def documents():
    yield Document(DocumentMetadata("1", "J1"), "A title", ("An abstract.", "It has two parts."))
    yield Document(DocumentMetadata("2"), body=())
    yield Document(DocumentMetadata("3"), body=(TEXT,))
    yield Document(DocumentMetadata("3"), body=("The text goes on.",), continues=True)
    yield Document(DocumentMetadata("4"), body=("The end.",))


@pytest.mark.parametrize("letters", [1, 30, 1 << 20])
def test_portions_make_no_difference(shipped, monkeypatch, letters):
    monkeypatch.setattr(tagger_module, "_BLOCK_LETTERS", letters)
    blocks = list(shipped.tagged(documents()))
    assert (len(blocks) > 2) == (letters < 100)
    tokens = [
        (form, shipped.tags[tag], document)
        for block in blocks
        for form, tag, document in zip(block.forms, block.tags, block.documents, strict=True)
    ]
    about = {number: each.id for block in blocks for number, each in block.about.items()}
    assert about == {0: "1", 1: "2", 2: "3", 3: "4"}
    rows = []
    texts = {0: ["A title", "An abstract.", "It has two parts."], 2: [TEXT, "The text goes on."], 3: ["The end."]}
    for number, paragraphs in texts.items():
        for sentence in (each for paragraph in paragraphs for each in sentences(paragraph)):
            rows += [(form, tag, number) for form, tag in zip(sentence, shipped.tag([sentence])[0], strict=True)]
    assert tokens == rows


def test_nothing_gives_nothing(shipped):
    assert list(shipped.tagged([])) == []
    assert shipped.tag([]) == []
    assert shipped.counts(shipped.numbers([], [])) == {}


def test_an_error_of_a_reader_comes_through(shipped):
    def broken():
        yield Document(DocumentMetadata("1"), "A title")
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        list(shipped.tagged(broken()))
