"""Pools of words that were sorted into domains, and the four quarters of pairs that are drawn from them.

Experts decide the domain (the column ``domain`` or ``decision``). Where they have not, the log-ratio of a word's
frequencies in the corpus and in general language can stand in for them; what is made so is a proposal.

A pair of a pool of n words is the number ``smaller * n + greater``, where both are places in the sorted pool: to sort
these numbers is to sort the pairs, and millions of pairs fit into memory. All chance is one ``random.Random`` of the
seed for each class of words, asked in the order that is written here, so that another program that follows the same
order draws the same pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from termgauge.corpus.tables import CLASSES
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import content_hashes, only_file
from termgauge.io.tables import open_table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.relations.registry import RelatedPairs

BIOMEDICAL, GENERAL = DOMAINS = ("biomedical", "general")

Codes: TypeAlias = "NDArray[np.int64]"
"""Pairs of a pool as numbers, in ascending order, each once."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The words of one class and one domain, in lower case and in the order of code points."""

    word_class: str
    domain: str
    words: tuple[str, ...]
    written: Mapping[str, str] = field(default_factory=dict)
    """How the words are written that are not written in lower case."""

    @cached_property
    def places(self) -> pl.DataFrame:
        """The place of each word: ``word``, ``place``."""
        return pl.DataFrame(
            {"word": self.words, "place": range(len(self.words))}, schema={"word": pl.String, "place": pl.Int64}
        )

    def pairs_within(self, groups: pl.DataFrame) -> Codes:
        """Return all pairs of words that stand in one group; the columns are ``group`` and ``word``.

        Words that are not in the pool are passed by, so that the work grows with the words that are.
        """
        known = groups.join(self.places, on="word").select("group", "place").unique()
        several = known.group_by("group").agg(pl.col("place").sort()).filter(pl.col("place").list.len() > 1)
        found = [self._all_pairs(places.to_numpy()) for places in several["place"]]
        return union(found)

    def pairs_of(self, pairs: pl.DataFrame) -> Codes:
        """Return those pairs whose words are both in the pool and differ; the columns are ``first`` and ``second``."""
        places = self.places
        known = (
            pairs.join(places, left_on="first", right_on="word")
            .join(places, left_on="second", right_on="word", suffix="_2")
            .filter(pl.col("place") != pl.col("place_2"))
        )
        low, high = (each(pl.col("place"), pl.col("place_2")) for each in (pl.min_horizontal, pl.max_horizontal))
        codes = known.select(code=low * len(self.words) + high)["code"].unique().sort()
        return codes.to_numpy().astype(np.int64)

    def pair(self, code: int) -> tuple[str, str]:
        """Return the two words of a pair, the smaller first."""
        low, high = divmod(int(code), len(self.words))
        return self.words[low], self.words[high]

    def code(self, first: str, second: str) -> int:
        """Return the number of a pair of two different words of the pool, in either order."""
        low, high = sorted((self._place_of[first], self._place_of[second]))
        return low * len(self.words) + high

    @cached_property
    def _place_of(self) -> dict[str, int]:
        return {word: place for place, word in enumerate(self.words)}

    def _all_pairs(self, places: NDArray[np.int64]) -> Codes:
        low, high = np.triu_indices(len(places), 1)
        return places[low] * len(self.words) + places[high]


NO_PAIRS: Codes = np.empty(0, np.int64)


def union(sets: Iterable[Codes]) -> Codes:
    """Return the pairs that are in any of some sets."""
    given = [each for each in sets if len(each)]
    return np.unique(np.concatenate(given)) if given else NO_PAIRS


def difference(pairs: Codes, others: Codes) -> Codes:
    """Return the pairs that are not among others."""
    return pairs[~np.isin(pairs, others, assume_unique=True)] if len(others) else pairs


def contains(code: int, pairs: Codes) -> bool:
    """Say whether a pair is in a set."""
    at = int(np.searchsorted(pairs, code))
    return at < len(pairs) and bool(pairs[at] == code)


DECIDED = ("domain", "decision")
"""The columns that may hold what experts decided together."""
NO_DOMAIN = ("", "both")
"""What stands in the column of a word that takes no part."""


@dataclass(frozen=True, eq=False)
class SortedWords:
    """The words of a table with their classes and domains."""

    rows: pl.DataFrame
    """``word`` (in lower case), ``written``, ``class``, ``domain`` (null for words that take no part)."""
    place: str
    sha256: str

    @property
    def known(self) -> frozenset[str]:
        """All words of the table, in lower case, whatever their domain."""
        return frozenset(self.rows["word"])

    def classes(self, only: str | None = None) -> list[str]:
        """Return the classes of words that there are, nouns first."""
        return [each for each in CLASSES if only in (None, each) and (self.rows["class"] == each).any()]

    def pool(self, word_class: str, domain: str) -> Pool:
        """Return the words of a class and a domain."""
        own = self.rows.filter((pl.col("class") == word_class) & (pl.col("domain") == domain)).sort("word")
        written = own.filter(pl.col("word") != pl.col("written"))
        return Pool(word_class, domain, tuple(own["word"]), dict(written.select("word", "written").iter_rows()))


