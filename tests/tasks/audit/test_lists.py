"""The four lists on a terminology whose errors are known."""

from __future__ import annotations

import pytest

from termgauge.benchmark.exclusions import UNSURE
from termgauge.tasks.audit import result as lists
from termgauge.tasks.audit.inputs import SIBLING
from termgauge.tasks.audit.rules import ACRONYM, WRONG
from tests.tasks.audit.made_up import LABELS, Letters, audited, terminology


@pytest.fixture(scope="module")
def result():
    return audited()


def test_a_synonym_of_another_concept_looks_unlike(result):
    rows = {(row.concept1, row.term1): row for row in result.lists["unlike"][:2]}
    first = rows["x1", "Broken femur"]
    assert first.kind == WRONG
    assert first.concept2 == "x2"
    assert max(each for each in first.percentiles if each is not None) < 0.25


def test_explained_synonyms_come_after_the_others():
    labels = {**LABELS, "x1": ["Raised temperature", "Fever", "Broken femur", "RT"]}
    rows = audited(source=terminology(labels)).lists["unlike"]
    kinds = [row.kind for row in rows]
    assert {WRONG, ACRONYM} <= set(kinds)
    assert kinds == sorted(kinds, key=lambda kind: kind != WRONG)


def test_terms_that_differ_by_a_plural_come_first(result):
    first = result.lists["missed"][0]
    assert {first.term1, first.term2} == {"Hypoplastic metacarpal", "Hypoplastic metacarpals"}
    assert first.kind == "plural"
    pairs = [frozenset((row.concept1, row.concept2)) for row in result.lists["missed"]]
    assert len(pairs) == len(set(pairs))
    assert all(len(pair) == 2 for pair in pairs)


def test_related_concepts_are_marked_and_lose_points():
    related = [("m1", "is_a", "root"), ("m2", "is_a", "root")]
    near = audited(source=terminology(edges=related)).lists["missed"][0]
    far = audited(source=terminology(edges=())).lists["missed"][0]
    assert (near.relation, far.relation) == (SIBLING, "")
    assert near.score < far.score


def test_retired_concepts_get_the_likeliest_replacement(result):
    rows = {row.concept1: row for row in result.lists["unreplaced"]}
    assert set(rows) == {"r1", "r4"}
    assert (rows["r1"].concept2, rows["r1"].kind) == ("t3", "word order")
    assert rows["r4"].concept2 == "x2"
    assert rows["r1"].evidence.startswith("next: ")


def test_replacements_that_are_far_or_gone_are_doubted(result):
    rows = {(row.concept1, row.concept2): row for row in result.lists["doubted"]}
    assert rows["r3", "nowhere"].kind == lists.GONE
    assert rows["r3", "m1"].kind == lists.OTHER
    assert "o6" in rows["r3", "m1"].evidence
    assert ("r2", "o2") not in rows


def test_without_models_rules_are_applied_alone():
    result = audited({})
    assert result.lists["unlike"] == []
    assert [row.kind for row in result.lists["missed"]] == ["plural"]
    assert {row.concept1: row.concept2 for row in result.lists["unreplaced"]} == {"r1": "t3", "r4": "x2"}
    assert [row.kind for row in result.lists["doubted"]] == [lists.GONE]


def test_a_model_of_pairs_alone_judges_what_rules_propose():
    result = audited({"letters": Letters()})
    assert [row.kind for row in result.lists["missed"]] == ["plural"]
    assert result.lists["missed"][0].percentiles[0] is not None
    assert result.lists["unlike"]


def test_scores_fall_within_a_kind(result):
    for rows in result.lists.values():
        for kind in {row.kind for row in rows}:
            scores = [row.score for row in rows if row.kind == kind and row.score is not None]
            assert scores == sorted(scores, reverse=True)


def test_what_models_alone_find_is_left_to_people():
    assert UNSURE == (lists.ALIKE, lists.CONTRAST)
