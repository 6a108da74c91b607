"""Turtle, beside rdflib on the same text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import BNode, Graph, Literal, URIRef
from rdflib.compare import isomorphic

from termgauge.exceptions import TermgaugeError
from termgauge.source import files_of
from termgauge.terminology.formats import turtle
from termgauge.terminology.formats.turtle import read_turtle

BASE = "http://example.org/base/"
CASES = {
    "prefixes": "@prefix ex: <http://e.org/x#> . PREFIX : <http://e.org/> BASE <http://e.org/b/> ex:a :b <c>, ex: .",
    "lists": "@prefix : <http://e.org/> . :a :b ( 1 :c [ :d ( ) ] ( :e ) ) ; :f () .",
    "nodes": "@prefix : <http://e.org/> . [ :a :b ; :c [] ] . [] :d [ :e :f ] . _:x.y :g _:x.y .",
    "texts": "@prefix : <http://e.org/> . :a :b \"x\"@en-GB, 'y'@de .",
    "long texts": '@prefix : <http://e.org/> . :a :b """a "x" ""\nb\\""""@en , \'\'\'a\n\'b\'\'\' .',
    "escapes": '@prefix : <http://e.org/> . :a :b "tab\\t\\u00e9\\U0001F600\\"" ; :c <http://e.org/\\u00e9> .',
    "escapes in names": "@prefix : <http://e.org/> . :a :b :e\\,f%20 .",
    "numbers": "@prefix : <http://e.org/> . :a :b 1, -2, +3.5, .5, 1e3, 1.5E-3, true, false .",
    "types": '@prefix : <http://e.org/> . :a :b "1"^^:t , "2"^^<http://e.org/u> .',
    "dots and colons": "@prefix e.x: <http://e.org/> . e.x:a.b e.x:c:d e.x:1.2 . e.x:a e.x:b e.x:c.",
    "comments": "# first\n@prefix : <http://e.org/> . # then\n:a a :b ; # and\n :c :d ;; .",
    "n-triples": '<http://e.org/a> <http://e.org/b> "c" .\n_:n <http://e.org/b> <http://e.org/c> .\n',
    "relative": "<a> <#b> <../c> , <> , </d> .",
    "nothing": "# only a comment",
}


def statements(tmp_path, text):
    path = tmp_path / "a.ttl"
    path.write_text(text, encoding="utf-8", newline="")
    return list(read_turtle(files_of(path)[0], BASE))


def node(name):
    return BNode(name[2:].replace("#", "own")) if name.startswith("_:") else URIRef(name)


def as_graph(found):
    graph = Graph()
    for subject, predicate, value, language, datatype in found:
        literal = Literal(value, lang=language or None, datatype=URIRef(datatype) if datatype else None)
        graph.add((node(subject), URIRef(predicate), node(value) if language is None else literal))
    return graph


@pytest.mark.parametrize("case", CASES)
def test_cases_as_rdflib_reads_them(tmp_path, case):
    theirs = Graph().parse(data=CASES[case], format="turtle", publicID=BASE)
    found = statements(tmp_path, CASES[case])
    assert len(found) == len(set(found)) == len(theirs)
    assert isomorphic(as_graph(found), theirs)


@pytest.mark.parametrize("case", CASES)
def test_pieces_of_any_size_change_nothing(tmp_path, case, monkeypatch):
    whole = statements(tmp_path, CASES[case])
    for size in (1, 2, 7):
        monkeypatch.setattr(turtle, "_CHUNK", size)
        assert statements(tmp_path, CASES[case]) == whole


NAMES = st.sampled_from([URIRef(f"http://e.org/{name}") for name in ("a", "b-1", "c.d", "e#f", "g/h", "1", "ü")])
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
LITERALS = st.builds(Literal, TEXTS) | st.builds(lambda text: Literal(text, lang="de-CH"), TEXTS)


@given(triples=st.lists(st.tuples(NAMES | st.just(BNode("x")), NAMES, NAMES | LITERALS), max_size=12))
def test_what_rdflib_writes(tmp_path_factory, triples):
    graph = Graph()
    graph.bind("e", "http://e.org/")
    for triple in triples:
        graph.add(triple)
    for kind in ("turtle", "nt"):
        found = statements(tmp_path_factory.mktemp("written"), graph.serialize(format=kind))
        assert isomorphic(as_graph(found), graph)


@pytest.mark.parametrize(
    ("text", "said"),
    {
        ":a :b :c .": "line 1: is broken Turtle .the prefix '' is not declared",
        "@prefix : <http://e.org/> .\n:a :b :c": "the last statement does not end",
        "@prefix : <http://e.org/> .\n:a :b .": "line 2: .*'.' was not expected here",
        "@prefix : <http://e.org/> .\n:a .": "'.' was not expected here",
        "@prefix : <http://e.org/> .\n:a :b :c :d .": "a comma was expected",
        "@prefix : <http://e.org/> .\n:a :b ; .": "an object was expected",
        '@prefix : <http://e.org/> .\n:a "b" :c .': "a text or a node without a name",
        "@prefix : <http://e.org/> .\n:a [] :c .": "a predicate was expected",
        "@prefix : <http://e.org/> .\n:a :b ( :c .": "'.' was not expected",
        "@prefix : <http://e.org/> .\n:a :b ] .": "']' was not expected",
        '@prefix : <http://e.org/> .\n:a :b """c': "line 2: .*a text begins here and never ends",
        '@prefix : <http://e.org/> .\n:a :b "c\nd" .': "makes no sense in Turtle",
        '@prefix : <http://e.org/> .\n:a :b "\\ud800" .': "stands for no character",
        '@prefix : <http://e.org/> .\n:a :b "\\q" .': "stands for no character",
        '@prefix : <http://e.org/> .\n:a :b "1"^^ .': "a type was expected",
        "@prefix : .": "the declaration of a prefix is not whole",
        "@prefix : <http://e.org/> .\n:a @base <x> .": "base stands inside a statement",
        "{ <a> <b> <c> }": "makes no sense in Turtle",
        "".join(f"@prefix p{n}: <http://e.org/> .\n" for n in range(10_001)): "line 10,001: declares more than 10,000",
        "@prefix : <http://e.org/> .\n:a :b " + "[ :c " * 100_000: "more than 200 levels",
        "@prefix : <http://e.org/> .\n:a :b " + "( " * 100_000: "more than 200 levels",
    }.items(),
    ids=lambda each: each[:40] if isinstance(each, str) else "",
)
def test_what_is_no_turtle_gets_a_sentence(tmp_path, text, said):
    with pytest.raises(TermgaugeError, match=rf"a\.ttl, {said}|a\.ttl, line .*{said}") as caught:
        statements(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_lines_and_texts_have_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(turtle, "MOST_LETTERS", 1_000)
    monkeypatch.setattr(turtle, "_CHUNK", 100)
    with pytest.raises(TermgaugeError, match="line 1: holds a line or a text of more than"):
        statements(tmp_path, "<a" + "a" * 5_000)
    with pytest.raises(TermgaugeError, match="line 1: holds a line or a text of more than"):
        statements(tmp_path, '<a> <b> """' + "text\n" * 5_000)


def test_bytes_that_are_no_utf8(tmp_path):
    (tmp_path / "a.ttl").write_bytes(b"<a>\n<b>\n'\xff' .")
    with pytest.raises(TermgaugeError, match="line 3: is not UTF-8"):
        list(read_turtle(files_of(tmp_path)[0]))
    (tmp_path / "a.ttl").write_bytes(b"<a>\n<b> '\xc3")
    with pytest.raises(TermgaugeError, match="line 2: is not UTF-8"):
        list(read_turtle(files_of(tmp_path)[0]))
