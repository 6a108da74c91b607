"""Where the neighbours of a concept are sought: in a model's vocabulary or, for encoders, in the terminology itself.

Both are rows of vectors with a text each, and know which rows stand for the seeds of a domain; what is measured on them
need not know which of the two it is. But it is a different question, so results say which was asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import numpy as np
import polars as pl

from termgauge.domain.domain import concept_names
from termgauge.domain.labels import ConceptRows, concept_rows, offsets_of, ranked_labels
from termgauge.embeddings.encoders.static_tokens import TokenVectors
from termgauge.embeddings.neighbours import Block, NeighbourSearch, vocabulary_blocks
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.progress import track
from termgauge.terminology.model import MODEL_COMPONENT_MODULE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from termgauge.embeddings.model import ConceptModel, Model, TermModel, WordModel
    from termgauge.terminology import Terminology

    Encode = Callable[[Sequence[str]], NDArray[np.float32]]

_TERMS_AT_ONCE = 1 << 15


Neighbourhood: TypeAlias = "VocabularyNeighbourhood | TerminologyNeighbourhood"
"""Rows of vectors among which neighbours are sought, and the rows that stand for each seed."""


def neighbourhood_of(
    model: Model,
    terminology: Terminology,
    seeds: Sequence[str],
    labels: str = "first",
    *,
    join: str | None = None,
    lowercase: bool = False,
    order: str = "rank",
) -> Neighbourhood:
    """Return where a model's neighbours are sought: its vocabulary or, for terms, the names of all concepts.

    Seeds are looked up as by :func:`~termgauge.domain.labels.concept_rows`, but an encoder takes the best-ranked label
    of each concept, whatever `labels` says: it can encode any. A model of tokens (WordLlama, model2vec) is one of terms
    here, each the mean of its tokens: tokens are no words, and label of nothing.
    """
    # By kind, not by isinstance, which would ask an encoder for its dimension and so load its weights.
    if isinstance(model, TokenVectors):
        return TerminologyNeighbourhood.from_terminology(
            lambda terms: model.words_of(terms).means, terminology, seeds, order
        )
    if model.kind in ("words", "concepts"):
        rows = concept_rows(model, terminology, seeds, labels, join=join, lowercase=lowercase, order=order)
        return VocabularyNeighbourhood(cast("WordModel | ConceptModel", model), rows, terminology)
    if model.kind == "terms":
        return TerminologyNeighbourhood.from_terminology(cast("TermModel", model).encode, terminology, seeds, order)
    raise TermgaugeError(f"The model '{model.name}' has no vectors, only similarities of pairs, and so no neighbours.")


def neighbours_of_seeds(among: Neighbourhood, k: int, *, each_label: bool = False) -> NeighbourSearch:
    """Return the k nearest rows of each seed that has a row, itself left out, in the order of the seeds.

    A seed with several rows (``all`` labels) has one list of neighbours: a row is as near to the seed as it is to the
    nearest of the seed's own rows, none of which is a neighbour. With `each_label` each of the rows has a list of its
    own, in which the others may stand.
    """
    seeds = among.seeds
    if not len(seeds.rows):
        return NeighbourSearch(np.empty((0, 1), np.float32), np.zeros(1, np.int64), seeds.rows, k)
    offsets = np.arange(len(seeds.rows) + 1) if each_label else offsets_of(np.diff(seeds.offsets)[seeds.known])
    search = NeighbourSearch(among.gather(seeds.rows), offsets, seeds.rows, k)
    with track("Looking for neighbours", total=among.rows, unit="rows") as advance:
        for start, block, units in among.blocks():
            search.offer_units(start, block, units)
            advance(len(block))
    return search


@dataclass(frozen=True)
class VocabularyNeighbourhood:
    """The vocabulary of a model of words or concepts; of a word that stands in it twice the first row."""

    model: WordModel | ConceptModel
    seeds: ConceptRows
    terminology: Terminology
    kind: Literal["vocabulary"] = "vocabulary"

    @property
    def rows(self) -> int:
        """Rows, repeated ones included."""
        return len(self.model.vocabulary.words)

    def __len__(self) -> int:
        return len(self.model.vocabulary)

    def blocks(self) -> Iterator[Block]:
        """Go through all rows."""
        return vocabulary_blocks(self.model)

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of some rows."""
        return self.model.gather(rows)

    def texts(self, rows: Sequence[int]) -> list[str]:
        """Return the words; of concepts the names, where the terminology has them."""
        words = self.model.vocabulary.text(rows)
        if self.model.kind != "concepts":
            return words
        names = concept_names(self.terminology, words)
        return [names.get(word) or word for word in words]


@dataclass(frozen=True)
class TerminologyNeighbourhood:
    """The best-ranked label of each active concept of a terminology, and of each seed, encoded."""

    encode: Encode
    """Gives the vector of each term, a row of NaN where it has none."""
    seeds: ConceptRows
    labels: tuple[str, ...]
    """One a row."""
    kind: Literal["terminology"] = "terminology"

    @classmethod
    def from_terminology(
        cls, encode: Encode, terminology: Terminology, seeds: Sequence[str], order: str = "rank"
    ) -> TerminologyNeighbourhood:
        """Take the concepts that count, and the seeds that do not: one that is retired is asked for all the same."""
        counted = pl.col("active") & (pl.col("module").fill_null("") != MODEL_COMPONENT_MODULE)
        ids = list(dict.fromkeys([*terminology.concepts.filter(counted)["concept"].to_list(), *seeds]))
        best = ranked_labels(terminology, ids, order).unique("place", keep="first", maintain_order=True)
        labels = tuple(best["text"].to_list())
        row_of = {ids[place]: row for row, place in enumerate(best["place"].to_list())}
        rows = np.array([row_of.get(seed, MISSING) for seed in seeds], np.int64)
        there = np.flatnonzero(rows != MISSING)
        if len(there):
            vectors = encode([labels[row] for row in rows[there]])
            rows[there[np.isnan(vectors).any(axis=1)]] = MISSING
        known = rows != MISSING
        return cls(encode, ConceptRows(tuple(seeds), offsets_of(known), rows[known]), labels)

    @property
    def rows(self) -> int:
        """Concepts that have a label."""
        return len(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def blocks(self) -> Iterator[Block]:
        """Encode all labels, some at a time."""
        for start in range(0, len(self.labels), _TERMS_AT_ONCE):
            block = self.encode(self.labels[start : start + _TERMS_AT_ONCE])
            yield start, block, unit_vectors(block, np.float32)

    def gather(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the vectors of some rows."""
        return self.encode([self.labels[row] for row in rows.tolist()])

    def texts(self, rows: Sequence[int]) -> list[str]:
        """Return the labels."""
        return [self.labels[row] for row in rows]
