r"""The words of a term, and their vectors for many terms at once.

By default words are the matches of ``\w+(?:[-'’]\w+)*``; each is looked up as written, then in lower case, then as
its hyphen-separated parts in lower case if all of them are known. A model that makes vectors for unknown words
(subwords) makes one of the word as written instead of going on to its parts. The work is done once for each different
word: a benchmark asks for the same few thousand words again and again.

Terms are taken in Unicode's normal form C, so that an accent is found however it is written, and a mark belongs to the
letter that it stands on. Nothing is folded: a word with an accent is not looked up without it. Words of scripts without
spaces are cut by :mod:`termgauge.embeddings.tokens`.
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from termgauge.embeddings.schemes import WORD_LOOKUPS
from termgauge.exceptions import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import WordModel
    from termgauge.embeddings.spec import ModelSpec

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
LONGEST_PHRASE = 6
"""Words that a joined phrase of a vocabulary has at most."""


@dataclass(frozen=True)
class WordRules:
    """How a model finds the words of a term: the values of `termgauge.embeddings.schemes.WORD_OPTIONS`."""

    lowercase: bool = False
    split: str = "words"
    phrases: str = ""
    missing: str = "strict"
    words: str = "plain"

    @classmethod
    def from_spec(cls, spec: ModelSpec) -> WordRules:
        """Take them from the options of a spec."""
        split, phrases, missing, words = (spec.text(name) for name in ("split", "phrases", "missing", "words"))
        # Of a matrix the option may also name the list of its words.
        return cls(spec.flag("lowercase"), split, phrases, missing, words if words in WORD_LOOKUPS else "plain")

    def __str__(self) -> str:
        lowercase = str(self.lowercase).lower()
        words = "" if self.words == "plain" else f"&words={self.words}"  # identities of version 0.1 have no such rule
        return f"lowercase={lowercase}&split={self.split}&phrases={self.phrases}&missing={self.missing}{words}"

    def split_term(self, term: str) -> list[str]:
        """Return the words of a term as written."""
        text = term.lower() if self.lowercase else term
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        return text.split() if self.split == "space" else _words(text)


def _words(text: str) -> list[str]:
    """Return the words of a text; a mark, such as a vowel sign, is part of the word that it stands in."""
    if text.isascii() or not any(unicodedata.category(character)[0] == "M" for character in text):
        return _WORD.findall(text)
    letters = "".join("x" if unicodedata.category(character)[0] == "M" else character for character in text)
    return [text[slice(*match.span())] for match in _WORD.finditer(letters)]


@dataclass(frozen=True)
class TermWords:
    """The words of many terms as rows of one small matrix.

    Term i has the rows ``indices[indptr[i]:indptr[i + 1]]`` of `vectors`.
    """

    words: list[str]
    """Each word found, once."""
    vectors: NDArray[np.float32]
    """The vector of each of them."""
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    missing: NDArray[np.bool_]
    """Terms that have no usable vectors under the model's policy."""
    unknown: list[tuple[int, str]]
    """The words that were not found, each with the number of its term."""
    instead: float = math.nan
    """The score of a pair with a term that is missing."""

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def matrix(self, term: int) -> NDArray[np.float32]:
        """Return the vectors of the words of one term."""
        return self.vectors[self.indices[self.indptr[term] : self.indptr[term + 1]]]

    @cached_property
    def means(self) -> NDArray[np.float32]:
        """The mean vector of each term; NaN where it is missing."""
        counts = np.diff(self.indptr)
        means = np.full((len(self), self.vectors.shape[1]), np.nan, np.float32)
        usable = np.flatnonzero(~self.missing & (counts > 0))
        for low in range(0, len(usable), 4096):  # bounded: the rows of a few thousand terms at a time
            some = usable[low : low + 4096]
            rows = np.concatenate([self.indices[self.indptr[term] : self.indptr[term + 1]] for term in some])
            starts = np.concatenate([[0], np.cumsum(counts[some])[:-1]])
            sums = np.add.reduceat(self.vectors[rows], starts, axis=0, dtype=np.float64)
            means[some] = sums / counts[some, None]
        return means


def words_of(model: WordModel, terms: Sequence[str], rules: WordRules) -> TermWords:
    """Find the words of many terms in a model; repeated terms cost nothing."""
    split = {term: rules.split_term(term) for term in dict.fromkeys(terms)}
    if rules.split == "words":
        split = _cut_unspaced(model, split)
    if rules.phrases:
        split = _join_phrases(model, split, rules.phrases)
    different = {word for words in split.values() for word in words}
    forms = _forms(model, different)
    if rules.words == "possessive":
        stems = {word: _POSSESSIVE.sub("", word) for word in different if word not in forms}
        known_stems = _forms(model, {stem for word, stem in stems.items() if stem != word})
        forms |= {word: known_stems[stem] for word, stem in stems.items() if stem in known_stems}
    term_forms = {term: [form for word in words for form in forms.get(word, ())] for term, words in split.items()}
    lost = {term: [word for word in words if word not in forms] for term, words in split.items()}
    return assemble(model, [term_forms[term] for term in terms], [lost[term] for term in terms], rules.missing)


