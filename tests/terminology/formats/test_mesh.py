"""MeSH in XML, beside what ElementTree finds in the same file."""

from __future__ import annotations

from datetime import date
from xml.etree import ElementTree as ET

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.made_formats import (
    MESH,
    mesh_concept,
    mesh_descriptor,
    mesh_relation,
    mesh_set,
    mesh_term,
    write_mesh,
    write_texts,
)

SUPPLEMENT = mesh_set(
    [
        '<SupplementalRecord SCRClass="3"><SupplementalRecordUI>C000001</SupplementalRecordUI><SupplementalRecordName>'
        "<String>Heart disease, rare</String></SupplementalRecordName><HeadingMappedToList><HeadingMappedTo>"
        "<DescriptorReferredTo><DescriptorUI>*D009203</DescriptorUI><DescriptorName><String>x</String></DescriptorName>"
        "</DescriptorReferredTo></HeadingMappedTo></HeadingMappedToList><ConceptList>"
        + mesh_concept("M9", [mesh_term("Heart disease, rare", "T90"), mesh_term("Rarity", "T91")], preferred="Y")
        + "</ConceptList></SupplementalRecord>"
    ],
    kind="Supplemental",
)
QUALIFIERS = mesh_set(
    "<QualifierRecord><QualifierUI>Q000008</QualifierUI><QualifierName><String>administration</String>"
    "</QualifierName><TreeNumberList><TreeNumber>Y08</TreeNumber></TreeNumberList></QualifierRecord>",
    kind="Qualifier",
)


def one(tmp_path, *records, **more):
    return read_terminology(write_texts(tmp_path, {"desc.xml": mesh_set(records, **more)}))


def skipped(terminology):
    return {each.what: each.count for each in terminology.skipped}


def test_counts_are_those_of_the_tree(tmp_path):
    root = ET.fromstring(MESH.partition("?>")[2])
    found = read_terminology(write_mesh(tmp_path))
    permuted = root.findall(".//Term[@IsPermutedTermYN='Y']")
    assert found.concepts["concept"].to_list() == [each.text for each in root.findall("*/DescriptorUI")]
    assert found.concepts["name"].to_list() == [each.text for each in root.findall("*/DescriptorName/String")]
    assert found.terms.height == len(root.findall(".//Term")) - len(permuted)
    assert skipped(found) == {"permuted terms": len(permuted)}
    by_tree = {tree.text: record.findtext("DescriptorUI") for record in root for tree in record.iter("TreeNumber")}
    above = {
        (own, "is_a", by_tree[parent])
        for tree, own in by_tree.items()
        if (parent := tree.rpartition(".")[0]) in by_tree
    }
    assert set(found.relations.rows()) == above | {("D009203", "see_related", "D006321")}
    assert (found.identity.edition, found.identity.version) == ("mesh", "2025")


def test_what_terms_are_to_their_descriptor(tmp_path):
    found = read_terminology(write_mesh(tmp_path))
    first = found.terms.filter(found.terms["concept"] == "D009203").select("text", "kind", "since").rows()
    assert first == [
        ("Myocardial Infarction", "fsn", date(1999, 1, 1)),
        ("Heart Attack", "synonym", date(1992, 5, 4)),
        ("Myocardial Infarct, Inferior", "narrow", date(1999, 1, 1)),
    ]
    assert found.concepts["tag"].to_list() == ["Diseases", "Diseases", "Anatomy", "Diseases"]
    assert set(found.concepts["since"]) == {date(1998, 12, 31)}


@pytest.mark.parametrize(
    ("relation", "kind"),
    [
        (("NRW", "M1", "M2"), "narrow"),
        (("BRD", "M1", "M2"), "broad"),
        (("NRW", "M2", "M1"), "broad"),
        (("REL", "M1", "M2"), "related"),
        (("NRW", "M7", "M8"), "related"),
    ],
)
def test_relations_of_concepts_say_the_kind(tmp_path, relation, kind):
    concepts = [
        mesh_concept("M1", [mesh_term("a", "T1")], preferred="Y", relations=mesh_relation(*relation)),
        mesh_concept("M2", [mesh_term("b", "T2")]),
    ]
    assert one(tmp_path, mesh_descriptor("D1", "a", concepts)).terms["kind"].to_list() == ["fsn", kind]


