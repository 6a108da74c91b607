"""OWL's functional syntax, read as a stream of axioms: a few blocks of the file and one axiom are in memory.

The reader is our own because the library for it, horned-owl, is under the LGPL.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, NoReturn

from termgauge.exceptions import TermgaugeError
from termgauge.io.xml_stream import MOST_LEVELS, MOST_PREFIXES
from termgauge.terminology.formats.owl_axioms import Expression, Literal, take_annotation, take_axiom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.io.source import SourceFile
    from termgauge.terminology.formats.owl_entities import Entities

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


def read_functional(file: SourceFile, entities: Entities) -> None:
    """Read an ontology in functional syntax."""
    document = _Document(file, entities)
    for kind, word in _tokens(file, document):
        document.take(kind, word)
    document.end()


def _tokens(file: SourceFile, document: _Document) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each token."""
    pending = ""
    for block in chain(file.text_blocks(), [None]):
        document.block = pending = pending + (block or "")
        at = document.at = 0
        while (match := _TOKEN.match(pending, at)) and (match.end() < len(pending) or block is None):
            at = document.at = match.end()
            kind = match.lastgroup or ""
            yield kind, match[kind]
        document.line += pending.count("\n", 0, at)
        document.block = pending = pending[at:]
        document.at = 0
        if len(pending) > 2 * MOST_LETTERS:
            document.refuse(f"holds a text or a name of more than {MOST_LETTERS >> 20} MB")
    if not _NOTHING.fullmatch(pending):
        document.refuse(f"makes no sense in functional syntax from '{pending.strip()[:20]}' on")


class _Document:
    """The state of reading: the expressions that are open."""

    def __init__(self, file: SourceFile, entities: Entities) -> None:
        self.line = 1
        """The line in which the block that is read begins."""
        self.block, self.at = "", 0
        """The block, and how far the reading has come in it."""
        self._file, self._entities, self._prefixes = file, entities, entities.names.prefixes
        self._open: list[Expression] = []
        self._name = ""
        """A name whose meaning depends on what follows: before a bracket, it is that of an expression."""
        self._is_datatype = self._complete = False
        self._arguments = 0

    def take(self, kind: str, word: str) -> None:
        """Take in one token."""
        if word == "(" and kind == "sign":
            self._begin()
            return
        if self._name:
            self._settle_name()
        match kind:
            case "name":
                self._name = word
            case "iri":
                self._add(word)
            case "text":
                self._add(Literal(_ESCAPE.sub(r"\1", word) if "\\" in word else word))
            case "language":
                self._add_language(word)
            case _:
                if word == ")":
                    self._end_expression()
                elif word == "^^":
                    self._is_datatype = True

    def end(self) -> None:
        """Refuse a file that does not end where it should."""
        if self._open or not self._complete:
            self.refuse("ends before its ontology does, as a file that was cut off")

    def refuse(self, what: str) -> NoReturn:
        """Refuse the file, and say where it is wrong."""
        line = self.line + self.block.count("\n", 0, self.at)
        raise TermgaugeError(f"{self._file.label}, line {line:,}: {what}; get the file again from its source.")

    def _begin(self) -> None:
        name, self._name = self._name, ""
        if not name or (not self._open and name not in {"Prefix", "Ontology"}):
            self.refuse("has a bracket that does not belong to functional syntax")
        if len(self._open) >= MOST_LEVELS:
            self.refuse(f"has brackets within brackets on more than {MOST_LEVELS} levels")
        if len(self._open) == 1 and self._open[0].name == "Ontology":
            self._begin_ontology()
        self._open.append(Expression(name, []))

    def _begin_ontology(self) -> None:
        iris = [each for each in self._open[0].arguments if isinstance(each, str)]
        if iris:
            self._entities.begin(*iris[:2])
            self._open[0].arguments.clear()

    def _end_expression(self) -> None:
        if not self._open:
            self.refuse("has a closing bracket too many")
        expression = self._open.pop()
        match len(self._open), expression.name:
            case 0, "Prefix":
                self._declare(expression)
            case 0, _:
                self._open.append(expression)
                self._begin_ontology()
                self._open.pop()
                self._complete = True
            case 1, "Annotation":
                take_annotation(expression, self._entities)
            case 1, _:
                take_axiom(expression, self._entities)
            case _:
                self._open[-1].arguments.append(expression)
        if len(self._open) == 1:
            self._arguments = 0

    def _declare(self, expression: Expression) -> None:
        match expression.arguments:
            case [str(prefix), str(namespace)] if prefix.endswith(":"):
                self._prefixes[prefix[:-1]] = namespace
            case _:
                self.refuse("declares a prefix in a way that makes no sense")
        if len(self._prefixes) > MOST_PREFIXES:
            self.refuse(f"declares more than {MOST_PREFIXES:,} prefixes of namespaces")

    def _add(self, argument: str | Literal) -> None:
        if not self._open:
            self.refuse("begins with something else than a prefix or an ontology, so it is no functional syntax")
        if self._is_datatype:
            self._is_datatype = False
            return
        self._arguments += 1
        if self._arguments > MOST_ARGUMENTS:
            self.refuse(f"holds an axiom of more than {MOST_ARGUMENTS:,} parts")
        self._open[-1].arguments.append(argument)

    def _add_language(self, language: str) -> None:
        arguments = self._open[-1].arguments if self._open else []
        if not arguments or not isinstance(text := arguments[-1], Literal):
            self.refuse(f"has a language ('@{language}') without a text")
        arguments[-1] = text._replace(language=language)

    def _settle_name(self) -> None:
        """Add a name that is no expression: short for an IRI, or a number."""
        name, self._name = self._name, ""
        prefix, colon, local = name.partition(":")
        if not colon or prefix == "_" or (self._open and self._open[-1].name == "Prefix"):
            self._add(name)
        elif prefix in self._prefixes:
            self._add(self._prefixes[prefix] + local)
        else:
            self.refuse(f"uses the prefix '{prefix}:', which it does not declare")
