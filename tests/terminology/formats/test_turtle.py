"""Turtle, beside rdflib on the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Graph, Literal, URIRef
from rdflib.compare import isomorphic

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology.formats.rdf import read_statements

CASES = {
    "prefixes": "@prefix ex: <http://e.org/x#> . PREFIX : <http://e.org/> BASE <http://e.org/b/> ex:a :b <c>, ex: .",
    "lists": "@prefix : <http://e.org/> . :a :b ( 1 :c [ :d ( ) ] ( :e ) ) ; :f () .",
    "nodes": "@prefix : <http://e.org/> . [ :a :b ; :c [] ] . [] :d [ :e :f ] . _:x.y :g _:x.y .",
    "texts": '@prefix : <http://e.org/> . :a :b "x"@en-gb, \'y\'@de , "1"^^:t .',
    "long texts": '@prefix : <http://e.org/> . :a :b """a "x" ""\nb\\""""@en , \'\'\'a\n\'b\'\'\' .',
    "mark": "\ufeff@prefix : <http://e.org/> . # then\n:a a :b ; # and\n :c :d ;; .",
    "n-triples": '<http://e.org/a> <http://e.org/b> "c" .\n_:n <http://e.org/b> <http://e.org/c> .\n',
    "nothing": "# only a comment",
}


def statements(tmp_path, text):
    path = tmp_path / "a.ttl"
    path.write_text(text, encoding="utf-8", newline="")
    return list(read_statements(files_of(path)[0]))


def node(name):
    return BNode(f"b{name[2:]}") if name.startswith("_:") else URIRef(name)


def as_graph(found):
    graph = Graph()
    for subject, predicate, value, language in found:
        literal = Literal(value, lang=language or None)
        graph.add((node(subject), URIRef(predicate), node(value) if language is None else literal))
    return graph


@pytest.mark.parametrize("case", CASES)
def test_cases_as_rdflib_reads_them(tmp_path, case):
    theirs = Graph().parse(data=CASES[case].lstrip("\ufeff"), format="turtle")
    for *ends, value in theirs:
        if getattr(value, "datatype", None):  # no terminology needs it
            theirs.remove((*ends, value))
            theirs.add((*ends, Literal(str(value))))
    found = statements(tmp_path, CASES[case])
    assert len(found) == len(set(found)) == len(theirs)
    assert isomorphic(as_graph(found), theirs)
    assert statements(tmp_path, CASES[case]) == found  # nodes without a name are called the same each time


NAMES = st.sampled_from([URIRef(f"http://e.org/{name}") for name in ("a", "b-1", "c.d", "e#f", "g/h", "1", "ü")])
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
LITERALS = st.builds(Literal, TEXTS) | st.builds(lambda text: Literal(text, lang="de-ch"), TEXTS)


@given(triples=st.lists(st.tuples(NAMES | st.just(BNode("x")), NAMES, NAMES | LITERALS), max_size=12))
def test_what_rdflib_writes(tmp_path_factory, triples):
    graph = Graph()
    graph.bind("e", "http://e.org/")
    for triple in triples:
        graph.add(triple)
    for kind in ("turtle", "nt"):
        found = statements(tmp_path_factory.mktemp("written"), graph.serialize(format=kind))
        assert isomorphic(as_graph(found), graph)


def test_names_without_a_place_stay_as_they_are(tmp_path):
    assert statements(tmp_path, "_:n <#b> <> .\n<a> <#b> <> .")[1:] == [("a", "#b", "", None)]


def test_prefixes_are_noted_wherever_they_are_declared(tmp_path):
    filler = "<a> <b> <c> .\n" * 200
    path = tmp_path / "a.ttl"
    path.write_text(f"@prefix x: <http://x/> .\n{filler}@prefix y: <http://y/> .\n@prefix x: <http://z/> .\n{filler}")
    prefixes = {}
    list(read_statements(files_of(path)[0], prefixes))
    assert prefixes == {"x": "http://x/", "y": "http://y/"}


@pytest.mark.parametrize(
    ("text", "said"),
    {
        ":a :b :c .": "line 1: is broken Turtle .*prefix",
        "@prefix : <http://e.org/> .\n:a :b :c": "line 2: is broken Turtle",
        "@prefix : <http://e.org/> .\n:a :b .\n": "line 2: is broken Turtle .*not a valid RDF object",
        '@prefix : <http://e.org/> .\n:a :b """c\n': "line 2: is broken Turtle|line 3: is broken Turtle",
        '@prefix : <http://e.org/> .\n:a :b "\\ud800" .': "line 2: is broken Turtle",
        "{ <a> <b> <c> }": "line 1: is broken Turtle",
        "".join(
            f"@prefix p{n}: <http://e.org/> .\n<a> <b> <c> .\n" for n in range(10_999)
        ): "more than 10,000 prefixes",
        "_:a <b> <c> .\n<a> <b> " + "[ <c> " * 300_000: "line 2: comes after more than 1 MB without a complete",
        '_:a <b> <c> .\n<a> <b> """' + "text\n" * 300_000: "comes after more than 1 MB without a complete",
        "_:a <b> <c> .\n<a" + "a" * 1_100_000: "line 2: comes after more than 1 MB without a complete",
    }.items(),
    ids=lambda each: each[:40] if isinstance(each, str) else "",
)
def test_what_is_no_turtle_gets_a_sentence(tmp_path, text, said):
    path = tmp_path / "a.ttl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TermgaugeError, match=rf"a\.ttl, .*({said})") as caught:
        list(read_statements(files_of(path)[0], {}))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_bytes_that_are_no_utf8(tmp_path):
    (tmp_path / "a.ttl").write_bytes(b"_:a\n<b>\n'\xff' .")
    with pytest.raises(TermgaugeError, match="line 3: is not UTF-8"):
        list(read_statements(files_of(tmp_path)[0]))
    (tmp_path / "a.ttl").write_bytes(b"_:a\n<b> '\0' .")
    with pytest.raises(TermgaugeError, match="line 2: holds a zero byte"):
        list(read_statements(files_of(tmp_path)[0]))
