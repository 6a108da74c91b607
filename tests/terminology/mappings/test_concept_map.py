"""FHIR's ConceptMap."""

from __future__ import annotations

import json

import polars as pl
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.terminology.mappings import MAPPING_FORMS

FORM = MAPPING_FORMS["concept_map"]

NONE = pl.Series([], dtype=pl.String)


def read(tmp_path, document):
    path = tmp_path / "map.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    (file,) = files_of(path)
    assert FORM.sniff(file)
    return FORM.read(file, NONE, NONE)


def concept_map(key, *relations):
    targets = [{"code": f"T{at}", key: relation} for at, relation in enumerate(relations)]
    element = [{"code": "S", "target": targets}, {"code": "nothing", "noMap": True}]
    return {"resourceType": "ConceptMap", "group": [{"source": "a", "target": "b", "element": element}]}


@pytest.mark.parametrize(
    ("key", "relations", "expected"),
    [
        (
            "equivalence",
            ["equivalent", "equal", "wider", "narrower", "subsumes", "specializes", "inexact", "relatedto"],
            ["exact", "exact", "broad", "narrow", "broad", "narrow", "close", "related"],
        ),
        (
            "relationship",
            ["equivalent", "source-is-narrower-than-target", "source-is-broader-than-target", "related-to"],
            ["exact", "broad", "narrow", "related"],
        ),
    ],
)
def test_what_both_versions_of_fhir_say(tmp_path, key, relations, expected):
    rows, passed = read(tmp_path, concept_map(key, *relations, "unmatched", "disjoint", "not-related-to"))
    assert rows["relation"].to_list() == expected
    assert rows["source"].unique().to_list() == ["S"]
    assert rows["target"].to_list() == [f"T{at}" for at in range(len(expected))]
    assert passed == 3


@pytest.mark.parametrize(
    "document",
    [
        '{"resourceType": "ConceptMap"',
        '{"a": "ConceptMap", "b": ' + "[" * 100_000,
        '{"resourceType": "Bundle", "of": "ConceptMap"}',
    ],
)
def test_what_is_none(tmp_path, document):
    with pytest.raises(TermgaugeError, match=r"map\.json(, line 1: is no JSON|: is no ConceptMap)"):
        read(tmp_path, document)


@pytest.mark.parametrize("group", [3, [3], [{"element": 3}], [{"element": [{"target": [{}]}]}], None])
def test_odd_parts_cost_themselves_alone(tmp_path, group):
    assert read(tmp_path, {"resourceType": "ConceptMap", "group": group})[0].is_empty()
