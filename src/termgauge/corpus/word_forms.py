"""Forms of words: British to American spelling, and lemmas.

Spelling follows BioLemmatizer: a list of words, then patterns. Patterns alone make `anerobic` of `anaerobic`, so what a
pattern makes is taken only if the corpus has it; the list is always believed. Lemmas are those of the user's table,
else of lemminflect, whose table is made from the SPECIALIST lexicon.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from termgauge.corpus.tables import CLASSES, NOUN, VERB
from termgauge.embeddings.libraries import library
from termgauge.exceptions import TermgaugeError
from termgauge.io.tables import open_table
from termgauge.progress import track

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

_LEAST_IN_LIST, _LEAST_IN_PATTERN = 4, 6
_PATTERNS = (
    (re.compile(r"(ph|an|h|gyn|arch|chim)ae"), r"\1e"),
    (re.compile(r"haem(at)?o"), r"hem\1o"),
    (re.compile(r"aemia$"), "emia"),
    (re.compile(r"leukaem"), "leukem"),
    (re.compile(r"programme(s?)$"), r"program\1"),
    (re.compile(r"^([a-z]{3,})our(s?)$"), r"\1or\2"),
)
_KEEP_OUR = re.compile(
    "abatjour|beflour|bonjour|calambour|carrefour|cornflour|contour|detour|devour|dortour|dyvour|downpour|giaour|"
    "glamour|holour|inpour|outpour|pandour|paramour|pompadour|recontour|repour|ryeflour|sompnour|tambour|troubadour|"
    "tregetour|velour"
)


def by_list(word: str, american: Mapping[str, str]) -> str:
    """Return the American form that the list has for a lower word, or the word."""
    return american.get(word, word) if len(word) >= _LEAST_IN_LIST else word


def by_pattern(word: str) -> str:
    """Return a lower word after the first pattern that is found in it; too short a word as it is.

    >>> by_pattern("haemorrhage"), by_pattern("contour"), by_pattern("anaerobic"), by_pattern("hour")
    ('hemorrhage', 'contour', 'anerobic', 'hour')
    """
    if len(word) < _LEAST_IN_PATTERN:
        return word
    for at, (pattern, american) in enumerate(_PATTERNS):
        if pattern.search(word) and not (at == len(_PATTERNS) - 1 and _KEEP_OUR.search(word)):
            return pattern.sub(american, word)
    return word


def proposals(words: Iterable[str], american: Mapping[str, str]) -> dict[str, str]:
    """Return what patterns make of those words that the list does not have and that they change."""
    made = ((word, by_pattern(word)) for word in words if by_list(word, american) == word and word not in american)
    return {word: changed for word, changed in made if changed != word}


def american_list(own: str | os.PathLike[str] | None) -> dict[str, str]:
    """Return British words and their American forms: the user's list goes before that of the package `breame`."""
    listed: dict[str, str] = {}
    try:
        constants = library("breame.data.spelling_constants", "American spelling", "words", "breame")
        listed |= constants.BRITISH_ENGLISH_SPELLINGS
    except TermgaugeError:
        if own is None:
            raise
    if own is not None:
        listed |= {cells[0].lower(): cells[1] for _, cells in open_table(own).at_least(2, "British TAB American")}
    return {british.strip(): form.strip().lower() for british, form in listed.items()}


_UPOS = {NOUN: "NOUN", VERB: "VERB"}


def lemmas_of(forms: Iterable[str], kind: str, table: Mapping[tuple[str, str], str]) -> dict[str, str]:
    """Return the lemma of each of some lower forms that are nouns, or verbs; what has none is its own lemma.

    The table, from (lower form, class) to lemmas, goes before lemminflect.
    """
    lemmas = {}
    inflection: Any = None
    forms = list(forms)
    with track("Finding lemmas", total=len(forms), unit="forms") as advance:
        for form in forms:
            lemma = table.get((form, kind))
            if not lemma:
                inflection = inflection or library("lemminflect", "Finding lemmas", "words")
                inflected = inflection.getLemma(form, upos=_UPOS[kind])
                lemma = str(inflected[0]) if inflected and inflected[0] else form
            lemmas[form] = lemma
            advance(1)
    return lemmas


def read_lemmas(path: str | os.PathLike[str]) -> dict[tuple[str, str], str]:
    """Read a user's table of lemmas: `form TAB class TAB lemma`."""
    table = {}
    for line, (form, kind, lemma, *_) in open_table(path).at_least(3, "form TAB class TAB lemma"):
        if kind.lower() not in CLASSES:
            if line == 1:  # a header
                continue
            raise TermgaugeError(
                f"{path}, line {line:,}: the class '{kind}' is neither noun nor verb; correct the line."
            )
        table[form.lower(), kind.lower()] = lemma
    return table
