"""XML from elsewhere, element by element: one child of the first element is in memory, and nothing can grow.

Built on Python's expat: libraries that iterate over XML keep the whole tree or have no limit of their own for the
length and the depth of an element, and those that guard against entities refuse every one, or none.

Entities are what makes XML dangerous (they grow without bound, or read other files), so a document that declares any is
refused; what a DTD elsewhere would declare is looked up among the names that HTML has. Ontologies are the exception:
editors abbreviate namespaces by entities, so a few short ones of plain text are allowed where namespaces count.
"""

from __future__ import annotations

from contextlib import suppress
from html import unescape
from typing import TYPE_CHECKING, NoReturn
from xml.etree.ElementTree import Element, TreeBuilder  # nosec: expat is given its own handlers
from xml.parsers import expat  # nosec: entities are refused

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from termgauge.io.source import SourceFile

MOST_LEVELS = 200
MOST_LETTERS = 16 << 20
"""No tag or comment may be longer, nor an element directly inside the first one, with all that is in it."""
MOST_LETTERS_WITH_ENTITIES = 1 << 20
"""The same for tags of a document that declares entities, because each use of one makes it longer than written."""
LETTERS_OF_TAG = 16
"""For how many letters an element counts, beside its text and attributes."""
MOST_PREFIXES = 10_000
MOST_ENTITIES = 500
MOST_LETTERS_OF_ENTITY = 200
_CHUNK = 1 << 17


def first_element(head: bytes) -> str:
    """Return the name of the first element of what may be XML, without its namespace; nothing if there is none."""
    names: list[str] = []

    def begun(name: str, _attributes: dict[str, str]) -> None:
        names.append(name.rpartition(":")[2])
        raise ValueError("what follows is not looked at")

    parser = expat.ParserCreate()
    parser.StartElementHandler = begun
    with suppress(expat.ExpatError, LookupError, ValueError):
        parser.Parse(head, False)
    return names[0] if names else ""


def read_elements(
    file: SourceFile,
    passed_over: Container[str] = (),
    prefixes: dict[str, str] | None = None,
    most_letters: int = MOST_LETTERS,
) -> Iterator[Element]:
    """Read a file, and yield its first element, still empty, and then each element directly in it, whole.

    Elements have their own name alone, unless ``prefixes`` are asked for: those that the document declares are noted
    there, each with its namespace; elements and attributes have their full name, that of their namespace followed at
    once by their own; and the document may declare short entities.
    """
    builder = _Builder(file, passed_over, prefixes, most_letters)
    with file.open() as stream:
        data = b"begun"
        while data:
            data = stream.read(_CHUNK)
            builder.feed(data)
            yield from builder.complete
            builder.complete.clear()


def text_of(element: Element | None, without: Container[str] = (), apart: Container[str] = ()) -> str:
    """Return the text of an element in one line, `without` that of some elements in it; others stand `apart`."""

    def pieces(within: Element) -> Iterator[str]:
        yield within.text or ""
        for child in within:
            space = " " if child.tag in apart else ""
            yield space
            if child.tag not in without:
                yield from pieces(child)
            yield space
            yield child.tail or ""

    return "" if element is None else " ".join("".join(pieces(element)).split())


