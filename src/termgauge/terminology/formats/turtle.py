"""Turtle and N-Triples as a stream of statements, by pyoxigraph.

Memory is bounded where a file says nothing: so many bytes without a statement, and so many prefixes, are refused.
Brackets that are opened one inside another and never closed take about 350 bytes of memory each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.formats.rdf_xml import BLANK, Statement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from termgauge.io.source import SourceFile

MOST_PREFIXES = 10_000
MOST_BYTES = 1 << 20
"""No statement may be longer, nor what stands between two statements."""
_XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"


def read_turtle(file: SourceFile, prefixes: dict[str, str] | None = None) -> Iterator[Statement]:
    """Read a file, and yield its statements; nodes without an IRI are numbered in the order of their use.

    Parameters
    ----------
    file
        The file.
    prefixes
        Where to note the prefixes that the document declares, each with its namespace.

    Yields
    ------
    Statement
        One after another, as the file is read.
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
