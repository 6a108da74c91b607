"""RDF/XML: the same statements as rdflib reads, and one sentence for whatever is no RDF/XML."""

from __future__ import annotations

import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st
from rdflib.compare import to_isomorphic

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology.formats.rdf import RDF, read_statements

HEAD = (
    f'<rdf:RDF xmlns:rdf="{RDF}" xmlns:x="http://x.org/" xmlns="http://plain.org/#" '
    'xml:base="http://base.org/at/here.owl" xml:lang="en">'
)
LONG = "b" * 300
MANY_ENTITIES = "".join(f'<!ENTITY a{n} "b">' for n in range(600))
FEATURES = [
    '<rdf:Description rdf:about="http://a.org/1"><x:name>One &amp; only</x:name></rdf:Description>',
    '<x:Thing rdf:about="#one" x:name="One" rdf:type="http://a.org/Other"/>',
    '<x:Thing rdf:ID="two" xml:lang="es"><x:name>Dos</x:name><x:name xml:lang="">2</x:name></x:Thing>',
    '<x:Thing rdf:about="other/3"><x:age rdf:datatype="http://www.w3.org/2001/XMLSchema#int">3</x:age></x:Thing>',
    '<x:Thing rdf:about="urn:a:b"><x:is rdf:resource=""/><x:is rdf:resource="../up"/></x:Thing>',
    '<x:Thing><x:part><x:Part x:name="of no name"><x:of rdf:nodeID="n1"/></x:Part></x:part></x:Thing>',
    '<x:Thing rdf:nodeID="n1"><x:part rdf:nodeID="n2"/></x:Thing>',
    '<x:Thing rdf:nodeID="n2" xml:base="http://elsewhere.org/x#y"><x:is rdf:resource="#z"/></x:Thing>',
    '<Bag><rdf:li>a</rdf:li><rdf:li rdf:resource="http://b.org/"/><rdf:li>c</rdf:li></Bag>',
    '<x:Thing rdf:about="#l"><x:all rdf:parseType="Collection"><x:A/><x:B rdf:about="#b"/></x:all></x:Thing>',
    '<x:Thing rdf:about="#none"><x:all rdf:parseType="Collection"></x:all></x:Thing>',
    '<x:Thing rdf:about="#r"><x:at rdf:parseType="Resource"><x:x>1</x:x></x:at><x:after>3</x:after></x:Thing>',
    '<x:Thing><x:at rdf:parseType="Resource"><x:in rdf:parseType="Resource"><x:y>2</x:y></x:in></x:at></x:Thing>',
    '<x:Thing rdf:about="#p"><x:at x:x="1" x:y="2"/></x:Thing>',
    '<x:Thing rdf:about="#e"><x:empty/><x:blank> </x:blank></x:Thing>',
    "<x:Thing/>",
]


def file_of(folder, text):
    path = folder / "some.rdf"
    path.write_text(text, encoding="utf-8")
    (file,) = files_of(path)
    return file


def node(name):
    return rdflib.BNode("b" + name[2:].replace("#", "own")) if name.startswith("_:") else rdflib.URIRef(name)


def as_graph(statements):
    graph = rdflib.Graph()
    for each in statements:
        text = rdflib.Literal(each.object, lang=each.language or None)
        graph.add(
            (node(each.subject), rdflib.URIRef(each.predicate), node(each.object) if each.language is None else text)
        )
    return to_isomorphic(graph)


def untyped(graph):
    """Leave out the types of texts, which no terminology needs."""
    made = rdflib.Graph()
    for *ends, value in graph:
        made.add((*ends, rdflib.Literal(str(value)) if getattr(value, "datatype", None) else value))
    return to_isomorphic(made)


@given(st.lists(st.sampled_from(FEATURES), max_size=8, unique=True))
def test_the_statements_are_those_of_rdflib(tmp_path_factory, elements):
    text = f"{HEAD}{''.join(elements)}</rdf:RDF>"
    file = file_of(tmp_path_factory.mktemp("rdf"), text)
    assert as_graph(read_statements(file)) == untyped(rdflib.Graph().parse(data=text, format="xml"))


