"""A corpus as what is distinct in it: how often each token occurs, and which documents have it.

Which forms are one word is known only when the whole corpus is read. So the numbers of the distinct tokens of each
document are kept aside, on disk if they are many, and documents are counted by words in the end.
"""

from __future__ import annotations

import re
import tempfile
from array import array
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np
import polars as pl

from termgauge.corpus import tagged_kernel as kernel
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray


_ENTRIES = 1 << 16
_ARENA = 1 << 20
_COMMENTS = 1 << 16
_SPOOL_IN_MEMORY = 64 << 20
_SPOOL_ITEMS = 1 << 22
_SEVERAL = re.compile(r"[\s,;|]+")
_WRONG = {
    kernel.NO_TAG: "has no tag; a line is form TAB tag [TAB lemma], or CoNLL-U with XPOS or UPOS; tag the text first",
    kernel.FEW_COLUMNS: "has fewer than five columns, though the file is CoNLL-U; complete the line",
    kernel.MANY_COLUMNS: "has more than three columns; a line is form TAB tag [TAB lemma], or CoNLL-U with ten columns",
    kernel.NO_NUMBER: "does not begin with the number of a word, though the file is CoNLL-U; correct the line",
}


class _Origin(NamedTuple):
    """A file, and the number that its first line has among all lines of the corpus."""

    label: str
    first: int


