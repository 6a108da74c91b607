"""Why a synonym may look unlike its concept's other terms without being wrong: acronyms, eponyms, languages, lay words.

The rules look at letters alone. What none of them explains may stand at the wrong concept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LAY, ACRONYM, ABBREVIATION, EPONYM, LANGUAGE = "layman's word", "acronym", "abbreviation", "eponym", "other language"
WRONG = "wrong concept?"
KINDS = (WRONG, ACRONYM, ABBREVIATION, EPONYM, LANGUAGE, LAY)
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)?")
_ACRONYM = re.compile(r"[A-Z][A-Za-z0-9]*[A-Z0-9][A-Za-z0-9]*s?")
_LONGEST_ACRONYM = 10
_OF_ACRONYMS = 2
"""The fewest letters of one."""
_EPONYM_NOUNS = frozenset(
    re.findall(
        r"\w+",
        "syndrome disease sign phenomenon reflex anomaly anomalies tumor tumour contracture palsy deformity "
        "triad tetralogy malformation complex nodes node spots spot lines line ring rings law test bodies "
        "body disorder fracture cyst epilepsy ataxia dystrophy anemia anaemia lymphoma sarcoma hernia pupil "
        "gait respiration breathing ",
    )
)
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_GREEK = re.compile(r"[\u0370-\u03ff]")
"""Greek letters alone are signs of English terms, too."""
_FOREIGN_WORDS = frozenset(
    re.findall(
        r"\w+",
        "de la le les des du del della di der die das den dem und von et el los las y e con sin sans avec mit "
        "ohne bei delle degli per van het een voor och av med ",
    )
)
_LEAST_PROPER = 3
_SHORTER = 0.6
"""An abbreviation has at most this share of the letters of what it is short for."""


class Explanations:
    """The rules, with the words that a terminology writes in lower case: a name of a person is none of them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._common: set[str] = set()
        for text in texts:
            self._common.update(token for token in _TOKEN.findall(text) if token.islower())

    def kind(self, synonym: str, others: Sequence[str], kind: str = "", languages: tuple[str | None, ...] = ()) -> str:
        """Say what a synonym of a concept with some other terms is.

        `kind` is what its terminology calls it, `languages` are its own and that of the concept's name, if known.

        >>> rules = Explanations(["Atrial septal defect", "Congenital megacolon of the disease"])
        >>> rules.kind("ASD", ["Atrial septal defect"]), rules.kind("Hirschsprung disease", ["Congenital megacolon"])
        ('acronym', 'eponym')
        >>> rules.kind("Fi\u00e8vre de lait", ["Milk fever"]), rules.kind("Broken leg", ["Cough"], "layperson")
        ('other language', "layman's word")
        >>> rules.kind("Broken leg", ["Cough"])
        'wrong concept?'
        """
        if len(set(languages)) > 1 and None not in languages:
            return LANGUAGE
        if kind == "layperson":
            return LAY
        if any(_has_acronym(synonym, other) or _has_acronym(other, synonym) for other in others):
            return ACRONYM
        if any(_abbreviates(synonym, other) or _abbreviates(other, synonym) for other in others):
            return ABBREVIATION
        # A person's name often has accents, so it is asked for before the language.
        if self._names_someone(synonym) or any(map(self._names_someone, others)):
            return EPONYM
        return LANGUAGE if self._foreign(synonym) else WRONG

    def _proper(self, token: str) -> bool:
        word = _POSSESSIVE.sub("", token)
        return (
            len(word) >= _LEAST_PROPER and word[0].isupper() and word[1:].islower() and word.lower() not in self._common
        )

    def _names_someone(self, text: str) -> bool:
        tokens = _TOKEN.findall(text)
        proper = [at for at, token in enumerate(tokens) if self._proper(token)]
        after_first = any(at > 0 for at in proper) and not text.istitle()
        possessive = any(_POSSESSIVE.search(tokens[at]) for at in proper)
        return after_first or possessive or bool(proper and _EPONYM_NOUNS.intersection(map(str.lower, tokens)))

    def _foreign(self, text: str) -> bool:
        letters = [letter for letter in text if letter.isalpha() and not _GREEK.match(letter)]
        if any(not _LATIN.match(letter) for letter in letters):
            return True
        accents = any(letter > "\u00bf" for letter in letters)
        tokens = _TOKEN.findall(text.lower())
        foreign = sum(token in _FOREIGN_WORDS for token in tokens[1:])
        return (accents and foreign > 0) or foreign >= 2 or (accents and len(tokens) > 1)


def _has_acronym(short: str, long: str) -> bool:
    """Say whether a word of one term is made of the initials of words of another, in order."""
    words = re.findall(r"[^\W_]+", long)
    initials = "".join(word[0] for word in words).lower()
    for token in _TOKEN.findall(short):
        letters = re.sub(r"[^a-z]", "", token.removesuffix("s").lower())
        if not (_ACRONYM.fullmatch(token) and _OF_ACRONYMS <= len(letters) <= min(_LONGEST_ACRONYM, len(long) - 1)):
            continue
        if token in words:  # it stands there as well, and so explains nothing
            continue
        if _in_order(letters, initials) or (len(letters) > _OF_ACRONYMS and _starts_words(letters, words)):
            return True
    return False


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _starts_words(letters: str, words: Sequence[str]) -> bool:
    """Say whether letters are those of words in order, the first letter of each word that is used among them."""
    lowered = [word.lower() for word in words]

    def fits(letters: str, at: int) -> bool:
        if not letters:
            return True
        for place in range(at, len(lowered)):
            word = lowered[place]
            if word[0] != letters[0]:
                continue
            for taken in range(1, len(letters) + 1):
                if not _in_order(letters[:taken], word):
                    break
                if fits(letters[taken:], place + 1):
                    return True
        return False

    return bool(words) and lowered[0][0] == letters[0] and fits(letters, 0)


def _abbreviates(short: str, long: str) -> bool:
    """Say whether a term is another one with words cut short: each of its words begins the next word of the other."""
    ours, theirs = (re.findall(r"[^\W_]+", text.lower()) for text in (short, long))
    if len(ours) != len(theirs) or (len(short) > _SHORTER * len(long) and "." not in short):
        return False
    cut = [mine != other for mine, other in zip(ours, theirs, strict=True)]
    return any(cut) and all(
        other.startswith(mine[:1]) and _in_order(mine, other) for mine, other in zip(ours, theirs, strict=True)
    )
