"""A table of related words: ``word1``, ``word2``, ``relation`` in each row, from whatever resource."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from termgauge.corpus.pools import NO_PAIRS, together, without
from termgauge.corpus.relations.resource import RELATIONS, Kind, columns_of, table_of
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.corpus.pair_options import PairOptions
    from termgauge.corpus.pools import Codes, Pool
    from termgauge.corpus.relations.resource import Spelled
    from termgauge.io.source import SourceFile

COLUMNS = ("word1", "word2", "relation")


@dataclass(frozen=True, eq=False)
class RelatedWords:
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
            found[relation] = without(pairs, together(found.values()))
        return found

    def listed(self, pool: Pool) -> Codes:  # noqa: ARG002
        """Return nothing: what is not related is not listed."""
        return NO_PAIRS


def closeness(relation: str) -> tuple[int, str]:
    """Return by what relations are ordered: those with a name of their own first, the closest before the others."""
    return (RELATIONS.index(relation) if relation in RELATIONS else len(RELATIONS)), relation


def _read(files: Sequence[SourceFile], spelled: Spelled, options: PairOptions) -> RelatedWords:  # noqa: ARG001
    tables = []
    for file in files:
        rows = table_of(file, COLUMNS)
        if (at := rows.with_row_index("line", offset=2).filter(pl.any_horizontal(pl.col(COLUMNS) == ""))).height:
            raise TermgaugeError(
                f"{file.label}, row {at['line'][0]} (the header is row 1): a word or the relation is missing; fill it "
                "in or delete the row."
            )
        tables.append(rows)
    rows = pl.concat(tables)
    first, second = (spelled(rows[name].str.to_lowercase()) for name in ("word1", "word2"))
    return RelatedWords(rows.select("relation", first=first, second=second))


KIND = Kind(
    name="table",
    signs="a table with the columns word1, word2 and relation",
    recognised=lambda file: set(COLUMNS) <= set(columns_of(file)),
    read=_read,
)
