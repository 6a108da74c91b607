"""A corpus as what is distinct in it: how often each token occurs, and how broadly words are used.

A corpus repeats itself: of a hundred million tokens some million are distinct. Polars numbers the distinct lines, and
whatever is asked about tokens is asked about these few.

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

from termgauge.corpus.sentences import CONLLU_UPOS, PLAIN
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

_SPOOL_IN_MEMORY = 64 << 20
_SPOOL_ITEMS = 1 << 22
_NUMBER = (1 << 32) - 1
"""The lower half of an item of the spool, a token or word; the upper half is the document that has it."""
_SEVERAL = re.compile(r"[\s,;|]+")
_NEWDOC = r"^# *newdoc(?:[\x00-\x20]|$)"
_ABOUT_DOCUMENT = re.compile(r"[# \t]*(journal|mesh)[# \t]*=(.*)", re.DOTALL)
_NO_TAG = "has no tag; a line is form TAB tag [TAB lemma], or CoNLL-U with XPOS or UPOS; tag the text first"
_FEW_COLUMNS = "has fewer than five columns, though the file is CoNLL-U; complete the line"
_MANY_COLUMNS = "has more than three columns; a line is form TAB tag [TAB lemma], or CoNLL-U with ten columns"
_NO_NUMBER = "does not begin with the number of a word, though the file is CoNLL-U; correct the line"


class Tally:
    """What is distinct in a corpus, and how often it occurs."""

    def __init__(self, wanted: Callable[[pl.DataFrame, Callable[[Sequence[int]], list[str]]], pl.Series]) -> None:
        """Begin to count; `wanted` says of which distinct tokens the documents matter, and may refuse some.

        It is given the tokens, and a function that returns where some of them stand first.
        """
        self._wanted = wanted
        self._numbers = pl.Series(dtype=pl.Categorical(pl.Categories.random()))
        """Polars remembers the numbers of lines as long as there is a column of this type."""
        self._distinct = [_parsed(pl.Series(dtype=pl.String))]
        self._counts = np.empty(0, dtype=np.int64)
        self._first_lines = np.empty(0, dtype=np.int64)
        self._counts_documents = np.empty(0, dtype=np.bool_)
        self._lines = 0
        self._in_document = self._has_tokens = False
        self._origins: list[tuple[int, str]] = []
        """The number that the first line of each file has among all lines of the corpus, and how messages name it."""
        self._spool = tempfile.SpooledTemporaryFile(max_size=_SPOOL_IN_MEMORY)  # noqa: SIM115 - closed with the tally
        self.tokens = self.documents = 0
        self.journal_of = array("i")
        """The number of each document's journal; -1 if it names none."""
        self._journal_numbers: dict[str, int] = {}
        self.mesh_of: dict[int, tuple[str, ...]] = {}
        """The MeSH descriptors of documents that have some."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._spool.close()

    @property
    def journals(self) -> list[str]:
        """The journals that documents name."""
        return list(self._journal_numbers)

    def begin_file(self, label: str) -> None:
        """Begin to count a file, which does not go on with a document of the one before it."""
        self._in_document = self._has_tokens = False
        self._origins.append((self._lines, label))

    def add(self, lines: bytes, layout: int) -> None:
        """Count whole lines of a file."""
        text = self._text(lines).removesuffix("\n")
        rows = pl.Series("line", [text]).str.split("\n").explode().to_frame().with_row_index("row")
        rows = rows.cast({"row": pl.Int64})
        line = pl.col("line")
        is_comment = line.str.contains("^#[^\t]*$" if layout == PLAIN else "^#")
        comments = rows.filter(is_comment).with_columns(newdoc=line.str.contains(_NEWDOC))
        tokens = rows.filter(~is_comment & (line.str.strip_chars(" \t\r") != ""))
        if layout != PLAIN:
            tokens = self._from_conllu(tokens, prefers_upos=layout == CONLLU_UPOS)
        token_rows, starts = tokens["row"].to_numpy(), comments.filter("newdoc")["row"].to_numpy()
        if not self._in_document and len(token_rows) and not (starts < token_rows[0]).any():
            starts = np.insert(starts, 0, token_rows[0])  # tokens before the first newdoc are a document, too
        documents = self.documents - 1 + np.searchsorted(starts, token_rows, side="right")
        self._note_comments(comments.filter(~pl.col("newdoc")), starts, token_rows)
        self._count(tokens, documents, layout)
        if len(starts):
            self._in_document, self._has_tokens = True, bool((token_rows >= starts[-1]).any())
        else:
            self._has_tokens |= len(token_rows) > 0
        self.documents += len(starts)
        self._lines += rows.height

    def distinct(self) -> pl.DataFrame:
        """Return the distinct tokens: `form`, `tag`, `lemma` (null without one), `from_upos`, `count`.

        A token may stand there several times, if its lines were written in several ways.
        """
        return pl.concat(self._distinct).with_columns(count=pl.Series(self._counts))

    def places(self, entries: Sequence[int]) -> list[str]:
        """Return where some distinct tokens stand first, such as `corpus.tsv, line 12`."""
        return [self._place(int(self._first_lines[entry])) for entry in entries]

    def occurrences(self, word_of: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield words and the documents that have them, each pair once, in portions.

        The word of each distinct token is given by its number, -1 for those that belong to none.
        """
        last = np.empty(0, dtype=np.int64)
        self._spool.seek(0)
        while block := self._spool.read(8 * _SPOOL_ITEMS):
            items = np.frombuffer(block, dtype=np.int64)
            words = word_of[items & _NUMBER]
            pairs = _each_once((items & ~_NUMBER | words)[words >= 0])
            pairs = np.setdiff1d(pairs, last, assume_unique=True)
            yield pairs & _NUMBER, pairs >> 32
            last = np.append(last, pairs)
            last = last[last >> 32 == items[-1] >> 32]  # this document may go on

    def _text(self, lines: bytes) -> str:
        """Return lines as text, which must be UTF-8 without zero bytes."""
        try:
            text = lines.decode("utf-8")
        except UnicodeDecodeError as error:
            at, why = error.start, "is not UTF-8; save the file as UTF-8, all of it in one encoding"
        else:
            if (at := lines.find(b"\0")) < 0:
                return text
            why = "holds a zero byte; save the file as UTF-8"
        line_ends = lines.count(b"\n", 0, at)
        raise TermgaugeError(f"{self._place(self._lines + line_ends)}: {why}.")

    def _from_conllu(self, tokens: pl.DataFrame, *, prefers_upos: bool) -> pl.DataFrame:
        """Return lines of CoNLL-U as lines of form, tag and lemma, and a `u` if the tag is of the column UPOS."""
        names = ["number", "form", "lemma", "upos", "xpos", "rest"]
        fields = pl.col("line").str.strip_chars_end("\r").str.splitn("\t", len(names)).struct.rename_fields(names)
        no_lemma, no_upos, no_xpos = (pl.col(name).is_in(["", "_"]) for name in ("lemma", "upos", "xpos"))
        table = tokens.select("row", fields).unnest("line")
        # Several words in one, or an empty node.
        skipped = pl.col("number").str.contains(r"^[0-9]+[.-][0-9.-]*$")
        table = table.with_columns(from_upos=no_xpos | ~no_upos if prefers_upos else no_xpos, skipped=skipped)
        wrong = (
            pl.when(pl.col("xpos").is_null()).then(pl.lit(_FEW_COLUMNS))
            .when(~pl.col("number").str.contains("^[0-9]+$") & ~pl.col("skipped")).then(pl.lit(_NO_NUMBER))
            .when(no_xpos & no_upos & ~pl.col("skipped")).then(pl.lit(_NO_TAG))
        )  # fmt: skip
        self._refuse(table, wrong)
        tag = pl.when("from_upos").then("upos").otherwise("xpos")
        lemma = pl.when(no_lemma).then(pl.lit("")).otherwise("lemma")
        mark = pl.when("from_upos").then(pl.lit("\tu")).otherwise(pl.lit(""))
        return table.filter(~pl.col("skipped")).select("row", line=pl.format("{}\t{}\t{}{}", "form", tag, lemma, mark))

    def _count(self, tokens: pl.DataFrame, documents: NDArray[np.int64], layout: int) -> None:
        """Count tokens, note which documents have them, and ask about those that have not come up before."""
        entries = tokens["line"].cast(self._numbers.dtype).to_physical().to_numpy().astype(np.int64)
        known = len(self._counts)
        counts = np.bincount(entries, minlength=known)
        counts[:known] += self._counts
        self._counts = counts
        if len(counts) > known:
            entry = pl.Series("entry", entries)
            fresh = tokens.with_columns(entry).filter(entry >= known).unique("entry", keep="first").sort("entry")
            if layout == PLAIN:
                line = pl.col("line").str.strip_chars_end("\r")
                many = pl.when(line.str.count_matches("\t") > 2).then(pl.lit(_MANY_COLUMNS))
                self._refuse(fresh, many.when(~line.str.contains("^[^\t]*\t(?:[^_\t]|_[^\t])")).then(pl.lit(_NO_TAG)))
            self._first_lines = np.append(self._first_lines, self._lines + fresh["row"].to_numpy())
            self._distinct.append(_parsed(fresh["line"]))
            wanted = self._wanted(self._distinct[-1].with_row_index("entry", known), self.places)
            self._counts_documents = np.append(self._counts_documents, wanted.to_numpy())
        self.tokens += len(entries)
        self._spool.write(_each_once((documents << 32 | entries)[self._counts_documents[entries]]).tobytes())

    def _refuse(self, rows: pl.DataFrame, wrong: pl.Expr) -> None:
        """Refuse the first line that has something wrong."""
        for row, why in rows.select("row", wrong=wrong).drop_nulls().head(1).iter_rows():
            raise TermgaugeError(f"{self._place(self._lines + row)}: {why}.")

    def _note_comments(self, comments: pl.DataFrame, starts: NDArray[np.int64], token_rows: NDArray[np.int64]) -> None:
        """Take the journals and MeSH descriptors that comments name before a document's first sentence."""
        rows = comments["row"].to_numpy()
        begun, tokens_before = np.searchsorted(starts, rows), np.searchsorted(token_rows, rows)
        at_start = np.insert(np.searchsorted(token_rows, starts), 0, -1 if self._has_tokens else 0)
        early = tokens_before == at_start[begun]
        numbers = self.documents - 1 + begun + ((begun == 0) & (not self._in_document))
        for number, line in zip(numbers[early].tolist(), comments["line"].filter(pl.Series(early)), strict=True):
            name, text = match.groups() if (match := _ABOUT_DOCUMENT.fullmatch(line)) else ("", "")
            if name == "journal" and (journal := text.strip()):
                self.journal_of.extend([-1] * (number + 1 - len(self.journal_of)))
                self.journal_of[number] = self._journal_numbers.setdefault(journal, len(self._journal_numbers))
            elif name == "mesh" and (descriptors := tuple(filter(None, _SEVERAL.split(text)))):
                self.mesh_of[number] = descriptors

    def _place(self, line: int) -> str:
        first, label = next(origin for origin in reversed(self._origins) if origin[0] <= line)
        return f"{label}, line {line - first + 1:,}"