def test_what_is_inside_a_node_comes_first(tmp_path):
    inside = [
        each.predicate.rpartition("/")[2]
        for each in read_statements(file_of(tmp_path, f"{HEAD}{FEATURES[5]}</rdf:RDF>"))
    ]
    assert inside.index("of") < inside.index("part")


def test_prefixes_are_noted(tmp_path):
    prefixes = {}
    list(read_statements(file_of(tmp_path, f"{HEAD}</rdf:RDF>"), prefixes))
    assert prefixes == {"rdf": RDF, "x": "http://x.org/", "": "http://plain.org/#"}


def test_literal_xml_is_read_as_its_text(tmp_path):
    text = (
        f'{HEAD}<x:T rdf:about="#a"><x:t rdf:parseType="Literal">a <b>bold <i>word</i></b> here</x:t></x:T></rdf:RDF>'
    )
    assert [each.object for each in read_statements(file_of(tmp_path, text))][1:] == ["a bold word here"]


def test_entities_of_namespaces_are_read(tmp_path):
    subset = '<!DOCTYPE rdf:RDF [<!ENTITY x "http://x.org/"><!ENTITY name "a name">]>'
    text = f'{subset}{HEAD}<x:T rdf:about="&x;1"><x:t>&name; &amp; more</x:t></x:T></rdf:RDF>'
    first, second = read_statements(file_of(tmp_path, text))
    assert first.subject == "http://x.org/1"
    assert second.object == "a name & more"


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "<html/>": r"first element \('html'\) is not rdf:RDF",
        f"{HEAD}<y:Thing/></rdf:RDF>": r"line 1: is broken XML \(unbound prefix\)",
        f"{HEAD}{FEATURES[0]}": "is broken XML",
        f"{HEAD}{'<x:a><x:b>' * 150}": "more than 200 levels",
        f"{HEAD}<x:a><x:b>{'long ' * 300_000}</x:b></x:a></rdf:RDF>": "holds a text of more than 1 MB",
        f'<!DOCTYPE r [<!ENTITY a "b"><!ENTITY c "&a;&a;">]>{HEAD}</rdf:RDF>': "declares entities",
        f'<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]>{HEAD}</rdf:RDF>': "declares entities",
        f'<!DOCTYPE r [<!ENTITY % a "b">]>{HEAD}</rdf:RDF>': "declares entities",
        f'<!DOCTYPE r [<!ENTITY a "{LONG}">]>{HEAD}</rdf:RDF>': "one of more than 200 letters",
        f"<!DOCTYPE r [{MANY_ENTITIES}]>{HEAD}</rdf:RDF>": "more than 500 entities",
        HEAD + "".join(f'<x:a xmlns:n{n}="http://{n}"/>' for n in range(10_100)): "more than 10,000 prefixes",
    }.items(),
)
def test_bad_rdf_is_refused_in_one_sentence(tmp_path, text, said):
    with pytest.raises(TermgaugeError, match=rf"some\.rdf.*{said}") as caught:
        list(read_statements(file_of(tmp_path, text)))
    assert "\n" not in str(caught.value)


def test_markup_that_entities_make_long_is_refused(tmp_path):
    subset = f'<!DOCTYPE rdf:RDF [<!ENTITY x "{"long" * 40}">]>'
    text = f'{subset}{HEAD}<x:T rdf:about="{"&x;" * 600_000}"/></rdf:RDF>'
    with pytest.raises(TermgaugeError, match="more than 1 MB"):
        list(read_statements(file_of(tmp_path, text)))


def test_comments_and_cdata_stand_in_texts_and_foreign_attributes_mean_nothing(tmp_path):
    text = f"""{HEAD}<x:T rdf:about="http://x.org/a" note="1"><!-- one --><x:l note="2">heart <!-- two -->attack</x:l>
        <x:l><![CDATA[less < more]]> &amp; <?some instruction?>so on</x:l></x:T></rdf:RDF>"""
    statements = list(read_statements(file_of(tmp_path, text)))
    assert [each.object for each in statements[1:]] == ["heart attack", "less < more & so on"]
