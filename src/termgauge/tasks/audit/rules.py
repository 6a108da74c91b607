"""By which rules terms differ, and why a synonym may look unlike its concept without being wrong.

Two terms that have a form in common differ by plural, word order, spelling, hyphens or numerals alone; the fewest rules
that make them equal are the kind of the pair. Why a synonym looks unlike others is told from its letters; what no rule
explains may stand at the wrong concept.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import lru_cache
from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

SAME_TEXT = "same text"
_WORD = re.compile(r"[^\W_]+")
_SEPARATORS = re.compile(r"[,;:()]")
_POSSESSIVE = re.compile(r"(?<=\w)(?:['\u2019\u02bc`]s\b|(?<=s)['\u2019\u02bc`](?!\w))")
_PUNCTUATION = re.compile(r"[-\u2010-\u2015\u2212.,;:'\"\u2018-\u201d\u02bc`()\[\]{}_]")
"""What joins or parts words; signs that mean something (+ % < > / &) stay."""
_LEXICON = tomllib.loads((files("termgauge.tasks.audit") / "words.toml").read_text("utf-8"))
_FUNCTION_WORDS, _UNCHANGED, _EPONYM_NOUNS, _FOREIGN_WORDS = (
    frozenset(_LEXICON[name].split()) for name in ("function_words", "unchanged", "eponym_nouns", "foreign_words")
)
_SPELLINGS = [(re.compile(pattern), instead) for pattern, instead in _LEXICON["spellings"]]
_LEAST = 4
"""Letters of a word that may have lost an ending."""


def singular(word: str) -> str:
    """Return what a word in lower case and its plural have in common; it need not be a word itself.

    >>> [singular(word) for word in ("metacarpals", "metacarpal", "diagnoses", "diagnosis", "bodies", "nuclei")]
    ['metacarpal', 'metacarpal', 'diagnos', 'diagnos', 'body', 'nucleus']
    """
    if word in _LEXICON["irregular_plurals"]:
        return str(_LEXICON["irregular_plurals"][word])
    if len(word) < _LEAST or word in _UNCHANGED:
        return word
    changed = (word.removesuffix(ending) + instead for ending, instead in _LEXICON["endings"] if word.endswith(ending))
    return next(changed, word)


def american(word: str) -> str:
    """Return a word in lower case in one spelling for British and American texts.

    >>> [american(word) for word in ("tumour", "anaemia", "oedema", "centre", "four", "localised", "sulphate")]
    ['tumor', 'anemia', 'edema', 'center', 'four', 'localized', 'sulfate']
    """
    for pattern, instead in _SPELLINGS:
        word = pattern.sub(instead, word)
    return word


_WORD_RULES: dict[str, Callable[[str], str]] = {
    "numeral": lambda word: _LEXICON["numerals"].get(word, word),
    "plural": singular,
    "spelling variant": american,
}
"""What each rule does to a word in lower case, in this order."""
_POSSESSIVES, _HYPHEN, _ORDER = "possessive", "hyphen or space", "word order"
RULES = (_POSSESSIVES, *_WORD_RULES, _HYPHEN, _ORDER)
_IN_ORDER = RULES[:-1]


@lru_cache(1 << 18)
def _changed(word: str, rules: tuple[str, ...]) -> str:
    for rule in rules:
        word = _WORD_RULES[rule](word)
    return word


def form(text: str, rules: Collection[str] = RULES) -> str:
    """Return a text with what some rules say left out.

    >>> form("Anaemia, iron-deficiency"), form("Hypoplastic metacarpals", ["plural"]), form("Non-specific", [_HYPHEN])
    ('anemia deficiency iron', 'hypoplastic metacarpal', 'nonspecific')
    """
    plain = " ".join(unicodedata.normalize("NFKC", text).lower().split())
    if _POSSESSIVES in rules:
        plain = _POSSESSIVE.sub("", plain)
    if word_rules := tuple(rule for rule in _WORD_RULES if rule in rules):
        plain = _WORD.sub(lambda word: _changed(word[0], word_rules), plain)
    if _ORDER in rules:
        words = (_PUNCTUATION if _HYPHEN in rules else _SEPARATORS).sub(" ", plain).split()
        return " ".join(sorted(word for word in words if word not in _FUNCTION_WORDS))
    return "".join(_PUNCTUATION.sub("", plain).split()) if _HYPHEN in rules else plain


def forms(text: str) -> tuple[str, str]:
    """Return the forms by which terms are found that differ by rules alone: without order, and without spaces."""
    return form(text), f"={form(text, _IN_ORDER)}"


def difference(one: str, other: str) -> str:
    """Say by which rules two terms differ: the fewest that make them equal; nothing if all together do not.

    >>> difference("Hypoplastic metacarpal", "Hypoplastic metacarpals"), difference("Fever", "fever")
    ('plural', 'same text')
    >>> difference("Tumours of the lung", "Lung tumor"), difference("Fever", "Cough")
    ('plural + spelling variant + word order', '')
    """
    for size in range(len(RULES) + 1):
        for rules in combinations(RULES, size):
            if form(one, rules) == form(other, rules):
                return " + ".join(rules) or SAME_TEXT
    return ""


LAY, ACRONYM, ABBREVIATION, EPONYM, LANGUAGE = "layman's word", "acronym", "abbreviation", "eponym", "other language"
WRONG = "wrong concept?"
KINDS = (WRONG, ACRONYM, ABBREVIATION, EPONYM, LANGUAGE, LAY)
_TOKEN = re.compile(r"[^\W_]+(?:['\u2019][^\W\d_]+)?")
_ACRONYM = re.compile(r"[A-Z][A-Za-z0-9]*[A-Z0-9][A-Za-z0-9]*s?")
_LONGEST_ACRONYM = 10
_OF_ACRONYMS = 2
"""The fewest letters of one."""
_OF_PERSON = re.compile(r"['\u2019]s?$")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_GREEK = re.compile(r"[\u0370-\u03ff]")
"""Greek letters alone are signs of English terms, too."""
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
        word = _OF_PERSON.sub("", token)
        return (
            len(word) >= _LEAST_PROPER and word[0].isupper() and word[1:].islower() and word.lower() not in self._common
        )

    def _names_someone(self, text: str) -> bool:
        tokens = _TOKEN.findall(text)
        proper = [at for at, token in enumerate(tokens) if self._proper(token)]
        after_first = any(at > 0 for at in proper) and not text.istitle()
        possessive = any(_OF_PERSON.search(tokens[at]) for at in proper)
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
    text = " ".join(words).lower()
    begins = {at for at in range(len(text)) if not at or text[at - 1] == " "}
    places = {at for at in begins if text.startswith(letters[0], at)}
    for letter in letters[1:]:
        places = {
            at
            for at in range(len(text))
            if text[at] == letter and any(last < at and (at in begins or " " not in text[last:at]) for last in places)
        }
    return text.startswith(letters[0]) and bool(places)


def _abbreviates(short: str, long: str) -> bool:
    """Say whether a term is another one with words cut short: each of its words begins the next word of the other."""
    ours, theirs = (re.findall(r"[^\W_]+", text.lower()) for text in (short, long))
    if len(ours) != len(theirs) or (len(short) > _SHORTER * len(long) and "." not in short):
        return False
    cut = [mine != other for mine, other in zip(ours, theirs, strict=True)]
    return any(cut) and all(
        other.startswith(mine[:1]) and _in_order(mine, other) for mine, other in zip(ours, theirs, strict=True)
    )
