"""Elements with the way down to them."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology.formats import documents
from termgauge.terminology.formats.documents import Elements


class Notes(Elements):
    passed_over = frozenset({"skip"})
    texts = frozenset({"label"})
    silent = frozenset({"quiet"})
    apart = frozenset({"part"})

    def __init__(self, file):
        super().__init__(file)
        self.seen = []

    def opened(self, name, attributes):
        self.seen.append((name, attributes.get("id", ""), self.path[-2]))

    def closed(self, name, text):
        self.seen.append((name, text, self.path[-1]))


def read(tmp_path, text):
    (tmp_path / "a.xml").write_text(text)
    (file,) = files_of(tmp_path / "a.xml")
    notes = Notes(file)
    notes.read("Reading notes")
    return notes.seen


def test_texts_and_parents(tmp_path):
    seen = read(tmp_path, "<r><a id='1'>x<label> one <i>two</i>\n<quiet>no <b>no</b></quiet>three</label>y</a></r>")
    assert seen == [
        ("r", "", ""),
        ("a", "1", "r"),
        ("label", "", "a"),
        ("label", "one two three", "a"),
        ("a", "", "r"),
        ("r", "", ""),
    ]


def test_parts_stand_apart(tmp_path):
    assert ("label", "one two H2O", "r") in read(
        tmp_path, "<r><label><part>one</part><part>two</part> H<s>2</s>O</label></r>"
    )


def test_what_is_passed_over_leaves_no_trace(tmp_path):
    seen = read(tmp_path, "<r><skip><label>no</label></skip><label>yes</label></r>")
    assert seen == [("r", "", ""), ("label", "", "r"), ("label", "yes", "r"), ("r", "", "")]


def test_a_text_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "MOST_LETTERS", 100)
    with pytest.raises(TermgaugeError, match=r"a\.xml: the text of one element 'label' has more than"):
        read(tmp_path, f"<r><label>{'<i>word</i>' * 60}</label></r>")
