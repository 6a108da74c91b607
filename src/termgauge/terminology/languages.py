"""Languages of terms: how they are written, and when one is another.

Tags are compared by their beginning, in any case of letters: ``en`` is also ``en-US``, but ``en-US`` is not ``en``. The
three-letter codes of the UMLS mean what the two-letter ones do.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

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


@lru_cache(maxsize=1024)
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
    code, wanted = code_of(tag), code_of(language)
    return code == wanted or code.startswith(f"{wanted}-")


def tags_in(tags: Iterable[str | None], language: str) -> list[str]:
    """Return those of some tags that say that something is in a language."""
    return [tag for tag in tags if tag is not None and is_in(tag, language)]
