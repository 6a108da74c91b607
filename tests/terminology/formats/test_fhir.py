"""Code systems of FHIR, beside a plain walk through the same JSON."""

from __future__ import annotations

import copy
import gzip
import json
import tarfile
from datetime import date
from xml.sax.saxutils import quoteattr

import pytest
from polars.testing import assert_frame_equal

from termgauge.exceptions import TermgaugeError
from termgauge.terminology import read_terminology
from tests.made_formats import FHIR, write_fhir, write_one
from tests.samples import zipped


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
        '{"resourceType": "ValueSet"}': "no expanded ValueSet .*have a terminology server expand it",
        '{"resourceType": "Patient"}': r"no CodeSystem .*it has: Patient\)",
        '{"resourceType": "Bundle", "entry": 3}': r"no CodeSystem .*it has: Bundle\)",
        '{"resourceType": "CodeSystem", "concept": {"code": "a"}}': "holds no concepts",
        "3": "no FHIR resource",
        '<CodeSystem xmlns="http://hl7.org/fhir"/>': "holds no concepts",
        '<CodeSystem xmlns="http://hl7.org/fhir"><concept>': "is broken XML",
    }.items(),
    ids=lambda each: each[:30],
)
def test_what_is_no_code_system_gets_a_sentence(tmp_path, text, said):
    with pytest.raises(TermgaugeError, match=rf"codes\.json.*{said}"):
        read_terminology(write_one(tmp_path, "codes.json", text), format="fhir")


def as_xml(name, value):
    """Return FHIR's XML of a piece of its JSON."""
    if isinstance(value, list):
        return "".join(as_xml(name, each) for each in value)
    if not isinstance(value, dict):
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return f"<{name} value={quoteattr(text)}/>"
    kind = value.get("resourceType")
    inside = "".join(as_xml(key, each) for key, each in value.items() if key not in {"resourceType", "url"} or kind)
    if kind:
        inside = inside.replace(f'<resourceType value="{kind}"/>', "<text><div>Words.<div>More.</div></div></text>")
        inside = f'<{kind} xmlns="http://hl7.org/fhir">{inside}</{kind}>'
        return f"<{name}>{inside}</{name}>" if name else inside
    url = f" url={quoteattr(value['url'])}" if "url" in value else ""
    return f"<{name}{url}>{inside}</{name}>"


BUNDLE = {"resourceType": "Bundle", "entry": [{"resource": FHIR}, {"resource": FHIR | {"url": "http://x", "id": "x"}}]}


@pytest.mark.parametrize("resource", [FHIR, BUNDLE], ids=["system", "bundle"])
def test_xml_is_the_same_as_json(tmp_path, resource):
    plain = read(tmp_path / "json", resource)
    found = read_terminology(write_one(tmp_path / "xml", "codes.xml", f"<?xml version='1.0'?>{as_xml('', resource)}"))
    for table in ("concepts", "terms", "relations", "replacements"):
        assert_frame_equal(getattr(found, table), getattr(plain, table))
    assert found.identity.slug == plain.identity.slug
    assert found.skipped == plain.skipped


def test_a_synonym_that_is_a_code_is_no_term(tmp_path):
    declared = [{"code": "synonymCode", "uri": "http://hl7.org/fhir/concept-properties#synonym", "type": "code"}]
    concept = {"code": "a", "display": "A", "property": [{"code": "synonymCode", "valueCode": "b"}]}
    found = read(tmp_path, system(concept, property=declared))
    assert found.terms["text"].to_list() == ["A"]
    assert not found.skipped


def package(folder):
    other = copy.deepcopy(FHIR) | {"id": "other", "url": "http://example.org/other", "name": "Other"}
    values = {"resourceType": "ValueSet", "id": "some", "name": "Some", "expansion": EXPANSION}
    for name, resource in {
        "package.json": {"name": "example.codes", "version": "1.2.0", "fhirVersions": ["4.0.1"]},
        "CodeSystem-heart.json": FHIR | {"id": "heart"},
        "CodeSystem-other.json": other,
        "ValueSet-some.json": values,
        "StructureDefinition-x.json": {"resourceType": "StructureDefinition"},
        "Bundle-example.json": {"resourceType": "Bundle", "entry": []},
    }.items():
        write_one(folder / "package", name, json.dumps(resource))
    return folder


EXPANSION = {
    "contains": [
        {"system": "http://x", "code": "a", "display": "A", "designation": [{"language": "de", "value": "Ah"}]},
        {"abstract": True, "contains": [{"system": "http://x", "code": "b", "display": "B", "inactive": True}]},
    ]
}


@pytest.mark.parametrize("form", ["folder", "tgz", "zip"])
def test_a_package_as_a_whole(tmp_path, form):
    place = package(tmp_path / "given")
    if form == "tgz":
        with tarfile.open(tmp_path / "example.tgz", "w:gz") as archive:
            archive.add(place / "package", "package")
        place = tmp_path / "example.tgz"
    elif form == "zip":
        place = zipped(place, tmp_path / "example.zip")
    found = read_terminology(place)
    assert set(found.concepts["module"]) == {"http://example.org/heart", "http://example.org/other"}
    assert "http://example.org/other|mi" in found.concepts["concept"]
    assert found.identity.slug == "example.codes-1.2.0"
    one = read_terminology(place, resource="other")
    assert one.concepts["concept"].to_list() == ["disease", "mi", "old"]
    assert one.identity.slug == "other-1.0"
    values = read_terminology(place, resource="some")
    assert values.concepts.select("concept", "name", "active").rows() == [("a", "A", True), ("b", "B", False)]
    with pytest.raises(TermgaugeError, match="of the id 'none'; it has heart, other, some"):
        read_terminology(place, resource="none")


def test_one_resource_of_a_bundle(tmp_path):
    path = write_one(tmp_path, "codes.json", json.dumps(BUNDLE))
    assert read_terminology(path, resource="x").concepts["concept"].to_list() == ["disease", "mi", "old"]
    assert read_terminology(path, resource="http://x").concepts["module"].unique().to_list() == ["http://x"]


def test_an_expanded_value_set(tmp_path):
    found = read(tmp_path, {"resourceType": "ValueSet", "name": "Some", "version": "3", "expansion": EXPANSION})
    assert found.terms.select("concept", "text", "language").rows() == [
        ("a", "A", "en"),
        ("a", "Ah", "de"),
        ("b", "B", "en"),
    ]
    assert found.relations.is_empty()
    assert found.identity.slug == "some-3"


def test_a_tar_archive_that_does_harm_is_refused(tmp_path):
    with tarfile.open(tmp_path / "a.tgz", "w:gz") as archive:
        archive.add(write_fhir(tmp_path / "x"), "../codes.json")
    with pytest.raises(TermgaugeError, match="points outside the archive"):
        read_terminology(tmp_path / "a.tgz")
    whole = (tmp_path / "a.tgz").read_bytes()
    (tmp_path / "b.tgz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TermgaugeError, match=r"b\.tgz: is damaged or cut off"):
        read_terminology(tmp_path / "b.tgz")
    (tmp_path / "c.tgz").write_bytes(gzip.compress(bytes(100 << 20)))
    with pytest.raises(TermgaugeError, match=r"c\.tgz: (expands to more|is damaged|holds no files)"):
        read_terminology(tmp_path / "c.tgz")


def test_concepts_on_many_levels(tmp_path):
    concept = {"code": "0"}
    for depth in range(1, 200):
        concept = {"code": str(depth), "concept": [concept]}
    found = read(tmp_path, system(concept))
    assert found.concepts.height == 200
    assert found.descendants("199").len() == 200
