"""A corpus as what is distinct in it: how often each token occurs, and how broadly words are used.

Which forms are one word is known only when the whole corpus is read. So the numbers of the distinct tokens of each
document are kept aside, on disk if they are many. In the end the documents that have each word pass by in portions;
what is kept are one bit for each word and journal, and one count for each word and subject or branch of MeSH.
"""

from __future__ import annotations

import re
import tempfile
from array import array
from typing import TYPE_CHECKING, Self

import numpy as np
import polars as pl

from termgauge.benchmark.nearest import ranges
from termgauge.corpus import tagged_kernel as kernel
from termgauge.exceptions import TermgaugeError, warn_skipped
from termgauge.io.source import only_file
from termgauge.io.tables import open_table
from termgauge.io.xml_stream import read_elements, text_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.corpus.options import Breadth
    from termgauge.io.source import SourceFile

    Groups = Mapping[str, set[str]]
    """The subjects of each journal, or the branches of MeSH of each descriptor."""

_ENTRIES = 1 << 16
_ARENA = 1 << 20
_SPOOL_IN_MEMORY = 64 << 20
_SPOOL_ITEMS = 1 << 22
_SEVERAL = re.compile(r"[\s,;|]+")
_WRONG = {
    kernel.NO_TAG: "has no tag; a line is form TAB tag [TAB lemma], or CoNLL-U with XPOS or UPOS; tag the text first",
    kernel.FEW_COLUMNS: "has fewer than five columns, though the file is CoNLL-U; complete the line",
    kernel.MANY_COLUMNS: "has more than three columns; a line is form TAB tag [TAB lemma], or CoNLL-U with ten columns",
    kernel.NO_NUMBER: "does not begin with the number of a word, though the file is CoNLL-U; correct the line",
}


