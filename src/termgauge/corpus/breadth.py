"""How broadly words are used: in how many documents, journals, and subjects of journals or branches of MeSH.

All of it comes from one list, the documents that have each word, which passes by in portions; what is kept are one bit
for each word and journal and one count for each word and subject.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from termgauge.corpus import tagged_kernel as kernel
from termgauge.exceptions import TermgaugeError, warn_skipped
from termgauge.io.source import only_file
from termgauge.io.tables import open_table
from termgauge.io.xml_stream import Collected, read_elements

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.corpus.options import Breadth
    from termgauge.corpus.tally import Tally
    from termgauge.io.source import SourceFile

_MOST_BYTES = 256 << 20
"""Words are looked at in so many passes that what is kept about them at once is not larger."""
_BRANCH = re.compile(r"[A-Z]\d{2}")
_BETWEEN_TREES = re.compile(r"[|,;\s]+")


def add_breadth(words: pl.DataFrame, tally: Tally, word_of: NDArray[np.int32], breadth: ByJournals) -> pl.DataFrame:
    """Add to a table of words, by their rows, in how many documents, journals and groups of journals each occurs."""
    journal_of = np.full(tally.documents, -1, dtype=np.int32)
    journal_of[: len(tally.journal_of)] = np.frombuffer(tally.journal_of, dtype=np.int32)
    groups = breadth.groups(tally, journal_of)
    documents, journals = np.zeros(words.height, dtype=np.int64), np.zeros(words.height, dtype=np.int64)
    distinct, most = np.zeros(words.height, dtype=np.int64), np.zeros(words.height, dtype=np.int64)
    width = -(-len(tally.journals) // 8)
    at_once = max(_MOST_BYTES // (width + 4 * len(breadth.names) + 1), 1)
    for first in range(0, words.height, at_once):
        own = slice(first, min(first + at_once, words.height))
        marks = np.zeros((own.stop - first, width), dtype=np.uint8)
        counts = np.zeros((own.stop - first, len(breadth.names)), dtype=np.uint32)
        for found, where in tally.occurrences(word_of, words.height):
            if first == 0:
                documents += np.bincount(found, minlength=words.height)
            kernel.mark_journals(found, where, journal_of, first, marks)
            kernel.count_groups(found, where, *groups, first, counts)
        journals[own] = np.bitwise_count(marks).sum(axis=1)
        distinct[own] = (counts > 0).sum(axis=1)
        if breadth.names:
            most[own] = np.where(distinct[own] > 0, counts.argmax(axis=1), -1)  # of ties the first by code points
    known = pl.Series(journals) if tally.journals else pl.repeat(None, words.height, dtype=pl.Int64, eager=True)
    words = words.with_columns(documents=pl.Series(documents), journals=known)
    if not breadth.column:
        return words
    main = [breadth.names[number] if number >= 0 else None for number in most.tolist()]
    return words.with_columns(pl.Series(breadth.column, distinct), pl.Series(breadth.main, main, dtype=pl.String))


class _Groups(NamedTuple):
    """To which groups documents belong: each document to a unit, such as its journal, and each unit to some groups."""

    unit_of: NDArray[np.int32]
    """The unit of each document; -1 if it has none."""
    starts: NDArray[np.int64]
    """Where the groups of each unit start, and where the last ones end."""
    groups: NDArray[np.int32]

    @classmethod
    def from_lists(cls, unit_of: NDArray[np.int32], groups: Sequence[Iterable[int]]) -> _Groups:
        listed = [list(each) for each in groups]
        starts = np.cumsum([0, *map(len, listed)], dtype=np.int64)
        return cls(unit_of, starts, np.array([group for each in listed for group in each], dtype=np.int32))


class ByJournals:
    """Breadth as the number of journals, which needs no more than the corpus."""

    called: Breadth = "journals"
    names: Sequence[str] = ()
    """The groups of journals, in code point order."""
    column, main = "", ""
    """What the columns with the number of groups of a word, and its main one, are called; journals have one already."""

    def groups(self, tally: Tally, journal_of: NDArray[np.int32]) -> _Groups:
        """Return the groups of each document."""
        return _Groups.from_lists(journal_of, [()] * len(tally.journals))


class BySubjects(ByJournals):
    """Breadth as the number of Broad Subject Terms of the journals, as NLM gives them."""

    called: Breadth = "subjects"
    column, main = "subjects", "main_subject"

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read a table `nlm_id TAB term`, or NLM's serials XML."""
        file = only_file(path, "table nlm_id TAB term, or NLM's serials XML")
        pairs = _serials(file) if file.head().lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<") else _subjects(path)
        self._terms: dict[str, set[str]] = {}
        for journal, term in pairs:
            self._terms.setdefault(journal, set()).add(term)
        self.names = sorted({term for terms in self._terms.values() for term in terms})
        if not self.names:
            raise TermgaugeError(f"{path}: gives no journal a subject; name a table nlm_id TAB term.")

    def groups(self, tally: Tally, journal_of: NDArray[np.int32]) -> _Groups:
        """Return the subjects of each document, which are those of its journal."""
        number = {name: place for place, name in enumerate(self.names)}
        found = _Groups.from_lists(
            journal_of, [[number[term] for term in self._terms.get(journal, ())] for journal in tally.journals]
        )
        if not len(found.groups):
            warn_skipped("the subjects of words", "No journal of the corpus has a subject, so that no word has one.")
        return found