def _each_once(items: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distinct items in ascending order, as np.unique does, which goes by hashes and is slow."""
    items = np.sort(items)
    return items[np.diff(items, prepend=-1) > 0]


def _parsed(lines: pl.Series) -> pl.DataFrame:
    """Return the columns of distinct lines: `form`, `tag`, `lemma` (null without one), `from_upos`."""
    names = ["form", "tag", "lemma", "from_upos"]
    fields = lines.str.splitn("\t", len(names)).struct.rename_fields(names).struct.unnest()
    last = pl.col("tag", "lemma").str.strip_chars_end("\r").replace(["", "_"], None)
    return fields.with_columns(last, pl.col("from_upos").is_not_null())


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
    journal_of = np.full(tally.documents, -1, dtype=np.int64)
    journal_of[: len(tally.journal_of)] = np.frombuffer(tally.journal_of, dtype=np.int32)
    unit_of, unit_groups = _units(tally, journal_of, kind, groups_of, names)
    documents, journals, distinct, most = np.zeros((4, words.height), dtype=np.int64)
    width = -(-len(tally.journals) // 8)
    at_once = max(_MOST_BYTES // (width + 4 * len(names) + 1), 1)
    for first in range(0, words.height, at_once):
        part = slice(first, min(first + at_once, words.height))
        marks = np.zeros((part.stop - first) * width, dtype=np.uint8)
        """A bit for each word and journal."""
        counts = np.zeros((part.stop - first, len(names)), dtype=np.uint32)
        for word_numbers, where in tally.occurrences(word_of):
            if first == 0:
                documents += np.bincount(word_numbers, minlength=words.height)
            in_part = (word_numbers >= first) & (word_numbers < part.stop)
            row, document = word_numbers[in_part] - first, where[in_part]
            named = journal_of[document] >= 0
            journal = journal_of[document][named]
            np.bitwise_or.at(marks, row[named] * width + (journal >> 3), (1 << (journal & 7)).astype(np.uint8))
            of_groups = pl.DataFrame({"row": row, "unit": unit_of[document]}).join(unit_groups, on="unit")
            rows, groups, lengths = of_groups.group_by("row", "group").len()
            counts[rows, groups] += lengths.to_numpy()
        journals[part] = np.bitwise_count(marks).reshape(-1, width).sum(axis=1) if width else 0
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
    tally: Tally, journal_of: NDArray[np.int64], kind: Breadth, groups_of: Groups, names: Sequence[str]
) -> tuple[NDArray[np.int64], pl.DataFrame]:
    """Return the unit of each document (-1: none), and the groups of each unit by their numbers.

    A unit is a journal or, for MeSH, a document with descriptors.
    """
    keys: Iterable[tuple[str, ...]] = [(journal,) for journal in tally.journals]
    unit_of = journal_of
    if kind == "mesh":
        unit_of, keys = np.full_like(journal_of, -1), tally.mesh_of.values()
        unit_of[list(tally.mesh_of)] = np.arange(len(tally.mesh_of))
    of_units = [set().union(*(groups_of.get(key, ()) for key in unit_keys)) for unit_keys in keys]
    if kind == "subjects" and not any(of_units):
        warn_skipped("the subjects of words", "No journal of the corpus has a subject, so that no word has one.")
    if kind == "mesh" and not any(of_units):
        warn_skipped("the branches of MeSH of words", "No document has a MeSH descriptor whose tree number is known.")
    numbers = {name: number for number, name in enumerate(names)}
    rows = [(unit, numbers[name]) for unit, groups in enumerate(of_units) for name in groups]
    return unit_of, pl.DataFrame(rows, schema={"unit": pl.Int64, "group": pl.Int64}, orient="row")


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
