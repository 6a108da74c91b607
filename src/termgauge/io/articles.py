"""Articles in XML as documents: citations of MEDLINE and PubMed, and full texts of PubMed Central (JATS).

NLM's update files of MEDLINE replace and delete citations of earlier files. Files are therefore read from the last to
the first, and of each citation the one that is met first counts; which ones were met is a field of bits. Of JATS the
title, abstract and paragraphs of the body are read: tables, figures, formulas, references and the marks that cite them
are no running text. An article is read as a stream; a long one comes in portions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from termgauge.io.documents import PORTION_LETTERS, Document, DocumentMetadata
from termgauge.io.xml_stream import MOST_LETTERS, Collected, read_elements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from termgauge.io.source import SourceFile

_CITATIONS = ("MedlineCitation", "BookDocument")
_WANTED = {
    ("MedlineCitation", "PMID"): "pmid",
    ("BookDocument", "PMID"): "pmid",
    ("DeleteCitation", "PMID"): "deleted",
    ("Article", "ArticleTitle"): "title",
    ("BookDocument", "ArticleTitle"): "title",
    ("Abstract", "AbstractText"): "abstract",
    ("MedlineJournalInfo", "NlmUniqueID"): "journal",
    ("Article", "Language"): "language",
    ("BookDocument", "Language"): "language",
}
"""The elements whose text is kept, each with the element that it is in."""
_PASSED_OVER = frozenset({
    "AuthorList", "ChemicalList", "DataBankList", "DateCompleted", "DateRevised", "GeneSymbolList", "GrantList",
    "History", "InvestigatorList", "Journal", "KeywordList", "Pagination", "PersonalNameSubjectList",
    "PublicationTypeList", "PubmedBookData", "PubmedData", "ReferenceList", "SupplMeshList",
})  # fmt: skip
_FORMULAS = ("math", "DispFormula")
_DIGITS = 9
"""PMIDs have eight digits today; a longer number is none."""


def medline_documents(files: Sequence[SourceFile]) -> Iterator[Document]:
    """Read the citations of MEDLINE files, each once: the latest, unless it was deleted."""
    met = _Numbers()
    for file in reversed(files):
        reader = _Citations(file)
        for document in read_elements(file, reader):
            if met.new(document.about.id):
                yield document
        for number in reader.deleted:
            met.new(number)


class _Numbers:
    """A set of PMIDs, with one bit for each."""

    def __init__(self) -> None:
        self._bits = bytearray()

    def new(self, number: str) -> bool:
        """Add a number; return whether it is new, as whatever is no PMID always is."""
        if not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
            return True
        byte, bit = divmod(int(number), 8)
        if byte >= len(self._bits):
            self._bits.extend(bytes(byte + 1 - len(self._bits)))
        known = self._bits[byte] >> bit & 1
        self._bits[byte] |= 1 << bit
        return not known


class _Citations:
    """Makes documents of the citations of one file."""

    passed_over = _PASSED_OVER

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self.found: list[Document] = []
        self.deleted: list[str] = []
        self._path: list[str] = [""]
        self._kept, self._inside, self._formula = "", 0, 0
        """What is kept, how deep within its element the reading is, and how deep within a formula."""
        self._collected = Collected()
        self._begin()

    def _begin(self) -> None:
        self._fields: dict[str, str] = {}
        self._abstract: list[str] = []
        self._mesh: list[str] = []
        self._letters = 0

    def start(self, name: str, attributes: dict[str, str]) -> bool:
        if self._kept:
            self._inside += 1
            self._formula += bool(self._formula) or name in _FORMULAS
            return not self._formula
        if name in _CITATIONS:
            self._begin()
        elif name == "DescriptorName" and "UI" in attributes and self._path[-1] == "MeshHeading":
            self._mesh.append(attributes["UI"])
        self._kept = _WANTED.get((self._path[-1], name), "")
        self._path.append(name)
        return bool(self._kept)

    def text(self, data: str) -> None:
        self._collected.add(data)
        self._letters += len(data)
        if self._letters > MOST_LETTERS:
            raise TermgaugeError(
                f"{self._file.label}: the citation {self._fields.get('pmid', '')} has more than "
                f"{MOST_LETTERS >> 20} million letters, so it is no citation; get the file again from its source."
            )

    def end(self, name: str) -> bool:
        if self._inside:
            self._inside -= 1
            self._formula -= bool(self._formula)
            return not self._formula
        if self._path[-1] != name:  # an element within itself, of those that are passed over
            return False
        if self._kept:
            self._keep(self._collected.taken())
        elif name in _CITATIONS:
            self.found.append(self._document())
        self._path.pop()
        return False

    def _keep(self, text: str) -> None:
        if self._kept == "abstract":
            self._abstract.append(text)
        elif self._kept == "deleted":
            self.deleted.append(text)
        else:
            self._fields.setdefault(self._kept, text)
        self._kept = ""

    def _document(self) -> Document:
        fields = self._fields
        more = {"language": fields["language"]} if "language" in fields else {}
        about = DocumentMetadata(fields.get("pmid", ""), fields.get("journal") or None, tuple(self._mesh), more)
        return Document(about, fields.get("title", ""), tuple(filter(None, self._abstract)))


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
        if self._collected.letters > PORTION_LETTERS:
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
        if self._letters > PORTION_LETTERS:
            self._hand_over()

    def _hand_over(self) -> None:
        """Hand over what is there of an article."""
        abstract, body = tuple(self._parts["abstract"]), tuple(self._parts["body"])
        self.found.append(Document(self._about(), self._title, abstract, body, self._continues))
        self._title, self._letters, self._continues = "", 0, True
        for part in self._parts.values():
            part.clear()

    def _about(self) -> DocumentMetadata:
        """Return the article's number, and its journal: the name that NLM gives it, else its ISSN."""
        numbers = self._numbers
        pmc = numbers.get("article-id pmc") or numbers.get("article-id pmcid", "")
        named = f"PMC{pmc.removeprefix('PMC')}" if pmc else ""
        number = named or numbers.get("article-id pmid") or numbers.get("article-id doi") or self._file.name
        journals = (numbers.get("journal-id nlm-ta"), numbers.get("journal-id iso-abbrev"))
        issn = next((value for key, value in numbers.items() if key.startswith("issn ")), None)
        more = {"language": self._language, "pmid": numbers.get("article-id pmid", "")}
        more = {key: value for key, value in more.items() if value}
        return DocumentMetadata(number, next(filter(None, (*journals, issn)), None), (), more)
