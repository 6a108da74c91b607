"""Sentences and tokens: of running text by rules, as GENIA and the Penn Treebank divide it; of tagged text as they are.

Text is taken apart at white space first. How such a piece divides into tokens, whether a sentence may end with it and
whether one may begin with it depends on the piece alone, so each piece is looked at once and remembered: running text
repeats itself. Only whether a full stop ends a sentence needs the piece that follows.

Two layouts of tagged text are read, CoNLL-U and `form TAB tag [TAB lemma]`. What is written is `form TAB tag`, with an
empty line after each sentence and `#` lines about documents.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections import deque
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from termgauge.corpus.tagged_kernel import CONLLU, PLAIN
from termgauge.exceptions import TermgaugeError, one_line
from termgauge.io.source import LONGEST_LINE, files_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from termgauge.corpus.tagger import TaggedPortion
    from termgauge.io.documents import DocumentMetadata
    from termgauge.io.source import SourceFile

MOST_TOKENS = 1_000
"""A sentence that is longer (a list, a table, a sequence of bases) is cut into pieces of so many tokens."""
MOST_LETTERS = 1_000
"""A piece without white space that is longer is cut: it is no word, and nobody wants it as one."""
_REMEMBERED = 1 << 18
"""So many pieces are remembered."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OPENING, _CLOSING = "([{", ")]}"
_MATCHING = dict(zip(_OPENING, _CLOSING, strict=True))
_LEADING = frozenset("\"'“”‘’«»„`*#$£€¥§†‡•·,;:?!~")
_TRAILING = frozenset("\"'“”‘’«»`*#%‰†‡•·,;:?!")
_WITHIN = re.compile(
    r"-->|--+|=+|[<>±≤≥≈—…]|\.{3,}"
    r"|(?<=[a-z]{3})(?:\.(?=[A-Z][a-z])|,(?=[a-z]{3}))"  # a space was forgotten: breath.This
)
"""What is a token of its own wherever it stands."""
_PLAIN = re.compile(r"(?!(?i:cannot)$)[^\W_]+(?:[-/][^\W_]+)*")
"""Most pieces: a word without marks."""
_CLITIC = re.compile(r"(?i)(?<=[a-z])(?:n['’]t|['’](?:s|re|ve|ll|d|m))$")
_PLURAL_POSSESSIVE = re.compile(r"(?<=[a-z]{2}s)['’]$")
_PRIME = re.compile(r"(?<=[0-9])['’]$")
"""The ends of a strand: 5' and 3'."""
_DOTTED = re.compile(r"(?:[A-Za-z]\.){2,}|[A-Z]\.")
"""U.S., i.p., and initials: E. coli."""
_ALWAYS_FOLLOWED = _words(
    "approx. ca. cf. dr. e.g. eq. eqs. fig. figs. i.e. mr. mrs. ms. nos. pp. prof. ref. refs. resp. ssp. st. subsp. "
    "suppl. tab. var. viz. vol. vs."
)
"""Abbreviations that something always follows: they end no sentence."""
_ABBREVIATIONS = _words("al. dept. etc. inc. jr. ltd. no. p. sp. spp. univ.")
_OPENERS = _words(
    "A After All Although Among An And As At Because Both But By Conversely During Each Finally First For From "
    "Furthermore He Hence Here How However If In Interestingly Is It Its Likewise Moreover Most Nevertheless No None "
    "On One Only Other Our Patients Previous Results She Similarly Since Some Such Surprisingly That The Their Then "
    "There Therefore These They This Those Three Thus To Together Two Under Unlike Using We What When Whereas Which "
    "While With Within You Your"
)
"""Words that begin sentences and hardly ever names: after an initial only they tell that a sentence has ended."""
_LETTER_FOLLOWS = tuple(_words("alpha beta class delta domain gamma group hepatitis kappa type vitamin"))
"""After these a single letter is part of a name, and no initial: NF-kappa B, vitamin C."""

_NEVER, _USUALLY, _BEFORE_OPENER = 0, 1, 2
_CONTINUES, _MAY_OPEN, _OPENS = 0, 1, 2


class _Piece(NamedTuple):
    """What is known about a piece of text between white space."""

    tokens: tuple[str, ...]
    """Its tokens where the sentence goes on after it."""
    last: tuple[str, ...]
    """Its tokens where the sentence ends with it: `NF-kappa B.` has two there, `B. subtilis` one."""
    ends: int
    """Whether a sentence may end with it: never, usually, or only before a word that opens one."""
    opens: int
    """Whether a sentence may begin with it: no, it may, or that is what it usually does."""


