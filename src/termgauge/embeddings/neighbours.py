"""The nearest words or terms by cosine, exactly: all of them are compared, a block at a time.

Memory stays at one block whatever the size of the vocabulary; words with a vector of zeros have no cosine and are
never neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from termgauge.embeddings.model import ConceptModel, Model, TermModel, WordModel
from termgauge.embeddings.store.matrix import BLOCK_BYTES
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.progress import track

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Neighbour:
    """One of the nearest of a query."""

    query: str
    rank: int
    """Counted from 1."""
    text: str
    """The word, term or concept id."""
    similarity: float
    """Cosine."""


def neighbours(
    model: Model, queries: Sequence[str], k: int = 10, *, among: Sequence[str] | None = None
) -> list[Neighbour]:
    """Return the k nearest of each query, itself left out.

    Parameters
    ----------
    model
        Gives the vectors; a term is the mean of the vectors of its words.
    queries
        Words or terms; concept ids for a model of concepts.
    k
        How many.
    among
        The terms (or concept ids) to choose from; the model's vocabulary if not given.

    Raises
    ------
    TermgaugeError
        If a query has no vector, or the model has no vectors at all.
    """
    if k < 1:
        raise TermgaugeError(f"The number of neighbours is at least 1, not {k}.")
    wanted = _query_vectors(model, queries)
    best = Nearest(wanted, k + 2)  # the query itself may come back, as written and in lower case
    names: Sequence[str] | None = None
    if among is not None:
        names = list(dict.fromkeys(among))
        best.offer(0, term_vectors(model, names))
    else:
        for start, block in _vocabulary_blocks(model):
            best.offer(start, block)
    return [
        Neighbour(query, rank, text, similarity)
        for place, query in enumerate(queries)
        for rank, (text, similarity) in enumerate(_others(model, best, place, query, names)[:k], start=1)
    ]


_COSINES_AT_ONCE = 1 << 24


class Nearest:
    """The nearest rows so far of each of some query vectors.

    Rows are offered in blocks; ties go to the row offered first.
    """

    def __init__(self, queries: NDArray[np.float32], k: int) -> None:
        self._queries = unit(queries)
        self._k = k
        self.similarities = np.full((len(queries), 0), -np.inf)
        self.rows = np.full((len(queries), 0), MISSING, np.int64)

    def offer(self, start: int, block: NDArray[np.float32]) -> None:
        """Compare the queries with some rows, the first of which has the number `start`."""
        if len(block) == 0:
            return
        few = min(self._k, len(block))
        rows = np.empty((len(self._queries), few), np.int64)
        similarities = np.empty((len(self._queries), few))
        others = unit(block).T
        step = max(1, _COSINES_AT_ONCE // len(block))
        for low in range(0, len(self._queries), step):
            cosines = self._queries[low : low + step] @ others
            cosines[np.isnan(cosines)] = -np.inf
            for place, row in enumerate(cosines, start=low):
                rows[place] = _best(row, few)
                similarities[place] = row[rows[place]]
        similarities = np.hstack([self.similarities, similarities])
        rows = np.hstack([self.rows, rows + start])
        order = np.argsort(-similarities, axis=1, kind="stable")[:, : self._k]
        self.similarities = np.take_along_axis(similarities, order, axis=1)
        self.rows = np.take_along_axis(rows, order, axis=1)


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return vectors scaled to length 1; a vector of zeros, or with NaN, becomes NaN."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        largest = np.abs(vectors).max(axis=1, keepdims=True)  # first to size 1, so that no square overflows
        scaled = vectors / largest
        lengths = np.sqrt(np.einsum("ij,ij->i", scaled, scaled, dtype=np.float64))[:, None]
        found: NDArray[np.float32] = (scaled / lengths).astype(np.float32)
        return found


def term_vectors(model: Model, terms: Sequence[str]) -> NDArray[np.float32]:
    """Return one vector for each term or concept id; NaN where there is none."""
    if isinstance(model, WordModel):
        return model.words_of(terms).means
    if isinstance(model, TermModel):
        return model.encode(terms)
    if isinstance(model, ConceptModel):
        rows = model.find(terms)
        vectors = np.full((len(terms), model.dimension), np.nan, np.float32)
        vectors[rows != MISSING] = model.gather(rows[rows != MISSING])
        return vectors
    raise TermgaugeError(f"The model '{model.name}' has no vectors, only similarities of pairs; choose another.")


def _best(cosines: NDArray[np.float32], few: int) -> NDArray[np.int64]:
    """Return the places of the few greatest, the greatest first; of equal ones the first."""
    bound = np.partition(cosines, len(cosines) - few)[len(cosines) - few]
    above = np.flatnonzero(cosines > bound)
    equal = np.flatnonzero(cosines == bound)[: few - len(above)]
    found = np.concatenate([above, equal])
    return found[np.argsort(-cosines[found], kind="stable")]


def _query_vectors(model: Model, queries: Sequence[str]) -> NDArray[np.float32]:
    vectors = term_vectors(model, queries)
    for place in np.flatnonzero(np.isnan(vectors).any(axis=1)).tolist():
        hint = ""
        if isinstance(model, WordModel | ConceptModel):
            hint = did_you_mean(queries[place], model.vocabulary.text(range(min(20_000, len(model.vocabulary.words)))))
        raise TermgaugeError(
            f"'{queries[place]}' has no vector in '{model.name}': a word of it is not in the vocabulary.{hint}"
        )
    return vectors


def _vocabulary_blocks(model: Model) -> Iterator[tuple[int, NDArray[np.float32]]]:
    if not isinstance(model, WordModel | ConceptModel) or len(model.vocabulary) == 0:
        raise TermgaugeError(f"The model '{model.name}' has no vocabulary to search; give the terms to choose from.")
    repeated = model.vocabulary.repeated
    total = len(model.vocabulary.words)
    step = max(1, BLOCK_BYTES // (4 * model.dimension))
    with track("Comparing", total=total, unit="words") as advance:
        for start in range(0, total, step):
            stop = min(start + step, total)
            block = model.gather(np.arange(start, stop))
            block[repeated[(repeated >= start) & (repeated < stop)] - start] = np.nan
            yield start, block
            advance(stop - start)


def _others(
    model: Model, best: Nearest, place: int, query: str, names: Sequence[str] | None
) -> list[tuple[str, float]]:
    """Return the neighbours of a query with their names, without the query itself."""
    found = []
    for row, similarity in zip(best.rows[place].tolist(), best.similarities[place].tolist(), strict=True):
        if not np.isfinite(similarity):
            continue
        if names is not None:
            text = names[row]
        else:
            assert isinstance(model, WordModel | ConceptModel)
            text = model.vocabulary.words.text(row)
        if text != query and (names is not None or text != query.lower()):
            found.append((text, similarity))
    return found
