"""Tagged text sentence by sentence, for learning to tag and for scoring a tagger.

Unlike counting, both need to know where sentences end. The whole file is in memory: corpora that people tagged by hand
are small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from termgauge.corpus.sentences import MOST_TOKENS
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import files_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from termgauge.io.source import SourceFile

_CONLLU_COLUMNS = 10


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
