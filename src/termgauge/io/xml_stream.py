"""XML from elsewhere, as a stream of elements: no tree is built, and nothing that a document declares can grow.

Built on Python's expat: libraries that iterate over XML keep a tree or have no limit of their own for the length and
the depth of an element, and those that guard against entities refuse every one, or none.

Entities are what makes XML dangerous (they grow without bound, or read other files), so a document that declares any is
refused; what a DTD elsewhere would declare is looked up among the names that HTML has. Ontologies are the exception:
editors abbreviate namespaces by entities, so a few short ones of plain text are allowed where namespaces count.
"""

from __future__ import annotations

from contextlib import suppress
from html import unescape
from typing import TYPE_CHECKING, Protocol, TypeVar
from xml.parsers import expat  # nosec: entities are refused

from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.io.source import SourceFile
_Made = TypeVar("_Made")
MOST_LEVELS = 200
MOST_LETTERS = 16 << 20
"""No tag, and no text of one element that is kept, may be longer."""
MOST_LETTERS_WITH_ENTITIES = 1 << 20
"""The same for a document that declares entities, because each use of one makes it longer than it is written."""
MOST_PREFIXES = 10_000
MOST_ENTITIES = 500
MOST_LETTERS_OF_ENTITY = 200
_CHUNK = 1 << 17


