"""How broadly words are used: in how many documents, journals, and subjects of journals or branches of MeSH.

All of it comes from one list, the documents that have each word, which passes by in portions and is not kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

import numpy as np
import polars as pl

from termgauge.benchmark.words.tables import rows_of
from termgauge.benchmark.words.xml_stream import Collected, read_elements
from termgauge.exceptions import TermgaugeError, left_out
from termgauge.source import files_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from termgauge.benchmark.words.options import Breadth
    from termgauge.benchmark.words.tally import Tally
    from termgauge.benchmark.words.xml_stream import Reader
    from termgauge.source import SourceFile

_MOST_ROWS = 1 << 23
_BRANCH = re.compile(r"[A-Z]\d{2}")
_BETWEEN_TREES = re.compile(r"[|,;\s]+")


def add_breadth(words: pl.DataFrame, tally: Tally, word_of: NDArray[np.int32], breadth: ByJournals) -> pl.DataFrame:
    """Add to a table of words, by their numbers, in how many documents, journals and subjects each occurs."""
    documents = np.zeros(words.height, dtype=np.int64)
    journal_of = np.full(tally.documents, -1, dtype=np.int32)
    journal_of[: len(tally.journal_of)] = np.frombuffer(tally.journal_of, dtype=np.int32)
    by_journal, by_branch = _Pairs(), _Pairs()
    branches = breadth.branches_of(tally)
    for found, where in tally.occurrences(word_of, words.height):
        documents += np.bincount(found, minlength=words.height)
        if tally.journals:
            named = journal_of[where] >= 0
            by_journal.add(pl.DataFrame({"word": found[named], "group": journal_of[where[named]]}))
        if branches is not None:
            seen = pl.DataFrame({"word": found, "document": where}).join(branches, on="document")
            by_branch.add(seen.select("word", "group"))
    journals = by_journal.total()
    numbered = words.with_columns(documents=pl.Series(documents)).with_row_index("number")
    distinct = journals.group_by("word").agg(journals=pl.len())
    with_journals = numbered.join(distinct, left_on="number", right_on="word", how="left", maintain_order="left")
    filled = pl.col("journals").fill_null(0) if tally.journals else pl.lit(None, dtype=pl.UInt32).alias("journals")
    groups = breadth.groups(journals, tally) if branches is None else by_branch.total()
    return breadth.added(with_journals.with_columns(filled), groups).drop("number")


class _Pairs:
    """How many documents have a word and belong to a group, such as a journal; added up in portions."""

    def __init__(self) -> None:
        self._parts = [pl.DataFrame(schema={"word": pl.Int32, "group": pl.Int32, "documents": pl.UInt32})]
        self._rows = 0

    def add(self, pairs: pl.DataFrame) -> None:
        """Add pairs of a word and a group, each as often as there are documents."""
        part = pairs.group_by("word", "group").agg(documents=pl.len().cast(pl.UInt32))
        self._parts.append(part.cast({"word": pl.Int32, "group": pl.Int32}))
        self._rows += part.height
        if self._rows > _MOST_ROWS + self._parts[0].height:
            self.total()

    def total(self) -> pl.DataFrame:
        """Return each pair once, with its documents."""
        whole = pl.concat(self._parts).group_by("word", "group").agg(pl.col("documents").sum())
        self._parts, self._rows = [whole], whole.height
        return whole


class ByJournals:
    """Breadth as the number of journals, which needs no more than the corpus."""

    called: Breadth = "journals"

    def branches_of(self, _tally: Tally) -> pl.DataFrame | None:
        """Return the groups of each document, where they do not come from its journal."""
        return None

    def groups(self, journals: pl.DataFrame, _tally: Tally) -> pl.DataFrame:
        """Return the documents of each word and group, from those of each word and journal."""
        return journals

    def added(self, words: pl.DataFrame, _groups: pl.DataFrame) -> pl.DataFrame:
        """Add what the groups say to a table of words; journals stand in it already."""
        return words


class BySubjects(ByJournals):
    """Breadth as the number of Broad Subject Terms of the journals, as NLM gives them."""

    called: Breadth = "subjects"
    column, main = "subjects", "main_subject"

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read a table `nlm_id TAB term`, or NLM's serials XML."""
        files = files_of(path)
        if len(files) != 1:
            raise TermgaugeError(
                f"{path}: holds {len(files)} files; name a table nlm_id TAB term, or NLM's serials XML."
            )
        pairs = (
            _serials(files[0]) if files[0].head().lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<") else _subjects(path)
        )
        self._terms: dict[str, set[str]] = {}
        for journal, term in pairs:
            self._terms.setdefault(journal, set()).add(term)
        self.names = sorted({term for terms in self._terms.values() for term in terms})
        if not self.names:
            raise TermgaugeError(f"{path}: gives no journal a subject; name a table nlm_id TAB term.")

    def groups(self, journals: pl.DataFrame, tally: Tally) -> pl.DataFrame:
        """Return the documents of each word and subject."""
        number = {name: place for place, name in enumerate(self.names)}
        rows = [
            (place, number[term])
            for place, journal in enumerate(tally.journals)
            for term in self._terms.get(journal, ())
        ]
        if not rows:
            left_out("the subjects of words", "No journal of the corpus has a subject, so that no word has one.")
        table = pl.DataFrame(rows, schema={"group": pl.Int32, "subject": pl.Int32}, orient="row")
        joined = journals.join(table, on="group").group_by("word", pl.col("subject").alias("group"))
        return joined.agg(pl.col("documents").sum())

    def added(self, words: pl.DataFrame, groups: pl.DataFrame) -> pl.DataFrame:
        """Add the number of groups of each word and the group that most of its documents belong to."""
        ranked = groups.sort("documents", "group", descending=[True, False])  # groups are in code point order
        names = pl.Series(self.names, dtype=pl.String)
        of_words = ranked.group_by("word", maintain_order=True).agg(
            pl.len().alias(self.column), pl.col("group").first().alias(self.main)
        )
        named = of_words.with_columns(pl.lit(names).gather(pl.col(self.main)).alias(self.main))
        joined = words.join(named, left_on="number", right_on="word", how="left", maintain_order="left")
        return joined.with_columns(pl.col(self.column).fill_null(0))


