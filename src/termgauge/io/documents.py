"""Untagged text, document by document: plain text, MEDLINE XML and JATS XML, as streams and without trusting them.

What a file is, its beginning tells. A plain text is one document, or one for each line; long ones come in portions, so
that memory does not grow with the file.

NLM's update files of MEDLINE replace and delete citations of earlier files. Files are therefore read from the last to
the first, and of each citation the one that is met first counts; which ones were met is a field of bits. Of JATS the
title, abstract and paragraphs of the body are read: tables, figures, formulas, references and the marks that cite them
are no running text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal

import numpy as np

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of
from termgauge.io.xml_stream import read_elements, text_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from xml.etree.ElementTree import Element

    from numpy.typing import NDArray

    from termgauge.io.source import SourceFile

Kind = Literal["text", "medline", "jats"]
PORTION_LETTERS = 1 << 20
"""A text comes in portions of about so many letters."""
_CHUNK = 1 << 18
_ROOT = re.compile(r"<(?![?!])(?:[\w.-]+:)?([\w.-]+)")
_UNSPOKEN = re.compile(r"<!--.*?(?:-->|$)|<\?.*?(?:\?>|$)", re.DOTALL)
"""Comments and instructions before the first element."""
_ROOTS: dict[str, Kind] = {
    **dict.fromkeys(("PubmedArticleSet", "MedlineCitationSet", "PubmedArticle", "MedlineCitation"), "medline"),
    **dict.fromkeys(("article", "articles", "pmc-articleset"), "jats"),
}
_CONTINUED = re.compile(r"\n(?=[^\S\n]*[a-zà-öø-ÿ])")


@dataclass(frozen=True)
class Document:
    """A document, or the next portion of a plain text: its text in paragraphs of one line each."""

    about: DocumentMetadata
    paragraphs: tuple[str, ...] = ()
    """All of its text: the title, the abstract, the body."""
    continues: bool = False
    """Whether this is a further portion of the document before it."""


def documents(paths: Sequence[str | os.PathLike[str]], *, per_line: bool = False) -> Iterator[Document]:
    """Read documents from files, folders and archives: plain text, MEDLINE or JATS XML.

    A plain text is one document, called after its file; with `per_line`, each line is one. MEDLINE files are read from
    the last to the first, because later ones (updates) replace and delete citations of earlier ones.
    """
    files = [file for path in paths for file in files_of(path)]
    kinds = [kind_of(file) for file in files]
    for file, kind in zip(files, kinds, strict=True):
        if kind == "jats":
            yield from jats_documents(file)
        elif kind == "text":
            yield from text_documents(file, per_line=per_line)
    yield from medline_documents([file for file, kind in zip(files, kinds, strict=True) if kind == "medline"])


def kind_of(file: SourceFile) -> Kind:
    """Tell by its beginning what a file holds; XML that is neither MEDLINE nor JATS is refused."""
    head = file.head()
    utf16 = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = head.decode("utf-16" if utf16 else "utf-8-sig", "replace").lstrip()
    if not re.match(r"<(?:\?xml|!DOCTYPE|!--|[A-Za-z])", text):
        return "text"
    root = _ROOT.search(_UNSPOKEN.sub("", text))
    if root is not None and root[1] in _ROOTS:
        return _ROOTS[root[1]]
    if not re.match(r"<(?:\?xml|!DOCTYPE)", text):
        return "text"  # a text may begin with <5 % or a tag
    named = f" ('{root[1]}')" if root else ""
    raise TermgaugeError(
        f"{file.label}: is XML, but its first element{named} is neither that of MEDLINE (PubmedArticleSet) nor that of "
        "JATS (article); name such a file, or plain text."
    )


def text_documents(file: SourceFile, *, per_line: bool = False) -> Iterator[Document]:
    """Read a plain text in UTF-8.

    A line that goes on in small letters is joined to the line before it. Elsewhere a line break ends a sentence.
    """
    number, continues = 1, False
    for text, whole in _text_portions(file):
        if not per_line:
            paragraphs = tuple(filter(str.strip, _CONTINUED.sub(" ", text).split("\n")))
            yield Document(DocumentMetadata(file.name), paragraphs, continues)
            continues = True
            continue
        lines = text.split("\n")
        for position, line in enumerate(lines, start=1):
            spoken = bool(line.strip())
            if spoken:
                yield Document(DocumentMetadata(f"{file.name}:{number}"), (line,), continues)
            goes_on = position == len(lines) and not whole
            continues = goes_on and (spoken or continues)
            number += not goes_on


def _text_portions(file: SourceFile) -> Iterator[tuple[str, bool]]:
    """Yield a text in portions, each with whether it ends with a line; the line break itself is left out."""
    rest = ""
    for text in file.text_blocks(_CHUNK):
        rest += text
        if len(rest) >= PORTION_LETTERS:
            whole = "\n" in rest
            cut = rest.rfind("\n") if whole else max(rest.rfind(" "), len(rest) // 2)
            yield rest[:cut], whole
            rest = rest[cut + whole :]
    if rest:
        yield rest, True


@dataclass(frozen=True)
class DocumentMetadata:
    """What is known about one document beside its text."""

    id: str
    journal: str | None = None
    """NLM's number of the journal (NlmUniqueID), or whatever the file calls its journal."""
    mesh: tuple[str, ...] = ()
    """MeSH descriptors by their number (D001943)."""
    more: Mapping[str, str] = field(default_factory=dict)