def test_classes_without_tree_numbers(tmp_path):
    found = one(tmp_path, mesh_descriptor("D1", "Adult", [], kind="3"), mesh_descriptor("D2", "Spain", [], kind="4"))
    assert found.concepts["tag"].to_list() == ["Check Tag", "Geographic"]
    assert found.terms.select("text", "kind").rows() == [("Adult", "fsn"), ("Spain", "fsn")]


def test_supplementary_records_and_qualifiers_belong_to_descriptors(tmp_path):
    files = {"desc2025.xml": MESH, "supp2025.xml": SUPPLEMENT, "qual2025.xml": QUALIFIERS}
    found = read_terminology(write_texts(tmp_path, files))
    assert found.concepts.height == 4 + 1 + 1
    assert ("C000001", "mapped_to", "D009203") in found.relations.rows()
    tags = dict(found.concepts.select("concept", "tag").rows())
    assert (tags["C000001"], tags["Q000008"]) == ("Disease", "Qualifier")
    rare = found.terms.filter(found.terms["concept"] == "C000001")
    assert rare.select("text", "kind").rows() == [("Heart disease, rare", "fsn"), ("Rarity", "synonym")]
    alone = read_terminology(tmp_path / "supp2025.xml")
    assert alone.concepts["concept"].to_list() == ["C000001"]


def test_translations_have_both_languages(tmp_path):
    terms = [
        mesh_term("Infarctus du myocarde", "fre0001"),
        mesh_term("Crise cardiaque", "fre0002"),
        mesh_term("Myocardial Infarction", "T1"),
        mesh_term("Heart Attack", "T2"),
    ]
    record = mesh_descriptor(
        "D1", "Infarctus du myocarde[Myocardial Infarction]", [mesh_concept("M1", terms, preferred="Y")]
    )
    found = one(tmp_path, record, language="fre")
    assert found.terms.select("text", "kind", "language").rows() == [
        ("Infarctus du myocarde", "fsn", "fr"),
        ("Crise cardiaque", "synonym", "fr"),
        ("Myocardial Infarction", "fsn", "en"),
        ("Heart Attack", "synonym", "en"),
    ]
    assert found.identity.edition == "mesh-fr"
    english = read_terminology(tmp_path, language="en")
    assert english.concepts["name"].to_list() == ["Myocardial Infarction"]
    with pytest.raises(TermgaugeError, match="holds no terms in the language 'es'; its languages are en, fr"):
        read_terminology(tmp_path, language="es")


def test_what_is_passed_over_is_counted(tmp_path):
    concept = mesh_concept("M1", [mesh_term("", "T1"), mesh_term("b", "T2", day="1999-13-01")], preferred="Y")
    record = mesh_descriptor("D1", "a", [concept], trees=("C01.1",), more="<Novelty>x</Novelty>")
    with pytest.warns(match=r"1 tree number has no parent in the file \(C01.1\)"):
        found = one(tmp_path, record, record)
    assert skipped(found) == {
        "elements named Novelty, which MeSH does not document": 2,
        "dates that are none": 2,
        "terms without text": 2,
        "second entries of a concept": 1,
        "tree numbers without a parent": 1,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "": "it does not begin as XML",
        "<html/>": "its first element is 'html'",
        mesh_set([]): "holds no concepts",
        f"<!DOCTYPE x [<!ENTITY a 'b'>]>{mesh_set([]).partition('.dtd')[2].partition('>')[2]}": "declares entities",
        MESH[:-300]: "line 5: is broken XML",
    }.items(),
)
def test_what_is_no_mesh_gets_a_sentence(tmp_path, text, said):
    write_texts(tmp_path, {"desc.xml": text})
    with pytest.raises(TermgaugeError, match=rf"desc\.xml.*{said}"):
        read_terminology(tmp_path / "desc.xml", format="mesh")


def test_one_file_of_each_kind(tmp_path):
    write_texts(tmp_path, {"desc2024.xml": MESH, "desc2025.xml": MESH})
    with pytest.raises(TermgaugeError, match=r"several files of MeSH's descriptors \(desc2024.xml, desc2025.xml\)"):
        read_terminology(tmp_path)
