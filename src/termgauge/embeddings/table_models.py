"""Models that are tables of vectors of words or concepts, and what models of words without a table share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from termgauge.embeddings.model import ShowingModel
from termgauge.embeddings.store.vocabulary import MISSING, Vocabulary
from termgauge.embeddings.tokens import TermWords, WordRules, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import Kind, ModelIdentity, VectorModel
    from termgauge.embeddings.store.vectors import VectorStore


@dataclass(frozen=True, repr=False)
class StoredVectors(ShowingModel):
    """What the models of a table of vectors share."""

    name: str
    source: str
    identity: ModelIdentity
    store: VectorStore

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self.store.matrix.shape[1]

    @property
    def vocabulary(self) -> Vocabulary:
        """The words or concept ids."""
        return self.store.vocabulary

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of some rows."""
        return self.store.matrix.gather(rows)

    def about(self) -> dict[str, Any]:
        """Return what is known of it, and how many vectors it has."""
        return {**super().about(), "vectors": len(self.vocabulary), "dimension": self.dimension}


@dataclass(frozen=True, repr=False)
class WordVectors(StoredVectors):
    """A model that has a vector for each word of its vocabulary and, if it composes, for others."""

    rules: WordRules
    compose: Callable[[Sequence[str]], NDArray[np.float32]] | None = None
    """Makes vectors of words outside the vocabulary; zeros for one that it cannot make any of."""
    can_compose: Callable[[Sequence[str]], NDArray[np.bool_]] | None = None
    """Says of which words it makes a vector; if not given, of those whose vector is not zero."""
    kind: ClassVar[Kind] = "words"

    @property
    def composes(self) -> bool:
        """Whether words outside the vocabulary have vectors too."""
        return self.compose is not None

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say which words have a vector."""
        there: NDArray[np.bool_] = self.vocabulary.find(words) != MISSING
        if self.compose is not None and not there.all():
            rest = [words[at] for at in np.flatnonzero(~there).tolist()]
            there[~there] = self.can_compose(rest) if self.can_compose else self.compose(rest).any(axis=1)
        return there

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each word; one that has none is a KeyError, or zeros if the model composes."""
        if self.compose is None:
            return self.gather(rows_of(self.vocabulary, words))
        rows = self.vocabulary.find(words)
        there = rows != MISSING
        vectors = np.empty((len(words), self.dimension), np.float32)
        vectors[there] = self.gather(rows[there])
        if not there.all():
            vectors[~there] = self.compose([words[at] for at in np.flatnonzero(~there).tolist()])
        return vectors

    def words_of(self, terms: Sequence[str]) -> TermWords:
        """Return the word vectors of many terms."""
        return words_of(self, terms, self.rules)


class WithoutVocabulary(ShowingModel):
    """What models of words share that have no table: they make a vector for whatever they are asked for."""

    kind: ClassVar[Kind] = "words"
    composes: ClassVar[bool] = True

    @property
    def vocabulary(self) -> Vocabulary:
        """No words: none has a row."""
        return Vocabulary.from_words([])

    def gather(self: VectorModel, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return no vectors: there are no rows."""
        if len(rows):
            raise IndexError("a model without a vocabulary has no rows")
        return np.empty((0, self.dimension), np.float32)


def rows_of(vocabulary: Vocabulary, words: Sequence[str]) -> NDArray[np.int64]:
    """Return the row of each word; a word without one is a KeyError that names it."""
    rows = vocabulary.find(words)
    for index in (rows == MISSING).nonzero()[0][:1].tolist():
        raise KeyError(words[index])
    return rows


_CONCEPT_ID = re.compile(
    rb"C\d{7}"  # UMLS
    rb"|\d{6,18}"  # SNOMED CT
    rb"|[A-Za-z][A-Za-z0-9]*[:_]\d{3,}"  # HP:0000118, SCTID_…
    rb"|[CD]\d{6,9}"  # MeSH
)
_SAMPLE = 1000
_SHARE = 0.9


@dataclass(frozen=True, repr=False)
class ConceptVectors(StoredVectors):
    """A model that has a vector for each concept id of its table."""

    kind: ClassVar[Kind] = "concepts"

    def find(self, concepts: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each concept, -1 where it has none."""
        return self.vocabulary.find(concepts)


def looks_like_concepts(vocabulary: Vocabulary) -> bool:
    """Say whether most of the first words are concept ids."""
    sample = [vocabulary.words.raw(row) for row in range(min(_SAMPLE, len(vocabulary.words)))]
    alike = sum(1 for word in sample if _CONCEPT_ID.fullmatch(word))
    return bool(sample) and alike >= _SHARE * len(sample)
