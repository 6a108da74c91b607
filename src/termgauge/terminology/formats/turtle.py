"""Turtle and N-Triples as a stream of statements (W3C Recommendation "RDF 1.1 Turtle", 2014).

No token but a long text goes over the end of a line, so the file is cut into pieces at line ends, and a regular
expression takes one token after another. What is open (lists, nodes in brackets) is on a stack of our own, which is
bounded, and so are the prefixes and the length of a token.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.formats.rdf_xml import BLANK, FIRST, NIL, OWN_BLANK, REST, TYPE, Statement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.source import SourceFile

MOST_PREFIXES = 10_000
MOST_LEVELS = 200
MOST_LETTERS = 16 << 20
"""No line and no text may be longer."""
_CHUNK = 1 << 18
_XSD = "http://www.w3.org/2001/XMLSchema#"
_LOCAL = r"(?:[\w:·\u203f\u2040-]|%[0-9A-Fa-f]{2}|\\[-_~.!$&'()*+,;=/?#@%]|\.(?=\.*[\w:%\\-]))*+"
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n]++|\#[^\r\n]*+)"
    r'|(?P<long>"""(?:[^"\\]|\\.|"(?!""))*+"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*+\'\'\')'
    r'|(?P<unclosed>"""|\'\'\')'
    r'|(?P<text>"(?:[^"\\\r\n]|\\.)*+"|\'(?:[^\'\\\r\n]|\\.)*+\')'
    r"|(?P<iri><(?:[^\x00-\x20<>\"{}|^`\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*+>)"
    r"|(?P<directive>@prefix\b|@base\b)"
    r"|(?P<language>@[A-Za-z]++(?:-[A-Za-z0-9]++)*+)"
    r"|(?P<type>\^\^)"
    r"|(?P<blank>_:[\w](?:[\w·-]|\.(?=\.*[\w-]))*+)"
    r"|(?P<number>[+-]?(?:\d++(?:\.\d*+)?[eE][+-]?\d++|\.\d++(?:[eE][+-]?\d++)?|\d++\.\d++|\d++)(?![\w:]))"
    rf"|(?P<name>(?:[^\W\d_](?:[\w·-]|\.(?=\.*[\w-]))*+)?:{_LOCAL})"
    r"|(?P<word>[A-Za-z]++)"
    r"|(?P<sign>[.;,\[\]()])",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_LOCAL_ESCAPE = re.compile(r"\\(.)")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


class _Object(NamedTuple):
    """What stands in a statement: an IRI or a blank node, or a text."""

    value: str
    language: str | None = None
    datatype: str = ""


def read_turtle(file: SourceFile, base: str = "") -> Iterator[Statement]:
    """Read a file, and yield its statements in their order."""
    return _Parser(file, base).statements(_tokens(file))


def _pieces(file: SourceFile) -> Iterator[str]:
    """Yield the text of a file in pieces that end where a line does."""
    rest, line = "", 1
    for block in file.text_blocks(_CHUNK):
        text = rest + block
        cut = text.rfind("\n") + 1
        rest = text[cut:]
        if cut:
            yield text[:cut]
            line += text.count("\n", 0, cut)
        if len(rest) > MOST_LETTERS:
            raise _too_long(file, line)
    yield rest + "\n"


def _too_long(file: SourceFile, line: int) -> TermgaugeError:
    return TermgaugeError(
        f"{file.label}, line {line:,}: holds a line or a text of more than {MOST_LETTERS >> 20} MB, so it is refused; "
        "get it from a source you trust."
    )


def _tokens(file: SourceFile) -> Iterator[_Token]:
    """Yield the tokens of a file."""
    line, rest = 1, ""
    for piece in _pieces(file):
        text, at = rest + piece, 0
        rest = ""
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                shown = text[at : at + 20].split("\n", 1)[0]
                raise _broken(file, line, f"'{shown}' makes no sense in Turtle")
            kind, token = str(found.lastgroup), found[0]
            if kind == "unclosed":  # a long text may end in a later piece
                rest = text[at:]
                if len(rest) > MOST_LETTERS:
                    raise _too_long(file, line)
                break
            if kind != "space":
                yield _Token(kind, token, line)
            line += token.count("\n") if kind in {"space", "long"} else 0
            at = found.end()
    if rest:
        raise _broken(file, line, "a text begins here and never ends")


def _broken(file: SourceFile, line: int, why: str) -> TermgaugeError:
    return TermgaugeError(f"{file.label}, line {line:,}: is broken Turtle ({why}); get the file again from its source.")


class _Level:
    """What is open: a statement at the top, a node in brackets, or a list."""

    __slots__ = ("cells", "first", "kind", "predicate", "said", "stated", "subject")

    def __init__(self, kind: str, subject: str | None) -> None:
        self.kind, self.subject = kind, subject
        self.predicate: str | None = None
        self.stated = False
        """Whether the predicate has its object, so that a comma must come before another."""
        self.said = False
        """Whether anything was said of the subject, so that the statement may end."""
        self.first = NIL
        """Of a list: its first cell, which stands for it."""
        self.cells = ""
        """Of a list: its last cell so far."""


class _Parser:
    """Makes statements of tokens."""

    def __init__(self, file: SourceFile, base: str) -> None:
        self._file, self._base = file, base
        self._prefixes: dict[str, str] = {}
        self._blanks, self._line = 0, 1
        self._levels = [_Level("top", None)]
        self._made: list[Statement] = []
        self._text: _Object | None = None
        """A text that is read; its language or type may follow."""
        self._typed = False

    def statements(self, tokens: Iterator[_Token]) -> Iterator[Statement]:
        for token in tokens:
            self._line = token.line
            if token.kind == "directive":
                self._directive(token.text[1:], tokens)
            elif token.kind == "word" and token.text.lower() in {"prefix", "base"} and self._at_start:
                self._directive(token.text.lower(), tokens, closed=False)
            else:
                self._take(token)
                yield from self._made
                self._made.clear()
        self._end_text()
        yield from self._made
        if len(self._levels) > 1 or self._levels[0].subject is not None:
            raise self._wrong("the last statement does not end")

    @property
    def _at_start(self) -> bool:
        return len(self._levels) == 1 and self._levels[0].subject is None

    def _wrong(self, why: str) -> TermgaugeError:
        return _broken(self._file, self._line, why)

    def _directive(self, name: str, tokens: Iterator[_Token], *, closed: bool = True) -> None:
        """Take the declaration of a prefix or of the base."""
        if not self._at_start:
            raise self._wrong(f"{name} stands inside a statement")
        prefix = next(tokens, _Token("", "", self._line)) if name == "prefix" else _Token("name", ":", self._line)
        iri = next(tokens, _Token("", "", self._line))
        end = next(tokens, _Token("", "", self._line)) if closed else _Token("sign", ".", self._line)
        if prefix.kind != "name" or not prefix.text.endswith(":") or iri.kind != "iri" or end.text != ".":
            raise self._wrong(f"the declaration of a {name} is not whole")
        if name == "base":
            self._base = self._iri(iri.text)
            return
        self._prefixes[prefix.text[:-1]] = self._iri(iri.text)
        if len(self._prefixes) > MOST_PREFIXES:
            raise TermgaugeError(
                f"{self._file.label}, line {self._line:,}: declares more than {MOST_PREFIXES:,} prefixes, so it is "
                "refused; get it from a source you trust."
            )

    def _take(self, token: _Token) -> None:
        kind, text = token.kind, token.text
        if self._typed:
            self._take_datatype(token)
        elif kind == "language" and self._text is not None:
            self._text = self._text._replace(language=text[1:])
            self._end_text()
        elif kind == "type" and self._text is not None:
            self._typed = True
        else:
            self._end_text()
            if kind == "sign":
                self._take_sign(text)
            else:
                self._take_term(kind, text)

    def _take_datatype(self, token: _Token) -> None:
        if token.kind not in {"iri", "name"} or self._text is None:
            raise self._wrong("a type was expected after ^^")
        datatype = self._iri(token.text) if token.kind == "iri" else self._named(token.text)
        self._text, self._typed = self._text._replace(datatype=datatype), False
        self._end_text()

    def _take_term(self, kind: str, text: str) -> None:
        level = self._levels[-1]
        wants_predicate = level.kind != "list" and level.subject is not None and level.predicate is None
        match kind:
            case "iri":
                self._place(_Object(self._iri(text)))
            case "name":
                self._place(_Object(self._named(text)))
            case "blank":
                self._place(_Object(text))
            case "word" if text == "a" and wants_predicate:
                level.predicate = TYPE
            case "long":
                self._text = _Object(self._unescaped(text[3:-3]), "")
            case "text":
                self._text = _Object(self._unescaped(text[1:-1]), "")
            case "word" if text in {"true", "false"}:
                self._place(_Object(text, "", f"{_XSD}boolean"))
            case "number":
                exact = "double" if "e" in text.lower() else "decimal" if "." in text else "integer"
                self._place(_Object(text, "", _XSD + exact))
            case _:
                raise self._wrong(f"'{text[:40]}' was not expected here")

    def _end_text(self) -> None:
        if self._typed:
            raise self._wrong("a type was expected after ^^")
        if self._text is not None:
            text, self._text = self._text, None
            self._place(text)

    def _place(self, what: _Object) -> None:
        """Put something where it belongs: it is a subject, a predicate, an object, or the next of a list."""
        level = self._levels[-1]
        if level.kind == "list":
            cell = self._blank()
            if level.cells:
                self._made.append(Statement(level.cells, REST, cell))
            else:
                level.first = cell
            self._made.append(Statement(cell, FIRST, *what))
            level.cells = cell
        elif level.subject is not None and level.predicate is not None:
            if level.stated:
                raise self._wrong("a comma was expected before another object")
            self._made.append(Statement(level.subject, level.predicate, *what))
            level.stated = level.said = True
        elif what.language is not None or (level.subject is not None and what.value.startswith(BLANK)):
            raise self._wrong("a text or a node without a name stands where it cannot")
        elif level.subject is None:
            level.subject = what.value
        else:
            level.predicate = what.value

    def _take_sign(self, sign: str) -> None:
        level = self._levels[-1]
        match sign:
            case "[" | "(":
                if len(self._levels) > MOST_LEVELS:
                    raise TermgaugeError(
                        f"{self._file.label}, line {self._line:,}: has brackets within brackets on more than "
                        f"{MOST_LEVELS} levels, so it is refused; get it from a source you trust."
                    )
                if level.kind != "list" and level.subject is not None and level.predicate is None:
                    raise self._wrong("a predicate was expected")
                self._levels.append(_Level("node", self._blank()) if sign == "[" else _Level("list", None))
            case "]" if level.kind == "node" and level.stated == (level.predicate is not None):
                self._levels.pop()
                self._place(_Object(str(level.subject)))
                self._levels[-1].said |= level.said  # a node in brackets may stand by itself
            case ")" if level.kind == "list":
                self._levels.pop()
                if level.cells:
                    self._made.append(Statement(level.cells, REST, NIL))
                self._place(_Object(level.first))
            case ";" if level.kind != "list" and level.subject is not None:
                if level.predicate is not None and not level.stated:
                    raise self._wrong("an object was expected")
                level.predicate, level.stated = None, False
            case "," if level.stated:
                level.stated = False
            case "." if level.kind == "top" and (level.stated if level.predicate is not None else level.said):
                self._levels[-1] = _Level("top", None)
            case _:
                raise self._wrong(f"'{sign}' was not expected here")

    def _blank(self) -> str:
        self._blanks += 1
        return f"{OWN_BLANK}{self._blanks}"

    def _iri(self, token: str) -> str:
        iri = self._unescaped(token[1:-1]) if "\\" in token else token[1:-1]
        if iri.startswith("http") or _SCHEME.match(iri) or not self._base:
            return iri
        return urljoin(self._base, iri) if iri else self._base

    def _named(self, token: str) -> str:
        prefix, _, local = token.partition(":")
        if prefix not in self._prefixes:
            raise self._wrong(f"the prefix '{prefix[:40]}' is not declared")
        return self._prefixes[prefix] + (_LOCAL_ESCAPE.sub(r"\1", local) if "\\" in local else local)

    def _unescaped(self, text: str) -> str:
        return _ESCAPE.sub(self._sign, text) if "\\" in text else text

    def _sign(self, escape: re.Match[str]) -> str:
        code = escape[1] or escape[2]
        number = int(code, 16) if code else 0
        if code and number < 0x110000 and not 0xD800 <= number < 0xE000:
            return chr(number)
        if code or escape[3] not in _ESCAPED:
            raise self._wrong(f"'{escape[0]}' stands for no character")
        return _ESCAPED[escape[3]]
