"""What all models of an audit read, and what rules find without any model."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, combinations, product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.benchmark.pairset import LONGEST_TERM
from termgauge.exceptions import TermgaugeError
from termgauge.tasks.audit.rules import difference, forms
from termgauge.terminology.model import COUNTED, FSN, HIERARCHY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from termgauge.embeddings.model import Model
    from termgauge.tasks.audit.task import AuditOptions
    from termgauge.tasks.contract import Material
    from termgauge.terminology.model import Terminology

    Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]

PARENT, ANCESTOR, SIBLING = "parent and child", "ancestor", "siblings"


class Hierarchy:
    """The parents of all concepts."""

    def __init__(self, terminology: Terminology) -> None:
        self._parents: dict[str, set[str]] = {}
        edges = terminology.relations.filter(pl.col("type").is_in(HIERARCHY), pl.col("source") != pl.col("target"))
        for source, target in edges.select("source", "target").iter_rows():
            self._parents.setdefault(source, set()).add(target)
        self._ancestors = cache(self._all_ancestors)

    def __bool__(self) -> bool:
        return bool(self._parents)

    def _all_ancestors(self, concept: str) -> set[str]:
        """Return all that is above a concept; a hierarchy that runs in a circle ends all the same."""
        above: set[str] = set()
        waiting = {concept}
        while waiting:
            waiting = {parent for child in waiting for parent in self._parents.get(child, ())} - above
            above |= waiting
        return above

    def relation(self, one: str, other: str) -> str:
        """Say how two concepts are related; nothing if they are not."""
        parents, others = self._parents.get(one, set()), self._parents.get(other, set())
        if other in parents or one in others:
            return PARENT
        return SIBLING if parents & others else ANCESTOR if self.lineal(one, other) else ""

    def lineal(self, one: str, other: str) -> bool:
        """Say whether one of two concepts is above the other."""
        return other in self._ancestors(one) or one in self._ancestors(other)


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
    """Words by which a terminology tells its concepts apart ("4th", "5th"), and words that it uses for each other.

    Two words are exchanged wherever two terms are the same but for them. If that happens between concepts more often
    than among the synonyms of one, the words are a contrast, and terms that differ by it are alike by right. If it
    happens among synonyms more often ("little" and "pinky"), such terms of different concepts may be synonyms, too.
    """

    def __init__(self, entries: Entries) -> None:
        self._within, self._between = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        concepts, pairs = entries.concepts.tolist(), []
        for one, other, words in _exchanges(entries):
            if concepts[one] == concepts[other]:
                self._within[words] += 1
            else:
                self._between[words] += 1
                pairs.append(((min(one, other), max(one, other)), words))
        self.synonymous: dict[tuple[int, int], tuple[str, str]] = {
            pair: words
            for pair, words in pairs
            if "" not in words and self._within[words] >= max(_OFTEN, self._between[words] + 1)
        }
        """Entries of different concepts that differ by words which the terminology uses for each other."""

    def between(self, one: str, other: str) -> tuple[str, str] | None:
        """Return two words that tell two terms apart, the first of the first term; None if none do.

        An empty word stands for nothing: the other term has one more word.
        """
        ours, theirs = Counter(words_of(one)), Counter(words_of(other))
        only_ours, only_theirs = list((ours - theirs).elements()), list((theirs - ours).elements())
        changed = product(only_ours or [""], only_theirs or [""])
        most, pair = max((self.often(*pair), pair) for pair in changed)
        return pair if most else None

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
    for template, numbers in without.items():
        added = template[-1:] == ("",)
        some = [(number, word) for (_concept, word), number in numbers.items()][:_MOST]
        for index, (one, word) in enumerate(some):
            for other, another in some[index + 1 :]:
                if word != another and (not added or "" in (word, another)):
                    yield one, other, (min(word, another), max(word, another))


_MOST_COMPARED = 64
"""Terms of its concept that a term is compared with, the best-ranked ones."""


@dataclass(frozen=True)
class Entries:
    """Texts as numbers: terms of active concepts, those of one concept beside each other, its name first.

    After them come the names of retired concepts.
    """

    ids: list[str]
    """Of the active concepts that have terms, and then of the retired ones."""
    texts: list[str]
    concepts: NDArray[np.int64]
    """The number of each text's concept."""
    kinds: list[str]
    """Of the terms of active concepts."""
    languages: list[str | None]

    def __len__(self) -> int:
        return len(self.kinds)

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where the texts of each concept begin, and the last end."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.concepts))]).astype(np.int64)

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each active concept."""
        return {self.ids[number]: number for number in np.unique(self.concepts[: len(self)]).tolist()}

    @property
    def retired(self) -> range:
        """The names of retired concepts."""
        return range(len(self), len(self.texts))

    def id_of(self, text: int) -> str:
        """Return the id of the concept that a text is of."""
        return self.ids[int(self.concepts[text])]

    def name_of(self, text: int) -> str:
        """Return the name of the concept that a text is of."""
        return self.texts[int(self.offsets[self.concepts[text]])]

    def of(self, concept: int) -> range:
        """Return the texts of a concept by its number."""
        return range(self.offsets[concept], self.offsets[concept + 1])

    @cached_property
    def synonyms(self) -> NDArray[np.int64]:
        """All terms of active concepts but those that are the name of their concept."""
        return np.setdiff1d(np.arange(len(self)), self.offsets)

    @cached_property
    def within(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each synonym, as often as its concept has other terms to compare it with, and those."""
        compared = [self.of(concept)[:_MOST_COMPARED] for concept in self.concepts[self.synonyms]]
        first = np.repeat(self.synonyms, [len(terms) for terms in compared])
        second = np.fromiter(chain.from_iterable(compared), np.int64, len(first))
        return first[first != second], second[first != second]


