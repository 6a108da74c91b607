"""The properties by which sets are divided: what each is, where it comes from, and its values for a set's pairs."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.io.documents import jats_documents, kind_of, medline_documents
from termgauge.io.source import files_of
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.tasks.subsets.property_table import NOT_KNOWN, PropertyTable, pair_key, read_property
from termgauge.terminology.model import HIERARCHY

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.io.documents import Document
    from termgauge.io.source import SourceFile
    from termgauge.tasks.subsets.property_table import Of
    from termgauge.tasks.subsets.task import SubsetOptions
    from termgauge.terminology.model import Terminology


def senses(terminology: Terminology) -> dict[str, float]:
    """Return how many active concepts each text names, in lower case."""
    active = terminology.concepts.filter("active").select("concept")
    terms = terminology.terms.filter("active", pl.col("kind") != "definition").join(active, on="concept", how="semi")
    counts = terms.select(pl.col("text").str.to_lowercase(), "concept").unique().group_by("text").len()
    return {text: float(count) for text, count in counts.iter_rows()}


def depths(terminology: Terminology) -> dict[str, float]:
    """Return the length of the shortest way from each concept up to a root; 0 for the roots themselves.

    A root has concepts below it and none above; a concept that has neither is in no hierarchy and has no depth.
    """
    edges = (
        terminology.relations.filter(pl.col("type").is_in(HIERARCHY), pl.col("source") != pl.col("target"))
        .select("source", "target")
        .unique()
    )
    frontier = edges.select(concept="target").unique().join(edges, left_on="concept", right_on="source", how="anti")
    reached, depth = frontier.with_columns(depth=pl.lit(0.0)), 0
    while frontier.height:
        depth += 1
        below = edges.join(frontier, left_on="target", right_on="concept", how="semi").select(concept="source").unique()
        frontier = below.join(reached, on="concept", how="anti")
        reached = pl.concat([reached, frontier.with_columns(depth=pl.lit(float(depth)))])
    return dict(reached.iter_rows())


def depths_of_texts(terminology: Terminology, known: dict[str, float]) -> dict[str, float]:
    """Return the depth of each text, in lower case: that of the highest concept that it names."""
    frame = pl.DataFrame(
        {"concept": list(known), "depth": list(known.values())}, schema={"concept": pl.String, "depth": pl.Float64}
    )
    terms = terminology.terms.filter("active").select("concept", text=pl.col("text").str.to_lowercase())
    return dict(terms.join(frame, on="concept").group_by("text").agg(pl.col("depth").min()).iter_rows())


_WORD = re.compile(rb"[a-z]+")
_BLOCK = 1 << 22


def count_words(paths: Sequence[str | os.PathLike[str]]) -> Counter[str]:
    """Count the words (runs of the letters A to Z, in lower case) of files, or of all files of folders.

    Of MEDLINE and JATS XML only titles, abstracts and bodies count; any other file counts as it stands.
    """
    by_kind: dict[str, list[SourceFile]] = {"text": [], "jats": [], "medline": []}
    for path in paths:
        for file in files_of(path):
            by_kind[kind_of(file)].append(file)
    texts = by_kind["text"]
    counts: Counter[bytes] = Counter()
    with track("Counting words", total=sum(file.size for file in texts), unit="bytes") as advance:
        for file in texts:
            _count(replace(file, advance=advance), counts)
    for file in by_kind["jats"]:
        _count_articles(jats_documents(file), counts)
    _count_articles(medline_documents(by_kind["medline"]), counts)
    if not counts:
        raise TermgaugeError(f"{paths[0] if paths else 'The corpus'}: holds no word; name files with text.")
    return Counter({word.decode("ascii"): count for word, count in counts.items()})


def _count_articles(articles: Iterable[Document], counts: Counter[bytes]) -> None:
    with track("Counting words", unit="articles") as advance:
        for article in articles:
            for paragraph in article.paragraphs:
                counts.update(_WORD.findall(paragraph.encode().lower()))
            advance(1)


def _count(file: SourceFile, counts: Counter[bytes]) -> None:
    rest = b""
    with file.open() as stream:
        while read := stream.read(_BLOCK):
            block = rest + read.lower()
            end = len(block)
            while end and block[end - 1 : end].isalpha():  # a word that may go on in the next block
                end -= 1
            rest = block[end:]
            counts.update(_WORD.findall(block, 0, end))
    counts.update([rest] if rest else [])


_USUAL = {
    "frequency": ("count", "frequency", "freq"),
    "breadth": ("subjects", "breadth", "mesh_branches", "journals"),
    "senses": ("senses",),
    "quarter": ("quarter",),
    "relation": ("relation",),
}
"""What columns of a property are called, in the order in which they are looked for."""
_BREADTHS = {
    "subjects": "Broad Subject Terms of the journals that a word appears in",
    "journals": "journals that a word appears in",
    "mesh_branches": "second-level MeSH branches of the articles that a word appears in",
}
_COMBINED: dict[str, Callable[[list[float]], float]] = {
    "lowest": min,
    "highest": max,
    "mean": lambda values: math.fsum(values) / len(values),
}
_LETTERS, _ENGLISH = re.compile(r"[^\W\d_]+"), re.compile(r"[A-Za-z]+")
_SPREAD_LEAST = 2


class Values(NamedTuple):
    """A property of the pairs of a set: one number for each; or one for each of its two words. NaN where none is."""

    one: NDArray[np.float64]
    two: NDArray[np.float64] | None = None
    distinct: NDArray[np.float64] | None = None
    """The values of the distinct words of the set, each once."""


@dataclass(frozen=True, eq=False)
class Property:
    """A property of words or of pairs."""

    name: str
    meaning: str
    """What its values are and where they come from, as the rest of a sentence."""
    of: Of
    values: Callable[[PairSet], Values]
    """Gives the values of a set; a sentence if that has none."""
    labels: tuple[str, ...] = ()
    """Its kinds, if it has no numbers."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class WordValues:
    """Numbers of words, and what becomes of terms that have several."""

    known: Mapping[str, float]
    absent: float = math.nan
    """The value of a word that is not known."""
    several: str = "lowest"
    pattern: re.Pattern[str] = _LETTERS
    _found: dict[str, float] = field(default_factory=dict)
    """Terms that were asked for before: sets of one terminology share most of theirs."""

    def of(self, term: str) -> float:
        """Return the value of a term in lower case.

        >>> values = WordValues({"acute": 90.0, "nephritis": 4.0})
        >>> values.of("nephritis"), values.of("acute nephritis"), values.of("acute otitis")
        (4.0, 4.0, nan)
        """
        if term in self.known:
            return self.known[term]
        words = self.pattern.findall(term)
        if self.several == "whole" or not words:
            return self.absent
        values = [self.known.get(word, self.absent) for word in words]
        return math.nan if any(map(math.isnan, values)) else _COMBINED[self.several](values)

    def of_set(self, pairs: PairSet) -> Values:
        """Return the values of both terms of each pair, and of the distinct ones."""
        one, two = (pairs.frame[name].str.to_lowercase() for name in ("term_1", "term_2"))
        distinct = _distinct(one, two)
        for term in distinct:
            if term not in self._found:
                self._found[term] = self.of(term)
        values = pl.Series([self._found[term] for term in distinct], dtype=pl.Float64)
        of_one, of_two = (column.replace_strict(distinct, values).to_numpy() for column in (one, two))
        return Values(of_one, of_two, values.to_numpy())