def sorted_words(place: str | os.PathLike[str], options: PairOptions) -> SortedWords:
    """Read a table of words with the columns word and class, and domain or log_ratio."""
    file = only_file(place, "table of words")
    by_ratio = options.domain_source == "log-ratio"
    table = open_table(file)
    column = next((name for name in DECIDED if table.find(name) is not None), None)
    if not by_ratio and column is None:
        raise TermgaugeError(
            f"{file.label}: has no column 'domain' or 'decision', which says what experts decided; let experts sort "
            "the words (termgauge words --decisions), or give --domain-source log-ratio to go by frequency alone."
        )
    column = "log_ratio" if by_ratio else column or ""
    rows = table.select(("word", "class", column)).with_row_index("row", offset=2)
    rows = rows if by_ratio else rows.rename({column: "domain"})
    if rows.is_empty():
        raise TermgaugeError(f"{file.label}: holds no words; check the file.")
    rows = rows.with_columns(written=pl.col("word"), word=pl.col("word").str.to_lowercase())
    _refuse(
        rows, ~pl.col("class").is_in(CLASSES), file.label, "class", f"no class of words; use {' or '.join(CLASSES)}"
    )
    _refuse(rows, pl.col("word") == "", file.label, "word", "no word; delete the row")
    _refuse(
        rows, ~pl.struct("word", "class").is_first_distinct(), file.label, "written", "there twice in one class; "
        "leave one row"
    )  # fmt: skip
    rows = _by_ratio(rows, options.threshold, file.label) if by_ratio else _by_decision(rows, file.label)
    return SortedWords(rows.select("word", "written", "class", "domain"), str(place), content_hashes([file])[0])


def _by_decision(rows: pl.DataFrame, label: str) -> pl.DataFrame:
    rows = rows.with_columns(pl.col("domain").str.to_lowercase())
    known = f"no domain; use {', '.join(DOMAINS)} or both, or leave it empty"
    _refuse(rows, ~pl.col("domain").is_in([*DOMAINS, *NO_DOMAIN]), label, "domain", known)
    return rows.with_columns(domain=pl.when(pl.col("domain").is_in(DOMAINS)).then("domain"))


def _by_ratio(rows: pl.DataFrame, threshold: float, label: str) -> pl.DataFrame:
    ratio = pl.col("log_ratio").cast(pl.Float64, strict=False)
    bad = (pl.col("log_ratio") != "") & (ratio.is_null() | ratio.is_nan())
    _refuse(rows, bad, label, "log_ratio", "no number; check the table")
    domain = pl.when(ratio >= threshold).then(pl.lit(BIOMEDICAL)).when(ratio <= -threshold).then(pl.lit(GENERAL))
    return rows.with_columns(domain=domain)


def _refuse(rows: pl.DataFrame, bad: pl.Expr, label: str, column: str, why: str) -> None:
    """Refuse a table with a row that is bad, and name the first of them."""
    wrong = rows.filter(bad)
    if wrong.height:
        raise TermgaugeError(
            f"{label}, row {wrong['row'][0]} (the header is row 1): '{wrong[column][0][:40]}' is {why}."
        )


QUARTERS = tuple(f"{domain}-{kind}" for domain in (BIOMEDICAL, GENERAL) for kind in ("associated", "unassociated"))
BIOMEDICAL_ASSOCIATED, BIOMEDICAL_UNASSOCIATED, GENERAL_ASSOCIATED, GENERAL_UNASSOCIATED = QUARTERS
DRAWS = 1000
"""For each pair that is wanted, so many draws of unassociated ones before giving up."""


class Asked(NamedTuple):
    """A pool of words, and what the resources say about it."""

    pool: Pool
    found: RelatedPairs


class Drawn(NamedTuple):
    """A pair that was drawn: its quarter, and its number in the pool of that quarter's domain."""

    quarter: str
    code: int


def draw(biomedical: Asked, general: Asked, accepted: Codes, per_quarter: int, seed: int) -> list[Drawn]:
    """Draw the four quarters of one class of words; `accepted` are the biomedical pairs that may be drawn."""
    rng = Random(seed)  # noqa: S311 - drawn again by whoever has the seed
    lists = (
        _sample(accepted, per_quarter, rng),
        _unassociated(biomedical, per_quarter, rng),
        _sample(general.found.candidates, per_quarter, rng),
        _unassociated(general, per_quarter, rng),
    )
    pairs = [Drawn(quarter, code) for quarter, codes in zip(QUARTERS, lists, strict=True) for code in codes]
    rng.shuffle(pairs)
    return pairs


def _sample(pairs: Codes, count: int, rng: Random) -> Sequence[int]:
    """Return so many of the pairs, or all of them if there are not more."""
    known: list[int] = pairs.tolist()
    return rng.sample(known, count) if len(known) > count else known


def _unassociated(asked: Asked, count: int, rng: Random) -> Sequence[int]:
    """Draw two words at a time, until there are enough pairs that no resource lists."""
    size = len(asked.pool.words)
    places = range(size)
    closed: set[int] = set(asked.found.closed.tolist())
    found: list[int] = []
    for _ in range(DRAWS * count if size > 1 else 0):
        x, y = rng.sample(places, 2)
        code = x * size + y if x < y else y * size + x
        if code not in closed:
            closed.add(code)
            found.append(code)
            if len(found) == count:
                break
    return found
