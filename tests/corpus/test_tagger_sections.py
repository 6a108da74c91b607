"""What the tagger's commands show."""

from __future__ import annotations

from termgauge.corpus.sections import accuracy_section, tagger_section, tagging_section
from termgauge.corpus.tagger import Tagger
from termgauge.corpus.tagger_training import Accuracy, Hits
from termgauge.reporting.blocks import Document
from termgauge.reporting.writers.markdown import markdown


def shown(section):
    return markdown(Document("", (), (), (section,)))


def test_how_it_was_trained():
    assert "learned 42 tags from 397,690 tokens in 16,334 sentences" in shown(tagger_section(Tagger.load()))


def test_how_often_it_is_right():
    tags = {"NN": Hits(60, 50, 45), "VB": Hits(40, 50, 35), "UH": Hits(0, 0, 0)}
    classes = {"noun": Hits(60, 50, 45), "verb": Hits(40, 50, 35), "other": Hits(0, 0, 0)}
    text = shown(accuracy_section(Accuracy(9, 100, tags, classes)))
    assert "100 tokens in 9 sentences" in text
    assert "0.8000" in text
    assert "0.9000" in text
    assert "UH" not in text
    assert "fewer than 20" in text
    text = shown(accuracy_section(Accuracy(9, 100, {"Q": Hits(100, 100, 100)}, None)))
    assert "Noun" not in text
    assert "fewer than" not in text


def test_what_was_tagged():
    text = shown(tagging_section({"documents": 1, "tokens": 1234}, {"NN": 5, "VB": 7}))
    assert "1,234" in text
    assert text.index("VB") < text.index("NN")
