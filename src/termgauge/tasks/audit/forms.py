"""Forms of a term in which plural, word order, spelling, hyphens and numerals do not count.

Two terms that have a form in common differ by nothing else. Which of the rules are needed to make them equal is found
afterwards, for the few pairs that have one: the fewest rules that do it are the kind of the pair.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

SAME_TEXT = "same text"
_WORD = re.compile(r"[^\W_]+")
_SEPARATORS = re.compile(r"[,;:()]")
_POSSESSIVE = re.compile(r"(?<=\w)(?:['\u2019\u02bc`]s\b|(?<=s)['\u2019\u02bc`](?!\w))")
_PUNCTUATION = re.compile(r"[-\u2010-\u2015\u2212.,;:'\"\u2018-\u201d\u02bc`()\[\]{}_]")
"""What joins or parts words; signs that mean something (+ % < > / &) stay."""
_FUNCTION_WORDS = frozenset(("of", "the"))

_NUMERALS = {
    roman: str(value) for value, roman in enumerate(("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix"), start=1)
} | {"xi": "11", "xii": "12", "xiii": "13", "xiv": "14", "xv": "15", "xvi": "16", "xvii": "17", "xviii": "18"}
"""Not x, which is a chromosome, nor xx and xy."""
_NUMERALS |= {
    word: str(value)
    for value, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=1
    )
}
_ORDINALS = {
    f"{value}{ending}": word
    for value, ending, word in (
        *((1, "st", "first"), (2, "nd", "second"), (3, "rd", "third"), (4, "th", "fourth"), (5, "th", "fifth")),
        *((6, "th", "sixth"), (7, "th", "seventh"), (8, "th", "eighth"), (9, "th", "ninth"), (10, "th", "tenth")),
    )
}
_IRREGULAR = {
    "phalanges": "phalanx",
    "meninges": "meninx",
    "larynges": "larynx",
    "pharynges": "pharynx",
    "teeth": "tooth",
    "feet": "foot",
    "men": "man",
    "women": "woman",
    "children": "child",
    "mice": "mouse",
    "indices": "index",
    "cortices": "cortex",
    "vertices": "vertex",
    "apices": "apex",
    "matrices": "matrix",
    "appendices": "appendix",
    "calices": "calix",
    "calyces": "calyx",
    "ganglia": "ganglion",
    "criteria": "criterion",
    "mitochondria": "mitochondrion",
    "foramina": "foramen",
    "femora": "femur",
    "corpora": "corpus",
    "genera": "genus",
    "viscera": "viscus",
}
_UNCHANGED = frozenset(("series", "species", "caries", "scabies", "rabies", "facies", "biceps", "triceps", "herpes"))
_LEAST = 4
"""Letters of a word that may have lost an ending."""
_SPELLINGS = (
    (re.compile(r"ae|oe|\u00e6|\u0153"), "e"),
    (re.compile(r"(?<=[a-z]{2})our(?=s?$|ed$|ing$|less$|ful$|al$)"), "or"),
    (re.compile(r"is(?=e$|ed$|es$|ing$|ation$|ations$)"), "iz"),
    (re.compile(r"ys(?=e$|ed$|es$|ing$)"), "yz"),
    (re.compile(r"sulph"), "sulf"),
    (re.compile(r"^leuco"), "leuko"),
    (re.compile(r"(?<=[a-z]{2}[nt])re$"), "er"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"ll(?=ed$|ing$)"), "l"),
)


def singular(word: str) -> str:
    """Return what a word in lower case and its plural have in common; it need not be a word itself.

    >>> [singular(word) for word in ("metacarpals", "metacarpal", "diagnoses", "diagnosis", "bodies", "nuclei")]
    ['metacarpal', 'metacarpal', 'diagnos', 'diagnos', 'body', 'nucleus']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < _LEAST or word in _UNCHANGED:
        return word
    for ending, instead in (
        *(("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("zes", "z"), ("ies", "y"), ("mata", "ma")),
        *(("ses", "s"), ("sis", "s"), ("se", "s"), ("ae", "a"), ("um", "a"), ("ss", "ss"), ("us", "us"), ("is", "is")),
        *(("s", ""), ("i", "us")),
    ):
        if word.endswith(ending):
            return word.removesuffix(ending) + instead
    return word


def american(word: str) -> str:
    """Return a word in lower case in one spelling for British and American texts.

    >>> [american(word) for word in ("tumour", "anaemia", "oedema", "centre", "four", "localised", "sulphate")]
    ['tumor', 'anemia', 'edema', 'center', 'four', 'localized', 'sulfate']
    """
    for pattern, instead in _SPELLINGS:
        word = pattern.sub(instead, word)
    return word


_WORD_RULES: dict[str, Callable[[str], str]] = {
    "numeral": lambda word: _NUMERALS.get(word) or _ORDINALS.get(word, word),
    "plural": singular,
    "spelling variant": american,
}
"""What each rule does to a word in lower case, in this order."""
_POSSESSIVES, _HYPHEN, _ORDER = "possessive", "hyphen or space", "word order"
RULES = (_POSSESSIVES, *_WORD_RULES, _HYPHEN, _ORDER)
_ALL_WORD_RULES = tuple(_WORD_RULES)


@lru_cache(1 << 18)
def _changed(word: str, rules: tuple[str, ...]) -> str:
    for rule in rules:
        word = _WORD_RULES[rule](word)
    return word


def _words_changed(text: str, rules: Collection[str]) -> str:
    """Return a text in lower case with the rules for single words, and for what follows them, applied."""
    plain = " ".join(unicodedata.normalize("NFKC", text).lower().split())
    if _POSSESSIVES in rules:
        plain = _POSSESSIVE.sub("", plain)
    own = tuple(rule for rule in _ALL_WORD_RULES if rule in rules)
    return _WORD.sub(lambda word: _changed(word[0], own), plain) if own else plain


def _without_order(text: str, *, hyphens: bool) -> str:
    parts = (_PUNCTUATION if hyphens else _SEPARATORS).sub(" ", text).split()
    return " ".join(sorted(part for part in parts if part not in _FUNCTION_WORDS))


def _without_spaces(text: str) -> str:
    return "".join(_PUNCTUATION.sub("", text).split())


def form(text: str, rules: Collection[str] = RULES) -> str:
    """Return a text with what some rules say left out.

    >>> form("Anaemia, iron-deficiency"), form("Hypoplastic metacarpals", ["plural"]), form("Non-specific", [_HYPHEN])
    ('anemia deficiency iron', 'hypoplastic metacarpal', 'nonspecific')
    """
    changed = _words_changed(text, rules)
    if _ORDER in rules:
        return _without_order(changed, hyphens=_HYPHEN in rules)
    return _without_spaces(changed) if _HYPHEN in rules else changed


def forms(text: str) -> tuple[str, str]:
    """Return the forms by which terms are found that differ by rules alone: without order, and without spaces."""
    changed = _words_changed(text, RULES)
    return _without_order(changed, hyphens=True), f"={_without_spaces(changed)}"


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
