"""Rows of the four tables as readers add them."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.formats.documents import Rows
from termgauge.terminology.model import SCHEMAS, conform


def test_tables():
    rows = Rows("file", None)
    rows.concept("1", "tag")
    rows.concept("2", active=False)
    rows.concept("1")
    rows.term("1", "syn", "synonym", "en")
    rows.term("1", " the\n name ", "fsn", "en")
    rows.term("1", "Name", "fsn", "de")
    rows.term("1", " ", "fsn", "de")
    rows.term("3", "lost", "fsn", "en")
    rows.relation("1", "is_a", "2")
    rows.relation("1", "is_a", "2")
    rows.replacement("2", "1", "replaced-by")
    rows.replacement("2", "1", "same-as")
    contents = rows.contents("e", "v")
    tables = {name: conform(frame, name) for name, frame in contents.tables.items()}
    assert {name: dict(frame.schema) for name, frame in tables.items()} == dict(SCHEMAS)
    assert tables["concepts"].select("concept", "name", "tag", "active").rows() == [
        ("1", "the name", "tag", True),
        ("2", None, None, False),
    ]
    assert tables["terms"].select("text", "rank").rows() == [("syn", 1), ("the name", 0), ("Name", 0)]
    assert tables["relations"].rows() == [("1", "is_a", "2")]
    assert tables["replacements"].rows() == [("2", "1", "replaced-by")]
    assert [(each.what, each.count) for each in contents.skipped] == [
        ("second entries of a concept", 1),
        ("terms without text", 1),
        ("terms of concepts that are not there", 1),
    ]


def test_a_language_names_the_concept():
    rows = Rows("file", "de-AT")
    rows.concept("1")
    rows.term("1", "heart", "fsn", "en")
    rows.term("1", "Herz", "fsn", "de")
    tables = rows.contents("e", "").tables
    assert tables["concepts"]["name"].to_list() == tables["terms"]["text"].to_list() == ["Herz"]


def test_nothing_gets_a_sentence():
    with pytest.raises(TermgaugeError, match="file: holds no concepts"):
        Rows("file", None).contents("e", "")
    rows = Rows("file", "fr")
    rows.concept("1")
    rows.term("1", "heart", "fsn", "en")
    with pytest.raises(TermgaugeError, match="file: holds no terms in the language 'fr'; its languages are en"):
        rows.contents("e", "")
