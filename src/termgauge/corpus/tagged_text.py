"""TaggedPortion text: which layout a file has, its sentences, and how it is written.

Two layouts are read, CoNLL-U and `form TAB tag [TAB lemma]`. What is written is `form TAB tag`, with an empty line
after each sentence and `#` lines about documents: what the counting of words and the training of taggers read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from termgauge.corpus.sentences import MOST_TOKENS
from termgauge.corpus.tagged_kernel import CONLLU, PLAIN
from termgauge.exceptions import TermgaugeError, one_line
from termgauge.io.lines import BOM, LONGEST_LINE
from termgauge.io.source import files_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from termgauge.corpus.tagger import TaggedPortion
    from termgauge.io.documents import DocumentMetadata
    from termgauge.io.source import SourceFile

_CONLLU_NUMBER = re.compile(rb"\d+(?:[-.]\d+)?")
_CONLLU_COLUMNS, _CONLLU_LEAST = 10, 5
_MARKUP = re.compile(rb"\s*<")
_HEAD = 1 << 18
_SUFFIXES = (".tsv", ".tab", ".pos", ".vert")
"""What files of tagged text are called; text that is to be tagged is not called so."""
_LINES = 200
_LEAST_LINES = 3


def layout_of(file: SourceFile) -> int | None:
    """Return the layout of a file of tagged text; None for untagged text and XML."""
    head = file.head(_HEAD).removeprefix(BOM)
    if _MARKUP.match(head.replace(b"\0", b"").lstrip(b"\xff\xfe")):
        return None  # whoever reads XML knows its encodings
    if b"\0" in head:
        raise TermgaugeError(f"{file.label}: holds zero bytes, as UTF-16 text does; save the file as UTF-8.")
    tokens = _tokens(head)
    if not tokens and len(head) >= _HEAD - len(BOM):  # a comment may have the text of a very long sentence
        tokens = _tokens(file.head(LONGEST_LINE))
    conllu = file.base.lower().endswith((".conllu", ".conll"))
    named = conllu or file.base.lower().endswith(_SUFFIXES)
    if not tokens:
        raise TermgaugeError(f"{file.label}: has no tokens; name a file of tagged text, of text, or of XML.")
    with_tab = [line for _number, line in tokens if b"\t" in line]
    if 2 * len(with_tab) > len(tokens):
        fields = with_tab[0].split(b"\t")
        least = _CONLLU_LEAST if conllu else _CONLLU_COLUMNS
        return CONLLU if len(fields) >= least and _CONLLU_NUMBER.fullmatch(fields[0]) else PLAIN
    if named or (len(tokens) >= _LEAST_LINES and all(len(line.split()) == 1 for _number, line in tokens)):
        line = next(number for number, text in tokens if b"\t" not in text)
        raise TermgaugeError(
            f"{file.label}, line {line:,}: has no tag; a line of tagged text is form TAB tag [TAB lemma], or CoNLL-U, "
            "and untagged text must be running text in a .txt file."
        )
    return None


def files_with_layouts(
    paths: Iterable[str | os.PathLike[str]],
) -> dict[str | os.PathLike[str], list[tuple[SourceFile, int | None]]]:
    """Return the files of each path with their layouts; none may hold both tagged and untagged files."""
    files = {path: [(file, layout_of(file)) for file in files_of(path)] for path in dict.fromkeys(paths)}
    for path, pairs in files.items():
        if len({layout is None for _file, layout in pairs}) > 1:
            raise TermgaugeError(f"{path}: holds tagged and untagged files; name them one by one.")
    return files


def _tokens(head: bytes) -> list[tuple[int, bytes]]:
    """Return the first lines that are no comments, with their numbers."""
    numbered = enumerate(head.split(b"\n"), 1)
    return [each for each in numbered if each[1].strip() and (each[1][:1] != b"#" or b"\t" in each[1])][:_LINES]


class TaggedSentences(NamedTuple):
    """Tokens with their tags, and the places where sentences end."""

    forms: list[str]
    tags: list[str]
    ends: list[int]

    def sentences(self) -> list[list[str]]:
        """Return the tokens of each sentence."""
        return [self.forms[start:end] for start, end in zip([0, *self.ends], self.ends, strict=False)]


def read_tagged_sentences(paths: Sequence[str | os.PathLike[str]]) -> TaggedSentences:
    """Read tagged sentences: `form TAB tag`, with an empty line after each sentence, or CoNLL-U.

    CoNLL-U has two columns of tags; the first word of a file decides whether it is XPOS, or UPOS where that is absent.
    A sentence of more than a thousand tokens is cut.
    """
    found = TaggedSentences([], [], [])
    for path in paths:
        for file in files_of(path):
            _read(file, found)
    if not found.forms:
        raise TermgaugeError(f"{paths[0]}: holds no tagged words; each line has a word, a TAB and its tag.")
    return found


def _read(file: SourceFile, found: TaggedSentences) -> None:
    form_column = tag_column = -1
    begin = len(found.forms)
    for number, line in enumerate(file.text().split("\n"), start=1):
        fields = line.rstrip("\r").split("\t")
        if not line.strip() or (line.startswith("#") and len(fields) == 1):
            begin = _close(begin, found)
            continue
        if tag_column < 0:
            form_column, tag_column = _columns(fields)
        if form_column == 1 and not fields[0].isdecimal():  # a range of words, or an empty node
            continue
        tag = fields[tag_column].strip() if len(fields) > tag_column else ""
        form = fields[form_column].strip() if tag else ""
        if not form or (tag == "_" and form_column == 1):
            raise TermgaugeError(
                f"{file.label}, line {number:,}: has no tag; a line must hold a word, a TAB and its tag, or be CoNLL-U."
            )
        found.forms.append(form)
        found.tags.append(tag)
    _close(begin, found)


def _columns(fields: list[str]) -> tuple[int, int]:
    """Return the columns of the form and of the tag."""
    if len(fields) < _CONLLU_COLUMNS:
        return 0, 1
    return 1, 3 if fields[4] in ("", "_") else 4


def _close(begin: int, found: TaggedSentences) -> int:
    """Note that a sentence ends here; return where the next begins."""
    end = len(found.forms)
    if end > begin:
        found.ends.extend(range(begin + MOST_TOKENS, end, MOST_TOKENS))
        found.ends.append(end)
    return end


def tagged_lines(portion: TaggedPortion, tags: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a portion of tagged text."""
    tokens = ["\t".join(pair) for pair in zip(portion.forms, map(tags.__getitem__, portion.tags.tolist()), strict=True)]
    documents = portion.documents.tolist()
    headings = dict(portion.about)
    start = 0
    for end in portion.ends:
        for number in [number for number in headings if number <= documents[start]]:
            yield from _heading(headings.pop(number))
        yield from tokens[start:end]
        yield ""
        start = end
    for metadata in headings.values():
        yield from _heading(metadata)


def _heading(about: DocumentMetadata) -> Iterator[str]:
    """Yield what is known about a document, one line each."""
    yield f"# newdoc id = {one_line(about.id)}".rstrip()
    if about.journal:
        yield f"# journal = {one_line(about.journal)}"
    if about.mesh:
        yield f"# mesh = {one_line(' '.join(about.mesh))}"
    for key, value in about.more.items():
        yield f"# {key} = {one_line(value)}"