_CITATIONS = ("MedlineCitation", "BookDocument")
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
    met = np.zeros(10**_DIGITS // 8, dtype=np.uint8)  # memory that is never touched is never taken
    for file in reversed(files):
        elements, deleted = read_elements(file, _PASSED_OVER), list[str]()
        if (root := next(elements)).tag in _CITATIONS:  # a file of one citation
            root.extend(list(elements))
            elements = iter([root])
        for element in elements:
            for citation in (part for part in element.iter() if part.tag in _CITATIONS):
                document = _citation(citation)
                if _is_new(met, document.about.id):
                    yield document
            deleted += [
                text_of(number) for citations in element.iter("DeleteCitation") for number in citations.findall("PMID")
            ]
        for number in deleted:
            _is_new(met, number)


def _is_new(met: NDArray[np.uint8], number: str) -> bool:
    """Note a PMID, of which each has a bit; return whether it is new, as whatever is no PMID always is."""
    if not (number.isascii() and number.isdecimal() and len(number) <= _DIGITS):
        return True
    byte, bit = divmod(int(number), 8)
    is_new = not met[byte] >> bit & 1
    met[byte] |= 1 << bit
    return is_new


def _citation(citation: Element) -> Document:
    article = citation if citation.tag == "BookDocument" else citation.find("Article")
    language = "" if article is None else text_of(article.find("Language"))
    mesh = (name.get("UI") for name in citation.iterfind(".//MeshHeading/DescriptorName"))
    about = DocumentMetadata(
        text_of(citation.find("PMID")),
        text_of(citation.find("MedlineJournalInfo/NlmUniqueID")) or None,
        tuple(filter(None, mesh)),
        {"language": language} if language else {},
    )
    if article is None:
        return Document(about)
    texts = (article.find("ArticleTitle"), *article.iterfind("Abstract/AbstractText"))
    return Document(about, tuple(filter(None, (text_of(text, _FORMULAS) for text in texts))))


_LEFT_OUT = frozenset({
    "back", "chem-struct-wrap", "code", "disp-formula", "disp-formula-group", "fig", "fig-group", "floats-group",
    "fn", "graphic", "inline-formula", "inline-graphic", "label", "math", "media", "object-id", "ref-list",
    "related-article", "response", "sub-article", "supplementary-material", "table", "table-wrap",
    "table-wrap-group", "tex-math", "trans-abstract", "trans-title-group",
})  # fmt: skip
_MARKS = frozenset({"aff", "author-notes", "bibr", "corresp", "fn", "table-fn"})
"""Kinds of cross-references that are no words: [12], *."""
_EMPTY_BRACKETS = re.compile(r"\s*(?:\[[\s,;–-]*\]|\([\s,;–-]*\))")
"""What is left of [12, 13] without its numbers."""
_NUMBERS = {"journal-id": "journal-id-type", "issn": "pub-type", "article-id": "pub-id-type"}
"""The elements that hold numbers and short names, each with the attribute that tells which."""
_BREAK = "\f"
"""Between paragraphs; no XML can hold it."""


def jats_documents(file: SourceFile) -> Iterator[Document]:
    """Read the articles of a file."""
    elements = read_elements(file)
    root = next(elements)
    if root.tag == "article":
        yield _article(root, elements, file)
    else:
        yield from (_article(article, article, file) for element in elements for article in element.iter("article"))


def _article(article: Element, parts: Iterable[Element], file: SourceFile) -> Document:
    numbers: dict[str, str] = {}
    texts: dict[str, list[str]] = {"title-group": [], "abstract": [], "body": []}
    for element in (element for part in parts for element in _running(part)):
        if element.tag in _NUMBERS:
            key = f"{element.tag} {element.get(_NUMBERS[element.tag], '')}"
            numbers[key] = numbers.get(key) or text_of(element)
        elif element.tag == "title-group" and (named := element.find("article-title")) is not None:
            texts["title-group"] = [" ".join(_lines(named, inside=True))]
        elif element.tag in ("abstract", "body"):
            texts[element.tag] += _lines(element)
    return Document(_about(numbers, article.get("xml:lang", ""), file), tuple(chain(*texts.values())))


def _running(element: Element) -> Iterator[Element]:
    """Yield an element and those in it, down to the abstract and the body, but nothing that is left out."""
    if element.tag not in _LEFT_OUT:
        yield element
        if element.tag not in ("abstract", "body"):
            for child in element:
                yield from _running(child)


def _lines(element: Element, *, inside: bool = False) -> Iterator[str]:
    """Yield the paragraphs and titles in an element, which may be one itself."""

    def pieces(element: Element, *, inside: bool) -> Iterator[str]:
        if element.tag in _LEFT_OUT or (element.tag == "xref" and element.get("ref-type") in _MARKS):
            yield " " if element.tag.endswith("formula") else ""
            return
        border = _BREAK if element.tag in ("p", "title") else ""
        inside = inside or bool(border)
        yield border + (element.text or "" if inside else "")
        for child in element:
            yield from pieces(child, inside=inside)
            yield child.tail or "" if inside else ""
        yield border

    for paragraph in "".join(pieces(element, inside=inside)).split(_BREAK):
        if line := _EMPTY_BRACKETS.sub("", " ".join(paragraph.split())):
            yield line


def _about(numbers: dict[str, str], language: str, file: SourceFile) -> DocumentMetadata:
    """Return the article's number, and its journal: the name that NLM gives it, else its ISSN."""
    pmc = numbers.get("article-id pmc") or numbers.get("article-id pmcid", "")
    named = f"PMC{pmc.removeprefix('PMC')}" if pmc else ""
    number = named or numbers.get("article-id pmid") or numbers.get("article-id doi") or file.name
    journals = (numbers.get("journal-id nlm-ta"), numbers.get("journal-id iso-abbrev"))
    issn = next((value for key, value in numbers.items() if key.startswith("issn ")), None)
    more = {"language": language, "pmid": numbers.get("article-id pmid", "")}
    more = {key: value for key, value in more.items() if value}
    return DocumentMetadata(number, next(filter(None, (*journals, issn)), None), (), more)