class ByMesh(BySubjects):
    """Breadth as the number of second-level branches of MeSH, such as C04, of the documents' descriptors."""

    called: Breadth = "mesh"
    column, main = "mesh_branches", "main_mesh_branch"

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read a table whose first column has descriptors and whose last has their tree numbers."""
        self._branches: dict[str, set[str]] = {}
        for _, fields in rows_of(path, 2, "descriptor TAB tree numbers", all_columns=True):
            found = {number[:3] for number in _BETWEEN_TREES.split(fields[-1]) if _BRANCH.match(number)}
            self._branches.setdefault(fields[0], set()).update(found)
        self.names = sorted({branch for branches in self._branches.values() for branch in branches})
        if not self.names:
            raise TermgaugeError(f"{path}: has no tree numbers of MeSH; the table is descriptor TAB tree numbers.")

    def branches_of(self, tally: Tally) -> pl.DataFrame | None:
        """Return the branches of each document."""
        number = {name: place for place, name in enumerate(self.names)}
        rows = [
            (document, number[branch])
            for document, descriptors in tally.mesh_of.items()
            for branch in set().union(*(self._branches.get(each, ()) for each in descriptors))
        ]
        if not rows:
            left_out("the branches of MeSH of words", "No document has a MeSH descriptor whose tree number is known.")
        return pl.DataFrame(rows, schema={"document": pl.Int32, "group": pl.Int32}, orient="row")


def _subjects(path: str | os.PathLike[str]) -> Iterable[tuple[str, str]]:
    for line, (journal, term) in rows_of(path, 2, "nlm_id TAB term"):
        if term and not (line == 1 and journal.lower() in ("nlm_id", "nlmuniqueid")):
            yield journal, term


def _serials(file: SourceFile) -> Iterator[tuple[str, str]]:
    return cast("Iterator[tuple[str, str]]", read_elements(file, cast("Reader", _Serials())))


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