def sentences(paragraphs: Iterable[str]) -> list[list[str]]:
    """Return the sentences of paragraphs, each as its tokens; no sentence goes beyond its paragraph.

    >>> sentences(["Paget's disease (of bone) was seen in 5% of cases, e.g. in men."])[0][:6]
    ['Paget', "'s", 'disease', '(', 'of', 'bone']
    """
    forms: list[str] = []
    ends: list[int] = []
    for paragraph in paragraphs:
        add_tokens(paragraph, forms, ends)
    return divided(forms, ends)


def divided(tokens: list[str], ends: Sequence[int]) -> list[list[str]]:
    """Return what belongs to each sentence, of which are given where they end."""
    return [tokens[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def add_tokens(paragraph: str, forms: list[str], ends: list[int]) -> None:
    """Append the tokens of a paragraph, and where its sentences end."""
    pieces = [_piece(text) if len(text) <= MOST_LETTERS else _cut(text) for text in paragraph.split()]
    begin = len(forms)
    for at in range(len(pieces)):
        piece = pieces[at]
        if piece.ends and (at + 1 == len(pieces) or _ends(piece, pieces[at + 1], forms[max(begin, len(forms) - 1) :])):
            forms += piece.last
            begin = close_sentence(begin, forms, ends)
        else:
            forms += piece.tokens
    close_sentence(begin, forms, ends)


def _ends(piece: _Piece, following: _Piece, before: list[str]) -> bool:
    """Tell whether a sentence ends between two pieces, the former of which may end one."""
    if piece.ends == _BEFORE_OPENER and not (before and before[0].lower().endswith(_LETTER_FOLLOWS)):
        return following.opens == _OPENS and bool(before)
    if not before and piece.tokens[0].isdecimal():  # 1. Introduction
        return False
    return following.opens != _CONTINUES or piece.tokens[-1] in "?!"


def close_sentence(begin: int, forms: list[str], ends: list[int]) -> int:
    """Note that a sentence ends here, in several pieces if it is very long; return where the next begins."""
    end = len(forms)
    if end > begin:
        ends += range(begin + MOST_TOKENS, end, MOST_TOKENS)
        ends.append(end)
    return end


def _cut(text: str) -> _Piece:
    tokens = tuple(text[at : at + MOST_LETTERS] for at in range(0, len(text), MOST_LETTERS))
    return _Piece(tokens, tokens, _NEVER, _MAY_OPEN)


@lru_cache(_REMEMBERED)
def _piece(text: str) -> _Piece:
    if _PLAIN.fullmatch(text):
        return _Piece((text,), (text,), _NEVER, _opening(text))
    before, core, after = _peel(text)
    opens = _MAY_OPEN if text[0] in _OPENING else _opening(core)
    stop = core.endswith(".") and not core.endswith("..") and len(core) > 1
    if stop and core.lower() in _ALWAYS_FOLLOWED:
        tokens = (*before, core, *after)
        return _Piece(tokens, tokens, _NEVER, opens)
    if stop and (_DOTTED.fullmatch(core) or core.lower() in _ABBREVIATIONS):
        initial = len(core) == 2
        last = (*before, core[:-1], ".", *after) if initial else (*before, core, *after)
        return _Piece((*before, core, *after), last, _BEFORE_OPENER, opens)
    inner = (*_divide(core[:-1]), ".") if stop else _divide(core)
    tokens = (*before, *inner, *after)
    ends = stop or text.rstrip("\"'”’)]}»")[-1:] in (".", "?", "!")
    return _Piece(tokens, tokens, _USUALLY if ends else _NEVER, opens)


def _opening(core: str) -> int:
    """Tell whether a sentence may begin with a word; one in small letters continues, unless it is a name like p53."""
    if core in _OPENERS:
        return _OPENS
    return _CONTINUES if core.isalpha() and core.islower() else _MAY_OPEN


def _peel(text: str) -> tuple[list[str], str, list[str]]:
    """Take marks off both ends of a piece, except brackets that belong to a name: CD4(+), [3H]thymidine."""
    before: list[str] = []
    after: list[str] = []
    while len(text) > 1:
        if text[0] in _LEADING or (text[0] in _OPENING and not _closed_within(text)):
            before.append(text[0])
            text = text[1:]
        elif _comes_off(text, after):
            after.append(text[-1])
            text = text[:-1]
        else:
            break
    return before, text, after[::-1]


def _comes_off(text: str, after: list[str]) -> bool:
    """Tell whether the last sign of a piece is a token of its own, given the signs that came off after it."""
    last = text[-1]
    if last in _CLOSING:
        return text.count(last) > text.count(_OPENING[_CLOSING.index(last)])
    if last in _TRAILING:
        return not (_PRIME.search(text) or _CLITIC.search(text))
    if last != ".":
        return False
    if text[-2] in ")]}%\"'”’":
        return True
    closed = bool(after) and after[-1] not in ",;:" and len(text) > 2
    return closed and not (_DOTTED.fullmatch(text) or text.lower() in _ABBREVIATIONS | _ALWAYS_FOLLOWED)


def _closed_within(text: str) -> bool:
    """Tell whether the bracket that a piece begins with is closed within a name: (OH)2D3, and not (IL-2) or (n)."""
    opened, depth = text[0], 0
    for at, letter in enumerate(text):
        depth += (letter == opened) - (letter == _MATCHING[opened])
        if not depth:
            return text[at + 1 : at + 2].isalnum() or (text[at + 1 : at + 2] == "-" and text[at + 2 : at + 3].isalnum())
    return False


def _divide(core: str) -> tuple[str, ...]:
    """Divide what is left between the marks: at signs such as < and =, and before 's and n't."""
    tokens: list[str] = []
    at = 0
    for sign in _WITHIN.finditer(core):
        if sign.start() > at:
            tokens.append(core[at : sign.start()])
        tokens.append(sign[0])
        at = sign.end()
    if at < len(core):
        rest = core[at:]
        if cut := _CLITIC.search(rest) or _PLURAL_POSSESSIVE.search(rest):
            tokens += rest[: cut.start()], cut[0]
        elif rest.lower() == "cannot":
            tokens += rest[:3], rest[3:]
        else:
            tokens.append(rest)
    return tuple(tokens)


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
    head = file.head(_HEAD).removeprefix(BOM_UTF8)
    if _MARKUP.match(head.replace(b"\0", b"").lstrip(b"\xff\xfe")):
        return None  # whoever reads XML knows its encodings
    if b"\0" in head:
        raise TermgaugeError(f"{file.label}: holds zero bytes, as UTF-16 text does; save the file as UTF-8.")
    tokens = _tokens(head)
    if not tokens and len(head) >= _HEAD - len(BOM_UTF8):  # a comment may have the text of a very long sentence
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
    lines = enumerate(head.split(b"\n"), 1)
    return [(at, line) for at, line in lines if line.strip() and (line[:1] != b"#" or b"\t" in line)][:_LINES]


class TaggedSentences(NamedTuple):
    """Tokens with their tags, and the places where sentences end."""

    forms: list[str]
    tags: list[str]
    ends: list[int]

    def sentences(self) -> list[list[str]]:
        """Return the tokens of each sentence."""
        return divided(self.forms, self.ends)


def read_tagged_sentences(paths: Sequence[str | os.PathLike[str]]) -> TaggedSentences:
    """Read tagged sentences: `form TAB tag`, with an empty line after each sentence, or CoNLL-U.

    CoNLL-U has two columns of tags; the first word of a file decides whether it is XPOS, or UPOS where that is absent.
    A sentence of more than a thousand tokens is cut.
    """
    text = TaggedSentences([], [], [])
    for path in paths:
        for file in files_of(path):
            _read(file, text)
    if not text.forms:
        raise TermgaugeError(f"{paths[0]}: holds no tagged words; each line has a word, a TAB and its tag.")
    return text


def _read(file: SourceFile, text: TaggedSentences) -> None:
    form_column = tag_column = -1
    begin = len(text.forms)
    for number, line in enumerate(file.text().split("\n"), start=1):
        fields = line.rstrip("\r").split("\t")
        if not line.strip() or (line.startswith("#") and len(fields) == 1):
            begin = close_sentence(begin, text.forms, text.ends)
            continue
        if tag_column < 0:
            conllu = len(fields) >= _CONLLU_COLUMNS
            form_column, tag_column = (1, 3 if fields[4] in ("", "_") else 4) if conllu else (0, 1)
        if form_column == 1 and not fields[0].isdecimal():  # a range of words, or an empty node
            continue
        tag = fields[tag_column].strip() if len(fields) > tag_column else ""
        form = fields[form_column].strip() if tag else ""
        if not form or (tag == "_" and form_column == 1):
            raise TermgaugeError(
                f"{file.label}, line {number:,}: has no tag; a line must hold a word, a TAB and its tag, or be CoNLL-U."
            )
        text.forms.append(form)
        text.tags.append(tag)
    close_sentence(begin, text.forms, text.ends)


def tagged_lines(portion: TaggedPortion, tags: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a portion of tagged text."""
    tokens = ["\t".join(pair) for pair in zip(portion.forms, map(tags.__getitem__, portion.tags.tolist()), strict=True)]
    headings = deque(portion.about)
    for start, end in pairwise([0, *portion.ends]):
        while headings and headings[0][0] <= start:
            yield from _heading(headings.popleft()[1])
        yield from tokens[start:end]
        yield ""
    for _begin, metadata in headings:
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
