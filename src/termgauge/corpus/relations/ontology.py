"""Ontologies, and any terminology that termgauge reads: words of one term are synonyms, of sister terms siblings.

Only names that are words of the pool take part, so that all pairs of words under one parent are few however large the
ontology is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from termgauge.corpus.pools import BIOMEDICAL, difference
from termgauge.corpus.relations.resource import SIBLING, SYNONYM, Kind, Relations
from termgauge.terminology.model import FSN, HIERARCHY
from termgauge.terminology.model import SYNONYM as EXACT
from termgauge.terminology.read import read_terminology

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from termgauge.corpus.options import PairOptions
    from termgauge.corpus.pools import Codes, Pool
    from termgauge.corpus.relations.resource import Speller
    from termgauge.io.source import SourceFile
    from termgauge.terminology.model import Terminology

EXACT_KINDS = (FSN, EXACT, "layperson")
"""Names, exact synonyms, and those for laypeople: which of them OBO files call exact is not kept, but most are."""


@dataclass(frozen=True, eq=False)
class Ontology(Relations):
    """The names and exact synonyms of live terms that are one word, and the live parents of these terms."""

    names: pl.DataFrame
    """``term``, ``word``; each row once."""
    parents: pl.DataFrame
    """``term``, ``parent``; each row once."""

    @property
    def words(self) -> pl.Series:
        """All words that are a name or synonym."""
        return self.names["word"]

    def related(self, pool: Pool, variants: pl.DataFrame) -> Mapping[str, Codes]:
        """Return synonyms, and siblings that are no synonyms."""
        of_variants = self.names.join(variants, on="word").select("term", word="variant")
        names = pl.concat([self.names, of_variants]).unique()
        synonyms = pool.pairs_within(names.rename({"term": "group"}))
        siblings = pool.pairs_within(names.join(self.parents, on="term").select("word", group="parent"))
        # Two words of one and the same child of a parent are synonyms; all others are of two children.
        return {SYNONYM: synonyms, SIBLING: difference(siblings, synonyms)}


def ontology_of(terminology: Terminology, spelled: Speller, scopes: Sequence[str] = ()) -> Ontology:
    """Return what a terminology says about single words; `scopes` are kinds of synonyms besides exact ones."""
    live = terminology.concepts.filter("active").select(term="concept", text="name")
    terms = terminology.terms.filter(pl.col("active") & pl.col("kind").is_in([*EXACT_KINDS, *scopes]))
    of_live = terms.select("text", term="concept").join(live, on="term", how="semi").select("term", "text")
    text = pl.col("text").str.strip_chars()
    names = pl.concat([live, of_live]).select("term", text).filter((text != "") & ~text.str.contains(r"\s"))
    parents = (
        terminology.relations.filter(pl.col("type").is_in(HIERARCHY))
        .select(term="source", parent="target")
        .join(live, on="term", how="semi")
        .join(live.select(parent="term"), on="parent", how="semi")
    )
    words = names.select("term", word=spelled(names["text"].str.to_lowercase()))
    return Ontology(words.unique(), parents.unique())


def _read(files: Sequence[SourceFile], spelled: Speller, options: PairOptions) -> Ontology:
    return ontology_of(read_terminology(files[0].root), spelled, options.scope)


KIND = Kind(
    name="ontology",
    signs="an ontology or another terminology that termgauge reads",
    recognised=lambda _file: False,  # what no other kind recognises is taken for one
    read=_read,
    domains=(BIOMEDICAL,),
)