def _distinct(*columns: pl.Series) -> list[str]:
    return pl.concat([column.alias("term") for column in columns]).unique().to_list()


def property_of(options: SubsetOptions, terminology: Terminology | None = None) -> Property:
    """Return the property that options ask for."""
    for _option, problem in options.problems():
        raise TermgaugeError(f"Nothing can be divided: {problem}")
    if options.property is not None:
        return _of_table(options)
    if options.by in (None, "frequency"):
        return _counted(options) if options.corpus else _general(options)
    if options.by in ("senses", "depth"):
        if terminology is None:
            table = ", or a table with --property" if options.by == "senses" else ""
            raise TermgaugeError(f"The property '{options.by}' needs a terminology; name it with --terminology{table}.")
        if options.by == "depth":
            return _depth(terminology)
        words = WordValues(senses(terminology), 0.0, "whole")
        return Property("senses", f"concepts of {terminology.identity.slug} that a term names", "words", words.of_set)
    meaning, values = _OF_PAIRS[options.by]
    return Property(options.by, meaning, "pairs", values)


def _of_table(options: SubsetOptions) -> Property:
    assert options.property is not None
    usual = _USUAL.get(options.by or "", ())
    table = read_property(
        options.property,
        column=options.column,
        usual=usual,
        word_class=options.word_class,
        missing=options.missing,
    )
    if options.by in ("quarter", "relation") and (table.of != "pairs" or not table.labels):
        raise TermgaugeError(
            f"{options.property}: is no table of pairs with a column '{options.by}'; make one with termgauge pairs, or "
            "name the column with --column."
        )
    file = str(options.property).replace("\\", "/").rpartition("/")[2]
    name = options.by or table.column or file.partition(".")[0]
    breadth = _BREADTHS.get(table.column, "") if options.by == "breadth" else ""
    where = f"column '{table.column}' of {file}" if table.column else f"second column of {file}"
    notes = []
    if table.zeros:
        notes.append(
            f"The table lists {numbered(table.zeros, 'word')} as N/A: counted and not found, with the value 0 (the "
            f"option 'missing' leaves {plural(table.zeros, 'it', 'them')} without one if it is '{NOT_KNOWN}')."
        )
    meaning = f"{breadth}, {where}" if breadth else where
    if table.of == "pairs":
        return Property(name, meaning, "pairs", _pair_lookup(table), table.labels, tuple(notes))
    words = WordValues(table.values, table.absent, "whole" if table.labels else options.several)  # type: ignore[arg-type]
    return Property(name, _with_several(meaning, words.several), "words", words.of_set, table.labels, tuple(notes))


