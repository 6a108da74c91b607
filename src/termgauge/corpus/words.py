"""The words of a corpus: tagged text, or text that is tagged on the way, to a table of counted nouns and verbs.

How frequent they are in general language comes from a table of the user's, or from the package wordfreq.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from math import log2
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.corpus.counting import american_list, count, read_lemmas
from termgauge.corpus.options import WordOptions
from termgauge.corpus.sentences import files_with_layouts, tagged_lines
from termgauge.corpus.tables import COUNT, rows_of_user, write_words
from termgauge.corpus.tagged_kernel import CONLLU, CONLLU_UPOS, PLAIN
from termgauge.corpus.tagger import Tagger
from termgauge.corpus.tagsets import TagSetDetector
from termgauge.corpus.tally import Tally, add_breadth, read_branches, read_subjects
from termgauge.display import Showing
from termgauge.embeddings.libraries import library
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.documents import documents
from termgauge.io.identity import library_versions, version
from termgauge.io.paths import expanded
from termgauge.io.source import content_hashes, files_of, hashed, line_blocks
from termgauge.options import several, takes
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from termgauge.corpus.counting import ClassCounts
    from termgauge.corpus.options import Breadth
    from termgauge.corpus.tally import Groups
    from termgauge.reporting.blocks import Document


_LIBRARIES = ("lemminflect", "breame", "wordfreq")
_DECIMALS = 6


@dataclass(frozen=True, eq=False, repr=False)
class Words(Showing):
    """The nouns and verbs of a corpus, counted."""

    table: pl.DataFrame
    """One row for each word: what `WORDS.tsv` has."""
    classes: dict[str, ClassCounts]
    """How the forms of each class became its words."""
    tokens: int
    documents: int
    journals: int
    left_out: dict[str, int]
    """Tokens that are neither nouns nor verbs: by their class, and because their tag is that of an auxiliary."""
    tag_set: str
    breadth: str
    """What breadth counts: journals, Broad Subject Terms of journals (subjects), or branches of MeSH (mesh)."""
    general: str
    """Where counts of general language come from."""
    path: Path | None = None
    """Where the table was written."""

    def _shown(self) -> Document:
        from termgauge.corpus.sections import words_document

        return words_document(self)

    def _brief(self) -> str:
        words = ", ".join(f"{counts.words:,} {kind}s" for kind, counts in self.classes.items())
        return f"words: {words} from {self.tokens:,} tokens in {self.documents:,} documents"

    def to_frame(self) -> pl.DataFrame:
        """Return the table."""
        return self.table

    def summary(self) -> dict[str, Any]:
        """Return all but the table, as JSON has it."""
        columns = ("tokens", "documents", "journals", "left_out", "tag_set", "breadth", "general")
        about: dict[str, Any] = {"classes": {kind: asdict(counts) for kind, counts in self.classes.items()}}
        about |= {name: getattr(self, name) for name in columns}
        return about if self.path is None else {**about, "out": str(self.path)}


@takes(WordOptions)
def words(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str] | None = None,
    **options: Any,  # noqa: ANN401
) -> Words:
    """Count the nouns and verbs of a corpus.

    Tagged text is CoNLL-U, or lines of form TAB tag [TAB lemma]; plain text, MEDLINE XML and JATS XML are tagged
    first. What each step removes is counted, as in the paper.

    Parameters
    ----------
    files
        One or several files, folders or archives; compressed ones are read as they are.
    out
        Where the table is written; a manifest is written beside it.

    Returns
    -------
    Words
        The table, and how it came about.
    """
    chosen = WordOptions.of(**options)
    paths = several(files)
    if not paths:
        raise TermgaugeError("There is no file; name at least one file of text.")
    lemmas = read_lemmas(chosen.lemmas) if chosen.lemmas else {}
    american = {} if chosen.spelling == "none" else american_list(chosen.spelling_list)
    breadth, groups_of = _breadth(chosen)
    detector = TagSetDetector(chosen)
    path = None if out is None else expanded(out)
    with Tally(detector.wanted) as tally:
        hashes = _read(paths, tally, chosen)
        table, word_of, classes, left_out = count(tally.distinct(), detector.class_of, lemmas, american, chosen)
        table = add_breadth(table, tally, word_of, breadth, groups_of)
        table = _with_general(table, tally.tokens, chosen.general)
        result = Words(
            table,
            classes,
            tally.tokens,
            tally.documents,
            len(tally.journals),
            left_out,
            detector.name,
            breadth,
            chosen.general,
            path,
        )
    if not table.height:
        warn(
            f"No noun and no verb occurs {chosen.min_count} times in {result.tokens:,} tokens, so that the table is "
            "empty; name more text, or lower --min-count."
        )
    if path is not None:
        _write(result, path, chosen, hashes)
    return result


def _breadth(options: WordOptions) -> tuple[Breadth, Groups]:
    """Return what breadth counts, and the groups of journals or descriptors that it needs."""
    kind = options.breadth or ("subjects" if options.subjects else "mesh" if options.mesh_trees else "journals")
    if kind == "journals":
        return kind, {}
    path, what, flag, read = {
        "subjects": (options.subjects, "the subjects of journals", "--subjects", read_subjects),
        "mesh": (options.mesh_trees, "the tree numbers of MeSH", "--mesh-trees", read_branches),
    }[kind]
    if path is None:
        raise TermgaugeError(f"--breadth {kind} needs {what}: name their table with {flag}.")
    return kind, read(path)


def _read(paths: Sequence[str | os.PathLike[str]], tally: Tally, options: WordOptions) -> dict[str, str]:
    """Read the whole corpus, first what is tagged; return the SHA-256 of each of its files."""
    files = files_with_layouts(paths)
    every = [file for pairs in files.values() for file, _layout in pairs]
    hashes = hashed(every)
    tagged = [(file, layout) for pairs in files.values() for file, layout in pairs if layout is not None]
    with track("Reading tagged text", total=sum(file.size for file, _ in tagged), unit="bytes") as advance:
        for file, layout in tagged:
            tally.begin_file(file.label)
            for lines in line_blocks(replace(file, advance=advance)):
                tally.add(lines, CONLLU_UPOS if layout == CONLLU and options.tagset == "upos" else layout)
    untagged = [path for path, pairs in files.items() if any(layout is None for _file, layout in pairs)]
    if untagged:
        tagger = Tagger.load(options.tagger)
        tally.begin_file(str(untagged[0]))
        with track("Tagging", unit="documents") as advance:
            for portion in tagger.tagged(documents(untagged)):
                text = "".join(f"{line}\n" for line in tagged_lines(portion, tagger.tags))
                tally.add(text.encode("utf-8", "replace"), PLAIN)
                advance(len(portion.about))
    hashes.require_unchanged()
    return {file.label: value for file, value in zip(every, hashes.sha256, strict=True)}


def _with_general(table: pl.DataFrame, tokens: int, source: str) -> pl.DataFrame:
    """Add how frequent words are in general language, and a column for the decisions of experts.

    The log-ratio is how many times more frequent a word is in the corpus, as a power of two.
    """
    words, counts = table["key"].to_list(), table["count"].to_list()
    general, total = list[int](), 0
    if source != "none":
        general, total = wordfreq_counts(words) if source == "wordfreq" else table_counts(words, source)
    ratios = [
        round(log2((count + 0.5) / tokens * total / (other + 0.5)), _DECIMALS)
        for count, other in zip(counts, general, strict=False)
    ]
    return table.drop("key").with_columns(
        pl.Series(name, values or [None] * table.height, dtype)
        for name, values, dtype in (
            ("general_count", general, pl.Int64),
            ("log_ratio", ratios, pl.Float64),
            ("decision", [], pl.String),
        )
    )


def _write(result: Words, path: Path, options: WordOptions, files: dict[str, str]) -> None:
    summary = {name: value for name, value in result.summary().items() if name != "out"}
    named = [
        value
        for name in ("tag_table", "tagger", "lemmas", "spelling_list", "subjects", "mesh_trees", "general")
        if (value := getattr(options, name)) not in (None, "wordfreq", "none")
    ]
    tables = [file for value in named for file in files_of(value)]
    hashes = dict(zip((file.label for file in tables), content_hashes(tables), strict=True))
    manifest = {
        "termgauge": version(),
        "files": files,
        "tables": hashes,
        "options": options.model_dump(mode="json"),
        "libraries": library_versions(_LIBRARIES),
        **summary,
    }
    write_words(result.table, path, manifest)


WORDFREQ_TOKENS = 1_000_000_000
"""wordfreq knows shares, not counts: they are taken as counts in so many tokens."""

_COUNT = re.compile(f"{COUNT}|(?i:N/A|NA)?")
"""A count, or what stands for none."""


def wordfreq_counts(words: Sequence[str]) -> tuple[list[int], int]:
    """Return the counts of lower words in English by wordfreq's best word list, and in how many tokens they are."""
    wordfreq = library("wordfreq", "Counts of general language (unless you give a table with --general)", "words")
    shares = (wordfreq.word_frequency(word, "en", wordlist="best") for word in words)
    return [round(share * WORDFREQ_TOKENS) for share in shares], WORDFREQ_TOKENS


def table_counts(words: Sequence[str], path: str | os.PathLike[str]) -> tuple[list[int], int]:
    """Return the counts of lower words in a table `word TAB count`, 0 if it lacks them, and the sum of all counts."""
    counts: dict[str, int] = {}
    for word, text, *_more in rows_of_user(path, "word TAB count", "count", _COUNT.fullmatch, "is no whole number"):
        counts[word.lower()] = counts.get(word.lower(), 0) + (int(text) if text.isdecimal() else 0)
    if not (tokens := sum(counts.values())):
        raise TermgaugeError(f"{path}: has no counts; the table is word TAB count.")
    return [counts.get(word, 0) for word in words], tokens
