"""Word vectors from a table: each word is a row of a matrix on disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.embeddings.tokens import TermWords, WordRules, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from termgauge.embeddings.model import Kind, ModelIdentity
    from termgauge.embeddings.store.vectors import VectorStore
    from termgauge.embeddings.store.vocabulary import Vocabulary


@dataclass(frozen=True)
class WordVectors:
    """A model that has a vector for each word of its vocabulary, and for no other."""

    name: str
    source: str
    identity: ModelIdentity
    store: VectorStore
    rules: WordRules
    kind: Kind = "words"
    composes: bool = False

    @property
    def dimension(self) -> int:
        """Numbers in a vector."""
        return self.store.matrix.shape[1]

    @property
    def vocabulary(self) -> Vocabulary:
        """The words."""
        return self.store.vocabulary

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of some rows."""
        return self.store.matrix.gather(rows)

    def known(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Say which words have a vector."""
        found: NDArray[np.bool_] = self.vocabulary.find(words) != MISSING
        return found

    def vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        """Return the vector of each word.

        Raises
        ------
        KeyError
            If a word has none.
        """
        return self.gather(rows_of(self.vocabulary, words))

    def words_of(self, terms: Sequence[str]) -> TermWords:
        """Return the word vectors of many terms."""
        return words_of(self, terms, self.rules)


def rows_of(vocabulary: Vocabulary, words: Sequence[str]) -> NDArray[np.int64]:
    """Return the row of each word; a word without one is a KeyError that names it."""
    rows = vocabulary.find(words)
    for place in (rows == MISSING).nonzero()[0][:1].tolist():
        raise KeyError(words[place])
    return rows
