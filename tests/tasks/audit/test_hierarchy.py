"""How concepts stand to each other."""

from __future__ import annotations

import pytest

from termgauge.tasks.audit.inputs import ANCESTOR, PARENT, SIBLING, Hierarchy
from tests.domain.terminologies import related_concepts

EDGES = [("b", "is_a", "a"), ("c", "isa", "a"), ("d", "CHD", "b"), ("e", "treats", "a"), ("f", "is_a", "f")]


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("a", "b", PARENT), ("b", "c", SIBLING), ("d", "a", ANCESTOR), ("d", "c", ""), ("e", "a", ""), ("f", "a", ""),
        ("unknown", "a", ""),
    ],
)  # fmt: skip
def test_relations_are_the_same_from_both_ends(one, other, relation):
    hierarchy = Hierarchy(related_concepts(EDGES))
    assert hierarchy
    assert hierarchy.relation(one, other) == hierarchy.relation(other, one) == relation


def test_a_circle_ends():
    hierarchy = Hierarchy(related_concepts([("a", "is_a", "b"), ("b", "is_a", "c"), ("c", "is_a", "a")], ["d"]))
    assert hierarchy.relation("a", "d") == ""
    assert hierarchy.relation("a", "b") == PARENT


def test_a_terminology_may_have_none():
    assert not Hierarchy(related_concepts([], ["a"]))