def read_entries(terminology: Terminology) -> Entries:
    """Return what is to be read of a terminology: active terms of active concepts, without definitions."""
    concepts = terminology.concepts.select("concept", "name", counted=COUNTED, gone=~pl.col("active")).with_row_index(
        "at"
    )
    terms = (
        terminology.terms.lazy()
        .filter(pl.col("active") & (pl.col("kind") != "definition"))
        .join(concepts.lazy(), on="concept", how="inner", maintain_order="left")
        .filter("counted")
        .select(
            "at",
            "concept",
            "kind",
            "language",
            text=pl.when((pl.col("kind") == FSN) & pl.col("name").is_not_null()).then("name").otherwise("text"),
            place=pl.when(pl.col("kind") == FSN).then(-1).otherwise(pl.col("rank").fill_null(1 << 20)),
        )
        .with_columns(pl.col("text").str.replace_all(r"\s+", " ").str.strip_chars())
        .filter(pl.col("text").str.len_chars().is_between(1, LONGEST_TERM))
        .sort("at", "place", maintain_order=True)
        .with_columns(lowered=pl.col("text").str.to_lowercase())
        .unique(["at", "lowered"], keep="first", maintain_order=True)
        .collect()
    )
    if terms.is_empty():
        raise TermgaugeError(
            f"{terminology.identity.slug} has no active concept with a term, so there is nothing to audit."
        )
    ids = terms["concept"].unique(maintain_order=True)
    gone = concepts.filter(
        pl.col("gone") & pl.col("name").str.strip_chars().str.len_chars().is_between(1, LONGEST_TERM)
    )
    return Entries(
        ids.to_list() + gone["concept"].to_list(),
        terms["text"].to_list() + gone["name"].to_list(),
        np.concatenate([terms["at"].rle_id().to_numpy(), len(ids) + np.arange(len(gone))]).astype(np.int64),
        terms["kind"].to_list(),
        terms["language"].to_list(),
    )


EXCHANGED = "synonymous words"
"""The kind of terms that differ by words which the terminology uses for each other."""
_RANDOM = 20_000
_MOST_ALIKE = 50
"""Of so many terms that have one form, more are not compared with each other."""


@dataclass(frozen=True)
class AuditInputs:
    """A terminology, ready to be read."""

    entries: Entries
    hierarchy: Hierarchy
    contrasts: Contrasts
    identity: Mapping[str, str]
    stated: list[tuple[int, str, str]]
    """Replacements: the name of a retired concept, the id of the new one, the reason."""
    drawn: Pairs
    """Random pairs of terms of different concepts."""
    models: Mapping[str, Callable[[], Model]]
    rules: dict[tuple[int, int], str]
    """Texts that differ by rules alone, the lesser number first and a term of an active concept, and by which."""


def read_inputs(options: AuditOptions, material: Material) -> AuditInputs:  # noqa: ARG001
    """Read a terminology for an audit, and find what rules alone find."""
    assert material.terminology is not None
    terminology = material.terminology
    entries = read_entries(terminology)
    retired = {entries.id_of(text): text for text in entries.retired}
    replacements = terminology.replacements.select("old", "new", "reason").unique(["old", "new"], maintain_order=True)
    contrasts = Contrasts(entries)
    first, second = np.random.default_rng(material.testing.seed).integers(len(entries), size=(2, _RANDOM))
    different = entries.concepts[first] != entries.concepts[second]
    return AuditInputs(
        entries=entries,
        hierarchy=Hierarchy(terminology),
        contrasts=contrasts,
        identity={"edition": terminology.identity.edition, "version": terminology.identity.version},
        stated=[(retired[old], new, reason) for old, new, reason in replacements.iter_rows() if old in retired],
        drawn=(first[different], second[different]),
        models=material.models,
        rules=dict.fromkeys(contrasts.synonymous, EXCHANGED) | _by_rules(entries),
    )


def _by_rules(entries: Entries) -> dict[tuple[int, int], str]:
    """Return the terms of active concepts that differ from texts of other concepts by rules alone."""
    alike: dict[str, list[int]] = {}
    for number, text in enumerate(entries.texts):
        for form in forms(text):
            alike.setdefault(form, []).append(number)
    concepts = entries.concepts.tolist()
    pairs = chain.from_iterable(combinations(numbers[:_MOST_ALIKE], 2) for numbers in alike.values())
    return {  # in order, so `one` is the lesser
        (one, other): difference(entries.texts[one], entries.texts[other])
        for one, other in dict.fromkeys(pairs)
        if one < len(entries) and concepts[one] != concepts[other]
    }
