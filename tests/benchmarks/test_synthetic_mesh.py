"""The descriptors that benchmarks read are what the generator says, for whoever reads them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from benchmarks.mesh import count_with_iterparse
from benchmarks.synthetic_mesh import write_descriptors

from termgauge.terminology import read_terminology


def test_facts_are_what_readers_find(tmp_path):
    facts = write_descriptors(tmp_path, 120)
    path = tmp_path / "desc2025.xml"
    found = read_terminology(path)
    assert found.notes == ()
    assert (found.concepts.height, found.terms.height) == (facts.descriptors, facts.terms)
    assert found.relations.height == facts.tree_parents == 110
    assert {each.what: each.count for each in found.skipped} == {"permuted terms": facts.permuted}
    assert count_with_iterparse(str(path), "xml.etree.ElementTree") == [facts.descriptors, facts.terms]
    trees = [each.text for each in ET.parse(path).getroot().iter("TreeNumber")]
    assert len(set(trees)) == len(trees) == facts.descriptors


def test_a_record_is_as_large_as_a_real_one(tmp_path):
    write_descriptors(tmp_path, 100)
    assert 9_000 < (tmp_path / "desc2025.xml").stat().st_size / 100 < 11_000


def test_the_same_seed_gives_the_same_file(tmp_path):
    texts = []
    for at, seed in enumerate((1, 1, 2)):
        write_descriptors(tmp_path / str(at), 5, seed)
        texts.append((tmp_path / str(at) / "desc2025.xml").read_bytes())
    assert texts[0] == texts[1] != texts[2]
