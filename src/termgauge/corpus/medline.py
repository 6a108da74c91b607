"""MEDLINE and PubMed XML: the title and abstract of each citation, its journal, MeSH headings and language.

NLM's update files replace and delete citations of earlier files. Files are therefore read from the last to the first,
and of each citation the one that is met first counts; which ones were met is a field of bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from termgauge.corpus.corpus import DocumentAbout
from termgauge.corpus.texts import Document
from termgauge.exceptions import TermgaugeError
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
        about = DocumentAbout(fields.get("pmid", ""), fields.get("journal") or None, tuple(self._mesh), more)
        return Document(about, fields.get("title", ""), tuple(filter(None, self._abstract)))
