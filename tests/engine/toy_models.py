"""Small models of every kind and a small set or two, for what strings them together."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from termgauge.benchmark.pairset import PairSet
from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.store.vocabulary import Vocabulary
from termgauge.embeddings.tokens import WordRules, words_of

WORDS = [
    "heart",
    "attack",
    "infarct",
    "cardiac",
    "failure",
    "lung",
    "pneumonia",
    "infection",
    "fever",
    "cough",
    "skin",
    "rash",
    "acute",
    "chronic",
]


@dataclass
class ToyWords:
    """Word vectors that count how often they were asked."""

    name: str = "words"
    words: list[str] = field(default_factory=lambda: list(WORDS))
    seed: int = 0
    calls: int = 0
    kind: str = "words"
    source: str = "toy"
    composes: bool = False
    dimension: int = 8

    @property
    def identity(self):
        return ModelIdentity("words", "toy", f"{self.seed}")

    @property
    def vocabulary(self):
        return Vocabulary.from_words(self.words)

    def known(self, words):
        return np.array([word in self.words for word in words], np.bool_)

    def vectors(self, words):
        table = np.random.default_rng(self.seed).normal(size=(len(WORDS), self.dimension)).astype(np.float32)
        return np.array([table[WORDS.index(word)] for word in words], np.float32).reshape(len(words), self.dimension)

    def words_of(self, terms):
        self.calls += 1
        return words_of(self, terms, WordRules())


@dataclass
class ToyTerms:
    """A vector for a whole term; none for the terms named."""

    name: str = "encoder"
    without: tuple[str, ...] = ()
    seed: int = 1
    kind: str = "terms"
    source: str = "toy"
    dimension: int = 6

    @property
    def identity(self):
        return ModelIdentity("terms", "toy", f"{self.seed}")

    def encode(self, terms):
        rows = [np.random.default_rng([self.seed, *term.encode()]).normal(size=self.dimension) for term in terms]
        vectors = np.array(rows, np.float32)
        vectors[[term in self.without for term in terms]] = np.nan
        return vectors


@dataclass
class ToyConcepts:
    """A vector for some concept ids."""

    ids: tuple[str, ...]
    name: str = "concepts"
    kind: str = "concepts"
    source: str = "toy"
    dimension: int = 5

    @property
    def identity(self):
        return ModelIdentity("concepts", "toy", ",".join(self.ids))

    @property
    def vocabulary(self):
        return Vocabulary.from_words(list(self.ids))

    def find(self, concepts):
        return np.array([self.ids.index(each) if each in self.ids else -1 for each in concepts], np.int64)

    def gather(self, rows):
        return np.random.default_rng(2).normal(size=(len(self.ids), self.dimension)).astype(np.float32)[rows]


@dataclass
class ToyPairs:
    """Scores of its own; `scores` may say which."""

    name: str = "own"
    scores: tuple[float, ...] | None = None
    kind: str = "pairs"
    source: str = "toy"

    @property
    def identity(self):
        return ModelIdentity("pairs", "toy", f"{self.scores}")

    def score(self, first, second, corpus=None):
        del corpus
        if self.scores is not None:
            return np.array(self.scores, np.float64)
        return np.array([-abs(len(one) - len(two)) for one, two in zip(first, second, strict=True)], np.float64)


def graded_set(name="toy/graded", size=40, seed=3):
    generator = np.random.default_rng(seed)
    first, second = (
        [" ".join(generator.choice(WORDS, generator.integers(1, 4))) for _ in range(size)] for _ in range(2)
    )
    return PairSet(name, pl.DataFrame({"term_1": first, "term_2": second, "score": generator.integers(0, 9, size) / 2}))


def binary_set(name="toy/binary", size=40, seed=4):
    frame = graded_set(name, size, seed).frame
    return PairSet(name, frame.select("term_1", "term_2", label=pl.Series(np.arange(size) % 2)))
