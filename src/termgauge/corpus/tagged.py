"""Tagged text as files: which layout a file has, and its lines as portions of bytes.

Two layouts are read, CoNLL-U and `form TAB tag [TAB lemma]`. A portion ends where a line does and the next one is read
meanwhile, so that memory depends neither on the file nor on its sentences and documents.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from termgauge.corpus.tagged_kernel import CONLLU, PLAIN
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import position
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from termgauge.io.source import SourceFile

PORTION = 8 << 20
LONGEST_LINE = 64 << 20
"""No line of tagged text is longer, not even a comment that has the text of a sentence of a million tokens."""
_BOM = b"\xef\xbb\xbf"
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
    head = file.head(_HEAD).removeprefix(_BOM)
    if _MARKUP.match(head.replace(b"\0", b"").lstrip(b"\xff\xfe")):
        return None  # whoever reads XML knows its encodings
    if b"\0" in head:
        raise TermgaugeError(f"{file.label}: holds zero bytes, as UTF-16 text does; save the file as UTF-8.")
    tokens = _tokens(head)
    if not tokens and len(head) >= _HEAD - len(_BOM):  # a comment may have the text of a very long sentence
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


def _tokens(head: bytes) -> list[tuple[int, bytes]]:
    """Return the first lines that are no comments, with their numbers."""
    numbered = enumerate(head.split(b"\n"), 1)
    return [each for each in numbered if each[1].strip() and (each[1][:1] != b"#" or b"\t" in each[1])][:_LINES]


def portions(file: SourceFile, advance: Callable[[float], None]) -> Iterator[bytes]:
    """Yield a file as whole lines, each of which ends in a newline, and report how much of it is read."""
    with file.open() as stream, ThreadPool(1) as ahead:
        read = _whole_lines(file, stream)
        coming = ahead.submit(next, read, None)
        done = 0
        while (portion := coming.result()) is not None:
            coming = ahead.submit(next, read, None)
            lines, reached = portion
            advance(reached - done)
            done = reached
            yield lines


def _whole_lines(file: SourceFile, stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield whole lines, and how much of the file is read with them."""
    held, lines = stream.read(len(_BOM)).removeprefix(_BOM), 0
    while block := stream.read(PORTION):
        end = block.rfind(b"\n") + 1
        if end:
            whole = held + block[:end]
            held = block[end:]
            yield whole, position(stream)
            lines += whole.count(b"\n")
        else:
            held += block
        if len(held) > LONGEST_LINE:
            raise TermgaugeError(
                f"{file.label}, line {lines + 1:,}: is longer than {LONGEST_LINE >> 20} MB, so that this is no tagged "
                "text; name another file."
            )
    if held:
        yield (held if held.endswith(b"\n") else held + b"\n"), position(stream)
