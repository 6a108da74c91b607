"""RDF as a stream of statements: Turtle and N-Triples by pyoxigraph, RDF/XML by a reader of our own.

RDF/XML stays our own because pyoxigraph expands nested entities and does not say where a node at the top ends. Elements
alternate: a node, inside it its properties, inside these other nodes. What is said about a node is known when its
element ends, so statements come in groups, one for each node at the top, and only one group is in memory.
Memory is bounded where a Turtle file says nothing: so many bytes without a statement, and so many prefixes, are
refused. Brackets that are opened one inside another and never closed take about 350 bytes of memory each.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, cast
from urllib.parse import urljoin

from termgauge.exceptions import TermgaugeError
from termgauge.io.xml_stream import read_elements

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from termgauge.io.source import SourceFile

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
TYPE, FIRST, REST, NIL = f"{RDF}type", f"{RDF}first", f"{RDF}rest", f"{RDF}nil"
BLANK = "_:"
"""How the names of nodes without an IRI begin."""
OWN_BLANK = "_:#"
"""How they begin if the document gives the node no name, so that nothing outside its group can speak of it."""
MOST_LETTERS = 1 << 20
"""No text may be longer."""
MOST_STATEMENTS = 1_000_000
"""No group may be larger."""
_XML = "http://www.w3.org/XML/1998/namespace"
_LANGUAGE, _BASE = f"{_XML}lang", f"{_XML}base"
_ROOT, _DESCRIPTION, _ITEM = f"{RDF}RDF", f"{RDF}Description", f"{RDF}li"
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
    datatype: str = ""
    """The IRI of the type of a text, if it has one."""


def read_statements(file: SourceFile, prefixes: dict[str, str] | None = None) -> Iterator[Statement]:
    """Yield the statements of a file; a statement comes after those about its object, if that is inside it.

    The prefixes that the document declares are noted in `prefixes`, each with its namespace.
    """
    return chain.from_iterable(read_groups(file, prefixes))


def read_groups(
    file: SourceFile, prefixes: dict[str, str] | None = None, passed_over: frozenset[str] = frozenset()
) -> Iterator[list[Statement]]:
    """Read a file, and yield the statements in each element at the top, but not those of some predicates."""
    return read_elements(file, _Nodes(file, passed_over), {} if prefixes is None else prefixes)


class _Element:
    """An element that is open: a node, or a property of one."""

    __slots__ = ("base", "datatype", "is_node", "items", "language", "name", "objects", "plain", "subject")

    def __init__(self, name: str, subject: str, around: _Element | None, is_node: bool) -> None:
        self.name, self.subject, self.is_node = name, subject, is_node
        self.language: str = around.language if around else ""
        self.base: str = around.base if around else ""
        self.objects: list[str] | None = None
        """Of a property: what it leads to, unless that is text."""
        self.items = 0
        """Of a node: how many ``rdf:li`` it has."""
        self.datatype = ""
        self.plain = ""
        """Of a property: how its contents are to be understood (``rdf:parseType``)."""


class _Nodes:
    """Makes statements of elements."""

    def __init__(self, file: SourceFile, passed_over: frozenset[str]) -> None:
        self.passed_over = passed_over
        self.found: list[list[Statement]] = []
        self._file = file
        self._open: list[_Element] = []
        self._group: list[Statement] = []
        self._text: list[str] = []
        self._letters = self._blanks = self._literal = 0
        """How long the text is; how many nodes have no name; how deep the reading is inside literal XML."""

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Open a node or a property; only text of properties is wanted."""
        if not self._open:
            if name != _ROOT:
                raise TermgaugeError(
                    f"{self._file.label}: is XML, but its first element ('{name}') is not rdf:RDF, so it is no RDF/XML."
                )
            root = _Element(name, "", None, False)
            _place(root, attributes)
            self._open.append(root)
            return False
        above = self._open[-1]
        if above.is_node:
            return self._start_property(name, above, attributes)
        if above.plain == "Literal":
            self._literal += 1
            return True
        self._start_node(name, above, attributes)
        return False

    def end(self, _name: str) -> bool:
        """Close an element; a property becomes a statement, or several."""
        if self._literal:
            self._literal -= 1
            return True
        element = self._open.pop()
        if element.is_node and not element.plain:
            if len(self._open) == 1:
                self._end_group()
        elif self._open:
            self._end_property(self._open.pop() if element.is_node else element)
        return False

    def text(self, data: str) -> None:
        """Add to the text of the property that is open."""
        self._text.append(data)
        self._letters += len(data)
        if self._letters > MOST_LETTERS:
            raise TermgaugeError(
                f"{self._file.label}: holds a text of more than {MOST_LETTERS >> 20} MB, so it is refused; get it from "
                "a source you trust."
            )

    def _start_node(self, name: str, above: _Element, attributes: dict[str, str]) -> None:
        element = _Element(name, "", above, True)
        if _LANGUAGE in attributes or _BASE in attributes:
            _place(element, attributes)
        if (about := attributes.get(_ABOUT)) is not None:
            element.subject = about if about.startswith("http") else _resolved(about, element.base)
        elif (own := attributes.get(_ID)) is not None:
            element.subject = f"{element.base}#{own}"
        elif (blank := attributes.get(_NODE_ID)) is not None:
            element.subject = BLANK + blank
        else:
            element.subject = self._blank()
        if name != _DESCRIPTION:
            self._group.append(Statement(element.subject, TYPE, name))
        if above.subject:
            if above.objects is None:
                above.objects = []
            above.objects.append(element.subject)
        if len(attributes) > 1 or (attributes and element.subject.startswith(OWN_BLANK)):
            self._state_attributes(element, attributes)
        self._open.append(element)
        if len(self._group) > MOST_STATEMENTS:
            raise TermgaugeError(
                f"{self._file.label}: has a node with more than {MOST_STATEMENTS:,} statements inside, so it is "
                "refused; get it from a source you trust."
            )

    def _start_property(self, name: str, node: _Element, attributes: dict[str, str]) -> bool:
        if name == _ITEM:
            node.items += 1
            name = f"{RDF}_{node.items}"
        element = _Element(name, node.subject, node, False)
        self._open.append(element)
        self._text, self._letters = [], 0
        if not attributes:
            return True
        if len(attributes) == 1 and _DATATYPE in attributes:
            element.datatype = attributes[_DATATYPE]
            return True
        _place(element, attributes)
        element.datatype = attributes.get(_DATATYPE, "")
        element.plain = attributes.get(_PARSE_TYPE, "")
        if (resource := attributes.get(_RESOURCE)) is not None:
            element.objects = [resource if resource.startswith("http") else _resolved(resource, element.base)]
        elif (blank := attributes.get(_NODE_ID)) is not None:
            element.objects = [BLANK + blank]
        elif element.plain == "Collection":
            element.objects = []
        elif element.plain == "Resource" or not attributes.keys() <= _NO_PROPERTIES:
            element.objects = [self._blank()]
        if (element.objects and len(attributes) > 1) or element.plain == "Resource":
            self._start_implied_node(element, attributes)
        return element.objects is None

    def _start_implied_node(self, element: _Element, attributes: dict[str, str]) -> None:
        """Open the node that a property stands for, or say what its attributes say about the node it leads to."""
        assert element.objects
        node = _Element(_DESCRIPTION, element.objects[0], element, True)
        self._state_attributes(node, attributes)
        if element.plain == "Resource":
            node.plain = element.plain
            self._open.append(node)

    def _state_attributes(self, node: _Element, attributes: dict[str, str]) -> None:
        for name, value in attributes.items():
            if name == TYPE:
                self._group.append(Statement(node.subject, TYPE, _resolved(value, node.base)))
            elif name not in _NO_PROPERTIES and ":" in name:  # others are of no namespace, and mean nothing in RDF
                self._group.append(Statement(node.subject, name, value, node.language))

    def _end_property(self, element: _Element) -> None:
        objects, subject, name = element.objects, element.subject, element.name
        if objects is None:
            text, self._text = "".join(self._text), []
            language = "" if element.datatype else element.language
            self._group.append(Statement(subject, name, text, language, element.datatype))
            return
        if element.plain == "Collection":
            objects = [self._listed(objects)]
        self._group += [Statement(subject, name, each) for each in objects]

    def _listed(self, objects: list[str]) -> str:
        """Make a list of RDF, and return its first cell."""
        rest = NIL
        for each in reversed(objects):
            cell = self._blank()
            self._group += [Statement(cell, FIRST, each), Statement(cell, REST, rest)]
            rest = cell
        return rest

    def _end_group(self) -> None:
        self.found.append(self._group)
        self._group = []

    def _blank(self) -> str:
        self._blanks += 1
        return f"{OWN_BLANK}{self._blanks}"


