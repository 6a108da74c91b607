"""Axioms: which of them relate classes, and which are counted."""

from __future__ import annotations

import pytest

from termgauge.io.source import SourceFile
from termgauge.terminology.formats.owl_axioms import Expression, Literal, take_axiom, take_subclass
from termgauge.terminology.formats.owl_entities import IN_OWL, OBO, OWL, Entities

A, B, PART = f"{OBO}T_1", f"{OBO}T_2", f"{OBO}R_1"
SOME = Expression("ObjectSomeValuesFrom", [PART, B])


@pytest.fixture
def entities(tmp_path):
    return Entities(SourceFile("x.owl", tmp_path / "x.owl"))


def relations(entities):
    return [row[1:] for row in entities.contents(None).tables["relations"].rows()]


@pytest.mark.parametrize(
    ("above", "related"),
    [
        (B, [("is_a", "T:2")]),
        (SOME, [("R:1", "T:2")]),
        (Expression("ObjectExactCardinality", ["3", PART, B]), [("R:1", "T:2")]),
        (Expression("ObjectIntersectionOf", [A, SOME]), [("is_a", "T:1"), ("R:1", "T:2")]),
        (Expression("ObjectSomeValuesFrom", [PART, SOME]), []),
        (Expression("ObjectSomeValuesFrom", [Expression("ObjectInverseOf", [PART]), B]), []),
        (Expression("ObjectUnionOf", [A, B]), []),
        ("_:b1", []),
    ],
)
def test_superclasses(entities, above, related):
    take_subclass(A, above, entities)
    take_subclass(A, f"{OBO}T_9", entities)
    assert relations(entities) == sorted([*related, ("is_a", "T:9")], key=lambda each: (each[0] != "is_a", each))
    assert bool(entities.contents(None).skipped) == (not related)


def test_a_relation_on_a_condition(entities):
    take_subclass(Expression("ObjectIntersectionOf", [A, SOME]), SOME, entities)
    take_subclass(Expression("ObjectIntersectionOf", [A, B]), SOME, entities)
    take_subclass(SOME, A, entities)
    take_subclass(f"{OWL}Thing", SOME, entities)
    assert relations(entities) == [("R:1", "T:2")]
    (skipped,) = entities.contents(None).skipped
    assert (skipped.what, skipped.count) == ("axioms about classes without a name", 3)


def test_other_axioms_are_counted_by_name(entities):
    take_axiom(Expression("SubClassOf", [Expression("Annotation", ["p", Literal("x")]), A, B]), entities)
    for name in ("DisjointClasses", "DisjointClasses", "SubClassOf", "Declaration", "AnnotationAssertion"):
        take_axiom(Expression(name, []), entities)
    take_axiom(Expression("Declaration", [Expression("Datatype", [A])]), entities)
    (skipped,) = entities.contents(None).skipped
    assert (skipped.count, skipped.examples[0]) == (5, "DisjointClasses")


def test_annotations_of_the_ontology(entities):
    take_axiom(Expression("Annotation", [f"{IN_OWL}hasDefaultNamespace", Literal("toy")]), entities)
    take_axiom(Expression("Annotation", []), entities)
    take_subclass(A, B, entities)
    assert entities.contents(None).tables["concepts"]["tag"].to_list() == ["toy"]
