"""Code systems of FHIR, beside a plain walk through the same JSON."""

from __future__ import annotations

import copy
import json
from datetime import date

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.made_formats import FHIR, write_fhir, write_one


def read(tmp_path, resource, **options):
    return read_terminology(write_one(tmp_path, "codes.json", json.dumps(resource)), **options)


def walk(concepts):
    for concept in concepts:
        yield concept
        yield from walk(concept.get("concept", []))


def system(*concepts, **more):
    return {"resourceType": "CodeSystem", "url": "http://x", "content": "complete", "concept": list(concepts), **more}


def test_counts_are_those_of_a_walk(tmp_path):
    found = read_terminology(write_fhir(tmp_path))
    concepts = list(walk(FHIR["concept"]))
    assert found.concepts["concept"].to_list() == [each["code"] for each in concepts]
    assert found.concepts["name"].to_list() == [each["display"] for each in concepts]
    texts = [each["value"] for concept in concepts for each in concept.get("designation", []) if each["value"]]
    assert found.terms.height == len(concepts) + len(texts)
    assert {each.what: each.count for each in found.skipped} == {"properties named colour": 1, "terms without text": 1}
    assert (found.identity.edition, found.identity.version) == ("HeartCodes", "1.0")


def test_names_hierarchy_and_what_is_retired(tmp_path):
    found = read_terminology(write_fhir(tmp_path))
    assert found.terms.filter(found.terms["concept"] == "mi").select("text", "kind", "language").rows() == [
        ("Heart attack", "fsn", "en"),
        ("Myocardial infarction", "synonym", "en"),
        ("Infarkt", "synonym", "de"),
        ("Herzinfarkt", "fsn", "de"),
    ]
    assert found.relations.rows() == [("mi", "is_a", "disease"), ("old", "is_a", "disease")]
    assert found.replacements.rows() == [("old", "mi", "replaced-by")]
    assert found.concepts["active"].to_list() == [True, True, False]
    german = read_terminology(tmp_path, language="de")
    assert german.concepts["name"].to_list() == [None, "Herzinfarkt", None]


def test_properties_mean_what_their_address_says(tmp_path):
    found = read(
        tmp_path,
        system(
            {
                "code": "a",
                "property": [{"code": "child", "valueCode": "b"}, {"code": "status", "valueCode": "retired"}],
            },
            {
                "code": "b",
                "property": [
                    {"code": "status", "valueCode": "deprecated"},
                    {"code": "effectiveDate", "valueDateTime": "2020-02-03T10:00:00Z"},
                    {"code": "synonym", "valueString": "bee"},
                    {"code": "partOf", "valueCoding": {"code": "a"}},
                ],
            },
        ),
    )
    assert found.concepts["active"].to_list() == [False, True]
    assert found.concepts["since"].to_list() == [None, date(2020, 2, 3)]
    assert set(found.relations.rows()) == {("b", "is_a", "a"), ("b", "part_of", "a")}
    assert found.terms["text"].to_list() == ["bee"]


def test_hierarchies_that_are_not_is_a(tmp_path):
    found = read(tmp_path, system({"code": "a", "concept": [{"code": "b"}]}, hierarchyMeaning="part-of"))
    assert found.relations.rows() == [("b", "part_of", "a")]


def test_a_bundle_of_several_systems(tmp_path):
    other = copy.deepcopy(FHIR) | {"url": "http://example.org/other", "content": "fragment"}
    entries = [{"resource": FHIR}, {"resource": {"resourceType": "ValueSet"}}, {"resource": other}]
    with pytest.warns(match="content is 'fragment'"):
        found = read(tmp_path, {"resourceType": "Bundle", "entry": entries})
    assert found.concepts.height == 2 * len(list(walk(FHIR["concept"])))
    assert "http://example.org/other|mi" in found.concepts["concept"]
    assert set(found.concepts["module"]) == {"http://example.org/heart", "http://example.org/other"}
    assert set(found.relations["target"]) <= set(found.concepts["concept"])


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "[" * 1_000_000: "values within values on too many levels",
        '{"resourceType": "CodeSystem", "x": ' + '{"a":' * 100_000: "values within values on too many levels",
        '{"resourceType": "CodeSystem", "x": ' + "1" * 5_000 + "}": "a number of too many digits",
        '{"resourceType": "CodeSystem",\n "concept": [}': "line 2: is no JSON",
        '{"resourceType": "ValueSet"}': "no CodeSystem but 'ValueSet'",
        '{"resourceType": "Bundle", "entry": 3}': "a Bundle without a CodeSystem",
        '{"resourceType": "CodeSystem", "concept": {"code": "a"}}': "holds no concepts",
        "3": "no FHIR resource",
        '<CodeSystem xmlns="http://hl7.org/fhir"/>': "termgauge reads FHIR as JSON",
    }.items(),
    ids=lambda each: each[:30],
)
def test_what_is_no_code_system_gets_a_sentence(tmp_path, text, said):
    with pytest.raises(TermgaugeError, match=rf"codes\.json.*{said}"):
        read_terminology(write_one(tmp_path, "codes.json", text), format="fhir")


def test_xml_is_recognised_and_refused(tmp_path):
    write_one(tmp_path, "codes.xml", '<CodeSystem xmlns="http://hl7.org/fhir"><id value="x"/></CodeSystem>')
    with pytest.raises(TermgaugeError, match="reads FHIR as JSON, so save it as JSON"):
        read_terminology(tmp_path)


def test_concepts_on_many_levels(tmp_path):
    concept = {"code": "0"}
    for depth in range(1, 200):
        concept = {"code": str(depth), "concept": [concept]}
    found = read(tmp_path, system(concept))
    assert found.concepts.height == 200
    assert found.descendants("199").len() == 200