class _Builder:
    """Builds elements, and refuses what is dangerous."""

    def __init__(
        self, file: SourceFile, passed_over: Container[str], prefixes: dict[str, str] | None, most_letters: int
    ) -> None:
        self.complete: list[Element] = []
        self._file, self._passed_over, self._prefixes, self._most_letters = file, passed_over, prefixes, most_letters
        self._tree = TreeBuilder()
        self._fed = self._entities = self._letters = 0
        self._level = self._over = 0
        """How deep the reading is, and how deep within an element that is passed over."""
        self._parser = parser = expat.ParserCreate(namespace_separator=None if prefixes is None else "")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.EntityDeclHandler, parser.SkippedEntityHandler = self._declared_entity, self._skipped_entity
        parser.StartNamespaceDeclHandler = None if prefixes is None else self._declared_prefix

    def feed(self, data: bytes) -> None:
        """Read on; no data end the document."""
        try:
            self._parser.Parse(data, not data)
        except expat.ExpatError as error:
            why = expat.ErrorString(error.code) or "unknown"
            raise TermgaugeError(
                f"{self._file.label}, line {error.lineno:,}: is broken XML ({why}); get the file again from its "
                "source, or save it in the encoding that it states (UTF-8 if none)."
            ) from None
        except (LookupError, ValueError) as error:  # an encoding that Python does not know, or not as expat needs it
            raise TermgaugeError(
                f"{self._file.label}: its encoding cannot be read ({error}); save it as UTF-8."
            ) from None
        self._fed += len(data)
        most = min(MOST_LETTERS, MOST_LETTERS_WITH_ENTITIES) if self._entities else MOST_LETTERS
        if self._fed - max(self._parser.CurrentByteIndex, 0) > most:
            self._refuse(f"holds a piece of markup of more than {most >> 20} MB")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._level += 1
        if self._level > MOST_LEVELS:
            self._refuse(f"has elements within elements on more than {MOST_LEVELS} levels")
        name = name.rpartition(":")[2] if self._prefixes is None else name
        if self._over or name in self._passed_over:
            self._over += 1
            self._parser.CharacterDataHandler = None
        elif self._level == 1:
            self.complete.append(Element(name, attributes))
        else:
            self._tree.start(name, attributes)
            self._parser.CharacterDataHandler = self._text
            self._count(LETTERS_OF_TAG + sum(map(len, attributes.values())))

    def _end(self, name: str) -> None:
        self._level -= 1
        if self._over:
            self._over -= 1
        elif self._level:
            self._tree.end(name)
        if self._level == 1 and not self._over:
            if self._letters:
                self.complete.append(self._tree.close())
                self._tree, self._letters = TreeBuilder(), 0
            self._parser.CharacterDataHandler = None
        elif not self._over:
            self._parser.CharacterDataHandler = self._text

    def _text(self, data: str) -> None:
        self._tree.data(data)
        self._count(len(data))

    def _count(self, letters: int) -> None:
        self._letters += letters
        if self._letters > self._most_letters:
            self._refuse(f"holds an element of more than {self._most_letters >> 20} million letters")

    def _declared_prefix(self, prefix: str | None, namespace: str | None) -> None:
        assert self._prefixes is not None
        self._prefixes.setdefault(prefix or "", namespace or "")
        if len(self._prefixes) > MOST_PREFIXES:
            self._refuse(f"declares more than {MOST_PREFIXES:,} prefixes of namespaces")

    def _declared_entity(self, _name: str, is_parameter: int, value: str | None, *_elsewhere: str | None) -> None:
        """Refuse an entity, unless namespaces count and it is short, plain text."""
        self._entities += 1
        if self._prefixes is None or is_parameter or value is None or {"&", "<", "%"} & set(value):
            self._refuse("declares entities, which may expand without bound or read other files")
        if self._entities > MOST_ENTITIES or len(value) > MOST_LETTERS_OF_ENTITY:
            self._refuse(
                f"declares more than {MOST_ENTITIES} entities, or one of more than {MOST_LETTERS_OF_ENTITY} letters"
            )

    def _skipped_entity(self, name: str, is_parameter: int) -> None:
        wanted = not is_parameter and self._parser.CharacterDataHandler is not None
        if wanted and (sign := unescape(f"&{name};"))[0] != "&":
            self._text(sign)

    def _refuse(self, what: str) -> NoReturn:
        line = self._parser.CurrentLineNumber
        raise TermgaugeError(
            f"{self._file.label}, line {line:,}: {what}, so it is refused; get it from a source you trust."
        )