class Reader(Protocol[_Made]):
    """Whoever makes documents, or other things, of elements."""

    found: list[_Made]
    """Those that are complete; taken from it again and again."""
    passed_over: frozenset[str]
    """Elements that are of no interest, with all that is in them, and never hold one of their own name."""

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Be told that an element begins; return whether its text is wanted."""

    def end(self, name: str) -> bool:
        """Be told that an element ends; return whether the text after it is wanted."""

    def text(self, data: str) -> None:
        """Be given text that is wanted."""


def first_element(head: bytes) -> str:
    """Return the name of the first element of what may be XML, without its namespace; nothing if there is none."""
    names: list[str] = []

    def begun(name: str, _attributes: dict[str, str]) -> None:
        names.append(name.rpartition(":")[2])
        raise _EnoughError

    parser = expat.ParserCreate()
    parser.StartElementHandler = begun
    with suppress(expat.ExpatError, LookupError, ValueError, _EnoughError):
        parser.Parse(head, False)
    return names[0] if names else ""


class _EnoughError(Exception):
    """All that was wanted is known."""


def read_elements(file: SourceFile, reader: Reader[_Made], prefixes: dict[str, str] | None = None) -> Iterator[_Made]:
    """Read a file, and yield what a reader makes of it as soon as they are complete.

    Elements have their own name alone, unless ``prefixes`` are asked for: those that the document declares are noted
    there, each with its namespace; elements and attributes have their full name, that of their namespace followed at
    once by their own; and the document may declare short entities.
    """
    guarded, fed = _Guarded(file, reader, prefixes), 0
    parser = guarded.parser
    with file.open() as stream:
        data = b"begun"
        while data:
            data = stream.read(_CHUNK)
            try:
                parser.Parse(data, not data)
            except expat.ExpatError as error:
                why = expat.ErrorString(error.code) or "unknown"
                raise TermgaugeError(
                    f"{file.label}, line {error.lineno:,}: is broken XML ({why}); get the file again from its source, "
                    "or save it in the encoding that it states (UTF-8 if none)."
                ) from None
            except (
                LookupError,
                ValueError,
            ) as error:  # an encoding that Python does not know, or not as expat needs it
                raise TermgaugeError(
                    f"{file.label}: its encoding cannot be read ({error}); save it as UTF-8."
                ) from None
            fed += len(data)
            if fed - guarded.moved > guarded.most_letters:
                raise _refused(file, parser, f"holds a piece of markup of more than {guarded.most_letters >> 20} MB")
            yield from reader.found
            reader.found.clear()


class _Guarded:
    """Tells a reader about elements, and refuses what is dangerous."""

    def __init__(self, file: SourceFile, reader: Reader[_Made], prefixes: dict[str, str] | None) -> None:
        self._file, self._reader, self._prefixes = file, reader, prefixes
        self._namespaces = prefixes is not None
        self._entities = 0
        self._level, self._over, self._begun = 0, "", 0
        """How deep the reading is; the element that is passed over, if any, and where it began."""
        self.parser = parser = expat.ParserCreate(namespace_separator="" if self._namespaces else None)
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.EntityDeclHandler, parser.SkippedEntityHandler = self._declared_entity, self._skipped_entity
        parser.StartNamespaceDeclHandler = self._declared_prefix if self._namespaces else None

    @property
    def moved(self) -> int:
        """How far the reading has come; not beyond the beginning of an element that is passed over."""
        return self._begun if self._over else max(self.parser.CurrentByteIndex, 0)

    @property
    def most_letters(self) -> int:
        """The longest piece of markup that is read."""
        return min(MOST_LETTERS, MOST_LETTERS_WITH_ENTITIES) if self._entities else MOST_LETTERS

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._level += 1
        if self._level > MOST_LEVELS:
            raise _refused(self._file, self.parser, f"has elements within elements on more than {MOST_LEVELS} levels")
        if name in self._reader.passed_over:  # a call for each end tag is all that it costs
            self._over, self._begun = name, self.parser.CurrentByteIndex
            self.parser.StartElementHandler, self.parser.EndElementHandler = None, self._pass_over
            self.parser.CharacterDataHandler = None
            return
        wanted = self._reader.start(name if self._namespaces else name.rpartition(":")[2], attributes)
        self.parser.CharacterDataHandler = self._reader.text if wanted else None

    def _pass_over(self, name: str) -> None:
        if name == self._over:
            self._over, self._level = "", self._level - 1
            self.parser.StartElementHandler, self.parser.EndElementHandler = self._start, self._end

    def _end(self, name: str) -> None:
        self._level -= 1
        wanted = self._reader.end(name if self._namespaces else name.rpartition(":")[2])
        self.parser.CharacterDataHandler = self._reader.text if wanted else None

    def _declared_prefix(self, prefix: str | None, namespace: str | None) -> None:
        assert self._prefixes is not None
        self._prefixes.setdefault(prefix or "", namespace or "")
        if len(self._prefixes) > MOST_PREFIXES:
            raise _refused(self._file, self.parser, f"declares more than {MOST_PREFIXES:,} prefixes of namespaces")

    def _declared_entity(self, _name: str, is_parameter: int, value: str | None, *_elsewhere: str | None) -> None:
        """Refuse an entity, unless namespaces count and it is short, plain text."""
        self._entities += 1
        if self._namespaces and not is_parameter and value is not None and not {"&", "<", "%"} & set(value):
            if self._entities <= MOST_ENTITIES and len(value) <= MOST_LETTERS_OF_ENTITY:
                return
            what = f"declares more than {MOST_ENTITIES} entities, or one of more than {MOST_LETTERS_OF_ENTITY} letters"
            raise _refused(self._file, self.parser, what)
        raise _refused(self._file, self.parser, "declares entities, which may expand without bound or read other files")

    def _skipped_entity(self, name: str, is_parameter: int) -> None:
        wanted = not is_parameter and self.parser.CharacterDataHandler is not None
        if wanted and (sign := unescape(f"&{name};"))[0] != "&":
            self._reader.text(sign)


def _refused(file: SourceFile, parser: expat.XMLParserType, what: str) -> TermgaugeError:
    return TermgaugeError(
        f"{file.label}, line {parser.CurrentLineNumber:,}: {what}, so it is refused; get it from a source you trust."
    )


class Collected:
    """The text of one element, as its pieces come in."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.letters = 0

    def add(self, data: str) -> None:
        """Add a piece."""
        self._pieces.append(data)
        self.letters += len(data)

    def taken(self) -> str:
        """Return all of it in one line, and begin anew."""
        line = " ".join("".join(self._pieces).split())
        self._pieces, self.letters = [], 0
        return line