class Tally:
    """What is distinct in a corpus, and how often it occurs."""

    def __init__(self, wanted: Callable[[pl.DataFrame, Callable[[Sequence[int]], list[str]]], pl.Series]) -> None:
        """Begin to count; `wanted` says of which distinct tokens the documents matter, and may refuse some.

        It is given the tokens, and a function that returns where some of them stand first.
        """
        self._wanted = wanted
        self._state = np.zeros(kernel.STATES, dtype=np.int64)
        self._state[kernel.DOCUMENT] = -1
        self._tokens = kernel.Distinct.empty(_ENTRIES, _ARENA)
        self._known = 0
        self._counts_documents = np.empty(0, dtype=np.bool_)
        self._origins: list[tuple[int, str]] = []
        """The number that the first line of each file has among all lines of the corpus, and how messages name it."""
        self._spool = tempfile.SpooledTemporaryFile(max_size=_SPOOL_IN_MEMORY)  # noqa: SIM115 - closed with the tally
        self.journal_of = array("i")
        """The number of each document's journal; -1 if it names none."""
        self.journals: dict[str, int] = {}
        """The journals that documents name, with their numbers."""
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

    def begin_file(self, label: str) -> None:
        """Begin to count a file, which does not go on with a document of the one before it."""
        self._state[[kernel.IN_DOCUMENT, kernel.HAS_TOKENS]] = 0
        self._origins.append((int(self._state[kernel.LINE]), label))

    def add(self, lines: bytes, layout: int) -> None:
        """Count whole lines of a file."""
        data = np.frombuffer(lines + bytes(kernel.PADDING), dtype=np.uint8)
        spool = np.empty(len(data) // 2 + 2, dtype=np.int32)
        scratch = np.empty(len(data) if layout != kernel.PLAIN else kernel.PADDING, dtype=np.uint8)
        state = self._state
        state[[kernel.AT, kernel.SPOOLED, kernel.COMMENTS]] = 0
        eights, scratch_eights = kernel.eights(data), kernel.eights(scratch)
        comments = np.empty((lines.count(b"\n#") + 1, 4), dtype=np.int64)
        while ended := kernel.scan(data, eights, layout, state, self._tokens, spool, comments, scratch, scratch_eights):
            if ended != kernel.MORE_ROOM:
                raise TermgaugeError(f"{self._place(int(state[kernel.LINE]))}: {_WRONG[ended]}.")
            self._grow(len(data))
        self._note_comments(lines, comments[: state[kernel.COMMENTS]].tolist())
        self._meet_new()
        # The last place of an array of truths stands for the beginning of a document, -1.
        spool = spool[: state[kernel.SPOOLED]]
        self._spool.write(spool[np.append(self._counts_documents, True)[spool]].tobytes())

    def distinct(self) -> pl.DataFrame:
        """Return the distinct tokens: `form`, `tag`, `lemma` (null without one), `from_upos`, `count`.

        A token may stand there several times, if its lines were written in several ways.
        """
        return self._entries(0).with_columns(count=pl.Series(self._tokens.entries[: self._known, kernel.COUNT].copy()))

    def places(self, entries: Sequence[int]) -> list[str]:
        """Return where some distinct tokens stand first, such as `corpus.tsv, line 12`."""
        return [self._place(int(self._tokens.lines[entry])) for entry in entries]

    def occurrences(self, word_of: NDArray[np.int32], words: int) -> Iterator[tuple[NDArray[np.int32], ...]]:
        """Yield words and the documents that have them, each pair once, in portions.

        The word of each distinct token is given by its number, -1 for those that belong to none.
        """
        latest = np.full(words, -1, dtype=np.int32)
        document = -1
        self._spool.seek(0)
        while block := self._spool.read(4 * _SPOOL_ITEMS):
            items = np.frombuffer(block, dtype=np.int32)
            word_numbers, where = np.empty(len(items), dtype=np.int32), np.empty(len(items), dtype=np.int32)
            document, count = kernel.occurrences(items, document, word_of, latest, word_numbers, where)
            yield word_numbers[:count], where[:count]

    def _grow(self, least: int) -> None:
        """Make room for twice as many distinct tokens, or for twice as many bytes and at least so many more."""
        entries, size = len(self._tokens.entries), len(self._tokens.arena)
        full = self._state[kernel.DISTINCT] == entries
        larger = (2 * entries, size) if full else (entries, size + max(size, 2 * least))
        self._tokens = self._tokens.grown(*larger)
        kernel.rehash(self._tokens, self._state[kernel.DISTINCT])

    def _entries(self, start: int) -> pl.DataFrame:
        """Return distinct tokens from a number on, as text."""
        filled, tokens = self._state[kernel.FILLED], self._tokens
        begin = tokens.entries[start, kernel.START] if start < self._state[kernel.DISTINCT] else filled
        text = tokens.arena[begin:filled].tobytes()
        try:
            text.decode("utf-8")
        except UnicodeDecodeError as error:
            entry = start + text.count(b"\n", 0, error.start)
            raise _not_utf8(self.places([entry])[0]) from None
        if b"\0" in text:
            entry = start + text.count(b"\n", 0, text.index(b"\0"))
            raise TermgaugeError(f"{self.places([entry])[0]}: holds a zero byte; save the file as UTF-8.")
        schema = dict.fromkeys(("form", "tag", "lemma", "from_upos"), pl.String)
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
        fresh = self._entries(self._known).with_row_index("entry", self._known)
        wanted = self._wanted(fresh, self.places).to_numpy()
        self._counts_documents = np.concatenate([self._counts_documents, wanted])
        self._known = int(self._state[kernel.DISTINCT])

    def _note_comments(self, lines: bytes, comments: Iterable[tuple[int, int, int, int]]) -> None:
        """Take the journals and MeSH descriptors that comments name before a document's first sentence."""
        for start, stop, document, line in comments:
            name, _equals, value = lines[start:stop].partition(b"=")
            name = name.strip(b"# \t")
            if name not in (b"journal", b"mesh"):
                continue
            try:
                text = value.decode("utf-8").strip()
            except UnicodeDecodeError:
                raise _not_utf8(self._place(line)) from None
            if name == b"journal" and text:
                self.journal_of.extend([-1] * (document + 1 - len(self.journal_of)))
                self.journal_of[document] = self.journals.setdefault(text, len(self.journals))
            elif descriptors := tuple(filter(None, _SEVERAL.split(text))):
                self.mesh_of[document] = descriptors

    def _place(self, line: int) -> str:
        first, label = next(origin for origin in reversed(self._origins) if origin[0] <= line)
        return f"{label}, line {line - first + 1:,}"


def _not_utf8(location: str) -> TermgaugeError:
    return TermgaugeError(f"{location}: is not UTF-8; save the file as UTF-8, all of it in one encoding.")


_MOST_BYTES = 256 << 20
"""Words are looked at in so many passes that what is kept about them at once is not larger."""
_COLUMNS = {"subjects": ("subjects", "main_subject"), "mesh": ("mesh_branches", "main_mesh_branch")}
"""What the columns with the number of groups of a word, and its main one, are called."""
_BRANCH = re.compile(r"[A-Z]\d{2}")
_BETWEEN_TREES = re.compile(r"[|,;\s]+")


def add_breadth(
    words: pl.DataFrame, tally: Tally, word_of: NDArray[np.int32], kind: Breadth, groups_of: Groups
) -> pl.DataFrame:
    """Add to a table of words, by their rows, in how many documents, journals and groups each occurs."""
    names = sorted({name for groups in groups_of.values() for name in groups})
    journal_of = np.full(tally.documents, -1, dtype=np.int32)
    journal_of[: len(tally.journal_of)] = np.frombuffer(tally.journal_of, dtype=np.int32)
    numbers = {name: number for number, name in enumerate(names)}
    unit_of, starts, group_numbers = _units(
        tally, journal_of, kind, {key: [numbers[name] for name in groups] for key, groups in groups_of.items()}
    )
    documents, journals, distinct, most = np.zeros((4, words.height), dtype=np.int64)
    width = -(-len(tally.journals) // 8)
    at_once = max(_MOST_BYTES // (width + 4 * len(names) + 1), 1)
    for first in range(0, words.height, at_once):
        part = slice(first, min(first + at_once, words.height))
        marks = np.zeros((part.stop - first, width), dtype=np.uint8)
        counts = np.zeros((part.stop - first, len(names)), dtype=np.uint32)
        for word_numbers, where in tally.occurrences(word_of, words.height):
            if first == 0:
                documents += np.bincount(word_numbers, minlength=words.height)
            in_part = (word_numbers >= first) & (word_numbers < part.stop)
            row, where = word_numbers[in_part] - first, where[in_part]  # noqa: PLW2901
            journal = journal_of[where]
            row_of_journal, journal = row[journal >= 0].astype(np.int64), journal[journal >= 0]
            bits = np.left_shift(1, journal & 7, dtype=np.uint8, casting="unsafe")
            np.bitwise_or.at(marks.reshape(-1), row_of_journal * width + (journal >> 3), bits)
            unit = unit_of[where]
            sizes, places = ranges(starts, unit[unit >= 0])
            row_of_group = np.repeat(row[unit >= 0].astype(np.int64), sizes)
            np.add.at(counts.reshape(-1), row_of_group * len(names) + group_numbers[places], np.uint32(1))
        journals[part] = np.bitwise_count(marks).sum(axis=1)
        distinct[part] = (counts > 0).sum(axis=1)
        if names:
            most[part] = np.where(distinct[part] > 0, counts.argmax(axis=1), -1)  # of ties the first by code points
    column = pl.Series(journals) if tally.journals else pl.repeat(None, words.height, dtype=pl.Int64, eager=True)
    words = words.with_columns(documents=pl.Series(documents), journals=column)
    if kind == "journals":
        return words
    number, main = _COLUMNS[kind]
    mains = [names[at] if at >= 0 else None for at in most.tolist()]
    return words.with_columns(pl.Series(number, distinct), pl.Series(main, mains, dtype=pl.String))


def _units(
    tally: Tally, journal_of: NDArray[np.int32], kind: Breadth, groups_of: Mapping[str, Sequence[int]]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
    """Return the unit of each document (-1: none), where the groups of each unit start, and these groups.

    A unit is a journal or, for MeSH, a document with descriptors.
    """
    keys: Iterable[tuple[str, ...]] = [(journal,) for journal in tally.journals]
    unit_of = journal_of
    if kind == "mesh":
        unit_of, keys = np.full_like(journal_of, -1), tally.mesh_of.values()
        unit_of[list(tally.mesh_of)] = np.arange(len(tally.mesh_of), dtype=np.int32)
    groups = [sorted({group for key in unit_keys for group in groups_of.get(key, ())}) for unit_keys in keys]
    if kind == "subjects" and not any(groups):
        warn_skipped("the subjects of words", "No journal of the corpus has a subject, so that no word has one.")
    if kind == "mesh" and not any(groups):
        warn_skipped("the branches of MeSH of words", "No document has a MeSH descriptor whose tree number is known.")
    starts = np.cumsum([0, *map(len, groups)], dtype=np.int64)
    return unit_of, starts, np.array([group for unit_groups in groups for group in unit_groups], dtype=np.int32)


def read_subjects(path: str | os.PathLike[str]) -> Groups:
    """Read the Broad Subject Terms of journals: a table `nlm_id TAB term`, or NLM's serials XML."""
    file = only_file(path, "table nlm_id TAB term, or NLM's serials XML")
    pairs: Iterable[tuple[str, str]]
    if file.head().lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
        pairs = _serials(file)
    else:
        rows = open_table(path).at_least(2, "nlm_id TAB term")
        headed = rows[0].cells[0].lower() in ("nlm_id", "nlmuniqueid")
        pairs = ((cells[0], cells[1]) for _line, cells in rows[headed:] if cells[1])
    subjects: dict[str, set[str]] = {}
    for journal, term in pairs:
        subjects.setdefault(journal, set()).add(term)
    if not subjects:
        raise TermgaugeError(f"{path}: gives no journal a subject; name a table nlm_id TAB term.")
    return subjects


def read_branches(path: str | os.PathLike[str]) -> Groups:
    """Read second-level branches of MeSH, such as C04: descriptors in the first column, tree numbers in the last."""
    branches: dict[str, set[str]] = {}
    for _, cells in open_table(path).at_least(2, "descriptor TAB tree numbers"):
        numbers = (number[:3] for number in _BETWEEN_TREES.split(cells[-1]) if _BRANCH.match(number))
        branches.setdefault(cells[0], set()).update(numbers)
    if not any(branches.values()):
        raise TermgaugeError(f"{path}: has no tree numbers of MeSH; the table is descriptor TAB tree numbers.")
    return branches


def _serials(file: SourceFile) -> Iterator[tuple[str, str]]:
    """Read NLM's list of serials: each has an NlmUniqueID and its broad headings."""
    for child in read_elements(file):
        for serial in child.iter("Serial"):
            for heading in serial.iter("BroadJournalHeading"):
                if term := text_of(heading):
                    yield text_of(serial.find(".//NlmUniqueID")), term
