"""The properties by which sets are divided: what each is, where it comes from, and its values for a set's pairs.

A table has `word TAB value`, or `word1`, `word2` and values of pairs, with or without a header. The value is in the
second column unless another one is named. A column without any number holds kinds, such as relations; one with numbers
and other text is refused.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import numpy as np
import polars as pl

from termgauge.benchmark.pairset import parse_score
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.documents import documents
from termgauge.io.tables import open_table
from termgauge.plurals import numbered, plural
from termgauge.progress import track
from termgauge.tasks.subsets.task import AUTO, NOT_KNOWN
from termgauge.terminology.model import HIERARCHY

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.benchmark.pairset import PairSet
    from termgauge.tasks.subsets.task import SubsetOptions
    from termgauge.terminology.model import Terminology


Of = Literal["words", "pairs"]
Key = str | tuple[str, str]
"""A word, or a pair as it is looked up: in lower case, in whichever order it stands."""
MOST_KINDS = 50
"""A column with more kinds is no property by which anybody would divide a set."""
_NOT_AVAILABLE = frozenset({"N/A", "NA"})
_LAYOUT = "word TAB value, or word1 TAB word2 TAB value with a header"
_CLASS = "class"
_Value = TypeVar("_Value", bound=float | str)


def pair_key(one: str, other: str) -> tuple[str, str]:
    """Return how a pair is looked up."""
    one, other = one.lower(), other.lower()
    return (one, other) if one <= other else (other, one)


@dataclass(frozen=True, eq=False)
class PropertyTable:
    """The values of one column of a table."""

    column: str
    """Its name; empty if the table has no header."""
    of: Of
    values: dict[Key, float]
    """By lower word, or by pair; kinds by their places. What has no value is not there."""
    labels: tuple[str, ...] = ()
    """The kinds, if the column has no numbers."""
    absent: float = math.nan
    """The value of whatever is not there."""
    zeros: int = 0
    """Words that are listed as not available and count 0."""


def read_property(
    path: str | os.PathLike[str],
    *,
    column: str | None = None,
    usual: Sequence[str] = (),
    word_class: str | None = None,
    missing: str = AUTO,
) -> PropertyTable:
    """Read one column of a table.

    If none is named it is the first of the `usual` ones that has a value, else the second column (of a table of pairs,
    the first that is no term). Words without a value get what `missing` says: a number; ``none``; or ``auto``, which is
    none, but words that a table of counts (whole numbers, none below 0) lists as N/A were counted and have 0.
    """
    title, of, cells = _column(path, column, usual, word_class)
    numbers = [(line, key, value) for line, key, cell in cells if (value := parse_score(cell)) is not None]
    known = [(line, key, cell) for line, key, cell in cells if cell.upper() not in _NOT_AVAILABLE]
    if 0 < len(numbers) < len(known):
        line, cell = next((line, cell) for line, _key, cell in known if parse_score(cell) is None)
        raise TermgaugeError(
            f"{path}, line {line:,}: {cell[:40]!r} is no number, and the column has numbers elsewhere; correct "
            "the line, or write N/A where there is no value."
        )
    if not known:
        name = f"the column '{title}'" if title else "the second column"
        raise TermgaugeError(f"{path}: has no value in {name}; the table is {_LAYOUT}.")
    if not numbers:
        kinds = _once(path, of, known)
        labels = tuple(sorted(set(kinds.values())))
        if len(labels) > MOST_KINDS:
            raise TermgaugeError(
                f"{path}: the column '{title}' has {len(labels):,} different texts and no number, so that it "
                "is no property to divide a set by; name another one with --column."
            )
        place = {kind: float(at) for at, kind in enumerate(labels)}
        return PropertyTable(title, of, {key: place[kind] for key, kind in kinds.items()}, labels)
    values, absent, zeros = _once(path, of, numbers), math.nan, 0
    if missing == AUTO:
        if all(value >= 0 and value == int(value) for value in values.values()):
            listed = {key for _line, key, _cell in cells if key not in values}
            zeros = len(listed)
            values |= dict.fromkeys(listed, 0.0)
    elif missing != NOT_KNOWN:
        absent = float(missing)
    return PropertyTable(title, of, values, absent=absent, zeros=zeros)


def _once(path: str | os.PathLike[str], of: Of, entries: Iterable[tuple[int, Key, _Value]]) -> dict[Key, _Value]:
    """Return the value of each word or pair, which may stand in several lines, but not with several values."""
    values: dict[Key, tuple[_Value, int]] = {}
    for line, key, value in entries:
        before, first = values.setdefault(key, (value, line))
        if before != value:
            name = key if isinstance(key, str) else " – ".join(key)
            here, there = (f"{each:g}" if isinstance(each, float) else each for each in (value, before))
            advice = ", or choose nouns or verbs with --word-class" if of == "words" else ""
            raise TermgaugeError(
                f"{path}, line {line:,}: '{name}' has {here} here and {there} in line {first:,}; delete one of "
                f"them{advice}."
            )
    return {key: value for key, (value, _line) in values.items()}


def _column(
    path: str | os.PathLike[str], column: str | None, usual: Sequence[str], word_class: str | None
) -> tuple[str, Of, list[tuple[int, Key, str]]]:
    """Return the name of the column, what it is of, and its cells that are not empty, with line and word or pair."""
    table = open_table(path)
    header, first = table.first, [name.lower() for name in table.first]
    rows = table.at_least(2, _LAYOUT)
    one, two = table.find("term_1"), table.find("term_2")
    terms = None if one is None or two is None or len(first) < 3 else (one, two)
    if terms is None and parse_score(header[1]) is not None:
        if column is not None or word_class is not None:
            asked = "columns" if column is not None else "classes of words"
            raise TermgaugeError(f"{path}: has no header, so that {asked} have no names; write them into line 1.")
        return "", "words", [(line, row[0].lower(), row[1]) for line, row in rows if row[1]]
    rows = rows[1:]
    if word_class is not None:
        if _CLASS not in first:
            raise TermgaugeError(f"{path}, line 1: has no column 'class', so that there are no {word_class}s to take.")
        place = first.index(_CLASS)
        rows = [row for row in rows if len(row.cells) > place and row.cells[place] == word_class]
    if terms is not None:
        for line, fields in rows:
            if len(fields) <= max(terms):
                raise TermgaugeError(f"{path}, line {line:,}: has {len(fields)} of {len(header)} columns; correct it.")
    others = [place for place in range(len(header)) if place not in (terms or (0,))]
    if column is not None:
        if column not in header:
            raise TermgaugeError(f"{path}, line 1: has no column '{column}'.{did_you_mean(column, header)}")
        place = header.index(column)
    else:
        known = (first.index(name) for name in usual if name in first)
        place = next((at for at in known if any(len(row) > at and row[at] for _line, row in rows)), others[0])
    cells = [
        (line, row[0].lower() if terms is None else pair_key(row[terms[0]], row[terms[1]]), row[place])
        for line, row in rows
        if len(row) > place and row[place]
    ]
    return header[place], "words" if terms is None else "pairs", cells


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


def count_words(paths: Sequence[str | os.PathLike[str]]) -> Counter[str]:
    """Count the words (runs of the letters A to Z, in lower case) of files, or of all files of folders.

    Of MEDLINE and JATS XML only titles, abstracts and bodies count; any other file counts as it stands.
    """
    counts: Counter[bytes] = Counter()
    with track("Counting words", unit="texts") as advance:
        for document in documents(paths):
            for paragraph in document.paragraphs:
                counts.update(_WORD.findall(paragraph.encode().lower()))
            advance(1)
    if not counts:
        raise TermgaugeError(f"{paths[0] if paths else 'The corpus'}: holds no word; name files with text.")
    return Counter({word.decode("ascii"): count for word, count in counts.items()})


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
        one, two = _lower_terms(pairs)
        distinct = pl.concat([one, two]).unique()
        values = pl.Series([self.of(term) for term in distinct], dtype=pl.Float64)
        of_one, of_two = (column.replace_strict(distinct, values).to_numpy() for column in (one, two))
        return Values(of_one, of_two, values.to_numpy())

    def as_property(self, name: str, meaning: str, labels: tuple[str, ...] = (), notes: Sequence[str] = ()) -> Property:
        """Return them as a property, whose meaning says what becomes of terms of several words."""
        if self.several != "whole":
            meaning += f"; a term of several words has the {self.several} value of its words"
        return Property(name, meaning, "words", self.of_set, labels, tuple(notes))


def _lower_terms(pairs: PairSet) -> tuple[pl.Series, pl.Series]:
    return tuple(pairs.frame[name].str.to_lowercase().alias("term") for name in ("term_1", "term_2"))  # type: ignore[return-value]


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
        return words.as_property("senses", f"concepts of {terminology.identity.slug} that a term names")
    meaning, values = _OF_PAIRS[options.by]
    return Property(options.by, meaning, "pairs", values)


def _of_table(options: SubsetOptions) -> Property:
    assert options.property is not None
    asked = options.model_dump(include={"column", "word_class", "missing"})
    table = read_property(options.property, usual=_USUAL.get(options.by or "", ()), **asked)
    if options.by in ("quarter", "relation") and (table.of != "pairs" or not table.labels):
        raise TermgaugeError(
            f"{options.property}: is no table of pairs with a column '{options.by}'; make one with termgauge pairs, or "
            "name the column with --column."
        )
    file = _file_name(options.property)
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
    if table.of == "words":
        words = WordValues(table.values, table.absent, "whole" if table.labels else options.several)  # type: ignore[arg-type]
        return words.as_property(name, meaning, table.labels, notes)

    def values(pairs: PairSet) -> Values:
        terms = zip(pairs.frame["term_1"], pairs.frame["term_2"], strict=True)
        return Values(np.array([table.values.get(pair_key(*each), table.absent) for each in terms], np.float64))

    return Property(name, meaning, "pairs", values, table.labels, tuple(notes))


def _counted(options: SubsetOptions) -> Property:
    counts = count_words(options.corpus)
    absent = math.nan if options.missing == NOT_KNOWN else 0.0
    words = WordValues({word: float(count) for word, count in counts.items()}, absent, options.several, _ENGLISH)
    files = ", ".join(map(_file_name, options.corpus))
    return words.as_property("frequency", f"occurrences among the {counts.total():,} words of {files}")


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _general(options: SubsetOptions) -> Property:
    from termgauge.embeddings.libraries import library

    what = "The frequency of words (unless you give a table with --property or a text with --corpus)"
    wordfreq = library("wordfreq", what, "words")
    known: dict[str, float] = {}
    words = WordValues(known, several=options.several, pattern=_ENGLISH)

    def values(pairs: PairSet) -> Values:
        for word in {word for term in pl.concat(_lower_terms(pairs)).unique() for word in _ENGLISH.findall(term)}:
            known[word] = float(wordfreq.zipf_frequency(word, "en", wordlist="best"))
        return words.of_set(pairs)

    meaning = "Zipf frequency in general English by wordfreq, which is no count of medical text"
    return replace(words.as_property("frequency", meaning), values=values)


def _depth(terminology: Terminology) -> Property:
    known = depths(terminology)
    if not known:
        raise TermgaugeError(f"{terminology.identity.slug} has no hierarchy, so that its concepts have no depth.")
    texts: dict[str, float] = {}

    def values(pairs: PairSet) -> Values:
        concepts = [] if pairs.concepts is None else pairs.concepts.get_columns()
        if any(concept in known for column in concepts for concept in column):
            one, two = ([known.get(concept, math.nan) for concept in column] for column in concepts)
            return Values(np.fmax(one, two))
        if not texts:
            texts.update(depths_of_texts(terminology, known))
        one_term, two_term, _ = WordValues(texts, several="whole").of_set(pairs)
        return Values(np.fmax(one_term, np.asarray(two_term)))

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

    one, two = (column.to_list() for column in _lower_terms(pairs))
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
