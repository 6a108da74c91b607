"""OWL ontologies, in the syntaxes in which they are published, as streams.

RDF/XML, Turtle, OWL/XML and functional syntax are read into the same place. What OBO can say comes out as it comes out
of OBO, so the same ontology gives the same benchmark.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import tracked
from termgauge.io.xml_stream import MOST_LETTERS, first_element, read_elements
from termgauge.terminology.formats.functional import read_functional
from termgauge.terminology.formats.owl_axioms import (
    KINDS,
    Argument,
    Expression,
    Literal,
    read_rdf,
    take_annotation,
    take_axiom,
)
from termgauge.terminology.formats.owl_entities import OWL, Entities
from termgauge.terminology.formats.registry import Format, only_file, only_file_with
from termgauge.terminology.formats.skos import declares_classes, looks_like_skos, looks_like_turtle

if TYPE_CHECKING:
    from termgauge.io.source import SourceFile
    from termgauge.terminology.formats.registry import Contents
    from termgauge.terminology.options import ReadingOptions

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


SUFFIXES = (".owl", ".owx", ".ofn")
_COMMENTS = re.compile(rb"\s*(?:<\?[^>]*\?>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[.*?\])?\s*>|#[^\n]*\n|\s)*", re.DOTALL)
_ELEMENT = re.compile(rb"<(?:[\w.-]+:)?(Class|Ontology)\b")
_FUNCTIONAL = re.compile(rb"(?:Prefix|Ontology)\s*\(")
_MANCHESTER = re.compile(rb"(?:Prefix|Ontology):\s")


def read_owl(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read an ontology in whichever syntax its first words are of."""
    (file,) = files.values()
    entities = Entities(file)
    head = file.head()
    start = _start(head)
    if start.startswith(b"<") or looks_like_turtle(start):
        read = read_owl_xml if first_element(head) == "Ontology" else read_rdf
    elif _FUNCTIONAL.match(start):
        read = read_functional
    else:
        manchester = "OWL in Manchester syntax, which termgauge does not read"
        what = manchester if _MANCHESTER.match(start) else "no OWL in a syntax that termgauge reads"
        raise TermgaugeError(f"{file.label}: is {what}; save it as RDF/XML, Turtle, OWL/XML or functional syntax.")
    with tracked(file, "Reading OWL") as opened:
        read(opened, entities)
    return entities.contents(options.language)


def _start(head: bytes) -> bytes:
    """Return the first bytes that say something."""
    head = head.removeprefix(b"\xef\xbb\xbf")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "ignore").encode()
    between = _COMMENTS.match(head)
    return head[between.end() if between else 0 :]


def _looks_like_owl(head: bytes) -> bool:
    start = _start(head)
    if looks_like_turtle(start) and not first_element(head):
        return OWL.encode() in head and declares_classes(head)
    if not start.startswith(b"<"):
        return bool(_FUNCTIONAL.match(start))
    said = set(_ELEMENT.findall(head))
    return OWL.encode() in head and not said.isdisjoint({b"Class", b"Ontology"}) and not looks_like_skos(head)


def _choose(sources: list[list[SourceFile]]) -> SourceFile:
    files = [file for source in sources for file in source]
    suffix = next((each for each in SUFFIXES if any(file.base.lower().endswith(each) for file in files)), None)
    return only_file(sources, suffix) if suffix else only_file_with(sources, _looks_like_owl)


FORMAT = Format(
    name="owl",
    title="OWL ontology",
    signs="an OWL ontology (*.owl)",
    origin="From the OBO Foundry (obofoundry.org), BioPortal (bioportal.bioontology.org) or the page of the ontology.",
    licence="Each ontology has its own; most are CC BY 4.0 or CC0.",
    choose=lambda sources, _options: {"ontology": _choose([list(source) for source in sources])},
    read=read_owl,
    sniff_name=lambda file: file.base.lower().endswith(SUFFIXES),
    sniff_head=_looks_like_owl,
    version=2,
)
