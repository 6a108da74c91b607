"""OWL ontologies, in the syntaxes in which they are published, as streams.

RDF/XML, Turtle, OWL/XML and functional syntax are read into the same place. What OBO can say comes out as it comes out
of OBO, so the same ontology gives the same benchmark. The reader of functional syntax is our own because the library
for it, horned-owl, is under the LGPL; a few blocks of the file and one axiom are in memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urljoin

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import tracked
from termgauge.io.xml_stream import MOST_LEVELS, MOST_PREFIXES, first_element, read_elements
from termgauge.terminology.formats.owl_axioms import KINDS, Argument, Expression, Literal, read_rdf, take_axiom
from termgauge.terminology.formats.owl_entities import OWL, Entities
from termgauge.terminology.formats.registry import Format, only_file, only_file_with
from termgauge.terminology.formats.skos import declares_classes, looks_like_skos, looks_like_turtle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from xml.etree.ElementTree import Element

    from termgauge.io.source import SourceFile
    from termgauge.terminology.formats.registry import Contents
    from termgauge.terminology.options import ReadingOptions

_XML = "http://www.w3.org/XML/1998/namespace"
_ENTITIES = {*KINDS, "Datatype"}


def read_owl_xml(file: SourceFile, entities: Entities) -> None:
    """Read an ontology in OWL/XML."""
    prefixes = entities.names.prefixes
    elements = read_elements(file, prefixes={})
    root = next(elements)
    if root.tag != f"{OWL}Ontology":
        raise TermgaugeError(
            f"{file.label}: is XML, but its first element ('{root.tag}') is not an Ontology of OWL, so it is no "
            "OWL/XML."
        )
    iri = root.get("ontologyIRI", "")
    entities.begin(iri, root.get("versionIRI", ""))
    document = _Elements(file, root.get(f"{_XML}base", "") or iri, prefixes)
    for element in elements:
        if element.tag == f"{OWL}Prefix":
            prefixes.setdefault(element.get("name", ""), element.get("IRI", ""))
        elif isinstance(axiom := document.argument(element), Expression):
            take_axiom(axiom, entities)


@dataclass(frozen=True)
class _Elements:
    """Makes axioms of elements."""

    file: SourceFile
    base: str
    prefixes: dict[str, str]

    def argument(self, element: Element, around: str = "") -> Argument:
        """Return an element as an argument of the one around it, or as an axiom."""
        kind, text = element.tag.removeprefix(OWL), element.text or ""
        match kind:
            case "Literal":
                return Literal(text, element.get(f"{_XML}lang", ""))
            case "IRI" | "AbbreviatedIRI":
                return self._iri(text.strip(), short=kind != "IRI")
            case "AnonymousIndividual":
                return f"_:{element.get('nodeID', '')}"
            case "Import":
                return Expression(kind, [self._iri(text.strip(), short=False)])
            case _ if kind in _ENTITIES:
                short = element.get("abbreviatedIRI", "")
                name = self._iri(short or element.get("IRI", ""), short=bool(short))
                return Expression(kind, [name]) if around == "Declaration" else name
        return Expression(kind, [self.argument(child, kind) for child in element])

    def _iri(self, name: str, *, short: bool) -> str:
        """Return the whole of an IRI; one that is written as ``obo:T_1`` in the place of a whole one is a short one."""
        prefix, colon, local = name.partition(":")
        if colon and prefix in self.prefixes and not local.startswith("//"):
            return self.prefixes[prefix] + local
        if short:
            raise TermgaugeError(
                f"{self.file.label}: uses the prefix '{prefix}:', which it does not declare; get the file again from "
                "its source."
            )
        return name if colon else self.base + name if name.startswith("#") else urljoin(self.base, name)


MOST_LETTERS = 1 << 20
"""No text, name or comment may be longer."""
MOST_ARGUMENTS = 1_000_000
_BETWEEN = r"\s*(?:#[^\n]*\n\s*)*"
_TOKEN = re.compile(
    _BETWEEN
    + r'(?:(?P<sign>[()=]|\^\^)|<(?P<iri>[^<>\s]*)>|"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)"'
    + r'|@(?P<language>[A-Za-z0-9-]+)|(?P<name>[^\s()<>"=@^#][^\s()<>"=@^]*))',
    re.DOTALL,
)
_NOTHING = re.compile(_BETWEEN + r"(?:#[^\n]*)?")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CUT_OFF = "ends before its ontology does, as a file that was cut off"


def read_functional(file: SourceFile, entities: Entities) -> None:
    """Read an ontology in functional syntax."""
    document, complete = _Functional(file, entities.names.prefixes), False
    while document.kind:
        if document.begin() == "Prefix":
            document.declare(list(document.arguments(1, are_names=True)))
        else:
            iris: list[str] = []
            for argument in document.arguments(1):
                if isinstance(argument, str):
                    iris.append(argument)
                    entities.begin(iris[0], iris[1] if len(iris) == 2 else "")
                elif isinstance(argument, Expression):
                    take_axiom(argument, entities)
            complete = True
        document.advance()
    if not complete:
        document.refuse(_CUT_OFF)


class _Functional:
    """A document, token by token."""

    def __init__(self, file: SourceFile, prefixes: dict[str, str]) -> None:
        self._file, self._prefixes = file, prefixes
        self._block, self._at, self._line = "", 0, 1
        """The block that is read, how far the reading has come in it, and the line in which it begins."""
        self._arguments = 0
        self._tokens = self._read()
        self.kind = self.word = ""
        """Of the token that comes next; nothing at the end."""
        self.advance()

    def _read(self) -> Iterator[tuple[str, str]]:
        """Yield the kind and the text of each token."""
        for block in chain(self._file.text_blocks(), [None]):
            self._block += block or ""
            self._at = 0
            while (match := _TOKEN.match(self._block, self._at)) and (match.end() < len(self._block) or block is None):
                self._at = match.end()
                kind = match.lastgroup or ""
                yield kind, match[kind]
            self._line += self._block.count("\n", 0, self._at)
            self._block, self._at = self._block[self._at :], 0
            if len(self._block) > 2 * MOST_LETTERS:
                self.refuse(f"holds a text or a name of more than {MOST_LETTERS >> 20} MB")
        if not _NOTHING.fullmatch(self._block):
            self.refuse(f"makes no sense in functional syntax from '{self._block.strip()[:20]}' on")

    def advance(self) -> tuple[str, str]:
        """Return the token that comes next, and go on."""
        token = self.kind, self.word
        self.kind, self.word = next(self._tokens, ("", ""))
        return token

    def _is(self, sign: str) -> bool:
        return (self.kind, self.word) == ("sign", sign)

    def begin(self) -> str:
        """Return the name of what begins at the top, and go on to its arguments."""
        if self._is(")"):
            self.refuse("has a closing bracket too many")
        _kind, name = self.advance()
        if not self.kind:
            self.refuse(_CUT_OFF)
        if not self._is("("):
            self.refuse("begins with something else than a prefix or an ontology, so it is no functional syntax")
        if name not in {"Prefix", "Ontology"}:
            self.refuse("has a bracket that does not belong to functional syntax")
        self.advance()
        return name

    def arguments(self, level: int, *, are_names: bool = False) -> Iterator[Argument]:
        """Yield arguments up to the closing bracket; those that `are_names` are short for nothing."""
        if level > MOST_LEVELS:
            self.refuse(f"has brackets within brackets on more than {MOST_LEVELS} levels")
        while not self._is(")"):
            self._arguments = 0 if level == 1 else self._arguments + 1
            if self._arguments > MOST_ARGUMENTS:
                self.refuse(f"holds an axiom of more than {MOST_ARGUMENTS:,} parts")
            kind, word = self.advance()
            if kind == "name" and self._is("("):
                self.advance()
                yield Expression(word, list(self.arguments(level + 1)))
                self.advance()
            elif kind == "name":
                yield word if are_names else self._whole(word)
            elif kind == "iri":
                yield word
            elif kind == "text":
                yield self._literal(_ESCAPE.sub(r"\1", word) if "\\" in word else word)
            elif kind == "language":
                self.refuse(f"has a language ('@{word}') without a text")
            elif word == "(":
                self.refuse("has a bracket that does not belong to functional syntax")
            elif not kind:
                self.refuse(_CUT_OFF)

    def _literal(self, text: str) -> Literal:
        if self.kind == "language":
            return Literal(text, self.advance()[1])
        if self._is("^^"):  # a type follows, which no terminology needs
            self.advance()
            self.advance()
        return Literal(text)

    def _whole(self, name: str) -> str:
        """Return what a name is short for, an IRI; numbers and nodes without a name stand for themselves."""
        prefix, colon, local = name.partition(":")
        if not colon or prefix == "_":
            return name
        if prefix not in self._prefixes:
            self.refuse(f"uses the prefix '{prefix}:', which it does not declare")
        return self._prefixes[prefix] + local

    def declare(self, arguments: list[Argument]) -> None:
        """Note a prefix."""
        match arguments:
            case [str(prefix), str(namespace)] if prefix.endswith(":"):
                self._prefixes[prefix[:-1]] = namespace
            case _:
                self.refuse("declares a prefix in a way that makes no sense")
        if len(self._prefixes) > MOST_PREFIXES:
            self.refuse(f"declares more than {MOST_PREFIXES:,} prefixes of namespaces")

    def refuse(self, what: str) -> NoReturn:
        """Refuse the file, and say where it is wrong."""
        line = self._line + self._block.count("\n", 0, self._at)
        raise TermgaugeError(f"{self._file.label}, line {line:,}: {what}; get the file again from its source.")


SUFFIXES = (".owl", ".owx", ".ofn")
_COMMENTS = re.compile(rb"\A\s*(?:<\?[^>]*\?>|<!--.*?-->|<!DOCTYPE[^>[]*(?:\[.*?\])?\s*>|#[^\n]*\n|\s)*", re.DOTALL)
_ELEMENT = re.compile(rb"<(?:[\w.-]+:)?(?:Class|Ontology)\b")
_FUNCTIONAL = re.compile(rb"(?:Prefix|Ontology)\s*\(")
_MANCHESTER = re.compile(rb"(?:Prefix|Ontology):\s")


def read_owl(files: dict[str, SourceFile], options: ReadingOptions) -> Contents:
    """Read an ontology in whichever syntax its first words are of."""
    (file,) = files.values()
    entities = Entities(file)
    start = _start(head := file.head())
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
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "ignore").encode()
    return _COMMENTS.sub(b"", head.removeprefix(b"\xef\xbb\xbf"), count=1)


def _looks_like_owl(head: bytes) -> bool:
    start = _start(head)
    if looks_like_turtle(start) and not first_element(head):
        return OWL.encode() in head and declares_classes(head)
    if not start.startswith(b"<"):
        return bool(_FUNCTIONAL.match(start))
    return OWL.encode() in head and _ELEMENT.search(head) is not None and not looks_like_skos(head)


def _choose(sources: Sequence[Sequence[SourceFile]], _options: ReadingOptions) -> dict[str, SourceFile]:
    names = [file.base.lower() for source in sources for file in source]
    suffix = next((ending for ending in SUFFIXES if any(name.endswith(ending) for name in names)), None)
    return {"ontology": only_file(sources, suffix) if suffix else only_file_with(sources, _looks_like_owl)}


FORMAT = Format(
    name="owl",
    title="OWL ontology",
    signs="an OWL ontology (*.owl)",
    origin="From the OBO Foundry (obofoundry.org), BioPortal (bioportal.bioontology.org) or the page of the ontology.",
    licence="Each ontology has its own; most are CC BY 4.0 or CC0.",
    choose=_choose,
    read=read_owl,
    sniff_name=lambda file: file.base.lower().endswith(SUFFIXES),
    sniff_head=_looks_like_owl,
    version=2,
)
