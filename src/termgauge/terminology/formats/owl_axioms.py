"""Axioms of OWL: a name and arguments, which may be expressions too; in RDF, expressions are nodes without a name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
    read_blocks,
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
    """Tell what an axiom, or an annotation of the ontology itself, says."""
    arguments = [
        argument
        for argument in axiom.arguments
        if not (isinstance(argument, Expression) and argument.name == "Annotation")
    ]
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
        case "Annotation", _:
            match axiom.arguments:
                case [*_, str(predicate), Literal(text)]:
                    entities.describe(predicate, text)
        case _:
            entities.skip("axioms of other kinds", axiom.name)


def take_subclass(sub: Argument, super_: Argument, entities: Entities) -> None:
    """Tell that one class is below another, or related to one.

    The lower one may also be a class with a restriction: OBO writes that as a relationship that holds on a condition.
    """
    if isinstance(sub, Expression) and sub.name == "ObjectIntersectionOf":
        named = [argument for argument in sub.arguments if isinstance(argument, str) and not argument.startswith(BLANK)]
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
        for annotation in axiom.arguments
        if isinstance(annotation, Expression) and annotation.name == "Annotation" and len(annotation.arguments) > 1
        for predicate, value in [annotation.arguments[-2:]]
        if predicate == SYNONYM_TYPE and isinstance(value, str)
    ]


_SUBCLASS, _ONTOLOGY, _IMPORTS = f"{RDFS}subClassOf", f"{OWL}Ontology", f"{OWL}imports"
_ABOUT_ONTOLOGIES = {_IMPORTS, f"{OWL}versionInfo", f"{OWL}versionIRI", *DEFAULT_NAMESPACE}
_KINDS = {
    **dict.fromkeys((f"{OWL}Class", f"{RDFS}Class", f"{OWL}DeprecatedClass"), CLASS),
    **dict.fromkeys((f"{OWL}{kind}Property" for kind in ("Object", "Datatype", "Annotation")), PROPERTY),
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
        *("equivalentClass", "disjointWith", "disjointUnionOf", "complementOf"),
        *("unionOf", "intersectionOf", "oneOf"),
    )
}
_ON_PROPERTY, _INTERSECTION = f"{OWL}onProperty", f"{OWL}intersectionOf"
_SOURCE, _PROPERTY, _TARGET = (f"{OWL}annotated{name}" for name in ("Source", "Property", "Target"))
_PASSED_OVER = frozenset(
    {f"{IN_OWL}{name}" for name in ("hasDbXref", "inSubset", "created_by")} | {f"{OBO}IAO_0000115", f"{RDFS}comment"}
)
"""Annotations that most ontologies are full of and no terminology needs, as the reader of OBO passes them over."""
_ABOUT_BLANKS = {
    *(FIRST, REST, _SUBCLASS, _SOURCE, _PROPERTY, _TARGET, SYNONYM_TYPE, *_FILLERS),
    *(_ON_PROPERTY, _INTERSECTION),
}
"""What matters of nodes without a name."""
_MOST_LEVELS = 100


def read_rdf(file: SourceFile, entities: Entities) -> None:
    """Read an ontology in RDF/XML, Turtle or N-Triples."""
    reading = _Reading(entities)
    for statements in read_blocks(file, entities.names.prefixes, _PASSED_OVER):
        reading.take_block(statements)
    reading.end()


class _Reading:
    """The state of reading: what is known of nodes without a name."""

    def __init__(self, entities: Entities) -> None:
        self._entities = entities
        self._blanks: dict[str, list[Statement]] = {}
        """What is said about them, until nothing can speak of them any more; in Turtle, that is the end."""
        self._deferred: list[Statement] = []
        """Statements of which it is not known yet what they are about."""
        self._ontologies: set[str] = set()

    def take_block(self, statements: list[Statement]) -> None:
        """Take in some statements; of nodes that have no name at all, the others are among them."""
        lasting = False
        for statement in statements:
            if statement.subject[:2] != BLANK:
                self._take(statement)
            elif statement.predicate in _ABOUT_BLANKS:
                self._blanks.setdefault(statement.subject, []).append(statement)
                lasting |= statement.predicate == _SUBCLASS  # which may need what is said elsewhere
        if not lasting:
            subjects = dict.fromkeys(statement.subject for statement in statements)
            for subject in filter(self._blanks.__contains__, subjects):
                if subject.startswith(OWN_BLANK):
                    self._take_all_about(subject)
                    del self._blanks[subject]

    def _take(self, statement: Statement) -> None:
        """Take in a statement about something that has a name."""
        subject, predicate, value, language = statement
        blank = language is None and value.startswith(BLANK)
        if predicate == TYPE:
            self._take_type(subject, value)
        elif predicate == _SUBCLASS:
            if blank and not value.startswith(OWN_BLANK):
                self._deferred.append(statement)
            else:
                self._take_subclass(subject, value)
        elif subject in self._ontologies:
            self._describe(predicate, value)
        elif predicate in _ABOUT_ONTOLOGIES:
            self._deferred.append(statement)
        elif predicate in _LOGIC:
            self._entities.skip("axioms of other kinds", predicate.rpartition("#")[2])
        elif blank:
            self._entities.skip("statements about things without a name", predicate)
        else:
            self._entities.annotate(subject, predicate, value, language)

    def end(self) -> None:
        """Take in what had to wait until all was read."""
        for subject, predicate, value, language in self._deferred:
            if predicate == _SUBCLASS:
                self._take_subclass(subject, value)
            elif subject in self._ontologies:
                self._describe(predicate, value)
            else:
                self._entities.annotate(subject, predicate, value, language)
        for subject in self._blanks:
            self._take_all_about(subject)

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

    def _take_all_about(self, subject: str) -> None:
        """Take in a node without a name that nothing leads to: an annotation of an axiom, or an axiom about a class."""
        source, predicate, text = map(self._objects(subject).get, (_SOURCE, _PROPERTY, _TARGET))
        for statement in self._blanks.get(subject, ()):
            if statement.predicate == SYNONYM_TYPE and source is not None:
                self._entities.add_type(source, predicate or "", text or "", statement.object)
            elif statement.predicate == _SUBCLASS:
                self._take_subclass(subject, statement.object)

    def _objects(self, name: str) -> dict[str, str]:
        """Return what is said of a node without a name, by predicate."""
        return {statement.predicate: statement.object for statement in self._blanks.get(name, ())}

    def _expression(self, name: str, level: int = 0) -> Argument:
        """Return what a node without a name stands for, as far as it matters here; other names stand for themselves."""
        if not name.startswith(BLANK) or level > _MOST_LEVELS:
            return name
        objects = self._objects(name)
        for filler, kind in _FILLERS.items() if _ON_PROPERTY in objects else ():
            if filler in objects:
                ends = objects[_ON_PROPERTY], objects[filler]
                return Expression(kind, [self._expression(end, level + 1) for end in ends])
        if _INTERSECTION in objects:
            members = self._members(objects[_INTERSECTION])
            return Expression("ObjectIntersectionOf", [self._expression(member, level + 1) for member in members])
        return name

    def _members(self, cell: str) -> Iterable[str]:
        """Yield the members of a list of RDF; one that leads back to itself ends there."""
        seen = set()
        while cell != NIL and cell not in seen:
            seen.add(cell)
            objects = self._objects(cell)
            if FIRST in objects:
                yield objects[FIRST]
            cell = objects.get(REST, NIL)
