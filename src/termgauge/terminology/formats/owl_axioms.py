"""Axioms of OWL, as functional syntax and OWL/XML write them: a name and arguments, which may be expressions too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.terminology.formats.owl_entities import CLASS, INDIVIDUAL, OWL, PROPERTY, SYNONYM_TYPE
from termgauge.terminology.formats.rdf_xml import BLANK
from termgauge.terminology.model import IS_A

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.terminology.formats.owl_entities import Entities


class Literal(NamedTuple):
    """A text, and its language if it has one."""

    text: str
    language: str = ""


class Expression(NamedTuple):
    """An axiom, or a part of one."""

    name: str
    """As in functional syntax, such as ``ObjectSomeValuesFrom``."""
    arguments: list[Argument]


Argument = str | Literal | Expression
"""Texts are IRIs, the names of nodes without one, or numbers."""

KINDS = {
    "Class": CLASS,
    "ObjectProperty": PROPERTY,
    "DataProperty": PROPERTY,
    "AnnotationProperty": PROPERTY,
    "NamedIndividual": INDIVIDUAL,
}
"""What a declaration makes of a name."""
_RESTRICTIONS = {
    *("ObjectSomeValuesFrom", "ObjectAllValuesFrom"),
    *("ObjectMinCardinality", "ObjectMaxCardinality", "ObjectExactCardinality"),
}
"""Expressions that relate a class to another one; OBO writes all of them as relationships."""


def take_axiom(axiom: Expression, entities: Entities) -> None:
    """Tell what an axiom says."""
    arguments = [each for each in axiom.arguments if not (isinstance(each, Expression) and each.name == "Annotation")]
    match axiom.name, arguments:
        case "Declaration", [Expression(kind, [str(iri)])]:
            if kind in KINDS:
                entities.declare(KINDS[kind], iri)
        case "AnnotationAssertion", [str(predicate), str(subject), str() | Literal() as value]:
            text, language = value if isinstance(value, Literal) else (value, None)
            if subject.startswith(BLANK):
                entities.skip("statements about things without a name", predicate)
            else:
                entities.annotate(subject, predicate, text, language, _types(axiom))
        case "SubClassOf", [sub, super_]:
            take_subclass(sub, super_, entities)
        case "Import", [str(iri)]:
            entities.add_import(iri)
        case _:
            entities.skip("axioms of other kinds", axiom.name)


def take_annotation(annotation: Expression, entities: Entities) -> None:
    """Tell what an annotation of the ontology itself says."""
    match annotation.arguments:
        case [*_, str(predicate), Literal(text)]:
            entities.describe(predicate, text)


def take_subclass(sub: Argument, super_: Argument, entities: Entities) -> None:
    """Tell that one class is below another, or related to one.

    The lower one may also be a class with a restriction: OBO writes that as a relationship that holds on a condition.
    """
    if isinstance(sub, Expression) and sub.name == "ObjectIntersectionOf":
        named = [each for each in sub.arguments if isinstance(each, str) and not each.startswith(BLANK)]
        sub = named[0] if len(named) == 1 else sub
    if not isinstance(sub, str) or sub.startswith(BLANK) or sub == f"{OWL}Thing":
        entities.skip("axioms about classes without a name", sub.name if isinstance(sub, Expression) else str(sub))
        return
    entities.declare(CLASS, sub)
    related = list(_related(super_))
    for predicate, target in related:
        entities.relate(sub, predicate, target)
    if not related:
        what = super_.name if isinstance(super_, Expression) else str(super_)
        entities.skip("superclasses that are neither a named class nor a relation to one", what)


def _related(super_: Argument) -> Iterator[tuple[str, str]]:
    match super_:
        case str():
            if not super_.startswith(BLANK):
                yield IS_A, super_
        case Expression("ObjectIntersectionOf", parts):
            for part in parts:
                yield from _related(part)
        case Expression(name, [*_, str(predicate), str(target)]) if name in _RESTRICTIONS:
            if not (predicate + target).count(BLANK):
                yield predicate, target


def _types(axiom: Expression) -> list[str]:
    """Return the types that the annotations of an axiom give to a synonym."""
    return [
        value
        for each in axiom.arguments
        if isinstance(each, Expression) and each.name == "Annotation" and len(each.arguments) > 1
        for predicate, value in [each.arguments[-2:]]
        if predicate == SYNONYM_TYPE and isinstance(value, str)
    ]
