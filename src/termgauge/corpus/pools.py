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
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from termgauge.corpus.tables import open_words, refuse_row
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import only_file
from termgauge.io.tables import open_table

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from termgauge.corpus.options import PairOptions

BIOMEDICAL, GENERAL = DOMAINS = ("biomedical", "general")


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

    def pairs_of(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """Return the pairs whose words are both in the pool and differ, each once: ``pair``, and their relation if any.

        The columns of what is given are ``first`` and ``second``, and ``relation`` if they have one.
        """
        second = self.places.select(second="word", place_2="place")
        places = pairs.join(self.places, left_on="first", right_on="word").join(second, on="second")
        return self._pairs(places.filter(pl.col("place") != pl.col("place_2")))

    def pairs_within(self, groups: pl.DataFrame) -> pl.DataFrame:
        """Return all pairs of words that stand in one group; the columns are ``word``, ``group`` and ``relation``.

        Words that are not in the pool are passed by, so that the work grows with the words that are.
        """
        members = groups.join(self.places, on="word").select("group", "relation", "place").unique()
        both = members.join(members, on=["group", "relation"], suffix="_2")
        return self._pairs(both.filter(pl.col("place") < pl.col("place_2")))

    def _pairs(self, places: pl.DataFrame) -> pl.DataFrame:
        low, high = pl.min_horizontal("place", "place_2"), pl.max_horizontal("place", "place_2")
        return places.select("^relation$", pair=low * len(self.words) + high).unique()

    def pair(self, code: int) -> tuple[str, str]:
        """Return the two words of a pair, the smaller first."""
        low, high = divmod(int(code), len(self.words))
        return self.words[low], self.words[high]


def pool_of(words: pl.DataFrame, word_class: str, domain: str) -> Pool:
    """Return the words of a class and a domain."""
    rows = words.filter(pl.col("class") == word_class, pl.col("domain") == domain).sort("word")
    written = rows.filter(pl.col("word") != pl.col("written"))
    return Pool(word_class, domain, tuple(rows["word"]), dict(written.select("word", "written").iter_rows()))


def sorted_words(path: str | os.PathLike[str], options: PairOptions) -> pl.DataFrame:
    """Read a table of words with the columns word and class, and domain, decision or log_ratio.

    Returned are ``word`` (in lower case), ``written``, ``class`` and ``domain`` (null for words that take no part).
    """
    file = only_file(path, "table of words")
    table, column = open_table(file), "log_ratio"
    if options.domain_source == "decisions":
        column = next((name for name in ("domain", "decision") if table.find(name) is not None), "")
        if not column:
            raise TermgaugeError(
                f"{file.label}: has no column 'domain' or 'decision', which says what experts decided; let experts "
                "sort the words (termgauge words --decisions), or give --domain-source log-ratio to go by frequency "
                "alone."
            )
    rows, frame = open_words(path, column)
    frame = frame.with_columns(written=pl.col("word"), word=pl.col("word").str.to_lowercase())
    twice = ~pl.struct("word", "class").is_first_distinct()
    refuse_row(rows, frame, pl.col("word") == "", "word", "is no word; delete the row")
    refuse_row(rows, frame, twice, "written", "is there twice in one class; leave one row")
    if column == "log_ratio":
        ratio = pl.col(column).cast(pl.Float64, strict=False)
        bad = (pl.col(column) != "") & (ratio.is_null() | ratio.is_nan())
        refuse_row(rows, frame, bad, column, "is no number; check the table")
        high, low = ratio >= options.threshold, ratio <= -options.threshold
        domain: pl.Expr = pl.when(high).then(pl.lit(BIOMEDICAL)).when(low).then(pl.lit(GENERAL))
    else:
        decided = pl.col(column).str.to_lowercase()
        why = "is no domain; use biomedical, general or both, or leave it empty"
        refuse_row(rows, frame, ~decided.is_in([*DOMAINS, "both", ""]), column, why)
        domain = pl.when(decided.is_in(DOMAINS)).then(decided)
    return frame.select("word", "written", "class", domain=domain)


QUARTERS = tuple(f"{domain}-{kind}" for domain in DOMAINS for kind in ("associated", "unassociated"))
DRAWS = 1000
"""For each pair that is wanted, so many draws of unassociated ones before giving up."""


class RelatedPairs(NamedTuple):
    """What resources say about a pool."""

    pool: Pool
    pairs: pl.DataFrame
    """The associated pairs of each resource, each with its closest relation: ``pair``, ``relation``, ``resource``."""
    resources: Mapping[str, int]
    """How many associated pairs each resource that is asked about the domain gives."""
    closed: AbstractSet[int]
    """The pairs that are no unassociated ones: candidates, all that norms list, and forms of one word."""

    @property
    def candidates(self) -> list[int]:
        """The associated pairs in ascending order, each once."""
        return self.pairs["pair"].unique().sort().to_list()


def draw(
    biomedical: RelatedPairs, general: RelatedPairs, accepted: Sequence[int], per_quarter: int, seed: int
) -> list[tuple[str, int]]:
    """Draw the four quarters of one class of words; `accepted` are the biomedical pairs that may be drawn.

    Each pair comes as its quarter, and its number in the pool of that quarter's domain.
    """
    rng = Random(seed)  # noqa: S311 - drawn again by whoever has the seed
    lists = (
        _sample(accepted, per_quarter, rng),
        _unassociated(biomedical, per_quarter, rng),
        _sample(general.candidates, per_quarter, rng),
        _unassociated(general, per_quarter, rng),
    )
    pairs = [(quarter, code) for quarter, codes in zip(QUARTERS, lists, strict=True) for code in codes]
    rng.shuffle(pairs)
    return pairs


def _sample(pairs: Sequence[int], count: int, rng: Random) -> Sequence[int]:
    """Return so many of the pairs, or all of them if there are not more."""
    return rng.sample(pairs, count) if len(pairs) > count else pairs


def _unassociated(related: RelatedPairs, count: int, rng: Random) -> Sequence[int]:
    """Draw two words at a time, until there are enough pairs that no resource lists."""
    size = len(related.pool.words)
    places = range(size)
    closed = set(related.closed)
    codes: list[int] = []
    for _ in range(DRAWS * count if size > 1 else 0):
        x, y = rng.sample(places, 2)
        code = x * size + y if x < y else y * size + x
        if code not in closed:
            closed.add(code)
            codes.append(code)
            if len(codes) == count:
                break
    return codes
