"""How frequent words are in general language: from a table of the user's, or from the package wordfreq."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING

from termgauge.corpus.libraries import library
from termgauge.corpus.tables import rows_of, whole_number
from termgauge.exceptions import TermgaugeError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

WORDFREQ_TOKENS = 1_000_000_000
"""wordfreq knows shares, not counts: they are taken as counts in so many tokens."""

_NOTHING = ("", "N/A", "NA")
"""What stands for no count."""


@dataclass(frozen=True)
class General:
    """Counts of some words in general language."""

    counts: list[int]
    tokens: int
    source: str

    def log_ratio(self, count: int, tokens: int, general_count: int) -> float:
        """Return how many times more frequent a word is in a corpus than in general language, as a power of two.

        >>> General([], 1_000_000, "").log_ratio(7, 1_000_000, 0)
        3.9068905956085187
        """
        return log2((count + 0.5) / tokens * self.tokens / (general_count + 0.5))


def from_wordfreq(words: Sequence[str]) -> General:
    """Return the counts of lower words in a thousand million tokens of English, by wordfreq's best word list."""
    wordfreq = library("wordfreq", "Counts of general language (unless you give a table with --general)")
    shares = [wordfreq.word_frequency(word, "en", wordlist="best") for word in words]
    return General([round(share * WORDFREQ_TOKENS) for share in shares], WORDFREQ_TOKENS, "wordfreq")


def from_table(words: Sequence[str], path: str | os.PathLike[str]) -> General:
    """Return the counts of lower words in a table `word TAB count`; words that it does not have count 0."""
    counts: dict[str, int] = {}
    for line, (word, text) in rows_of(path, 2, "word TAB count"):
        number = whole_number(text)
        if number is None and line == 1:  # a header
            continue
        if number is None and text.upper() not in _NOTHING:
            raise TermgaugeError(
                f"{path}, line {line:,}: the count '{text[:40]}' is no whole number; correct the line."
            )
        counts[word.lower()] = counts.get(word.lower(), 0) + (number or 0)
    if not (tokens := sum(counts.values())):
        raise TermgaugeError(f"{path}: has no counts; the table is word TAB count.")
    return General([counts.get(word, 0) for word in words], tokens, str(path))
