"""Languages of terms: how they are written, when one is another, and a terminology as it is in one of them.

Tags are compared by their beginning, in any case of letters: ``en`` is also ``en-US``, but ``en-US`` is not ``en``. The
three-letter codes of the UMLS mean what the two-letter ones do.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from termgauge.exceptions import TermgaugeError
from termgauge.terminology.model import FSN, SYNONYM, split_names

if TYPE_CHECKING:
    from collections.abc import Iterable

    from termgauge.terminology.model import Terminology

ENGLISH = "en"
# fmt: off
UMLS_CODES = {
    "ARA": "ar", "BAQ": "eu", "CHI": "zh", "CZE": "cs", "DAN": "da", "DUT": "nl", "ENG": "en", "EST": "et", "FIN": "fi",
    "FRE": "fr", "GER": "de", "GRE": "el", "HEB": "he", "HUN": "hu", "ITA": "it", "JPN": "ja", "KOR": "ko", "LAV": "lv",
    "NOR": "no", "POL": "pl", "POR": "pt", "RUS": "ru", "SCR": "hr", "SPA": "es", "SWE": "sv", "TUR": "tr", "UKR": "uk",
}
# fmt: on
"""The Metathesaurus's codes of languages and the two-letter codes that all formats share here."""


def code_of(language: str) -> str:
    """Return a language as it is compared.

    >>> code_of("SPA"), code_of("en_US"), code_of("de")
    ('es', 'en-us', 'de')
    """
    first, hyphen, rest = language.strip().replace("_", "-").lower().partition("-")
    return UMLS_CODES.get(first.upper(), first) + hyphen + rest


def language_of(tag: str) -> str:
    """Return the language that a tag says, without its region; a private tag says nothing else and stays whole.

    >>> language_of("en-GB"), language_of("fre"), language_of("DE"), language_of("x-other")
    ('en', 'fr', 'de', 'x-other')
    """
    code = code_of(tag)
    return code if code.startswith("x-") else code.partition("-")[0]


def is_in(tag: str, language: str) -> bool:
    """Tell whether a tag says that something is in a language.

    >>> is_in("en-US", "EN"), is_in("en", "en-US"), is_in("eng", "en"), is_in("enm", "en")
    (True, False, True, False)
    """
    own, wanted = code_of(tag), code_of(language)
    return own == wanted or own.startswith(f"{wanted}-")


def tags_in(tags: Iterable[str | None], language: str) -> list[str]:
    """Return those of some tags that say that something is in a language."""
    return [tag for tag in tags if tag is not None and is_in(tag, language)]


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
    without_tags = split_names(before["text"])["name"]
    if ((before["text"] != before["name"]) & (without_tags == before["name"])).any():
        own = own.with_columns(own_name=split_names(own["own_name"])["name"])
    joined = concepts.join(own, on="concept", how="left", maintain_order="left")
    return joined.with_columns(name=pl.coalesce("own_name", "name")).select(concepts.columns)


def _first_names(terms: pl.DataFrame) -> pl.DataFrame:
    names = terms.filter(pl.col("active") & (pl.col("kind") == FSN))
    return names.unique("concept", keep="first", maintain_order=True)
