"""Tables of related words (``word1``, ``word2``, ``relation``) and of classes of verbs, as in VerbNet and BioVerbNet.

Words of one class belong together. A table of classes has a column of words (``verb``, ``noun`` or ``word``) and a
column of classes; a word may stand in several rows, or have several classes in one, separated by commas, semicolons or
spaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from termgauge.corpus.pools import difference, union
from termgauge.corpus.relations.resource import CLASS, RELATIONS, Kind, Relations
from termgauge.corpus.tables import NOUN, VERB
from termgauge.exceptions import TermgaugeError
from termgauge.io.tables import open_table, peek_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.pools import Codes, Pool
    from termgauge.corpus.relations.resource import Speller
    from termgauge.io.source import SourceFile

COLUMNS = ("word1", "word2", "relation")


@dataclass(frozen=True, eq=False)
class RelatedWords(Relations):
    """Pairs of words, each with a relation."""

    rows: pl.DataFrame
    """``first``, ``second``, ``relation``."""

    @property
    def words(self) -> pl.Series:
        """All words of the table."""
        return pl.concat([self.rows["first"], self.rows["second"].alias("first")])

    def related(self, pool: Pool, variants: pl.DataFrame) -> Mapping[str, Codes]:  # noqa: ARG002
        """Return the pairs of the table; one with several relations has the closest of them."""
        found: dict[str, Codes] = {}
        for relation in sorted(self.rows["relation"].unique(), key=closeness):
            pairs = pool.pairs_of(self.rows.filter(pl.col("relation") == relation))
            found[relation] = difference(pairs, union(found.values()))
        return found


def closeness(relation: str) -> tuple[int, str]:
    """Return by what relations are ordered: those with a name of their own first, the closest before the others."""
    return (RELATIONS.index(relation) if relation in RELATIONS else len(RELATIONS)), relation


def _read_table(files: Sequence[SourceFile], spelled: Speller, options: PairOptions) -> RelatedWords:  # noqa: ARG001
    tables = []
    for file in files:
        rows = open_table(file, COLUMNS).select(COLUMNS)
        if (at := rows.with_row_index("line", offset=2).filter(pl.any_horizontal(pl.col(COLUMNS) == ""))).height:
            raise TermgaugeError(
                f"{file.label}, row {at['line'][0]} (the header is row 1): a word or the relation is missing; fill it "
                "in or delete the row."
            )
        tables.append(rows)
    rows = pl.concat(tables)
    first, second = (spelled(rows[name].str.to_lowercase()) for name in ("word1", "word2"))
    return RelatedWords(rows.select("relation", first=first, second=second))


TABLE = Kind(
    name="table",
    signs="a table with the columns word1, word2 and relation",
    recognised=lambda file: peek_table(file.head(), COLUMNS).names(COLUMNS),
    read=_read_table,
)


WORD_COLUMNS = (VERB, NOUN, "word", "lemma")
_NO_CLASS = ("", "N/A", "NA", "-", "_")


@dataclass(frozen=True, eq=False)
class WordClasses(Relations):
    """Words of which each has one or more classes."""

    members: pl.DataFrame
    """``word``, ``group`` (the class), ``part`` (the class of words it is of; null if the table does not say)."""

    @property
    def words(self) -> pl.Series:
        """All words that have a class."""
        return self.members["word"]

    def related(self, pool: Pool, variants: pl.DataFrame) -> Mapping[str, Codes]:  # noqa: ARG002
        """Return the pairs of words that share a class."""
        of_class = pl.col("part").is_null() | (pl.col("part") == pool.word_class)
        return {CLASS: pool.pairs_within(self.members.filter(of_class).select("word", "group"))}


def _class_column(columns: Sequence[str]) -> str | None:
    exact = [name for name in ("class", "classes") if name in columns]
    return next(iter([*exact, *(name for name in columns if name.endswith(("_class", "_classes")))]), None)


def _word_column(columns: Sequence[str]) -> str | None:
    return next((name for name in WORD_COLUMNS if name in columns), None)


def _has_classes(file: SourceFile) -> bool:
    columns = [title.lower() for title in peek_table(file.head()).first]
    return _word_column(columns) is not None and _class_column(columns) is not None


def _read_classes(files: Sequence[SourceFile], spelled: Speller, options: PairOptions) -> WordClasses:  # noqa: ARG001
    return WordClasses(pl.concat([_members(file, spelled) for file in files]).unique())


def _members(file: SourceFile, spelled: Speller) -> pl.DataFrame:
    columns = [title.lower() for title in peek_table(file.head()).first]
    word, group = _word_column(columns), _class_column(columns)
    if word is None or group is None:
        raise TermgaugeError(
            f"{file.label}: is no table of classes; it needs a column named verb, noun or word, and one named class."
        )
    rows = open_table(file).select((word, group)).select(word=pl.col(word).str.to_lowercase(), group=pl.col(group))
    classes = (
        rows.with_columns(pl.col("group").str.replace_all(r"[,;\s]+", " ").str.split(" "))
        .explode("group")
        .filter(~pl.col("group").is_in(_NO_CLASS) & (pl.col("word") != ""))
    )
    if classes.is_empty():
        raise TermgaugeError(f"{file.label}: no word has a class in the column '{group}'; check the file.")
    part = word if word in (VERB, NOUN) else None
    return classes.select("group", word=spelled(classes["word"]), part=pl.lit(part, pl.String))


CLASSES = Kind(
    name="classes",
    signs="a table with a column verb, noun or word and a column class",
    recognised=_has_classes,
    read=_read_classes,
)
