"""Splitting a benchmark for training: which concepts stay together, their negatives, and what a split was trained on.

Concepts belong together if they share a text, in whatever case, or if a pair says that one stands for the other; what
is connected through others is together too. Splitting such groups, and not pairs, is what keeps a term of the test out
of the training. Negatives of an anchor are terms of its split that are near it and mean something else.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from termgauge.benchmark.nearest.search import NearestTerms
from termgauge.embeddings.neighbours import term_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.io.parquet_sandbox import read_contained
from termgauge.progress import track
from termgauge.similarity.search import NOBODY, NameIndex, nearest_of_others

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from termgauge.benchmark.pairset import PairSet
    from termgauge.embeddings.model import Model
    from termgauge.tasks.audit.inputs import Hierarchy
    from termgauge.terminology import Terminology


@dataclass(frozen=True)
class Knowledge:
    """What is known of the concepts of a benchmark: their texts, and which of them stand for each other."""

    positives: list[tuple[str, str, str, str]]
    """Anchor, positive and their concepts; each pair of texts once, in whatever order and case."""
    texts: list[tuple[str, str]]
    """Concept and text, each once."""
    linked: list[tuple[str, str]]
    """Two concepts, each pair once."""

    @classmethod
    def from_sets(cls, sets: Iterable[PairSet], terminology: Terminology | None = None) -> Knowledge:
        """Gather it from labelled sets that have concept ids, and from the terminology, if it is given."""
        positives: dict[frozenset[str], tuple[str, str, str, str]] = {}
        texts: dict[tuple[str, str], None] = {}
        linked: dict[tuple[str, str], None] = {}
        for pairs in sets:
            for one, other, label, concept, second in _labelled_pairs(pairs).iter_rows():
                texts |= {(concept, one): None, (second, other): None}
                if label:
                    positives.setdefault(frozenset((one.lower(), other.lower())), (one, other, concept, second))
                    linked |= {(concept, second): None} if concept != second else {}
        if terminology is not None:
            concepts = pl.Series([concept for concept, _text in texts], dtype=pl.String).implode()
            texts |= dict.fromkeys(_terms(terminology, concepts))
            inside = pl.col("old").is_in(concepts) & pl.col("new").is_in(concepts) & (pl.col("old") != pl.col("new"))
            linked |= dict.fromkeys(terminology.replacements.filter(inside).select("old", "new").iter_rows())
        return cls(list(positives.values()), list(texts), list(linked))


def _labelled_pairs(pairs: PairSet) -> pl.DataFrame:
    if pairs.graded:
        raise TermgaugeError(f"{pairs.id}: has ratings and no labels, so that it has no positive pairs to train on.")
    if pairs.concepts is None:
        raise TermgaugeError(
            f"{pairs.id}: has no concept ids beside its pairs, without which concepts cannot be split; build the "
            "benchmark again, and name its folder."
        )
    frame = pairs.frame.select("term_1", "term_2", "label", "concept_1", "concept_2")
    if frame["concept_1"].null_count() or frame["concept_2"].null_count():
        raise TermgaugeError(f"{pairs.id}: has pairs without concept ids; build the benchmark again.")
    return frame


def _terms(terminology: Terminology, concepts: pl.Series) -> Iterable[tuple[str, str]]:
    terms = terminology.terms.filter("active", pl.col("concept").is_in(concepts), pl.col("text").is_not_null())
    if terms.is_empty():
        raise TermgaugeError(
            f"{terminology.identity.slug} has none of the benchmark's concepts; name the terminology that it was built "
            "from with --terminology."
        )
    names = terminology.concepts.filter(pl.col("concept").is_in(concepts), pl.col("name").is_not_null())
    yield from terms.filter(pl.col("kind") != "definition").select("concept", "text").iter_rows()
    yield from names.select("concept", "name").iter_rows()


def concept_groups(knowledge: Knowledge) -> dict[str, int]:
    """Return the group of each concept, numbered as they come."""
    parent = {concept: concept for concept, _text in knowledge.texts}

    def root(concept: str) -> str:
        while parent[concept] != concept:
            parent[concept] = concept = parent[parent[concept]]
        return concept

    first: dict[str, str] = {}
    for concept, text in knowledge.texts:
        parent[root(concept)] = root(first.setdefault(text.lower(), concept))
    for one, other in knowledge.linked:
        parent[root(one)] = root(other)
    numbers: dict[str, int] = {}
    return {concept: numbers.setdefault(root(concept), len(numbers)) for concept in parent}


def assign_splits(sizes: Sequence[int], shares: Sequence[float], seed: int) -> list[int]:
    """Return the split of each group, so that the splits have about the shares of the sizes.

    Groups come in random order, each to the split that lacks most; one that is larger than the smallest split goes to
    the largest.
    """
    wanted = [share * sum(sizes) for share in shares]
    asked = [index for index, share in enumerate(shares) if share > 0]
    least, largest = min(wanted[index] for index in asked), max(asked, key=lambda index: wanted[index])
    order = list(range(len(sizes)))
    random.Random(seed).shuffle(order)  # noqa: S311 - reproducible, not secret
    order.sort(key=lambda group: sizes[group] <= least)
    filled, chosen = [0.0] * len(shares), [0] * len(sizes)
    for group in order:
        most = largest if sizes[group] > least else min(asked, key=lambda index: filled[index] / wanted[index])
        chosen[group] = most
        filled[most] += sizes[group]
    return chosen


CONCEPTS = "concepts.parquet"
"""The file of an export for training that says which concepts and texts each split may hold."""


def training_terms(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Return the concepts and texts of the training split of an export, which is named by its folder or that file."""
    file = Path(path) / CONCEPTS if Path(path).is_dir() else Path(path)
    if not file.is_file():
        raise TermgaugeError(f"{file}: is not there; name the folder that termgauge export --to triplets wrote.")
    wanted = ("split", "concept", "text")
    return read_contained(file.read_bytes(), str(file), columns=wanted, text=True).frame.filter(split="train")


