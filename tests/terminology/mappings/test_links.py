"""Which concepts of two terminologies mappings say are the same."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.mappings import read_links
from termgauge.terminology.options import MappingOptions
from tests.domain.terminologies import terminology_of

HERE = terminology_of({f"HP:{at}": [f"here {at}"] for at in range(1, 6)})
THERE = terminology_of({f"A{at}": [f"there {at}"] for at in range(1, 6)})


def links(tmp_path, text, **options):
    (tmp_path / "map.tsv").write_text("source\ttarget\trelation\n" + text)
    return read_links(HERE, THERE, MappingOptions.of(mapping=str(tmp_path / "map.tsv"), **options))


def test_either_direction_and_lenient_prefixes(tmp_path):
    found = links(tmp_path, "HP:1\tICD:A1\texact\nA2\thttp://purl.obolibrary.org/obo/HP_2\texact\nHP:1\tA1\texact\n")
    assert found.pairs.rows() == [("HP:1", "A1"), ("HP:2", "A2")]
    assert found.identity[0]["form"] == "sssom"


def test_relations_are_turned_round(tmp_path):
    text = "HP:1\tA1\tbroad\nA2\tHP:2\tbroad\nHP:3\tA3\tclose\n"
    assert links(tmp_path, text, mapping_relation="broad").pairs.rows() == [("HP:1", "A1")]
    assert links(tmp_path, text, mapping_relation="narrow").pairs.rows() == [("HP:2", "A2")]
    assert links(tmp_path, text, mapping_relation=["close", "broad"]).pairs.height == 2


def test_what_is_lost_is_said(tmp_path):
    found = links(
        tmp_path, "HP:1\tA1\texact\nHP:99\tA1\texact\nHP:2\tMP:2\texact\nHP:1\tA1\tnonsense\nHP:3\tA3\tclose\n"
    )
    first, lost, passed = found.notes
    assert "2 rows map concepts of" in first
    assert "(1 exact, 1 close); 1 is taken" in first
    assert "2 rows name a concept that" in lost
    assert "HP:99 to A1" in lost
    assert "1 row says nothing" in passed


def test_nothing_left(tmp_path):
    with pytest.raises(TermgaugeError, match=r"is left by the mapping.*\(1 close\); 0 are taken.*--mapping-relation"):
        links(tmp_path, "HP:1\tA1\tclose\n")
    with pytest.raises(TermgaugeError, match="No mapping was named"):
        read_links(HERE, THERE, MappingOptions())
    (tmp_path / "other.txt").write_text("nothing\n")
    with pytest.raises(TermgaugeError, match=r"other\.txt: is no mapping that termgauge knows; known are"):
        read_links(HERE, THERE, MappingOptions.of(mapping=str(tmp_path / "other.txt")))
