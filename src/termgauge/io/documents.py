"""Untagged text, document by document: plain text, MEDLINE XML and JATS XML, as streams and without trusting them.

What a file is, its beginning tells. A plain text is one document, or one for each line; long ones come in portions, so
that memory does not grow with the file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Literal

from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    """A document, or the next portion of one: its text in paragraphs of one line each."""

    about: DocumentMetadata
    title: str = ""
    abstract: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    continues: bool = False
    """Whether this is a further portion of the document before it."""

    @property
    def paragraphs(self) -> Iterable[str]:
        """All of its text."""
        return chain((self.title,), self.abstract, self.body)


def documents(paths: Sequence[str | os.PathLike[str]], *, per_line: bool = False) -> Iterator[Document]:
    """Read documents from files, folders and archives: plain text, MEDLINE or JATS XML.

    A plain text is one document, called after its file; with `per_line`, each line is one. MEDLINE files are read from
    the last to the first, because later ones (updates) replace and delete citations of earlier ones.
    """
    from termgauge.io.articles import jats_documents, medline_documents

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
    for text, whole in _portions(file):
        if not per_line:
            paragraphs = tuple(filter(str.strip, _CONTINUED.sub(" ", text).split("\n")))
            yield Document(DocumentMetadata(file.name), body=paragraphs, continues=continues)
            continues = True
            continue
        lines = text.split("\n")
        for place, line in enumerate(lines, start=1):
            spoken = bool(line.strip())
            if spoken:
                yield Document(DocumentMetadata(f"{file.name}:{number}"), body=(line,), continues=continues)
            goes_on = place == len(lines) and not whole
            continues = goes_on and (spoken or continues)
            number += not goes_on


def _portions(file: SourceFile) -> Iterator[tuple[str, bool]]:
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
