"""Words that were sorted into domains, as pools to draw pairs from.

Experts decide the domain (the column ``domain`` or ``decision``). Where they have not, the log-ratio of a word's
frequencies in the corpus and in general language can stand in for them; what is made so is a proposal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from termgauge.corpus.pools import BIOMEDICAL, CLASSES, DOMAINS, GENERAL, Pool
from termgauge.corpus.relations.resource import columns_of, table_of
from termgauge.exceptions import TermgaugeError
from termgauge.io.source import content_hashes, files_of

if TYPE_CHECKING:
    import os

    from termgauge.corpus.pair_options import PairOptions

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
    files = files_of(place)
    if len(files) != 1:
        raise TermgaugeError(f"{place}: holds {len(files) or 'no'} files; name one table of words.")
    (file,) = files
    by_ratio = options.domain_source == "log-ratio"
    column = next((name for name in DECIDED if name in columns_of(file)), None)
    if not by_ratio and column is None:
        raise TermgaugeError(
            f"{file.label}: has no column 'domain' or 'decision', which says what experts decided; let experts sort "
            "the words (termgauge words --decisions), or give --domain-source log-ratio to go by frequency alone."
        )
    column = "log_ratio" if by_ratio else column or ""
    rows = table_of(file, ("word", "class", column)).with_row_index("row", offset=2)
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
    return SortedWords(rows.select("word", "written", "class", "domain"), str(place), content_hashes(files)[0])


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
