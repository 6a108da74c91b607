"""RDF as a stream of statements: Turtle and N-Triples by pyoxigraph, RDF/XML by a reader of our own.

RDF/XML stays our own because pyoxigraph refuses comments and CDATA inside of texts and attributes without a namespace,
which real files have, and expands nested entities. Elements alternate: a node, inside it its properties, inside these
other nodes. Memory is bounded where a Turtle file says nothing: so many bytes without a statement, and so many
prefixes, are refused; brackets opened one inside another and never closed take about 350 bytes of memory each.
"""

from __future__ import annotations

import re
from itertools import chain, count
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import urljoin

from termgauge.exceptions import TermgaugeError
from termgauge.io.decoding import TextStream
from termgauge.io.xml_stream import MOST_PREFIXES, first_element, read_elements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import IO
    from xml.etree.ElementTree import Element

    from termgauge.io.source import SourceFile

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TYPE, FIRST, REST, NIL = f"{RDF}type", f"{RDF}first", f"{RDF}rest", f"{RDF}nil"
BLANK = "_:"
"""How the names of nodes without an IRI begin."""
OWN_BLANK = "_:#"
"""How they begin where RDF/XML gives the node no name: all about it is said in one block, before it is spoken of."""
MOST_BYTES = 1 << 20
"""No statement may be longer, nor what stands between two statements."""
_XML = "http://www.w3.org/XML/1998/namespace"
_LANGUAGE, _BASE = f"{_XML}lang", f"{_XML}base"
_DESCRIPTION, _ITEM = f"{RDF}Description", f"{RDF}li"
_ABOUT, _ID, _NODE_ID, _RESOURCE = f"{RDF}about", f"{RDF}ID", f"{RDF}nodeID", f"{RDF}resource"
_DATATYPE, _PARSE_TYPE = f"{RDF}datatype", f"{RDF}parseType"
_NO_PROPERTIES = {_LANGUAGE, _BASE, _ABOUT, _ID, _NODE_ID, _RESOURCE, _DATATYPE, _PARSE_TYPE}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Statement(NamedTuple):
    """One statement."""

    subject: str
    """An IRI, or ``_:`` and a name."""
    predicate: str
    object: str
    """An IRI, ``_:`` and a name, or a text."""
    language: str | None = None
    """None if the object is no text; empty if it is in no language."""


def read_statements(file: SourceFile, prefixes: dict[str, str] | None = None) -> Iterator[Statement]:
    """Yield the statements of a file; see :func:`read_blocks`."""
    return chain.from_iterable(read_blocks(file, prefixes))


def read_blocks(
    file: SourceFile, prefixes: dict[str, str] | None = None, passed_over: frozenset[str] = frozenset()
) -> Iterator[list[Statement]]:
    """Yield the statements of a file, but not those of some predicates; those of one element of RDF/XML together.

    The prefixes that the document declares are noted in `prefixes`, each with its first namespace.
    """
    namespaces = {} if prefixes is None else prefixes
    root = first_element(file.head())
    if root and root != "RDF":
        raise TermgaugeError(
            f"{file.label}: is XML, but its first element ('{root}') is not rdf:RDF, so it is no RDF/XML."
        )
    return _read_xml(file, namespaces, passed_over) if root else _read_turtle(file, namespaces, passed_over)


def _read_turtle(file: SourceFile, prefixes: dict[str, str], passed_over: frozenset[str]) -> Iterator[list[Statement]]:
    from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

    def refused(line: int, what: str) -> TermgaugeError:
        return TermgaugeError(f"{file.label}, line {line:,}: {what}, so it is refused; get it from a source you trust.")

    endless = f"comes after more than {MOST_BYTES >> 20} MB without a complete statement"
    stream = TextStream(file.text_blocks(), MOST_BYTES, lambda line: refused(line, endless))
    numbers = dict[str, int]()
    statements = parse(cast("IO[bytes]", stream), format=RdfFormat.TURTLE, lenient=True)

    def name(node: NamedNode | BlankNode | Triple) -> str:
        if isinstance(node, BlankNode):
            return f"{BLANK}{numbers.setdefault(node.value, len(numbers) + 1)}"
        return node.value if isinstance(node, NamedNode) else str(node)

    try:
        for statement in statements:
            if stream.since:
                stream.since = 0
                prefixes |= statements.prefixes | prefixes
                if len(prefixes) > MOST_PREFIXES:
                    raise refused(stream.line, f"declares more than {MOST_PREFIXES:,} prefixes")
            predicate, value = statement.predicate.value, statement.object
            if predicate in passed_over:
                continue
            if isinstance(value, Literal):
                yield [Statement(name(statement.subject), predicate, value.value, value.language or "")]
            else:
                yield [Statement(name(statement.subject), predicate, name(value))]
    except SyntaxError as error:
        why = error.msg.partition(": ")[2] or error.msg
        raise TermgaugeError(
            f"{file.label}, line {error.lineno or 1:,}: is broken Turtle ({' '.join(why.split())[:200]}); get the file "
            "again from its source."
        ) from None


