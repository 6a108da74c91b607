"""Classes of verbs, as in VerbNet and BioVerbNet: words of one class belong together.

A table with a column of words (``verb``, ``noun`` or ``word``) and a column of classes; a word may stand in several
rows, or have several classes in one, separated by commas, semicolons or spaces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from termgauge.corpus.pools import NO_PAIRS, NOUN, VERB
from termgauge.corpus.relations.resource import CLASS, Kind, columns_of, table_of
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.corpus.pair_options import PairOptions
    from termgauge.corpus.pools import Codes, Pool
    from termgauge.corpus.relations.resource import Spelled
    from termgauge.io.source import SourceFile

WORD_COLUMNS = (VERB, NOUN, "word", "lemma")
_NO_CLASS = ("", "N/A", "NA", "-", "_")


@dataclass(frozen=True, eq=False)
class WordClasses:
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

    def listed(self, pool: Pool) -> Codes:  # noqa: ARG002
        """Return nothing: what is not related is not listed."""
        return NO_PAIRS


def _class_column(columns: Sequence[str]) -> str | None:
    exact = [name for name in ("class", "classes") if name in columns]
    return next(iter([*exact, *(name for name in columns if name.endswith(("_class", "_classes")))]), None)


def _word_column(columns: Sequence[str]) -> str | None:
    return next((name for name in WORD_COLUMNS if name in columns), None)


def _recognised(file: SourceFile) -> bool:
    columns = columns_of(file)
    return _word_column(columns) is not None and _class_column(columns) is not None


def _read(files: Sequence[SourceFile], spelled: Spelled, options: PairOptions) -> WordClasses:  # noqa: ARG001
    return WordClasses(pl.concat([_members(file, spelled) for file in files]).unique())


def _members(file: SourceFile, spelled: Spelled) -> pl.DataFrame:
    columns = columns_of(file)
    word, group = _word_column(columns), _class_column(columns)
    if word is None or group is None:
        raise TermgaugeError(
            f"{file.label}: is no table of classes; it needs a column named verb, noun or word, and one named class."
        )
    rows = table_of(file, (word, group)).select(word=pl.col(word).str.to_lowercase(), group=pl.col(group))
    classes = (
        rows.with_columns(pl.col("group").str.replace_all(r"[,;\s]+", " ").str.split(" "))
        .explode("group")
        .filter(~pl.col("group").is_in(_NO_CLASS) & (pl.col("word") != ""))
    )
    if classes.is_empty():
        raise TermgaugeError(f"{file.label}: no word has a class in the column '{group}'; check the file.")
    part = word if word in (VERB, NOUN) else None
    return classes.select("group", word=spelled(classes["word"]), part=pl.lit(part, pl.String))


KIND = Kind(
    name="classes",
    signs="a table with a column verb, noun or word and a column class",
    recognised=_recognised,
    read=_read,
)
