"""What is said about classes: names, kinds, merged ids, names that are used twice."""

from __future__ import annotations

from datetime import date

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import SourceFile
from termgauge.terminology.formats.owl_entities import (
    CLASS,
    IN_OWL,
    INDIVIDUAL,
    KINDS_OF_PROPERTY,
    OBO,
    OWL,
    PROPERTY,
    RDFS,
    SKOS,
    Entities,
)
from termgauge.terminology.model import KINDS

A, B, C = (f"{OBO}T_{number}" for number in (1, 2, 3))
LABEL = f"{RDFS}label"


@pytest.fixture
def entities(tmp_path):
    made = Entities(SourceFile("x.owl", tmp_path / "x.owl"))
    for each in (A, B, C):
        made.declare(CLASS, each)
    made.annotate(A, LABEL, "one", "")
    return made


def terms(entities, language=None):
    return entities.contents(language).tables["terms"].select("concept", "text", "kind").rows()


@pytest.mark.parametrize(("predicate", "kind"), KINDS_OF_PROPERTY.items())
def test_each_property_gives_its_kind(entities, predicate, kind):
    assert kind in KINDS
    entities.annotate(B, predicate, " a text ", "")
    assert terms(entities) == [("T:1", "one", "fsn"), ("T:2", "a text", kind)]


def test_a_second_name_in_the_same_language_is_a_synonym(entities):
    entities.annotate(A, LABEL, "uno", "es")
    entities.annotate(A, f"{SKOS}prefLabel", "first", "")
    assert terms(entities) == [("T:1", "one", "fsn"), ("T:1", "first", "synonym"), ("T:1", "uno", "fsn")]
    assert terms(entities, "es") == [("T:1", "uno", "fsn")]


def test_synonyms_come_in_the_order_of_obo_files_and_once(entities):
    for text, scope in (("b", "Exact"), ("B", "Exact"), ("a", "Related"), ("a", "Exact"), ("a", "Exact")):
        entities.annotate(A, f"{IN_OWL}has{scope}Synonym", text, "")
    assert [each[1:] for each in terms(entities)[1:]] == [
        ("a", "synonym"),
        ("a", "related"),
        ("B", "synonym"),
        ("b", "synonym"),
    ]


@pytest.mark.parametrize("how", ["its IRI", "its label"])
def test_lay_synonyms(entities, how):
    type_ = f"{OBO}hp#layperson" if how == "its IRI" else f"{OBO}HP_9"
    entities.annotate(type_, LABEL, "layperson term" if how == "its label" else "other", "")
    entities.annotate(A, f"{IN_OWL}hasExactSynonym", "plain", "", [type_])
    entities.annotate(B, f"{IN_OWL}hasExactSynonym", "plain", "", [f"{OBO}hp#abbreviation"])
    assert terms(entities)[1:] == [("T:1", "plain", "layperson"), ("T:2", "plain", "synonym")]


def test_merged_ids_are_no_concepts_but_lead_on(entities):
    for predicate, value in ((f"{OBO}IAO_0000231", f"{OBO}IAO_0000227"), (f"{OBO}IAO_0100001", A)):
        entities.annotate(B, predicate, value, None)
    entities.annotate(B, f"{OWL}deprecated", "true", "")
    entities.annotate(C, LABEL, "obsolete three", "")
    entities.annotate(C, f"{OWL}deprecated", "1", "")
    entities.annotate(C, f"{OBO}IAO_0100001", "T:2", "")
    found = entities.contents(None).tables
    assert found["concepts"].select("concept", "name", "active").rows() == [
        ("T:1", "one", True),
        ("T:3", "three", False),
    ]
    assert found["replacements"].rows() == [("T:3", "T:1", "replaced-by")]


def test_dates_and_namespaces(entities):
    entities.annotate(A, f"{IN_OWL}creation_date", "2020-01-02T00:00:00Z", "")
    entities.annotate(A, f"{IN_OWL}hasOBONamespace", "own", "")
    entities.annotate(B, LABEL, "two", "")
    entities.describe(f"{IN_OWL}hasDefaultNamespace", "all")
    entities.describe(f"{OWL}versionInfo", "7.1")
    found = entities.contents(None)
    assert found.tables["concepts"].select("tag", "since").rows() == [("own", date(2020, 1, 2)), ("all", None)]
    assert found.version == "7.1"


def test_relations_are_called_as_obo_calls_them(entities):
    entities.relate(A, "is_a", B)
    entities.relate(A, "is_a", f"{OWL}Thing")
    for number, said in ((1, {"id": "R:1", "shorthand": "part_of"}), (2, {"id": "has_part"}), (3, {})):
        entities.declare(PROPERTY, f"{OBO}R_{number}")
        for role, value in said.items():
            entities.annotate(f"{OBO}R_{number}", f"{IN_OWL}{role}", value, "")
        entities.relate(A, f"{OBO}R_{number}", B)
    found = entities.contents(None).tables["relations"]
    assert [row[1] for row in found.rows()] == ["is_a", "R:3", "has_part", "part_of"]


def test_a_name_for_two_things_stays_a_class(entities):
    entities.declare(INDIVIDUAL, A)
    entities.declare(PROPERTY, B)
    entities.declare(PROPERTY, f"{OBO}T_4")
    entities.declare(CLASS, f"{OBO}T_4")
    entities.annotate(f"{OBO}T_4", LABEL, "four", "")
    found = entities.contents(None)
    assert found.tables["concepts"]["concept"].to_list() == ["T:1", "T:4"]
    (twice,) = (each for each in found.skipped if each.what.startswith("second uses"))
    assert (twice.count, twice.examples) == (3, ("T:1", "T:2", "T:4"))


def test_an_ontology_that_says_late_what_it_is(entities):
    entities.declare(CLASS, "http://my.org/o#B")
    entities.annotate("http://my.org/o#B", f"{IN_OWL}hasExactSynonym", "word", "", [f"{OBO}x#layperson"])
    entities.relate("http://my.org/o#B", "http://my.org/o#part", A)
    entities.begin("http://my.org/o", "http://my.org/o/1.2/")
    found = entities.contents(None)
    assert terms(entities)[0] == ("B", "word", "layperson")
    assert found.tables["relations"].rows() == [("B", "part", "T:1")]
    assert (found.edition, found.version) == ("o", "1.2")


def test_nothing_at_all(tmp_path):
    with pytest.raises(TermgaugeError, match=r"x\.owl: has no classes"):
        Entities(SourceFile("x.owl", tmp_path / "x.owl")).contents(None)