def _pair_lookup(table: PropertyTable) -> Callable[[PairSet], Values]:
    def values(pairs: PairSet) -> Values:
        terms = zip(pairs.frame["term_1"], pairs.frame["term_2"], strict=True)
        return Values(np.array([table.values.get(pair_key(*each), table.absent) for each in terms], np.float64))

    return values


def _with_several(meaning: str, several: str) -> str:
    return meaning if several == "whole" else f"{meaning}; a term of several words has the {several} value of its words"


def _counted(options: SubsetOptions) -> Property:
    counts = count_words(options.corpus)
    absent = math.nan if options.missing == NOT_KNOWN else 0.0
    words = WordValues({word: float(count) for word, count in counts.items()}, absent, options.several, _ENGLISH)
    files = ", ".join(str(each).replace("\\", "/").rpartition("/")[2] for each in options.corpus)
    meaning = f"occurrences among the {counts.total():,} words of {files}"
    return Property("frequency", _with_several(meaning, words.several), "words", words.of_set)


def _general(options: SubsetOptions) -> Property:
    from termgauge.embeddings.libraries import library

    what = "The frequency of words (unless you give a table with --property or a text with --corpus)"
    wordfreq = library("wordfreq", what, "words")

    known: dict[str, float] = {}
    lookup = WordValues(known, several=options.several, pattern=_ENGLISH)

    def values(pairs: PairSet) -> Values:
        for term in _distinct(*(pairs.frame[name].str.to_lowercase() for name in ("term_1", "term_2"))):
            for word in _ENGLISH.findall(term):
                if word not in known:
                    known[word] = float(wordfreq.zipf_frequency(word, "en", wordlist="best"))
        return lookup.of_set(pairs)

    meaning = "Zipf frequency in general English by wordfreq, which is no count of medical text"
    return Property("frequency", _with_several(meaning, options.several), "words", values)


def _depth(terminology: Terminology) -> Property:
    known = depths(terminology)
    if not known:
        raise TermgaugeError(f"{terminology.identity.slug} has no hierarchy, so that its concepts have no depth.")
    texts: dict[str, float] = {}

    def values(pairs: PairSet) -> Values:
        concepts = pairs.concepts
        columns = [concepts[name].to_list() for name in concepts.columns] if concepts is not None else []
        where = known
        if not any(each in known for column in columns for each in column):
            if not texts:
                texts.update(depths_of_texts(terminology, known))
            columns = [pairs.frame[name].str.to_lowercase().to_list() for name in ("term_1", "term_2")]
            where = texts
        one, two = (np.array([where.get(each, math.nan) for each in column], np.float64) for column in columns)
        return Values(np.fmax(one, two))

    slug = terminology.identity.slug
    meaning = f"shortest way from the deeper of the two concepts up to a root of {slug}"
    return Property("depth", meaning, "pairs", values)


def spread_of(pairs: PairSet) -> NDArray[np.float64] | None:
    """Return the sample standard deviation of the ratings of each pair; None if they are not known.

    NaN for a pair with fewer than two ratings.
    """
    if pairs.ratings is None:
        return None
    table = pairs.ratings.to_numpy().astype(np.float64)
    there = ~np.isnan(table)
    counts = there.sum(axis=1)
    means = np.where(there, table, 0.0).sum(axis=1) / np.maximum(counts, 1)
    squares = np.where(there, np.square(table - means[:, None]), 0.0).sum(axis=1)
    deviations: NDArray[np.float64] = np.sqrt(squares / np.maximum(counts - 1, 1))
    return np.where(counts >= _SPREAD_LEAST, deviations, np.nan)


def _spread(pairs: PairSet) -> Values:
    found = spread_of(pairs)
    if found is None:
        raise TermgaugeError(
            f"'{pairs.id}' has no spread of ratings, since it is not known what each rater said; name a table of "
            "ratings with --ratings, or score the set again if it has one."
        )
    return Values(found)


def _score(pairs: PairSet) -> Values:
    if not pairs.graded:
        raise TermgaugeError(f"'{pairs.id}' has labels and no scores to divide it by.")
    return Values(pairs.frame["score"].to_numpy().astype(np.float64))


def _edit_distance(pairs: PairSet) -> Values:
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    one, two = (pairs.frame[name].str.to_lowercase().to_list() for name in ("term_1", "term_2"))
    distances = process.cpdist(one, two, scorer=Levenshtein.distance, dtype=np.int32, workers=-1)
    return Values(distances.astype(np.float64))


def _words(pairs: PairSet) -> Values:
    one, two = ([len(term.split()) for term in pairs.frame[name].to_list()] for name in ("term_1", "term_2"))
    return Values(np.maximum(np.array(one, np.float64), np.array(two, np.float64)))


_OF_PAIRS: dict[str, tuple[str, Callable[[PairSet], Values]]] = {
    "spread": ("sample standard deviation of the ratings of a pair", _spread),
    "score": ("score of a pair; within a band scores vary less, so that rho is lower than on the whole set", _score),
    "edit-distance": ("Levenshtein distance of the two terms in lower case", _edit_distance),
    "words": ("words of the longer of the two terms", _words),
}
