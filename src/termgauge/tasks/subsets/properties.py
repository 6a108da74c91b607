"""The properties by which sets are divided: what each is, where it comes from, and its values for a set's pairs.

A table has `word TAB value`, or `word1`, `word2` and values of pairs, with or without a header. The value is in the
second column unless another one is named. A column without any number holds kinds, such as relations; one with numbers
and other text is refused.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import chain, repeat
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
import polars as pl

from termgauge.benchmark.pairset import parse_score
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.documents import documents
from termgauge.io.tables import open_table
from termgauge.plurals import numbered
from termgauge.progress import track
from termgauge.tasks.subsets.task import AUTO, NOT_KNOWN
from termgauge.terminology.model import HIERARCHY

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

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
    filled = [(line, key, cell) for line, key, cell in cells if cell.upper() not in _NOT_AVAILABLE]
    if not filled:
        name = f"the column '{title}'" if title else "the second column"
        raise TermgaugeError(f"{path}: has no value in {name}; the table is {_LAYOUT}.")
    texts = [(line, cell) for line, _key, cell in filled if parse_score(cell) is None]
    if 0 < len(texts) < len(filled):
        line, cell = texts[0]
        raise TermgaugeError(
            f"{path}, line {line:,}: {cell[:40]!r} is no number, and the column has numbers elsewhere; correct "
            "the line, or write N/A where there is no value."
        )
    labels = tuple(sorted({cell for _line, cell in texts}))
    if len(labels) > MOST_KINDS:
        raise TermgaugeError(
            f"{path}: the column '{title}' has {len(labels):,} different texts and no number, so that it "
            "is no property to divide a set by; name another one with --column."
        )
    first: dict[Key, tuple[float, int, str]] = {}
    for line, key, cell in filled:
        value = float(labels.index(cell) if labels else parse_score(cell) or 0.0)
        earlier, before, there = first.setdefault(key, (value, line, cell))
        if earlier != value:
            name = key if isinstance(key, str) else " – ".join(key)
            advice = ", or choose nouns or verbs with --word-class" if of == "words" else ""
            raise TermgaugeError(
                f"{path}, line {line:,}: '{name}' has {cell} here and {there} in line {before:,}; delete one of "
                f"them{advice}."
            )
    values = {key: value for key, (value, *_where) in first.items()}
    if labels or missing not in (AUTO, NOT_KNOWN):
        return PropertyTable(title, of, values, labels, math.nan if labels else float(missing))
    counts = missing == AUTO and all(value >= 0 and value == int(value) for value in values.values())
    zeros = {key: 0.0 for _line, key, _cell in cells if counts and key not in values}
    return PropertyTable(title, of, values | zeros, zeros=len(zeros))


def _column(
    path: str | os.PathLike[str], column: str | None, usual: Sequence[str], word_class: str | None
) -> tuple[str, Of, list[tuple[int, Key, str]]]:
    """Return the name of the column, what it is of, and its cells that are not empty, with line and word or pair."""
    table = open_table(path)
    table.at_least(2, _LAYOUT)
    terms = [index for index in map(table.find, ("term_1", "term_2")) if index is not None]
    terms = terms if len(terms) == 2 < len(table.first) else [0]
    header = len(terms) == 2 or parse_score(table.first[1]) is None
    if not header and (column is not None or word_class is not None):
        asked = "columns" if column is not None else "classes of words"
        raise TermgaugeError(f"{path}: has no header, so that {asked} have no names; write them into line 1.")
    rows = table.rows(header=header)
    names = [name.lower() for name in rows.titles]
    if word_class is not None and _CLASS not in names:
        raise TermgaugeError(f"{path}, line 1: has no column 'class', so that there are no {word_class}s to take.")
    if column is not None and column not in rows.titles:
        raise TermgaugeError(f"{path}, line 1: has no column '{column}'.{did_you_mean(column, rows.titles)}")
    others = [index for index in range(len(names)) if index not in terms]
    usual_columns = [names.index(name) for name in usual if name in names]
    chosen = next((index for index in usual_columns if any(rows.column(index))), others[0])
    chosen = chosen if column is None else rows.titles.index(column)
    classes = repeat(word_class) if word_class is None else rows.column(names.index(_CLASS))
    keys = [
        pair_key(*pair) if len(pair) == 2 else pair[0].lower() for pair in zip(*map(rows.column, terms), strict=True)
    ]
    cells = [
        (line, key, cell)
        for line, key, cell, kind in zip(rows.lines, keys, rows.column(chosen), classes, strict=False)
        if cell and kind == word_class
    ]
    return rows.titles[chosen] if header else "", "words" if len(terms) == 1 else "pairs", cells


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
    edges = terminology.relations.filter(pl.col("type").is_in(HIERARCHY), pl.col("source") != pl.col("target"))
    children: dict[str, list[str]] = {}
    for child, parent in edges.select("source", "target").iter_rows():
        children.setdefault(parent, []).append(child)
    level, depth, reached = children.keys() - set(chain.from_iterable(children.values())), 0.0, dict[str, float]()
    while level:
        reached |= dict.fromkeys(level, depth)
        level = set(chain.from_iterable(children.get(concept, ()) for concept in level)) - reached.keys()
        depth += 1
    return reached


def depths_of_texts(terminology: Terminology, depth_of: Mapping[str, float]) -> dict[str, float]:
    """Return the depth of each text, in lower case: that of the highest concept that it names."""
    concepts = pl.DataFrame(
        {"concept": depth_of.keys(), "depth": depth_of.values()}, {"concept": pl.String, "depth": float}
    )
    terms = terminology.terms.filter("active").join(concepts, on="concept")
    return dict(terms.group_by(pl.col("text").str.to_lowercase()).agg(pl.min("depth")).iter_rows())


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


def value_of_term(
    term: str,
    value: Callable[[str], float | None],
    absent: float = math.nan,
    several: str = "lowest",
    pattern: re.Pattern[str] = _LETTERS,
) -> float:
    """Return the value of a term in lower case: its own, or what the values of its words come to.

    >>> [value_of_term(term, {"acute": 90.0, "nephritis": 4.0}.get) for term in ("acute nephritis", "acute otitis")]
    [4.0, nan]
    """
    if (number := value(term)) is not None:
        return number
    values = [absent if (number := value(word)) is None else number for word in pattern.findall(term)]
    if several == "whole" or not values:
        return absent
    return math.nan if any(map(math.isnan, values)) else _COMBINED[several](values)


def _of_words(
    name: str,
    meaning: str,
    value: Callable[[str], float | None],
    absent: float = math.nan,
    several: str = "whole",
    pattern: re.Pattern[str] = _LETTERS,
    **more: tuple[str, ...],
) -> Property:
    """Return a property of words, of which `value` knows some."""

    def values(pairs: PairSet) -> Values:
        number: dict[str, int] = {}
        places = [[number.setdefault(term, len(number)) for term in terms] for terms in _lower_terms(pairs)]
        numbers = np.array([value_of_term(term, value, absent, several, pattern) for term in number], np.float64)
        return Values(numbers[places[0]], numbers[places[1]], numbers)

    if several != "whole":
        meaning += f"; a term of several words has the {several} value of its words"
    return Property(name, meaning, "words", values, **more)


def _lower_terms(pairs: PairSet) -> list[list[str]]:
    return [pairs.frame[name].str.to_lowercase().to_list() for name in ("term_1", "term_2")]


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
        meaning = f"concepts of {terminology.identity.slug} that a term names"
        return _of_words("senses", meaning, senses(terminology).get, 0.0)
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
    meaning = f"column '{table.column}' of {file}" if table.column else f"second column of {file}"
    if options.by == "breadth" and table.column in _BREADTHS:
        meaning = f"{_BREADTHS[table.column]}, {meaning}"
    words = numbered(table.zeros, "word")
    note = f"The table lists {words} as N/A: counted and not found, with the value 0 (see the option 'missing')."
    notes = (note,) if table.zeros else ()
    if table.of == "words":
        several = "whole" if table.labels else options.several
        more = {"labels": table.labels, "notes": notes}
        return _of_words(name, meaning, table.values.get, table.absent, several, **more)  # type: ignore[arg-type]

    def values(pairs: PairSet) -> Values:
        keys = map(pair_key, pairs.frame["term_1"], pairs.frame["term_2"])
        return Values(np.array([table.values.get(key, table.absent) for key in keys], np.float64))

    return Property(name, meaning, "pairs", values, table.labels, notes)


def _counted(options: SubsetOptions) -> Property:
    counts = count_words(options.corpus)
    absent = math.nan if options.missing == NOT_KNOWN else 0.0
    files = ", ".join(map(_file_name, options.corpus))
    meaning = f"occurrences among the {counts.total():,} words of {files}"
    return _of_words("frequency", meaning, counts.get, absent, options.several, _ENGLISH)


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _general(options: SubsetOptions) -> Property:
    from termgauge.embeddings.libraries import library

    what = "The frequency of words (unless you give a table with --property or a text with --corpus)"
    wordfreq = library("wordfreq", what, "words")

    def value(word: str) -> float | None:
        return wordfreq.zipf_frequency(word, "en", wordlist="best") if _ENGLISH.fullmatch(word) else None

    meaning = "Zipf frequency in general English by wordfreq, which is no count of medical text"
    return _of_words("frequency", meaning, value, several=options.several, pattern=_ENGLISH)


def _depth(terminology: Terminology) -> Property:
    depth_of_concept = depths(terminology)
    if not depth_of_concept:
        raise TermgaugeError(f"{terminology.identity.slug} has no hierarchy, so that its concepts have no depth.")
    by_text = cache(lambda: _of_words("depth", "", depths_of_texts(terminology, depth_of_concept).get))

    def values(pairs: PairSet) -> Values:
        concepts = [] if pairs.concepts is None else pairs.concepts.get_columns()
        if any(concept in depth_of_concept for column in concepts for concept in column):
            one, two = ([depth_of_concept.get(concept, math.nan) for concept in column] for column in concepts)
            return Values(np.fmax(one, two))
        one_term, two_term, _ = by_text().values(pairs)
        return Values(np.fmax(one_term, np.asarray(two_term)))

    meaning = f"shortest way from the deeper of the two concepts up to a root of {terminology.identity.slug}"
    return Property("depth", meaning, "pairs", values)


def spread_of(pairs: PairSet) -> NDArray[np.float64] | None:
    """Return the sample standard deviation of the ratings of each pair; None if they are not known.

    NaN for a pair with fewer than two ratings.
    """
    if pairs.ratings is None:
        return None
    with warnings.catch_warnings(category=RuntimeWarning, action="ignore"):  # of pairs with too few ratings
        return np.asarray(np.nanstd(pairs.ratings.to_numpy().astype(np.float64), axis=1, ddof=1))


def _spread(pairs: PairSet) -> Values:
    spread = spread_of(pairs)
    if spread is None:
        raise TermgaugeError(
            f"'{pairs.id}' has no spread of ratings, since it is not known what each rater said; name a table of "
            "ratings with --ratings, or score the set again if it has one."
        )
    return Values(spread)


def _score(pairs: PairSet) -> Values:
    if not pairs.graded:
        raise TermgaugeError(f"'{pairs.id}' has labels and no scores to divide it by.")
    return Values(pairs.frame["score"].to_numpy().astype(np.float64))


def _edit_distance(pairs: PairSet) -> Values:
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    distances = process.cpdist(*_lower_terms(pairs), scorer=Levenshtein.distance, dtype=np.int32, workers=-1)
    return Values(distances.astype(np.float64))


def _words(pairs: PairSet) -> Values:
    counts = [[len(term.split()) for term in terms] for terms in _lower_terms(pairs)]
    return Values(np.max(np.array(counts, np.float64), axis=0))


_OF_PAIRS: dict[str, tuple[str, Callable[[PairSet], Values]]] = {
    "spread": ("sample standard deviation of the ratings of a pair", _spread),
    "score": ("score of a pair; within a band scores vary less, so that rho is lower than on the whole set", _score),
    "edit-distance": ("Levenshtein distance of the two terms in lower case", _edit_distance),
    "words": ("words of the longer of the two terms", _words),
}
