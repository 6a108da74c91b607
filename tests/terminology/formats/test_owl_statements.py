"""OWL in RDF: restrictions and annotations of axioms, inside their classes or anywhere in the file by a name."""

from __future__ import annotations

import pytest

from termgauge.io.source import files_of
from termgauge.terminology.formats.owl_axioms import read_rdf
from termgauge.terminology.formats.owl_entities import IN_OWL, OWL, RDFS, Entities
from termgauge.terminology.formats.rdf import RDF

HEAD = (
    f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:owl="{OWL}" xmlns:rdfs="{RDFS}" xmlns:in="{IN_OWL}" '
    'xmlns="http://purl.obolibrary.org/obo/" xml:base="http://purl.obolibrary.org/obo/">'
)
INSIDE = (
    '<owl:Restriction{}><owl:onProperty rdf:resource="R_1"/><owl:someValuesFrom rdf:resource="T_2"/></owl:Restriction>'
)
BOTH = (
    "<owl:Class{}><owl:intersectionOf rdf:parseType='Collection'><rdf:Description rdf:about='T_3'/>"
    f"{INSIDE.format('')}</owl:intersectionOf>"
)
PART = ("T:1", "R:1", "T:2")


def contents(folder, body):
    (folder / "x.owl").write_text(f"{HEAD}{body}</rdf:RDF>", encoding="utf-8")
    (file,) = files_of(folder / "x.owl")
    entities = Entities(file)
    read_rdf(file, entities)
    return entities.contents(None)


def superclass(inside="", attributes=""):
    return f'<owl:Class rdf:about="T_1"><rdfs:subClassOf{attributes}>{inside}</rdfs:subClassOf></owl:Class>'


@pytest.mark.parametrize(
    ("body", "relations"),
    [
        (superclass(attributes=' rdf:resource="T_2"'), [("T:1", "is_a", "T:2")]),
        (superclass('<owl:Class rdf:about="T_2"/>'), [("T:1", "is_a", "T:2")]),
        (superclass(INSIDE.format("")), [PART]),
        (superclass("", ' rdf:nodeID="n"') + INSIDE.format(' rdf:nodeID="n"'), [PART]),
        (INSIDE.format(' rdf:nodeID="n"') + superclass("", ' rdf:nodeID="n"'), [PART]),
        (superclass(BOTH.format("") + "</owl:Class>"), [("T:1", "is_a", "T:3"), PART]),
        (superclass(INSIDE.format("").replace("someValuesFrom", "onClass")), [PART]),
        (
            BOTH.format("") + f"<rdfs:subClassOf>{INSIDE.format('')}</rdfs:subClassOf></owl:Class>",
            [("T:3", "R:1", "T:2")],
        ),
    ],
)
def test_superclasses(tmp_path, body, relations):
    assert contents(tmp_path, body).tables["relations"].rows() == relations


def test_lists_that_lead_back_to_themselves_end(tmp_path):
    cell = '<rdf:Description rdf:nodeID="c"><rdf:first rdf:nodeID="x"/><rdf:rest rdf:nodeID="c"/></rdf:Description>'
    itself = '<owl:Class rdf:nodeID="x"><owl:intersectionOf rdf:nodeID="c"/></owl:Class>'
    body = superclass("", ' rdf:nodeID="x"') + superclass("", ' rdf:resource="T_2"') + cell + itself
    assert contents(tmp_path, body).tables["relations"].rows() == [("T:1", "is_a", "T:2")]


@pytest.mark.parametrize("attributes", ["", ' rdf:nodeID="n"'])
def test_types_of_synonyms(tmp_path, attributes):
    said = "<in:hasExactSynonym>word</in:hasExactSynonym><in:hasRelatedSynonym>word</in:hasRelatedSynonym>"
    axiom = (
        f'<owl:Axiom{attributes}><in:hasDbXref>x</in:hasDbXref><owl:annotatedSource rdf:resource="T_1"/>'
        f'<owl:annotatedProperty rdf:resource="{IN_OWL}hasExactSynonym"/>'
        "<owl:annotatedTarget>word</owl:annotatedTarget>"
        '<in:hasSynonymType rdf:resource="x#layperson"/></owl:Axiom>'
    )
    found = contents(tmp_path, f'{axiom}<owl:Class rdf:about="T_1">{said}</owl:Class>')
    assert found.tables["terms"]["kind"].to_list() == ["layperson", "related"]


def test_kinds_of_things(tmp_path):
    body = (
        '<owl:DeprecatedClass rdf:about="T_1"><rdfs:label>obsolete word</rdfs:label></owl:DeprecatedClass>'
        '<rdfs:Class rdf:about="T_2"><rdfs:label>two</rdfs:label></rdfs:Class>'
        '<T_2 rdf:about="T_3"><rdfs:label>one of them</rdfs:label></T_2>'
        '<owl:Class rdf:about="T_4"><rdfs:label>four</rdfs:label><picture><owl:Thing/></picture></owl:Class>'
    )
    found = contents(tmp_path, body)
    concepts = found.tables["concepts"].select("concept", "name", "active").rows()
    assert concepts == [("T:1", "word", False), ("T:2", "two", True), ("T:4", "four", True)]
    assert [(each.what, each.examples) for each in found.skipped] == [
        ("individuals", ("T:3",)),
        ("statements about things without a name", ("http://purl.obolibrary.org/obo/picture",)),
    ]
