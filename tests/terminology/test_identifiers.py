"""Ids that say the same in different words."""

from __future__ import annotations

import polars as pl
import pytest

from termgauge.terminology.identifiers import Identifiers


@pytest.mark.parametrize(
    ("written", "known", "found"),
    [
        ("HP:0000118", "HP:0000118", True),
        ("hp:0000118", "HP:0000118", True),
        ("http://purl.obolibrary.org/obo/HP_0000118", "HP:0000118", True),
        ("HP:0000118", "http://purl.obolibrary.org/obo/HP_0000118", True),
        ("ICD10CM:A00", "A00", True),
        ("A00", "ICD10CM:A00", True),
        ("http://snomed.info/id/22298006", "22298006", True),
        ("MONDO:0000118", "HP:0000118", False),
        ("A00", "A01", False),
    ],
)
def test_what_is_the_same(written, known, found):
    assert Identifiers([known]).find(written) == (known if found else None)


def test_a_code_of_two_prefixes_is_nobodys():
    known = Identifiers(["HP:1", "MONDO:1", "MONDO:2"])
    assert known.find("1") is None
    assert known.find("2") == "MONDO:2"


def test_exactly_written_comes_first():
    known = Identifiers(["a:1", "A:1"])
    assert known.find_all(pl.Series(["a:1", "A:1", "b:1", "a:1"])).to_list() == ["a:1", "A:1", None, "a:1"]