def assemble(
    model: WordModel, pieces: Sequence[Sequence[str]], lost: Sequence[Sequence[str]], missing: str
) -> TermWords:
    """Put into one matrix, and rows of it, the words of each term that have a vector; those that have none are `lost`.

    The policy for missing words is ``strict``, ``available`` or ``zero``.
    """
    number: dict[str, int] = {}
    indices = [number.setdefault(word, len(number)) for words in pieces for word in words]
    indptr = np.zeros(len(pieces) + 1, np.int64)
    np.cumsum([len(words) for words in pieces], out=indptr[1:])
    absent = np.diff(indptr) == 0
    if missing != "available":
        absent |= np.fromiter((bool(words) for words in lost), np.bool_, len(lost))
    unknown = [(term, word) for term, words in enumerate(lost) for word in words]
    words = list(number)
    instead = 0.0 if missing == "zero" else math.nan
    return TermWords(words, model.vectors(words), indptr, np.array(indices, np.int64), absent, unknown, instead)


def _forms(model: WordModel, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the words under which each word is found in the model; those that are not found are left out."""
    forms: dict[str, tuple[str, ...]] = {}
    left = sorted(words)

    def settle(candidates: dict[str, tuple[str, ...]]) -> None:
        vocabulary = _in_vocabulary(model, {part for parts in candidates.values() for part in parts})
        forms.update({word: parts for word, parts in candidates.items() if parts and vocabulary.issuperset(parts)})

    settle({word: (word,) for word in left})
    settle({word: (word.lower(),) for word in left if word not in forms})
    if model.composes:
        rest = [word for word in left if word not in forms]
        has_vector = model.known(rest)
        forms.update({word: (word,) for word, has in zip(rest, has_vector.tolist(), strict=True) if has})
    hyphenated = [word for word in left if word not in forms and "-" in word]
    settle({word: tuple(part for part in word.lower().split("-") if part) for word in hyphenated})
    return forms


def _in_vocabulary(model: WordModel, words: set[str]) -> set[str]:
    wanted = sorted(words)
    return {word for word, row in zip(wanted, model.vocabulary.find(wanted).tolist(), strict=True) if row >= 0}


def _cut_unspaced(model: WordModel, split: dict[str, list[str]]) -> dict[str, list[str]]:
    """Cut words of scripts without spaces, but those that the vocabulary has as they are."""
    words = {word for words in split.values() for word in words if is_unspaced(word)}
    if not words:
        return split
    warn(
        f"{model.name}: terms in a script without spaces are cut into the longest words that the model knows, and into "
        "single characters, which is not always where their words end; a model of sentences does without that."
    )
    cut = cut_words(words - _in_vocabulary(model, words), lambda runs: _in_vocabulary(model, runs))
    return {term: [piece for word in parts for piece in cut.get(word, [word])] for term, parts in split.items()}


def _join_phrases(model: WordModel, split: dict[str, list[str]], joiner: str) -> dict[str, list[str]]:
    """Take the longest run of words that the vocabulary has as one joined phrase, from left to right."""
    phrases = {phrase for words in split.values() for phrase in _runs(words, joiner, LONGEST_PHRASE)}
    vocabulary = _in_vocabulary(model, phrases | {phrase.lower() for phrase in phrases})
    vocabulary |= {phrase for phrase in phrases if phrase.lower() in vocabulary}
    return {term: list(_longest(words, joiner, LONGEST_PHRASE, vocabulary)) for term, words in split.items()}


def _runs(parts: list[str], joiner: str, most: int) -> Iterator[str]:
    """Go through all runs of two parts or more, joined."""
    for start in range(len(parts)):
        for stop in range(start + 2, min(len(parts), start + most) + 1):
            yield joiner.join(parts[start:stop])


def _longest(parts: list[str], joiner: str, most: int, vocabulary: set[str]) -> Iterator[str]:
    """Cut parts into the longest runs that are known, from left to right; a part alone need not be."""
    start = 0
    while start < len(parts):
        stop = min(len(parts), start + most)
        while stop > start + 1 and joiner.join(parts[start:stop]) not in vocabulary:
            stop -= 1
        yield joiner.join(parts[start:stop])
        start = stop


LONGEST_WORD = 20
"""Characters of a word that is looked for."""
_SCRIPTS = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u19e0-\u19ff\ua9e0-\ua9ff\uaa60-\uaa7f"  # Thai, Lao, Burmese, Khmer
    r"\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"  # Japanese
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
)
_RUN = re.compile(f"[{_SCRIPTS}]+")
_PART = re.compile(f"[{_SCRIPTS}]+|[^{_SCRIPTS}]+")


def is_unspaced(text: str) -> bool:
    """Tell whether a text has characters of such a script."""
    return not text.isascii() and _RUN.search(text) is not None


def cut_words(words: Iterable[str], in_vocabulary: Callable[[set[str]], set[str]]) -> dict[str, list[str]]:
    """Cut words of such scripts, each into the longest words that are `known` of those it is asked for."""
    units = {
        word: [_characters(part) if _RUN.match(part) else [part] for part in _PART.findall(word)] for word in words
    }
    there = in_vocabulary({run for parts in units.values() for part in parts for run in _runs(part, "", LONGEST_WORD)})
    return {
        word: [run for part in parts for run in _longest(part, "", LONGEST_WORD, there)]
        for word, parts in units.items()
    }


def _characters(text: str) -> list[str]:
    """Return the characters of a text, each with the marks that belong to it."""
    characters: list[str] = []
    for character in text:
        if characters and unicodedata.category(character)[0] == "M":
            characters[-1] += character
        else:
            characters.append(character)
    return characters
