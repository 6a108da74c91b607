"""Negatives for training: of each anchor, terms of the same split that are near it and mean something else."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from termgauge.benchmark.nearest.search import NearestTerms
from termgauge.embeddings.neighbours import term_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.progress import track
from termgauge.similarity.search import NOBODY, NameIndex, nearest_of_others

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from termgauge.embeddings.model import Model
    from termgauge.tasks.audit.hierarchy import Hierarchy

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
        own = [frozenset(concepts[text]) for text in order]
        return cls(order, [group_of[next(iter(each))] for each in own], own, hierarchy)

    def suits(self, anchor: int, negative: int) -> bool:
        """Say whether a term may be a negative of another."""
        if self.groups[anchor] == self.groups[negative]:
            return False
        return self.hierarchy is None or not any(
            self.hierarchy.lineal(one, other) for one in self.concepts[anchor] for other in self.concepts[negative]
        )

    def first(self, anchor: int, candidates: Iterable[int], count: int) -> list[int]:
        """Return the first candidates that may be negatives of a term."""
        return list(islice((each for each in candidates if self.suits(anchor, each)), count))


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
    index, found = NearestTerms(lowered), _Found()
    none = np.zeros(0, np.int64)
    with track("Looking for the nearest terms", total=len(asked), unit="terms") as advance:
        for some in _some(asked):
            waiting, wanted = some, count + _MORE
            while waiting:
                levels = index.search(
                    [lowered[each] for each in waiting],
                    np.full(len(waiting), wanted),
                    np.zeros(len(waiting) + 1, np.int64),
                    none,
                )
                again = []
                for place, anchor in enumerate(waiting):
                    ids, _distances, exhausted = levels.of(place)
                    found[anchor] = pool.first(anchor, ids, count)
                    if len(found[anchor]) < count and not exhausted and wanted < _MOST:
                        again.append(anchor)
                waiting, wanted = again, 4 * wanted
            advance(len(some))
    return found


def _random(pool: TermPool, asked: list[int], count: int, seed: int) -> _Found:
    draw, found = random.Random(seed), _Found()  # noqa: S311 - reproducible, not secret
    for anchor in asked:
        drawn = dict.fromkeys(draw.randrange(len(pool.texts)) for _ in range(_RANDOM_TRIES + 2 * count))
        found[anchor] = pool.first(anchor, drawn, count)
    return found


def _mined(pool: TermPool, asked: list[int], count: int, model: Model) -> _Found:
    if model.kind == "concepts":
        raise TermgaugeError(f"'{model.name}' has vectors of concepts and none of terms, so that it mines none.")
    order = sorted(range(len(pool.texts)), key=lambda place: pool.groups[place])
    vectors = term_vectors(model, [pool.texts[place] for place in order])
    index = NameIndex(vectors, np.array([pool.groups[place] for place in order], np.int64))
    more = _MORE if pool.hierarchy is None else 8 * _MORE
    rows, _cosines = nearest_of_others(index, min(count + more, max(1, len(order) - 1)))
    place_of = {each: row for row, each in enumerate(order)}
    return {
        anchor: pool.first(anchor, (order[row] for row in rows[place_of[anchor]].tolist() if row != NOBODY), count)
        for anchor in asked
    }


def _some(asked: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(asked), _AT_ONCE):
        yield asked[start : start + _AT_ONCE]
