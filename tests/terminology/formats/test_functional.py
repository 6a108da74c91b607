"""Functional syntax: tokens wherever a block of the file ends, and one sentence for what makes no sense."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import SourceFile, files_of
from termgauge.terminology.formats import owl as functional
from termgauge.terminology.formats.owl import read_functional
from termgauge.terminology.formats.owl_entities import Entities

HEAD = (
    "# a comment (with a bracket\n"
    "Prefix(:=<http://x.org/#>)\nPrefix(obo:=<http://purl.obolibrary.org/obo/>)\n"
    "Prefix(in:=<http://www.geneontology.org/formats/oboInOwl#>)\n"
)
BODY = r"""Ontology(<http://purl.obolibrary.org/obo/toy.owl> <http://purl.obolibrary.org/obo/toy/2020-02-03/toy.owl>
Annotation(in:hasDefaultNamespace "toy")
Declaration(Class(obo:T_1)) Declaration(Class( obo:T_2 ))  # said in one line
Declaration(ObjectProperty(obo:BFO_0000050))
AnnotationAssertion(rdfs:label obo:T_1 "a \"quoted\" (word) \\ more"@en-US)
AnnotationAssertion(Annotation(in:hasSynonymType obo:toy#layperson) in:hasExactSynonym obo:T_1 "Wort"^^xsd:string)
AnnotationAssertion(rdfs:label <http://purl.obolibrary.org/obo/T_2> "éü 心臓")
AnnotationAssertion(rdfs:label _:anonymous "nobody")
SubClassOf(Annotation(in:source "x") obo:T_1 obo:T_2)
SubClassOf(obo:T_1 ObjectMinCardinality(2 obo:BFO_0000050 obo:T_2))
SubClassOf(ObjectIntersectionOf(obo:T_2 ObjectSomeValuesFrom(:r obo:T_1)) ObjectSomeValuesFrom(:part obo:T_1))
)
# the end"""


def file_of(folder, text):
    (folder / "x.ofn").write_text(text, encoding="utf-8")
    (file,) = files_of(folder / "x.ofn")
    return file


def contents(file):
    entities = Entities(file)
    read_functional(file, entities)
    return entities.contents(None)


def test_everything_is_read(tmp_path):
    found = contents(file_of(tmp_path, HEAD + BODY))
    assert found.tables["terms"].select("concept", "text", "kind", "language").rows() == [
        ("T:1", 'a "quoted" (word) \\ more', "fsn", "en"),
        ("T:1", "Wort", "layperson", "en"),
        ("T:2", "éü 心臓", "fsn", "en"),
    ]
    assert found.tables["relations"].rows() == [
        ("T:1", "is_a", "T:2"),
        ("T:1", "BFO:0000050", "T:2"),
        ("T:2", "http://x.org/#part", "T:1"),
    ]
    assert (found.edition, found.version) == ("toy", "2020-02-03")
    assert set(found.tables["concepts"]["tag"]) == {"toy"}


@given(st.lists(st.integers(0, len((HEAD + BODY).encode())), max_size=20))
def test_blocks_may_end_anywhere(tmp_path_factory, cuts):
    text = HEAD + BODY
    file = file_of(tmp_path_factory.mktemp("functional"), text)
    ends = [0, *sorted(min(each, len(text)) for each in cuts), len(text)]

    class Cut(SourceFile):
        def text_blocks(self, _size=0):
            yield from (text[start:end] for start, end in pairwise(ends))

    cut = Cut(**vars(file))
    assert contents(cut).tables["terms"].equals(contents(file).tables["terms"])
    assert contents(cut).tables["relations"].equals(contents(file).tables["relations"])


@pytest.mark.parametrize(
    ("text", "said"),
    {
        HEAD + BODY[:-12]: "line 1[5-7]: ends before its ontology does",
        HEAD + BODY.replace("\n)\n", "\n))\n"): "line 1[5-7]: has a closing bracket too many",
        HEAD + BODY.replace("obo:T_1)", "unknown:T_1)", 1): "line 7: uses the prefix 'unknown:'",
        HEAD + BODY.replace('"nobody"', '"nobody'): "makes no sense|ends before|bracket|prefix",
        HEAD + "Hello": "line 5: ends before",
        HEAD + "Hello World": "begins with something else",
        HEAD + 'Ontology(<http://x> @en "a")': "line 5: has a language",
        HEAD + "Prefix(x)": "declares a prefix in a way",
        HEAD + "Sentence(a b)": "a bracket that does not belong",
        HEAD + "Ontology(" + "A(" * 300: "more than 200 levels",
        "".join(f"Prefix(p{n}:=<http://{n}>)" for n in range(10_100)): "more than 10,000 prefixes",
        HEAD + 'Ontology(A("' + "long " * 600_000 + '"))': "a text or a name of more than 1 MB",
        HEAD + BODY + "\n^": "makes no sense in functional syntax",
    }.items(),
)
def test_bad_syntax_is_refused_in_one_sentence(tmp_path, text, said):
    with pytest.raises(TermgaugeError, match=rf"x\.ofn, .*(?:{said})") as caught:
        contents(file_of(tmp_path, text))
    assert "\n" not in str(caught.value)


def test_an_axiom_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(functional, "MOST_ARGUMENTS", 100)
    with pytest.raises(TermgaugeError, match="holds an axiom of more than 100 parts"):
        contents(file_of(tmp_path, f"{HEAD}Ontology(DisjointClasses({'obo:a ' * 200}))"))


@given(st.data())
def test_any_cut_and_any_changed_letter_gives_an_ontology_or_a_sentence(tmp_path_factory, data):
    text = HEAD + BODY
    at, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 30))
    changed = text[:at] + data.draw(st.text('()"<>=@^#:\\ax ', max_size=4)) + text[at + length :]
    try:
        contents(file_of(tmp_path_factory.mktemp("functional"), changed))
    except TermgaugeError as error:
        assert "x.ofn" in str(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
