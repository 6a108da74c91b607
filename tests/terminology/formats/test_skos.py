"""SKOS, beside queries of rdflib, and the same thesaurus written in other ways."""

from __future__ import annotations

import pytest
from polars.testing import assert_frame_equal
from rdflib import RDF, SKOS, Graph

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.made_formats import SKOS as TEXT
from tests.made_formats import write_one, write_skos

HERE = "http://example.org/heart/"


def test_counts_are_those_of_the_graph(tmp_path):
    graph = Graph().parse(data=TEXT, format="turtle")
    groups = set(graph.subjects(RDF.type, SKOS.Collection))
    concepts = (set(graph.subjects(RDF.type, SKOS.Concept)) | set(graph.subjects(SKOS.prefLabel))) - groups
    found = read_terminology(write_skos(tmp_path))
    assert set(found.concepts["concept"]) == set(map(str, concepts))
    labels = {
        (str(concept), str(label))
        for kind in (SKOS.prefLabel, SKOS.altLabel, SKOS.hiddenLabel)
        for concept, label in graph.subject_objects(kind)
        if concept not in groups
    }
    xl = {(f"{HERE}mi", "MI")}
    assert set(found.terms.select("concept", "text").rows()) == labels | xl
    assert found.terms.height == len(labels | xl)
    assert (found.identity.edition, found.identity.version) == ("Heart words", "2024-05-01")


def test_labels_relations_and_what_is_deprecated(tmp_path):
    found = read_terminology(write_skos(tmp_path))
    own = found.terms.filter(found.terms["concept"] == f"{HERE}mi")
    assert own.select("text", "kind", "language").rows() == [
        ("Heart attack", "fsn", "en"),
        ("Herzinfarkt", "fsn", "de"),
        ("Myocardial infarction", "synonym", "en"),
        ("hart attack", "related", "en"),
        ("MI", "synonym", "en"),
    ]
    short = [(one.removeprefix(HERE), kind, other.removeprefix(HERE)) for one, kind, other in found.relations.rows()]
    assert short == [("mi", "is_a", "disease"), ("mi", "related", "organ"), ("valve", "is_a", "organ")]
    assert found.replacements.rows() == [(f"{HERE}old", f"{HERE}mi", "replaced-by")]
    assert found.concepts.filter(~found.concepts["active"])["concept"].to_list() == [f"{HERE}old"]
    tags = dict(found.concepts.select("concept", "tag").rows())
    assert (tags[f"{HERE}mi"], tags[f"{HERE}organ"]) == ("Heart words", None)
    assert [each.what for each in found.skipped] == [f"properties named {HERE}colour"]


@pytest.mark.parametrize("kind", ["nt", "xml", "pretty-xml"])
def test_the_same_thesaurus_written_in_another_way(tmp_path, kind):
    graph = Graph().parse(data=TEXT, format="turtle")
    plain = read_terminology(write_skos(tmp_path / "turtle"))
    name = "thesaurus.nt" if kind == "nt" else "thesaurus.rdf"
    found = read_terminology(write_one(tmp_path / "other", name, graph.serialize(format=kind)))
    assert found.identity.format == "skos"
    for table in ("concepts", "terms", "relations", "replacements"):
        one, other = getattr(plain, table), getattr(found, table)
        assert_frame_equal(one, other, check_row_order=False)


def test_a_language(tmp_path):
    found = read_terminology(write_skos(tmp_path), language="de")
    assert found.terms["text"].to_list() == ["Herzinfarkt"]
    with pytest.raises(TermgaugeError, match="no terms in the language 'fr'; its languages are de, en"):
        read_terminology(tmp_path, language="fr")


def test_schemes_without_a_title(tmp_path):
    text = (
        "@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@prefix : <http://e.org/v#> .\n"
        ':a skos:prefLabel "a" ; skos:inScheme <http://e.org/words/> .'
    )
    found = read_terminology(write_one(tmp_path, "a.ttl", text))
    assert (found.identity.edition, found.concepts["tag"].to_list()) == ("words", ["words"])


def test_what_is_no_thesaurus(tmp_path):
    path = write_one(tmp_path, "a.ttl", "<http://e.org/a> <http://e.org/b> <http://e.org/c> .")
    with pytest.raises(TermgaugeError, match="is no terminology that termgauge knows"):
        read_terminology(path)
    with pytest.raises(TermgaugeError, match=r"a\.ttl: holds no concepts"):
        read_terminology(path, format="skos")
