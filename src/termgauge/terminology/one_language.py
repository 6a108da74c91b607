"""A terminology as it is in one of its languages: the terms in it, and the names that concepts have there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.languages import ENGLISH, is_in, tags_in
from termgauge.terminology.model import FSN, SYNONYM
from termgauge.terminology.names import split_name

if TYPE_CHECKING:
    from termgauge.terminology.model import Terminology


def in_language(terminology: Terminology, language: str) -> Terminology:
    """Return a terminology with its terms in one language only; terms of no language count as in any.

    The name of a concept is the one that it has in that language; in a language other than English, one without a name
    is called by its first active synonym of the best rank, which then is its name. (An English concept without a name
    stays nameless, as in the published benchmarks.)
    """
    whole = terminology.terms
    tags = tags_in(whole["language"].unique(), language)
    terms = whole.filter(pl.col("language").is_null() | pl.col("language").is_in(tags))
    if terms.is_empty():
        known = ", ".join(whole["language"].drop_nulls().unique().sort())
        raise TermgaugeError(f"{terminology.identity.slug} has no terms in '{language}', only in {known or 'none'}.")
    if is_in(language, ENGLISH):
        if terms.height == whole.height:
            return terminology
    else:
        terms = _with_names(terms)
    return replace(terminology, concepts=_renamed(terminology, terms), terms=terms)


def _with_names(terms: pl.DataFrame) -> pl.DataFrame:
    """Make the best active synonym of each concept that has no name its name."""
    numbered = terms.with_row_index("row")
    named = numbered.filter(pl.col("active") & (pl.col("kind") == FSN))
    best = (
        numbered.filter(pl.col("active") & (pl.col("kind") == SYNONYM))
        .join(named, on="concept", how="anti", maintain_order="left")
        .sort("rank", maintain_order=True)
        .unique("concept", keep="first", maintain_order=True)
    )
    return terms.with_columns(kind=terms["kind"].scatter(best["row"], FSN)) if best.height else terms


def _renamed(terminology: Terminology, terms: pl.DataFrame) -> pl.DataFrame:
    """Return the concepts with their names among some terms; semantic tags are cut off where they were before."""
    concepts = terminology.concepts
    own = _first_names(terms).select("concept", own_name="text")
    before = _first_names(terminology.terms).join(concepts, on="concept").select("text", "name")
    if any(text != name and split_name(text)[0] == name for text, name in before.iter_rows()):
        own = own.with_columns(own_name=pl.Series([split_name(name)[0] for name in own["own_name"]], dtype=pl.String))
    joined = concepts.join(own, on="concept", how="left", maintain_order="left")
    return joined.with_columns(name=pl.coalesce("own_name", "name")).select(concepts.columns)


def _first_names(terms: pl.DataFrame) -> pl.DataFrame:
    names = terms.filter(pl.col("active") & (pl.col("kind") == FSN))
    return names.unique("concept", keep="first", maintain_order=True)
