"""Models with the vectors and words that a test gives them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from termgauge.embeddings.model import ModelIdentity
from termgauge.embeddings.store.vocabulary import Vocabulary
from termgauge.embeddings.tokens import WordRules, words_of


@dataclass
class Table:
    """Vectors of words, or of concepts, in memory."""

    words: list[str]
    vectors_of_rows: np.ndarray | None = None
    kind: str = "words"
    name: str = "table"
    source: str = "toy"
    composes: bool = False

    def __post_init__(self):
        if self.vectors_of_rows is None:
            self.vectors_of_rows = np.random.default_rng(0).normal(size=(len(self.words), 4))
        self.vectors_of_rows = np.asarray(self.vectors_of_rows, np.float32)

    @property
    def identity(self):
        return ModelIdentity(self.kind, "toy", f"{self.words}")

    @property
    def dimension(self):
        return self.vectors_of_rows.shape[1]

    @cached_property
    def vocabulary(self):
        return Vocabulary.from_words(self.words)

    def gather(self, rows):
        return self.vectors_of_rows[rows]


class Words(Table):
    """Vectors of words."""

    def known(self, words):
        return self.vocabulary.find(words) >= 0

    def vectors(self, words):
        return self.gather(self.vocabulary.find(words))

    def words_of(self, terms):
        return words_of(self, terms, WordRules())


class Concepts(Table):
    """Vectors of concepts."""

    def __post_init__(self):
        super().__post_init__()
        self.kind = "concepts"

    def find(self, concepts):
        return self.vocabulary.find(concepts)