class ByMesh(BySubjects):
    """Breadth as the number of second-level branches of MeSH, such as C04, of the documents' descriptors."""

    called: Breadth = "mesh"
    column, main = "mesh_branches", "main_mesh_branch"

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read a table whose first column has descriptors and whose last has their tree numbers."""
        self._branches: dict[str, set[str]] = {}
        for _, fields in open_table(path).at_least(2, "descriptor TAB tree numbers"):
            found = {number[:3] for number in _BETWEEN_TREES.split(fields[-1]) if _BRANCH.match(number)}
            self._branches.setdefault(fields[0], set()).update(found)
        self.names = sorted({branch for branches in self._branches.values() for branch in branches})
        if not self.names:
            raise TermgaugeError(f"{path}: has no tree numbers of MeSH; the table is descriptor TAB tree numbers.")

    def groups(self, tally: Tally, journal_of: NDArray[np.int32]) -> _Groups:
        """Return the branches of each document, which are those of its descriptors."""
        number = {name: place for place, name in enumerate(self.names)}
        unit_of = np.full(len(journal_of), -1, dtype=np.int32)
        unit_of[list(tally.mesh_of)] = np.arange(len(tally.mesh_of), dtype=np.int32)
        branches = (
            {branch for each in descriptors for branch in self._branches.get(each, ())}
            for descriptors in tally.mesh_of.values()
        )
        found = _Groups.from_lists(unit_of, [[number[branch] for branch in some] for some in branches])
        if not len(found.groups):
            warn_skipped(
                "the branches of MeSH of words", "No document has a MeSH descriptor whose tree number is known."
            )
        return found


def _subjects(path: str | os.PathLike[str]) -> Iterable[tuple[str, str]]:
    for line, (journal, term, *_) in open_table(path).at_least(2, "nlm_id TAB term"):
        if term and not (line == 1 and journal.lower() in ("nlm_id", "nlmuniqueid")):
            yield journal, term


def _serials(file: SourceFile) -> Iterator[tuple[str, str]]:
    return read_elements(file, _Serials())


class _Serials:
    """Reads NLM's list of serials: each has an NlmUniqueID and its broad headings."""

    passed_over: frozenset[str] = frozenset()

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []
        self._text = Collected()
        self._journal, self._terms = "", list[str]()

    def start(self, name: str, _attributes: Mapping[str, str]) -> bool:
        if name == "Serial":
            self._journal, self._terms = "", []
        self._text.taken()
        return name in ("NlmUniqueID", "BroadJournalHeading")

    def end(self, name: str) -> bool:
        said = self._text.taken()
        if name == "NlmUniqueID":
            self._journal = said
        elif name == "BroadJournalHeading" and said:
            self._terms.append(said)
        elif name == "Serial":
            self.found += [(self._journal, term) for term in self._terms]
        return False

    def text(self, data: str) -> None:
        self._text.add(data)