class Tally:
    """What is distinct in a corpus, and how often it occurs."""

    def __init__(self, wanted: Callable[[pl.DataFrame], pl.Series]) -> None:
        """Begin to count; `wanted` says of which distinct tokens the documents matter, and may refuse some."""
        self._wanted = wanted
        self._state = np.zeros(kernel.STATES, dtype=np.int64)
        self._state[kernel.DOCUMENT] = -1
        self._table = np.full(2 * _ENTRIES, -1, dtype=np.int32)
        self._tokens = np.zeros((_ENTRIES, 4), dtype=np.int64)
        self._lines = np.empty(_ENTRIES, dtype=np.int64)
        self._arena = np.empty(_ARENA, dtype=np.uint8)
        self._comments = np.empty((_COMMENTS, 4), dtype=np.int64)
        self._known = 0
        self._counts_documents = np.empty(0, dtype=np.bool_)
        self._origins: list[_Origin] = []
        self._spool = tempfile.SpooledTemporaryFile(max_size=_SPOOL_IN_MEMORY)  # noqa: SIM115 - closed with the tally
        self.journal_of = array("i")
        """The number of each document's journal; -1 if it names none."""
        self._journal_numbers: dict[str, int] = {}
        self._journal_comments: dict[bytes, int] = {}
        self.mesh_of: dict[int, tuple[str, ...]] = {}
        """The MeSH descriptors of documents that have some."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._spool.close()

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return int(self._state[kernel.TOKENS])

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return int(self._state[kernel.DOCUMENT] + 1)

    @property
    def journals(self) -> list[str]:
        """The journals that documents name."""
        return list(self._journal_numbers)

    def begin_file(self, label: str) -> None:
        """Begin to count a file, which does not go on with a document of the one before it."""
        state = self._state
        state[[kernel.IN_DOCUMENT, kernel.HAS_TOKENS]] = 0
        self._origins.append(_Origin(label, int(state[kernel.LINE])))

    def add(self, lines: bytes, layout: int) -> None:
        """Count whole lines of a file."""
        data = np.frombuffer(lines + bytes(kernel.PADDING), dtype=np.uint8)
        spool = np.empty(len(data) // 2 + 2, dtype=np.int32)
        scratch = np.empty(len(data) if layout != kernel.PLAIN else kernel.PADDING, dtype=np.uint8)
        state = self._state
        state[kernel.AT] = state[kernel.SPOOLED] = 0
        while (ended := self._scan(data, layout, spool, scratch)) != kernel.DONE:
            if ended == kernel.MORE_ROOM:
                self._grow(len(data))
            elif ended == kernel.COMMENTS_FULL:
                self._note_comments(lines)
            else:
                raise TermgaugeError(f"{self._place(int(state[kernel.LINE]))}: {_WRONG[ended]}.")
        self._note_comments(lines)
        self._meet_new()
        self._keep(spool[: state[kernel.SPOOLED]])

    def distinct(self) -> pl.DataFrame:
        """Return the distinct tokens: `form`, `tag`, `lemma` (null without one), `from_upos`, `count`.

        A token may stand there several times, if its lines were written in several ways.
        """
        return self._entries(0).with_columns(count=pl.Series(self._tokens[: self._known, kernel.COUNT].copy()))

    def places(self, entries: Sequence[int]) -> list[str]:
        """Return where some distinct tokens stand first, such as `corpus.tsv, line 12`."""
        return [self._place(int(self._lines[entry])) for entry in entries]

    def occurrences(self, word_of: NDArray[np.int32], words: int) -> Iterator[tuple[NDArray[np.int32], ...]]:
        """Yield words and the documents that have them, each pair once, in portions.

        The word of each distinct token is given by its number, -1 for those that belong to none.
        """
        latest = np.full(words, -1, dtype=np.int32)
        document = -1
        self._spool.seek(0)
        while block := self._spool.read(4 * _SPOOL_ITEMS):
            items = np.frombuffer(block, dtype=np.int32)
            found, where = np.empty(len(items), dtype=np.int32), np.empty(len(items), dtype=np.int32)
            document, count = kernel.occurrences(items, document, word_of, latest, found, where)
            yield found[:count], where[:count]

    def _scan(self, data: NDArray[np.uint8], layout: int, spool: NDArray[np.int32], scratch: NDArray[np.uint8]) -> int:
        ended: int = kernel.scan(
            data,
            kernel.eights(data),
            layout,
            self._state,
            self._table,
            self._tokens,
            self._lines,
            self._arena,
            kernel.eights(self._arena),
            spool,
            self._comments,
            scratch,
            kernel.eights(scratch),
        )
        return ended

    def _grow(self, least: int) -> None:
        """Make room for twice as many distinct tokens, and for at least so many bytes more."""
        if self._state[kernel.DISTINCT] == len(self._tokens):
            kept = len(self._tokens)
            self._tokens = np.concatenate([self._tokens, np.zeros((kept, 4), dtype=np.int64)])
            self._lines = np.concatenate([self._lines, np.empty(kept, dtype=np.int64)])
            self._table = np.full(4 * kept, -1, dtype=np.int32)
            kernel.rehash(self._table, self._tokens[:kept])
        else:
            room = np.empty(max(len(self._arena), 2 * least), dtype=np.uint8)
            self._arena = np.concatenate([self._arena, room])

    def _entries(self, start: int) -> pl.DataFrame:
        """Return distinct tokens from a number on, as text."""
        begin = (
            self._tokens[start, kernel.START] if start < self._state[kernel.DISTINCT] else self._state[kernel.FILLED]
        )
        text = self._arena[begin : self._state[kernel.FILLED]].tobytes()
        columns = ["form", "tag", "lemma", "from_upos"]
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            entry = start + text.count(b"\n", 0, error.start)
            raise TermgaugeError(
                f"{self.places([entry])[0]}: is not UTF-8; save the file as UTF-8, all of it in one encoding."
            ) from None
        if b"\0" in text:
            entry = start + text.count(b"\n", 0, text.index(b"\0"))
            raise TermgaugeError(f"{self.places([entry])[0]}: holds a zero byte; save the file as UTF-8.")
        schema = dict.fromkeys(columns, pl.String)
        if not text:
            return pl.DataFrame(schema=schema | {"from_upos": pl.Boolean})
        lines = pl.read_csv(
            text, has_header=False, separator="\t", quote_char=None, schema=schema, missing_columns="insert"
        )
        last = pl.col("tag", "lemma").str.strip_chars_end("\r").replace(["", "_"], None)
        return lines.with_columns(last, pl.col("form").fill_null(""), pl.col("from_upos").is_not_null())

    def _meet_new(self) -> None:
        """Ask about distinct tokens that have come up since the last time."""
        if self._known == self._state[kernel.DISTINCT]:
            return
        fresh = self._entries(self._known)
        wanted = self._wanted(fresh.with_row_index("entry", self._known)).to_numpy()
        self._counts_documents = np.concatenate([self._counts_documents, wanted])
        self._known = int(self._state[kernel.DISTINCT])

    def _keep(self, spool: NDArray[np.int32]) -> None:
        # The last place of an array of truths stands for the beginning of a document, -1.
        kept = np.append(self._counts_documents, True)[spool]
        self._spool.write(spool[kept].tobytes())

    def _note_comments(self, lines: bytes) -> None:
        """Take the journals and MeSH descriptors that comments name before a document's first sentence."""
        for start, stop, document, line in self._comments[: self._state[kernel.COMMENTS]].tolist():
            comment = lines[start:stop]
            if (number := self._journal_comments.get(comment)) is not None:
                self._set_journal(document, number)
                continue
            key, equals, value = comment.partition(b"=")
            key = key.strip(b"# \t")
            if not equals or key not in (b"journal", b"mesh"):
                continue
            try:
                text = value.decode("utf-8").strip()
            except UnicodeDecodeError:
                raise TermgaugeError(
                    f"{self._place(line)}: is not UTF-8; save the file as UTF-8, all of it in one encoding."
                ) from None
            if key == b"mesh":
                if descriptors := tuple(filter(None, _SEVERAL.split(text))):
                    self.mesh_of[document] = descriptors
            elif text:
                number = self._journal_numbers.setdefault(text, len(self._journal_numbers))
                self._journal_comments[comment] = number
                self._set_journal(document, number)
        self._state[kernel.COMMENTS] = 0

    def _set_journal(self, document: int, number: int) -> None:
        self.journal_of.extend([-1] * (document + 1 - len(self.journal_of)))
        self.journal_of[document] = number

    def _place(self, line: int) -> str:
        origin = next(each for each in reversed(self._origins) if each.first <= line)
        return f"{origin.label}, line {line - origin.first + 1:,}"
