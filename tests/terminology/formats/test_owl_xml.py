"""OWL/XML: the same as functional syntax says, and one sentence for what is no OWL/XML."""

from __future__ import annotations

import io
import re

import fastobo
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io import xml_stream
from termgauge.io.source import files_of
from termgauge.terminology.formats.owl import read_functional, read_owl_xml
from termgauge.terminology.formats.owl_entities import OWL, Entities
from tests.samples import OBO

HEAD = f'<Ontology xmlns="{OWL}" xml:base="http://x.org/o" ontologyIRI="http://x.org/o" versionIRI="http://x.org/1.5">'
LABEL = "<AnnotationProperty abbreviatedIRI='rdfs:label'/>"


def contents(folder, text, read=read_owl_xml):
    (folder / "x.owx").write_text(text, encoding="utf-8")
    (file,) = files_of(folder / "x.owx")
    entities = Entities(file)
    read(file, entities)
    return entities.contents(None)


def test_the_same_as_in_functional_syntax(tmp_path):
    document = fastobo.loads(re.sub(r" ! a comment| \{.*?\}", "", OBO))
    made = {syntax: io.BytesIO() for syntax in ("owx", "ofn")}
    for syntax, stream in made.items():
        fastobo.dump_owl(document, stream, format=syntax)
    one = contents(tmp_path, made["owx"].getvalue().decode())
    other = contents(tmp_path, made["ofn"].getvalue().decode(), read_functional)
    assert one.tables["terms"].height == 8
    for table in one.tables:
        assert one.tables[table].equals(other.tables[table])


def test_names_in_every_way_they_are_written(tmp_path):
    text = (
        f'{HEAD}<Prefix name="y" IRI="http://y.org/"/>'
        f"<AnnotationAssertion>{LABEL}<IRI>#A</IRI><Literal xml:lang='fr'>un</Literal></AnnotationAssertion>"
        f"<AnnotationAssertion>{LABEL}<AbbreviatedIRI>y:B_1</AbbreviatedIRI><Literal>two</Literal></AnnotationAssertion>"
        "<Declaration><Class IRI='#A'/></Declaration><Declaration><Class abbreviatedIRI='y:B_1'/></Declaration>"
        "<SubClassOf><Class IRI='http://x.org/o#A'/><ObjectExactCardinality cardinality='1'>"
        "<ObjectProperty IRI='part'/><Class IRI='http://y.org/B_1'/></ObjectExactCardinality></SubClassOf>"
        "<SubClassOf><Class IRI='#A'/><ObjectUnionOf><Class IRI='#A'/><Class IRI='#B'/></ObjectUnionOf></SubClassOf>"
        "<AnnotationAssertion><AnnotationProperty abbreviatedIRI='rdfs:label'/><AnonymousIndividual nodeID='_:n'/>"
        "<Literal>nobody</Literal></AnnotationAssertion>"
        "<Import>http://z.org/</Import></Ontology>"
    )
    found = contents(tmp_path, text)
    assert found.tables["terms"].select("concept", "text", "language").rows() == [
        ("A", "un", "fr"),
        ("B:1", "two", "en"),
    ]
    assert found.tables["relations"].rows() == [("A", "http://x.org/part", "B:1")]
    assert (found.edition, found.version) == ("o", "1.5")
    assert "imports 1" in found.notes[0]
    assert {each.what for each in found.skipped} >= {
        "superclasses that are neither a named class nor a relation to one",
        "statements about things without a name",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "<Ontology/>": r"first element \('Ontology'\) is not an Ontology of OWL",
        f"{HEAD}<SubClassOf><Class abbreviatedIRI='no:a'/></SubClassOf></Ontology>": "the prefix 'no:'",
        f"{HEAD}<SubClassOf>": "is broken XML",
        f"{HEAD}{'<ObjectUnionOf>' * 300}": "more than 200 levels",
        f"{HEAD}<SubClassOf/><Declaration/><AnnotationAssertion/></Ontology>": "has no classes",
    }.items(),
)
def test_bad_input_is_refused_in_one_sentence(tmp_path, text, said):
    with pytest.raises(TermgaugeError, match=rf"x\.owx.*{said}") as caught:
        contents(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_axioms_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(xml_stream, "LETTERS_OF_TAG", 1 << 20)
    with pytest.raises(TermgaugeError, match="holds an element of more than 16 million letters"):
        contents(tmp_path, f"{HEAD}<DisjointClasses>{'<Class/>' * 100}</DisjointClasses></Ontology>")


@given(st.data())
def test_any_cut_and_any_changed_byte_gives_an_ontology_or_a_sentence(tmp_path_factory, data):
    made = io.BytesIO()
    fastobo.dump_owl(fastobo.loads(re.sub(r" ! a comment| \{.*?\}", "", OBO)), made, format="owx")
    text = made.getvalue().decode()
    at, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 60))
    changed = (
        text[:at]
        + data.draw(st.sampled_from(["", "<Class/>", "<Literal>", "</Literal>", "x:y", "'"]))
        + text[at + length :]
    )
    try:
        contents(tmp_path_factory.mktemp("owx"), changed)
    except TermgaugeError as error:
        assert "x.owx" in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