def _place(element: _Element, attributes: dict[str, str]) -> None:
    """Note the language and the place that an element states for itself and all inside it."""
    element.language = attributes.get(_LANGUAGE, element.language)
    if _BASE in attributes:
        element.base = urljoin(element.base, attributes[_BASE].partition("#")[0])


def _resolved(reference: str, base: str) -> str:
    """Return the IRI that a reference means in a document."""
    if _SCHEME.match(reference):
        return reference
    return base + reference if reference[:1] in {"#", ""} else urljoin(base, reference)


MOST_PREFIXES = 10_000
MOST_BYTES = 1 << 20
"""No statement may be longer, nor what stands between two statements."""
_XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"


def read_turtle(file: SourceFile, prefixes: dict[str, str] | None = None) -> Iterator[Statement]:
    """Yield the statements of a file; nodes without an IRI are numbered in the order of their use.

    The prefixes that the document declares are noted in `prefixes`, each with its namespace.
    """
    from pyoxigraph import BlankNode, Literal, NamedNode, RdfFormat, Triple, parse

    stream, numbers = _Stream(file), dict[str, int]()
    statements = parse(cast("IO[bytes]", stream), format=RdfFormat.TURTLE, lenient=True)

    def name(node: NamedNode | BlankNode | Triple) -> str:
        if isinstance(node, BlankNode):
            return f"{BLANK}{numbers.setdefault(node.value, len(numbers) + 1)}"
        return node.value if isinstance(node, NamedNode) else str(node)

    try:
        for said in statements:
            if stream.since and prefixes is not None:
                stream.note_prefixes(prefixes, statements.prefixes)
            stream.since = 0
            subject, predicate, value = name(said.subject), said.predicate.value, said.object
            if isinstance(value, Literal):
                datatype = "" if value.language or value.datatype.value == _XSD_STRING else value.datatype.value
                yield Statement(subject, predicate, value.value, value.language or "", datatype)
            else:
                yield Statement(subject, predicate, name(value))
    except SyntaxError as error:
        why = error.msg.partition(": ")[2] or error.msg
        raise TermgaugeError(
            f"{file.label}, line {error.lineno or 1:,}: is broken Turtle ({' '.join(why.split())[:200]}); get the file "
            "again from its source."
        ) from None


class _Stream:
    """The bytes of a file, which must be UTF-8, and how many were read since the last statement."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._blocks = file.text_blocks()
        self._block, self._at, self._line = b"", 0, 1
        self.since = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        while self._at >= len(self._block):
            block = next(self._blocks, None)
            if block is None:
                return b""
            self._line += self._block.count(b"\n")
            self._block, self._at = block.encode(), 0
        data = self._block[self._at : self._at + size]
        self._at += len(data)
        self.since += len(data)
        if self.since > MOST_BYTES:
            self._refuse(f"comes after more than {MOST_BYTES >> 20} MB without a complete statement")
        return data

    def note_prefixes(self, known: dict[str, str], declared: dict[str, str]) -> None:
        """Add the prefixes that are declared so far; the first declaration of each counts."""
        known |= declared | known
        if len(known) > MOST_PREFIXES:
            self._refuse(f"declares more than {MOST_PREFIXES:,} prefixes")

    def _refuse(self, what: str) -> None:
        line = self._line + self._block.count(b"\n", 0, self._at)
        raise TermgaugeError(
            f"{self._file.label}, line {line:,}: {what}, so it is refused; get it from a source you trust."
        )