def trained_concepts(pairs: PairSet, trained: pl.DataFrame) -> list[str]:
    """Return the concepts of a set that were trained on: those with such an id, or with such a text, in any case."""
    owners = {text.lower(): concept for concept, text in trained.select("concept", "text").iter_rows()}
    ids = set() if pairs.concepts is None else set().union(*pairs.concepts)
    terms = {text.lower() for column in pairs.frame.select("term_1", "term_2") for text in column}
    return sorted(ids.intersection(owners.values()) | {owners[text] for text in terms & owners.keys()})


_AT_ONCE = 2048
_MORE = 4
"""How many more terms are looked at than are wanted; some are of the same group, or above or below it."""
_MOST = 256
_RANDOM_TRIES = 64


@dataclass(frozen=True)
class TermPool:
    """The terms of a split in random order, each once, with the group and the concepts that it stands for."""

    texts: list[str]
    groups: list[int]
    concepts: list[frozenset[str]]
    hierarchy: Hierarchy | None = None

    @classmethod
    def from_terms(
        cls, texts: Iterable[tuple[str, str]], group_of: dict[str, int], hierarchy: Hierarchy | None, seed: int
    ) -> TermPool:
        """Gather the terms of some concepts; the order decides between terms that are equally near."""
        concepts: dict[str, set[str]] = {}
        for concept, text in texts:
            concepts.setdefault(text, set()).add(concept)
        order = sorted(concepts)
        random.Random(seed).shuffle(order)  # noqa: S311 - reproducible, not secret
        by_text = [frozenset(concepts[text]) for text in order]
        return cls(order, [group_of[next(iter(ids))] for ids in by_text], by_text, hierarchy)

    def suits(self, anchor: int, negative: int) -> bool:
        """Say whether a term may be a negative of another."""
        if self.groups[anchor] == self.groups[negative]:
            return False
        return self.hierarchy is None or not any(
            self.hierarchy.lineal(one, other) for one in self.concepts[anchor] for other in self.concepts[negative]
        )

    def first(self, anchor: int, candidates: Iterable[int], count: int) -> list[int]:
        """Return the first candidates that may be negatives of a term."""
        return list(islice((candidate for candidate in candidates if self.suits(anchor, candidate)), count))


_Found = dict[int, list[int]]
"""By anchor, its negatives, the best first."""


def find_negatives(
    pool: TermPool, anchors: Iterable[int], count: int, miner: Model | None, how: str, seed: int
) -> _Found:
    """Return the negatives of each anchor, as many as wanted where there are so many; a miner finds them, if given."""
    asked = list(dict.fromkeys(anchors))
    if miner is not None:
        return _mined(pool, asked, count, miner)
    return _nearest_texts(pool, asked, count) if how == "levenshtein" else _random(pool, asked, count, seed)


def _nearest_texts(pool: TermPool, asked: list[int], count: int) -> _Found:
    lowered = [text.lower() for text in pool.texts]
    index, negatives = NearestTerms(lowered), _Found()
    with track("Looking for the nearest terms", total=len(asked), unit="terms") as advance:
        for start in range(0, len(asked), _AT_ONCE):
            waiting, wanted = asked[start : start + _AT_ONCE], count + _MORE
            while waiting:
                none = np.zeros(len(waiting) + 1, np.int64)
                levels = index.search([lowered[at] for at in waiting], np.full(len(waiting), wanted), none, none[:0])
                again = []
                for position, anchor in enumerate(waiting):
                    ids, _distances, exhausted = levels.of_query(position)
                    negatives[anchor] = pool.first(anchor, ids, count)
                    if len(negatives[anchor]) < count and not exhausted and wanted < _MOST:
                        again.append(anchor)
                waiting, wanted = again, 4 * wanted
            advance(len(asked[start : start + _AT_ONCE]))
    return negatives


def _random(pool: TermPool, asked: list[int], count: int, seed: int) -> _Found:
    rng, tries = random.Random(seed), range(_RANDOM_TRIES + 2 * count)  # noqa: S311 - reproducible, not secret
    candidates = ((anchor, dict.fromkeys(rng.randrange(len(pool.texts)) for _ in tries)) for anchor in asked)
    return {anchor: pool.first(anchor, drawn, count) for anchor, drawn in candidates}


def _mined(pool: TermPool, asked: list[int], count: int, model: Model) -> _Found:
    if model.kind == "concepts":
        raise TermgaugeError(f"'{model.name}' has vectors of concepts and none of terms, so that it mines none.")
    order = sorted(range(len(pool.texts)), key=lambda number: pool.groups[number])
    vectors = term_vectors(model, [pool.texts[number] for number in order])
    index = NameIndex(vectors, np.array([pool.groups[number] for number in order], np.int64))
    more = _MORE if pool.hierarchy is None else 8 * _MORE
    rows, _cosines = nearest_of_others(index, min(count + more, max(1, len(order) - 1)))
    place_of = {number: row for row, number in enumerate(order)}
    return {
        anchor: pool.first(anchor, (order[row] for row in rows[place_of[anchor]].tolist() if row != NOBODY), count)
        for anchor in asked
    }