def _read_xml(file: SourceFile, prefixes: dict[str, str], passed_over: frozenset[str]) -> Iterator[list[Statement]]:
    elements = read_elements(file, passed_over, prefixes)
    nodes = _Nodes(file)
    scope = _Scope().inside(next(elements).attrib)
    for element in elements:
        nodes.read(element, scope)
        yield nodes.statements
        nodes.statements = []


class _Scope(NamedTuple):
    """What an element states for itself and for all inside it."""

    base: str = ""
    language: str = ""

    def inside(self, attributes: Mapping[str, str]) -> _Scope:
        if _LANGUAGE not in attributes and _BASE not in attributes:
            return self
        base = urljoin(self.base, attributes[_BASE].partition("#")[0]) if _BASE in attributes else self.base
        return _Scope(base, attributes.get(_LANGUAGE, self.language))

    def iri(self, reference: str) -> str:
        """Return the IRI that a reference means."""
        if reference.startswith("http") or _SCHEME.match(reference):
            return reference
        return self.base + reference if reference[:1] in {"#", ""} else urljoin(self.base, reference)


class _Nodes:
    """Makes statements of elements; those about a node inside another come before the one that leads to it."""

    def __init__(self, file: SourceFile) -> None:
        self._file, self._numbers = file, count(1)
        self.statements: list[Statement] = []

    def read(self, element: Element, scope: _Scope) -> str:
        """Read a node, and return its name."""
        attributes = element.attrib
        scope = scope.inside(attributes)
        if (about := attributes.get(_ABOUT)) is not None:
            subject = scope.iri(about)
        elif _ID in attributes:
            subject = f"{scope.base}#{attributes[_ID]}"
        else:
            subject = BLANK + attributes[_NODE_ID] if _NODE_ID in attributes else self._blank()
        if element.tag != _DESCRIPTION:
            self.statements.append(Statement(subject, TYPE, element.tag))
        self._read_attributes(subject, attributes, scope)
        self._read_properties(subject, element, scope)
        return subject

    def _read_attributes(self, subject: str, attributes: Mapping[str, str], scope: _Scope) -> None:
        for name, value in attributes.items():
            if name == TYPE:
                self.statements.append(Statement(subject, TYPE, scope.iri(value)))
            elif _is_property(name):
                self.statements.append(Statement(subject, name, value, scope.language))

    def _read_properties(self, subject: str, element: Element, scope: _Scope) -> None:
        items = count(1)
        for child in element:
            name = f"{RDF}_{next(items)}" if child.tag == _ITEM else child.tag
            objects = self._objects(child, scope.inside(child.attrib))
            if objects is None:
                text = "".join(child.itertext())
                if len(text) > MOST_BYTES:
                    raise TermgaugeError(
                        f"{self._file.label}: holds a text of more than {MOST_BYTES >> 20} MB, so it is refused; get "
                        "it from a source you trust."
                    )
                language = "" if _DATATYPE in child.attrib else scope.inside(child.attrib).language
                self.statements.append(Statement(subject, name, text, language))
            else:
                self.statements += [Statement(subject, name, value) for value in objects]

    def _objects(self, element: Element, scope: _Scope) -> list[str] | None:
        """Read what is inside a property, and return the nodes that it leads to; None if that is text."""
        attributes = element.attrib
        kind = attributes.get(_PARSE_TYPE)
        if kind == "Literal" or not (attributes or len(element)):
            return None
        if kind == "Collection":
            return [self._listed([self.read(child, scope) for child in element])]
        implied: list[str] = []
        if _RESOURCE in attributes:
            implied = [scope.iri(attributes[_RESOURCE])]
        elif _NODE_ID in attributes:
            implied = [BLANK + attributes[_NODE_ID]]
        elif kind == "Resource" or any(map(_is_property, attributes)):
            implied = [self._blank()]
        if implied:
            self._read_attributes(implied[0], attributes, scope)
        if kind == "Resource":
            self._read_properties(implied[0], element, scope)
            return implied
        return implied + [self.read(child, scope) for child in element] or None

    def _listed(self, members: list[str]) -> str:
        """Make a list of RDF, and return its first cell."""
        rest = NIL
        for member in reversed(members):
            cell = self._blank()
            self.statements += [Statement(cell, FIRST, member), Statement(cell, REST, rest)]
            rest = cell
        return rest

    def _blank(self) -> str:
        return f"{OWN_BLANK}{next(self._numbers)}"


def _is_property(name: str) -> bool:
    """Say whether an attribute states something; those of no namespace mean nothing in RDF."""
    return ":" in name and name not in _NO_PROPERTIES
