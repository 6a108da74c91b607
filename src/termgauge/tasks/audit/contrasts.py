"""Words by which a terminology tells its concepts apart ("4th" and "5th"), and words that it uses for each other.

Both are learned from the terminology itself. Two words are exchanged for each other wherever two terms are the same but
for them. If that happens between concepts more often than among the synonyms of one, the two words are a contrast, and
terms that differ by it are alike by right. If it happens among synonyms more often ("little" and "pinky"), terms of
different concepts that differ by nothing else may well be synonyms. A word that is added is exchanged for nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from termgauge.tasks.audit.entries import Entries

_WORD = re.compile(r"[^\W_]+|[+%<>]")
_CODE = re.compile(r"\w*\d\w*|[ivx]+[a-z]?|[a-z]")
"""Numbers, numerals and single letters: what concepts are counted by."""
_FUNCTION_WORDS = frozenset(("of", "the", "in", "and", "or", "to", "with"))
_OFTEN = 3
"""Pairs of concepts that a contrast tells apart, at least; a single pair would be a contrast by being there."""
_MOST = 60
"""Terms that differ by one word, of which no more are compared: the contrast is known by then."""


def words_of(text: str) -> list[str]:
    """Return the words of a text by which it may differ from another."""
    return [word for word in _WORD.findall(text.lower()) if word not in _FUNCTION_WORDS]


class Contrasts:
    """The contrasts of a terminology."""

    def __init__(self, entries: Entries) -> None:
        self._between: Counter[tuple[str, str]] = Counter()
        self._within: Counter[tuple[str, str]] = Counter()
        concepts = entries.concepts.tolist()
        exchanges = list(_exchanges(entries))
        for one, other, words in exchanges:
            (self._within if concepts[one] == concepts[other] else self._between)[words] += 1
        self.synonymous: dict[tuple[int, int], tuple[str, str]] = {
            (min(one, other), max(one, other)): words
            for one, other, words in exchanges
            if concepts[one] != concepts[other] and self._exchanged(words)
        }
        """Entries of different concepts that differ by words which the terminology uses for each other."""

    def between(self, one: str, other: str) -> tuple[str, str] | None:
        """Return two words that tell two terms apart, the first of the first term; None if none do.

        An empty word stands for nothing: the other term has one more word.
        """
        ours, theirs = Counter(words_of(one)), Counter(words_of(other))
        only_ours, only_theirs = list((ours - theirs).elements()), list((theirs - ours).elements())
        if not only_ours or not only_theirs:
            changed = [("", word) for word in only_theirs] + [(word, "") for word in only_ours]
        else:
            changed = [(mine, their) for mine in only_ours for their in only_theirs]
        known = [(self.often(*pair), pair) for pair in changed]
        most, pair = max(known, default=(0, ("", "")))
        return pair if most else None

    def _exchanged(self, words: tuple[str, str]) -> bool:
        return "" not in words and self._within[words] >= _OFTEN and self._within[words] > self._between[words]

    def often(self, one: str, other: str) -> int:
        """Return how often two words tell concepts apart; 0 if they are no contrast."""
        words = min(one, other), max(one, other)
        between = self._between[words]
        if _CODE.fullmatch(one) and _CODE.fullmatch(other):
            between = max(between, _OFTEN)
        return between if between >= _OFTEN and between > self._within[words] else 0


def _exchanges(entries: Entries) -> Iterator[tuple[int, int, tuple[str, str]]]:
    """Go through all pairs of terms that differ by one word: their numbers, and the two words in order."""
    without: dict[tuple[str, ...], dict[tuple[int, str], int]] = {}
    for number in range(len(entries)):
        words = words_of(entries.texts[number])
        concept = int(entries.concepts[number])
        without.setdefault((*words, ""), {}).setdefault((concept, ""), number)
        for at, word in enumerate(words):
            # With a mark where the word was, so that only words at the same place are exchanged ...
            without.setdefault((*words[:at], "\0", *words[at + 1 :]), {}).setdefault((concept, word), number)
            # ... and with none, for terms that have no word there.
            without.setdefault((*words[:at], *words[at + 1 :], ""), {}).setdefault((concept, word), number)
    for template, found in without.items():
        added = template[-1:] == ("",)
        some = [(number, word) for (_concept, word), number in found.items()][:_MOST]
        for place, (one, word) in enumerate(some):
            for other, another in some[place + 1 :]:
                if word != another and (not added or "" in (word, another)):
                    yield one, other, (min(word, another), max(word, another))
