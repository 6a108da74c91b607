"""JATS XML, as PubMed Central has articles: title, abstract and the paragraphs of the body.

Tables, figures, formulas, references and the marks that cite them are left out: they are no running text. An article is
read as a stream; a long one comes in portions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from termgauge.corpus.corpus import DocumentAbout
from termgauge.corpus.texts import MOST_LETTERS, Document
from termgauge.io.xml_stream import Collected, read_elements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.io.source import SourceFile

_LEFT_OUT = frozenset({
    "back", "chem-struct-wrap", "code", "disp-formula", "disp-formula-group", "fig", "fig-group", "floats-group",
    "fn", "graphic", "inline-formula", "inline-graphic", "label", "math", "media", "object-id", "ref-list",
    "related-article", "response", "sub-article", "supplementary-material", "table", "table-wrap",
    "table-wrap-group", "tex-math", "trans-abstract", "trans-title-group",
})  # fmt: skip
_MARKS = frozenset({"aff", "author-notes", "bibr", "corresp", "fn", "table-fn"})
"""Kinds of cross-references that are no words: [12], *."""
_PARAGRAPHS = ("p", "title")
_EMPTY_BRACKETS = re.compile(r"\s*(?:\[[\s,;–-]*\]|\([\s,;–-]*\))")
"""What is left of [12, 13] without its numbers."""
_NUMBERS = {"journal-id": "journal-id-type", "issn": "pub-type", "article-id": "pub-id-type"}
"""The elements that hold numbers and short names, each with the attribute that tells which."""


def jats_documents(file: SourceFile) -> Iterator[Document]:
    """Read the articles of a file."""
    return read_elements(file, _Articles(file))


class _Articles:
    """Makes documents of the articles of one file."""

    passed_over: frozenset[str] = frozenset()
    """None: tables and lists of references may hold others."""

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self.found: list[Document] = []
        self._path: list[str] = [""]
        self._skipped = 0
        """How deep the reading is within something that is left out."""
        self._collected = Collected()
        self._begin({})

    def _begin(self, attributes: dict[str, str]) -> None:
        self._numbers: dict[str, str] = {}
        self._language = attributes.get("xml:lang", "")
        self._title, self._part, self._open = "", "", 0
        """The title; whether this is the abstract or the body; how deep within its paragraphs."""
        self._parts: dict[str, list[str]] = {"abstract": [], "body": []}
        self._letters, self._continues = 0, False

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        """Be told that an element begins; return whether its text is wanted."""
        if self._skipped or name in _LEFT_OUT or (name == "xref" and attributes.get("ref-type") in _MARKS):
            self._skipped += 1
            self._collected.add(" " if name.endswith("formula") else "")
            return False
        if name == "article":
            self._begin(attributes)
        elif name in self._parts:
            self._part = name
        elif name in _PARAGRAPHS and self._part:
            self._close_paragraph()
            self._open += 1
        elif name in _NUMBERS:
            self._numbers.setdefault(f"{name} {attributes.get(_NUMBERS[name], '')}", "")
            self._number = f"{name} {attributes.get(_NUMBERS[name], '')}"
        self._path.append(name)
        return self._wanted()

    def text(self, data: str) -> None:
        """Add text to the paragraph, which is cut if it is very long."""
        self._collected.add(data)
        if self._collected.letters > MOST_LETTERS:
            self._close_paragraph()

    def end(self, name: str) -> bool:
        """Be told that an element ends; return whether the text after it is wanted."""
        if self._skipped:
            self._skipped -= 1
            return not self._skipped and self._wanted()
        self._path.pop()
        if name == "article-title" and self._path[-1] == "title-group":
            self._title = _EMPTY_BRACKETS.sub("", self._collected.taken())
        elif name in _NUMBERS:
            self._numbers[self._number] = self._numbers[self._number] or self._collected.taken()
            self._collected.taken()
        elif name in _PARAGRAPHS and self._part:
            self._close_paragraph()
            self._open -= 1
        elif name == self._part:
            self._part = ""
        elif name == "article":
            self._hand_over()
        return self._wanted()

    def _wanted(self) -> bool:
        if self._open:
            return True
        here = self._path[-1]
        return here in _NUMBERS or ("article-title" in self._path and "title-group" in self._path)

    def _close_paragraph(self) -> None:
        paragraph = _EMPTY_BRACKETS.sub("", self._collected.taken())
        if not (self._part and paragraph):
            return
        self._parts[self._part].append(paragraph)
        self._letters += len(paragraph)
        if self._letters > MOST_LETTERS:
            self._hand_over()

    def _hand_over(self) -> None:
        """Hand over what is there of an article."""
        abstract, body = tuple(self._parts["abstract"]), tuple(self._parts["body"])
        self.found.append(Document(self._about(), self._title, abstract, body, self._continues))
        self._title, self._letters, self._continues = "", 0, True
        for part in self._parts.values():
            part.clear()

    def _about(self) -> DocumentAbout:
        """Return the article's number, and its journal: the name that NLM gives it, else its ISSN."""
        numbers = self._numbers
        pmc = numbers.get("article-id pmc") or numbers.get("article-id pmcid", "")
        named = f"PMC{pmc.removeprefix('PMC')}" if pmc else ""
        number = named or numbers.get("article-id pmid") or numbers.get("article-id doi") or self._file.name
        journals = (numbers.get("journal-id nlm-ta"), numbers.get("journal-id iso-abbrev"))
        issn = next((value for key, value in numbers.items() if key.startswith("issn ")), None)
        more = {"language": self._language, "pmid": numbers.get("article-id pmid", "")}
        more = {key: value for key, value in more.items() if value}
        return DocumentAbout(number, next(filter(None, (*journals, issn)), None), (), more)
