"""The words of a corpus: tagged text, or text that is tagged on the way, to a table of counted nouns and verbs.

How frequent they are in general language comes from a table of the user's, or from the package wordfreq.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import log2
from typing import TYPE_CHECKING, Any

import polars as pl

from termgauge.corpus.breadth import ByJournals, ByMesh, BySubjects, add_breadth
from termgauge.corpus.counting import Noise, Rules, count
from termgauge.corpus.options import WordOptions
from termgauge.corpus.tables import whole_number, write_words
from termgauge.corpus.tagged_kernel import CONLLU, CONLLU_UPOS, PLAIN
from termgauge.corpus.tagged_text import files_with_layouts, tagged_lines
from termgauge.corpus.tagger import Tagger
from termgauge.corpus.tagsets import TagSetDetector
from termgauge.corpus.tally import Tally
from termgauge.corpus.word_forms import american_list, read_lemmas
from termgauge.display import Showing
from termgauge.embeddings.libraries import library
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.documents import documents
from termgauge.io.identity import library_versions, version
from termgauge.io.lines import line_blocks
from termgauge.io.paths import expanded
from termgauge.io.source import content_hashes, files_of, hashed
from termgauge.io.tables import open_table
from termgauge.options import several, takes
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from termgauge.corpus.counting import ClassCounts
    from termgauge.io.source import SourceFile


_LIBRARIES = ("lemminflect", "breame", "wordfreq")
_DECIMALS = 6


@dataclass(frozen=True, eq=False, repr=False)
class Words(Showing):
    """The nouns and verbs of a corpus, counted."""

    shown_by = "termgauge.corpus.sections:words_document"

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

    def _brief(self) -> str:
        words = ", ".join(f"{each.words:,} {kind}s" for kind, each in self.classes.items())
        return f"words: {words} from {self.tokens:,} tokens in {self.documents:,} documents"

    def to_frame(self) -> pl.DataFrame:
        """Return the table."""
        return self.table

    def summary(self) -> dict[str, Any]:
        """Return all but the table, as JSON has it."""
        about = {
            "classes": {kind: asdict(each) for kind, each in self.classes.items()},
            **{name: getattr(self, name) for name in ("tokens", "documents", "journals", "left_out")},
            **{name: getattr(self, name) for name in ("tag_set", "breadth", "general")},
        }
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
    rules, breadth = _rules(chosen), _breadth(chosen)
    detector = TagSetDetector(rules.noise, chosen.tagset, chosen.tag_table)
    place = None if out is None else expanded(out)
    with Tally(detector.wanted) as tally:
        detector.places = tally.places
        known = _read(paths, tally, chosen)
        counted = count(tally.distinct(), detector.class_of, rules)
        table = add_breadth(counted.words, tally, counted.word_of, breadth)
        table, general = _with_general(table, tally.tokens, chosen)
        found = Words(
            table,
            counted.classes,
            tally.tokens,
            tally.documents,
            len(tally.journals),
            counted.left_out,
            detector.name,
            breadth.called,
            general,
            place,
        )
    if not table.height:
        warn(
            f"No noun and no verb occurs {chosen.min_count} times in {found.tokens:,} tokens, so that the table is "
            "empty; name more text, or lower --min-count."
        )
    if place is not None:
        _write(found, place, chosen, known)
    return found


def _rules(options: WordOptions) -> Rules:

    noise = Noise(options.hyphens, options.digits, options.min_length)
    lemmas = read_lemmas(options.lemmas) if options.lemmas else {}
    american = {} if options.spelling == "none" else american_list(options.spelling_list)
    return Rules(noise, lemmas, american, options.spelling, options.min_count)


def _breadth(options: WordOptions) -> ByJournals:

    usual = "subjects" if options.subjects else "mesh" if options.mesh_trees else "journals"
    kind = options.breadth or usual
    if kind == "subjects":
        if options.subjects is None:
            raise TermgaugeError("--breadth subjects needs the subjects of journals: name their table with --subjects.")
        return BySubjects(options.subjects)
    if kind == "mesh":
        if options.mesh_trees is None:
            raise TermgaugeError("--breadth mesh needs the tree numbers of MeSH: name their table with --mesh-trees.")
        return ByMesh(options.mesh_trees)
    return ByJournals()


def _read(paths: Sequence[str | os.PathLike[str]], tally: Tally, options: WordOptions) -> dict[str, str]:
    """Read the whole corpus; return the SHA-256 of each of its files."""
    files = files_with_layouts(paths)
    every = [file for pairs in files.values() for file, _layout in pairs]
    hashes = hashed(every)
    tagged = [(file, layout) for pairs in files.values() for file, layout in pairs if layout is not None]
    untagged = [path for path, pairs in files.items() if any(layout is None for _file, layout in pairs)]
    _read_tagged(tagged, tally, options)
    if untagged:
        _read_untagged(untagged, tally, options)
    hashes.require_unchanged()
    return {file.label: value for file, value in zip(every, hashes.sha256, strict=True)}


def _read_tagged(files: Sequence[tuple[SourceFile, int]], tally: Tally, options: WordOptions) -> None:

    with track("Reading tagged text", total=sum(file.size for file, _ in files), unit="bytes") as advance:
        for file, layout in files:
            tally.begin_file(file.label)
            for lines in line_blocks(file, advance):
                tally.add(lines, CONLLU_UPOS if layout == CONLLU and options.tagset == "upos" else layout)


def _read_untagged(paths: Sequence[str | os.PathLike[str]], tally: Tally, options: WordOptions) -> None:
    tagger = Tagger.load(options.tagger)
    with track("Tagging", unit="documents") as advance:
        tally.begin_file(str(paths[0]))
        for portion in tagger.tagged(documents(paths)):
            lines = "".join(f"{line}\n" for line in tagged_lines(portion, tagger.tags))
            tally.add(lines.encode("utf-8", "replace"), PLAIN)
            advance(len(portion.about))


def _with_general(table: pl.DataFrame, tokens: int, options: WordOptions) -> tuple[pl.DataFrame, str]:
    """Add how frequent words are in general language, and a column for the decisions of experts."""
    keys = table["key"].to_list()
    empty = pl.lit(None, dtype=pl.String).alias("decision")
    if options.general == "none":
        nothing = pl.lit(None, dtype=pl.Int64).alias("general_count"), pl.lit(None, dtype=pl.Float64).alias("log_ratio")
        return table.drop("key").with_columns(*nothing, empty), "none"
    general = from_wordfreq(keys) if options.general == "wordfreq" else from_table(keys, options.general)
    ratios = [
        round(general.log_ratio(count, tokens, other), _DECIMALS)
        for count, other in zip(table["count"].to_list(), general.counts, strict=True)
    ]
    added = pl.Series("general_count", general.counts, dtype=pl.Int64), pl.Series("log_ratio", ratios, dtype=pl.Float64)
    return table.drop("key").with_columns(*added, empty), general.source


def _write(found: Words, path: Path, options: WordOptions, files: dict[str, str]) -> None:

    summary = {name: value for name, value in found.summary().items() if name != "out"}
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
    write_words(found.table, path, manifest)


WORDFREQ_TOKENS = 1_000_000_000
"""wordfreq knows shares, not counts: they are taken as counts in so many tokens."""

_NOTHING = ("", "N/A", "NA")
"""What stands for no count."""


@dataclass(frozen=True)
class General:
    """Counts of some words in general language."""

    counts: list[int]
    tokens: int
    source: str

    def log_ratio(self, count: int, tokens: int, general_count: int) -> float:
        """Return how many times more frequent a word is in a corpus than in general language, as a power of two.

        >>> General([], 1_000_000, "").log_ratio(7, 1_000_000, 0)
        3.9068905956085187
        """
        return log2((count + 0.5) / tokens * self.tokens / (general_count + 0.5))


def from_wordfreq(words: Sequence[str]) -> General:
    """Return the counts of lower words in a thousand million tokens of English, by wordfreq's best word list."""
    wordfreq = library("wordfreq", "Counts of general language (unless you give a table with --general)", "words")
    shares = [wordfreq.word_frequency(word, "en", wordlist="best") for word in words]
    return General([round(share * WORDFREQ_TOKENS) for share in shares], WORDFREQ_TOKENS, "wordfreq")


def from_table(words: Sequence[str], path: str | os.PathLike[str]) -> General:
    """Return the counts of lower words in a table `word TAB count`; words that it does not have count 0."""
    counts: dict[str, int] = {}
    for line, (word, text, *_) in open_table(path).at_least(2, "word TAB count"):
        number = whole_number(text)
        if number is None and line == 1:  # a header
            continue
        if number is None and text.upper() not in _NOTHING:
            raise TermgaugeError(
                f"{path}, line {line:,}: the count '{text[:40]}' is no whole number; correct the line."
            )
        counts[word.lower()] = counts.get(word.lower(), 0) + (number or 0)
    if not (tokens := sum(counts.values())):
        raise TermgaugeError(f"{path}: has no counts; the table is word TAB count.")
    return General([counts.get(word, 0) for word in words], tokens, str(path))
