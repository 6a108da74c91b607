"""Axioms of OWL: a name and arguments, which may be expressions too; in RDF, expressions are nodes without a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.io.xml_stream import first_element
from termgauge.terminology.formats.owl_entities import (
    CLASS,
    DEFAULT_NAMESPACE,
    IN_OWL,
    INDIVIDUAL,
    OBO,
    OWL,
    PROPERTY,
    RDFS,
    SYNONYM_TYPE,
)
from termgauge.terminology.formats.rdf import (
    BLANK,
    FIRST,
    NIL,
    OWN_BLANK,
    REST,
    TYPE,
    Statement,
    read_groups,
    read_turtle,
)
from termgauge.terminology.model import IS_A

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from termgauge.io.source import SourceFile
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


_SUBCLASS, _ONTOLOGY, _IMPORTS = f"{RDFS}subClassOf", f"{OWL}Ontology", f"{OWL}imports"
_ABOUT_ONTOLOGIES = {_IMPORTS, f"{OWL}versionInfo", f"{OWL}versionIRI", *DEFAULT_NAMESPACE}
_KINDS = {
    f"{OWL}Class": CLASS,
    f"{RDFS}Class": CLASS,
    f"{OWL}DeprecatedClass": CLASS,
    f"{OWL}ObjectProperty": PROPERTY,
    f"{OWL}DatatypeProperty": PROPERTY,
    f"{OWL}AnnotationProperty": PROPERTY,
    f"{OWL}NamedIndividual": INDIVIDUAL,
}
_FILLERS = {
    f"{OWL}someValuesFrom": "ObjectSomeValuesFrom",
    f"{OWL}allValuesFrom": "ObjectAllValuesFrom",
    f"{OWL}onClass": "ObjectExactCardinality",
}
_LOGIC = {
    f"{OWL}{name}"
    for name in (
        "equivalentClass",
        "disjointWith",
        "disjointUnionOf",
        "complementOf",
        "unionOf",
        "intersectionOf",
        "oneOf",
    )
}
_SOURCE, _PROPERTY, _TARGET = (f"{OWL}annotated{name}" for name in ("Source", "Property", "Target"))
_PASSED_OVER = frozenset(
    {f"{IN_OWL}{name}" for name in ("hasDbXref", "inSubset", "created_by")} | {f"{OBO}IAO_0000115", f"{RDFS}comment"}
)
"""Annotations that most ontologies are full of and no terminology needs, as the reader of OBO passes them over."""
_MOST_LEVELS = 100


def read_rdf(file: SourceFile, entities: Entities) -> None:
    """Read an ontology in RDF/XML, Turtle or N-Triples; in the latter two, nodes without a name wait until the end."""
    reading, prefixes = _Reading(entities), entities.names.prefixes
    if first_element(file.head()):
        for group in read_groups(file, prefixes, _PASSED_OVER):
            reading.take(group)
    else:
        for statement in read_turtle(file, prefixes):
            if statement.predicate not in _PASSED_OVER:
                reading.take([statement])
    reading.end()


class _Reading:
    """The state of reading: what is known of nodes without a name."""

    def __init__(self, entities: Entities) -> None:
        self._entities = entities
        self._inside: dict[str, list[Statement]] = {}
        """Of the group that is read."""
        self._named: dict[str, list[Statement]] = {}
        """Those to which the document gives a name of their own, which may be spoken of anywhere."""
        self._deferred: list[Statement] = []
        """Those of which it is not known yet what they are about."""
        self._ontologies: set[str] = set()

    def take(self, group: list[Statement]) -> None:
        """Take in the statements of one node at the top."""
        self._inside = {}
        for statement in group:
            subject = statement[0]
            if not subject.startswith(BLANK):
                self._take(statement)
            elif subject.startswith(OWN_BLANK):
                self._inside.setdefault(subject, []).append(statement)
            else:
                self._named.setdefault(subject, []).append(statement)
        if group and group[0].subject.startswith(OWN_BLANK):
            self._take_blank(group[0].subject)

    def end(self) -> None:
        """Take in what had to wait until all was read."""
        self._inside = {}
        for statement in self._deferred:
            subject, predicate, value, language, _ = statement
            if predicate == _SUBCLASS:
                self._take_subclass(subject, value)
            elif subject in self._ontologies:
                self._describe(predicate, value)
            else:
                self._entities.annotate(subject, predicate, value, language)
        for subject in self._named:
            self._take_blank(subject)

    def _take(self, statement: Statement) -> None:
        subject, predicate, value, language, _ = statement
        if predicate == TYPE:
            self._take_type(subject, value)
        elif predicate == _SUBCLASS:
            if value.startswith(BLANK) and not value.startswith(OWN_BLANK):
                self._deferred.append(statement)
            else:
                self._take_subclass(subject, value)
        elif subject in self._ontologies:
            self._describe(predicate, value)
        elif predicate in _ABOUT_ONTOLOGIES:
            self._deferred.append(statement)
        elif predicate in _LOGIC:
            self._entities.skip("axioms of other kinds", predicate.rpartition("#")[2])
        elif language is None and value.startswith(BLANK):
            self._entities.skip("statements about things without a name", predicate)
        else:
            self._entities.annotate(subject, predicate, value, language)

    def _describe(self, predicate: str, value: str) -> None:
        if predicate == _IMPORTS:
            self._entities.add_import(value)
        else:
            self._entities.describe(predicate, value)

    def _take_type(self, subject: str, type_: str) -> None:
        if type_ == _ONTOLOGY:
            self._ontologies.add(subject)
            self._entities.begin(subject)
        elif kind := _KINDS.get(type_):
            self._entities.declare(kind, subject)
            if type_ == f"{OWL}DeprecatedClass":
                self._entities.annotate(subject, f"{OWL}deprecated", "true", "")
        elif not type_.startswith((OWL, BLANK)):
            self._entities.declare(INDIVIDUAL, subject)

    def _take_subclass(self, subject: str, value: str) -> None:
        take_subclass(self._expression(subject), self._expression(value), self._entities)

    def _take_blank(self, subject: str) -> None:
        """Take in a node without a name that nothing leads to: an annotation of an axiom, or an axiom about a class."""
        statements = self._said(subject)
        said = {each.predicate: each.object for each in statements}
        if _SOURCE in said:
            for each in statements:
                if each.predicate == SYNONYM_TYPE:
                    self._entities.add_type(said[_SOURCE], said.get(_PROPERTY, ""), said.get(_TARGET, ""), each.object)
        for each in statements:
            if each.predicate == _SUBCLASS:
                self._take_subclass(subject, each.object)

    def _said(self, blank: str) -> list[Statement]:
        return self._inside.get(blank) or self._named.get(blank, [])

    def _expression(self, name: str, level: int = 0) -> Argument:
        """Return what a node without a name stands for, as far as it matters here; other names stand for themselves."""
        if not name.startswith(BLANK) or level > _MOST_LEVELS:
            return name
        said = {each.predicate: each.object for each in self._said(name)}
        if f"{OWL}onProperty" in said:
            for filler, kind in _FILLERS.items():
                if filler in said:
                    return Expression(
                        kind, [self._expression(said[each], level + 1) for each in (f"{OWL}onProperty", filler)]
                    )
        if f"{OWL}intersectionOf" in said:
            return Expression(
                "ObjectIntersectionOf",
                [self._expression(each, level + 1) for each in self._members(said[f"{OWL}intersectionOf"])],
            )
        return name

    def _members(self, cell: str) -> Iterable[str]:
        """Yield the members of a list of RDF; one that leads back to itself ends there."""
        seen = set()
        while cell != NIL and cell not in seen:
            seen.add(cell)
            said = {each.predicate: each.object for each in self._said(cell)}
            if FIRST in said:
                yield said[FIRST]
            cell = said.get(REST, NIL)
