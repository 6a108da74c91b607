"""OWL/XML: an element for each axiom, and inside it one for each argument."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin

from termgauge.exceptions import TermgaugeError
from termgauge.io.xml_stream import MOST_LETTERS, read_elements
from termgauge.terminology.formats.owl_axioms import KINDS, Argument, Expression, Literal, take_annotation, take_axiom
from termgauge.terminology.formats.owl_entities import OWL

if TYPE_CHECKING:
    from termgauge.io.source import SourceFile
    from termgauge.terminology.formats.owl_entities import Entities

_XML = "http://www.w3.org/XML/1998/namespace"
_ONTOLOGY = f"{OWL}Ontology"
_ENTITIES = {*KINDS, "Datatype"}
_TEXTS = {"Literal", "IRI", "AbbreviatedIRI", "Import"}
MOST_ARGUMENTS = 1_000_000


def read_owl_xml(file: SourceFile, entities: Entities) -> None:
    """Read an ontology in OWL/XML."""
    reader = _Axioms(file, entities)
    for axiom in read_elements(file, reader, {}):
        (take_annotation if axiom.name == "Annotation" else take_axiom)(axiom, entities)


class _Axioms:
    """Makes axioms of elements."""

    passed_over: frozenset[str] = frozenset()

    def __init__(self, file: SourceFile, entities: Entities) -> None:
        self.found: list[Expression] = []
        self._file, self._entities, self._prefixes = file, entities, entities.names.prefixes
        self._open: list[Expression] = []
        self._text: list[str] = []
        self._letters = self._arguments = 0
        self._language = self._base = ""

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Open an element; return whether its text is wanted."""
        kind = name.removeprefix(OWL)
        if not self._open:
            self._begin(name, attributes)
        elif kind == "Prefix":
            self._prefixes.setdefault(attributes.get("name", ""), attributes.get("IRI", ""))
        if kind == "Literal":
            self._language = attributes.get(f"{_XML}lang", "")
        self._text, self._letters = [], 0
        self._open.append(Expression(kind, []))
        if (iri := self._named(kind, attributes)) is not None:
            self._open[-1].arguments.append(iri)
        return kind in _TEXTS

    def end(self, _name: str) -> bool:
        """Close an element: it becomes an argument of the one around it, or an axiom."""
        expression = self._open.pop()
        if len(self._open) == 1 and expression.name not in {"Prefix", *_TEXTS}:
            self.found.append(expression)
            self._arguments = 0
        elif self._open:
            self._arguments += 1
            if self._arguments > MOST_ARGUMENTS:
                raise self._refused(f"an axiom of more than {MOST_ARGUMENTS:,} parts")
            argument = self._argument(expression)
            if len(self._open) > 1:
                self._open[-1].arguments.append(argument)
            elif expression.name == "Import":
                self.found.append(Expression("Import", [argument]))
        return False

    def text(self, data: str) -> None:
        """Add to the text of the element that is open."""
        self._text.append(data)
        self._letters += len(data)
        if self._letters > MOST_LETTERS:
            raise self._refused(f"a text of more than {MOST_LETTERS >> 20} MB")

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if name != _ONTOLOGY:
            raise TermgaugeError(
                f"{self._file.label}: is XML, but its first element ('{name}') is not an Ontology of OWL, so it is no "
                "OWL/XML."
            )
        self._base = attributes.get(f"{_XML}base", "") or attributes.get("ontologyIRI", "")
        self._entities.begin(attributes.get("ontologyIRI", ""), attributes.get("versionIRI", ""))

    def _named(self, kind: str, attributes: dict[str, str]) -> str | None:
        """Return the name that an element gives in an attribute, if it does."""
        if kind == "AnonymousIndividual":
            return f"_:{attributes.get('nodeID', '')}"
        if kind not in _ENTITIES:
            return None
        return self._iri(attributes.get("IRI", ""), attributes.get("abbreviatedIRI", ""))

    def _argument(self, expression: Expression) -> Argument:
        text = "".join(self._text)
        match expression.name:
            case "Literal":
                return Literal(text, self._language)
            case "IRI" | "Import":
                return self._iri(text.strip(), "")
            case "AbbreviatedIRI":
                return self._iri("", text.strip())
            case "AnonymousIndividual":
                return expression.arguments[0]
            case name if name in _ENTITIES and self._open[-1].name != "Declaration":
                return expression.arguments[0]
        return expression

    def _iri(self, iri: str, short: str) -> str:
        """Return the whole of an IRI; one that is written as ``obo:T_1`` in the place of a whole one is a short one."""
        prefix, colon, local = (short or iri).partition(":")
        if colon and prefix in self._prefixes and not local.startswith("//"):
            return self._prefixes[prefix] + local
        if short:
            raise TermgaugeError(
                f"{self._file.label}: uses the prefix '{prefix}:', which it does not declare; get the file again from "
                "its source."
            )
        return iri if colon else self._base + iri if iri.startswith("#") else urljoin(self._base, iri)

    def _refused(self, what: str) -> TermgaugeError:
        return TermgaugeError(f"{self._file.label}: holds {what}, so it is refused; get it from a source you trust.")
