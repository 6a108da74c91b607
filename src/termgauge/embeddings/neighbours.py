"""The nearest words, terms or concepts by cosine, exactly: one search for all who look for neighbours.

A block of rows meets all queries in one matrix product in single precision. What it lets through, a margin wider than
its rounding can be, is computed again in double precision, and only that decides: the answer does not depend on how the
rows were cut into blocks, and equal vectors are equally near. Memory stays at one block whatever the size of the
vocabulary.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from termgauge.display import Showing
from termgauge.embeddings.model import ConceptModel, Model, TermModel, WordModel
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError, did_you_mean
from termgauge.io.decoding import decoded
from termgauge.io.paths import source_path
from termgauge.io.source import files_of
from termgauge.options import several
from termgauge.plurals import numbered
from termgauge.progress import track
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from termgauge.terminology import Terminology

BLOCK_BYTES = 32 << 20
"""Rows of a block take about so much, in single precision."""

_COSINES_AT_ONCE = 1 << 25

Block = tuple[int, "NDArray[np.float32]", "NDArray[np.float32]"]
"""The number of the first row, vectors, and unit vectors with NaN for rows that are no neighbours."""


class Neighbour(NamedTuple):
    """One of the nearest of a query."""

    query: str
    rank: int
    """Counted from 1."""
    text: str
    """The word, term or concept id."""
    similarity: float
    """Cosine."""


class Neighbours(Showing, list[Neighbour]):
    """The nearest of some queries, in a list: query by query, the nearest first."""

    def _brief(self) -> str:
        return (
            f"{numbered(len(self), 'neighbour')} of {', '.join(dict.fromkeys(neighbour.query for neighbour in self))}"
        )

    def to_frame(self) -> pl.DataFrame:
        """Return a row for each neighbour: query, rank, text, similarity."""
        import polars as pl

        schema = dict(zip(Neighbour._fields, (pl.String, pl.Int64, pl.String, pl.Float64), strict=True))
        return pl.DataFrame(list(self), schema=schema, orient="row")


def neighbours(
    model: Any,  # noqa: ANN401 - whatever is a model
    queries: str | Sequence[str],
    k: int = 10,
    *,
    among: Sequence[str] | str | os.PathLike[str] | Terminology | None = None,
) -> Neighbours:
    """Return the k nearest of each query by cosine, exactly; the query itself is left out.

    Parameters
    ----------
    model
        A spec, a path, a model, or an object of another library.
    queries
        Words or terms, or concept ids for a model of concepts; a term is the mean of the vectors of its words.
    k
        How many.
    among
        Where to search: a terminology or its source, of which all active terms are taken (for a model of concepts,
        their ids); a file of terms, one a line; or the terms themselves. The model's vocabulary if nothing is given;
        an encoder has none.
    """
    if not isinstance(model, Model):
        from termgauge.embeddings.objects import as_model

        model = as_model(model)
    queries = several(queries)
    if k < 1:
        raise TermgaugeError(f"The number of neighbours is at least 1, not {k}.")
    vectors, offsets = _query_vectors(model, queries), np.arange(len(queries) + 1)
    # The query itself may come back, as written and in lower case.
    search = NeighbourSearch(vectors, offsets, np.full(len(queries), MISSING), k + 2)
    if among is not None:
        terms = list(dict.fromkeys(_terms_among(among, concepts=isinstance(model, ConceptModel))))
        text_of: Callable[[int], str] = terms.__getitem__
        search.offer(0, term_vectors(model, terms))
    elif isinstance(model, WordModel | ConceptModel) and len(model.vocabulary):
        text_of = model.vocabulary.words.text
        with track("Comparing", total=len(model.vocabulary.words), unit="words") as advance:
            for start, block, units in vocabulary_blocks(model):
                search.offer(start, block, units)
                advance(len(block))
    else:
        raise TermgaugeError(
            f"The model '{model.name}' has no vocabulary to search; name a terminology, or a file of terms, to choose "
            "from with --among (in Python: among=)."
        )
    nearby = Neighbours()
    for index, query in enumerate(queries):
        query_forms = {query} if among is not None else {query, query.lower()}
        rows, cosines = search.rows[index].tolist(), search.cosines[index].tolist()
        named = [(text_of(row), cosine) for row, cosine in zip(rows, cosines, strict=True) if row != MISSING]
        others = [(text, cosine) for text, cosine in named if text not in query_forms][:k]
        nearby += [Neighbour(query, rank, *other) for rank, other in enumerate(others, start=1)]
    return nearby


def _terms_among(among: Sequence[str] | str | os.PathLike[str] | Terminology, *, concepts: bool) -> Iterable[str]:
    """Return the terms, or the ids of concepts, that are to be searched; a file in no known format is a list."""
    from termgauge.terminology import Terminology, read_terminology
    from termgauge.terminology.formats.registry import UnknownFormatError

    if isinstance(among, str | os.PathLike):
        try:
            return _terms_among(read_terminology(among), concepts=concepts)
        except UnknownFormatError:
            if source_path(among).is_dir():
                raise
            file = files_of(among)[0]
            lines = decoded(file.read(), file.label, otherwise="utf-8").splitlines()
            return [line.strip() for line in lines if line.strip()]
    if not isinstance(among, Terminology):
        return among
    active = among.concepts.filter("active")
    if concepts:
        return active["concept"].to_list()
    terms = among.terms.join(active, on="concept", how="semi", maintain_order="left").filter("active")
    return terms.remove(kind="definition")["text"].to_list()


class NeighbourSearch:
    """The k nearest rows by cosine of each of some queries, among those offered so far.

    A query is one vector, or several: then a row is as near as it is to the nearest of them. Rows are offered in order,
    and of equally near ones the first comes first. Rows that are zero or not finite are no neighbours; a query's
    vectors that are so do not count. Query i has ``vectors[offsets[i]:offsets[i + 1]]``, at least one; `own` says of
    each vector the number of its row, which is no neighbour of its query, or -1. With `own_ends` all rows from there up
    to this number are none.

    Examples
    --------
    >>> queries = np.array([[1, 0]], np.float32)
    >>> search = NeighbourSearch(queries, np.array([0, 1]), np.array([1]), k=2)
    >>> search.offer(0, np.array([[0, 1], [1, 0], [2, 1], [3, 0]], np.float32))
    >>> search.rows.tolist(), search.cosines.round(3).tolist()
    ([[3, 2]], [[1.0, 0.894]])
    """

    def __init__(
        self,
        vectors: NDArray[np.float32],
        offsets: NDArray[np.int64],
        self_rows: NDArray[np.int64],
        k: int,
        own_ends: NDArray[np.int64] | None = None,
    ) -> None:
        count = len(offsets) - 1
        self._vectors = np.ascontiguousarray(vectors, np.float32)
        self._offsets, self._own, self._own_ends = offsets, self_rows, self_rows + 1 if own_ends is None else own_ends
        self._units = unit_vectors(self._vectors, np.float32)
        self.rows = np.full((count, k), MISSING, np.int64)
        """Their numbers, -1 where there are not so many."""
        self.cosines = np.full((count, k), -np.inf)
        """Their cosines, rounded."""

    def offer(self, start: int, block: NDArray[np.float32], units: NDArray[np.float32] | None = None) -> None:
        """Compare the queries with some rows, the first of which has the number `start`.

        Their unit vectors may be given, NaN for those that are no neighbours.
        """
        from termgauge.embeddings.cosines import keep_nearest, rounding_margin

        units = unit_vectors(block, np.float32) if units is None else units
        rows, margin = np.ascontiguousarray(block), rounding_margin(block.shape[1])
        queries = (self._vectors, self._offsets, self._own, self._own_ends)
        low, count = 0, len(self.rows)
        while low < count:  # as many queries as have so many vectors, but one at least
            first = int(self._offsets[low])
            most = np.searchsorted(self._offsets, first + _COSINES_AT_ONCE // max(1, len(block)), "right")
            high = min(max(int(most) - 1, low + 1), count)
            with np.errstate(invalid="ignore"):
                cosines = self._units[first : self._offsets[high]] @ units.T
            if len(cosines) > high - low:
                cosines = np.fmax.reduceat(cosines, self._offsets[low:high] - first, axis=0)
            keep_nearest(cosines, low, start, rows, queries, margin, self.rows, self.cosines)
            low = high


def vocabulary_blocks(model: WordModel | ConceptModel) -> Iterator[Block]:
    """Go through all rows of a vocabulary; of a word that stands in it twice only the first is a neighbour.

    One block is read while the last one is compared.
    """
    repeated, total = model.vocabulary.repeated, len(model.vocabulary.words)

    step = max(1, BLOCK_BYTES // (4 * max(1, model.dimension)))

    def block_at(start: int) -> Block:
        block = model.gather(np.arange(start, min(start + step, total)))
        units = unit_vectors(block, np.float32)
        units[repeated[(repeated >= start) & (repeated < start + len(block))] - start] = np.nan
        return start, block, units

    with ThreadPool(1) as pool:
        yield from pool.map_ahead(block_at, range(0, total, step), 1)


def term_vectors(model: Model, terms: Sequence[str]) -> NDArray[np.float32]:
    """Return one vector for each term or concept id; NaN where there is none."""
    # Not by isinstance, which would ask for the dimension and so load the weights of an encoder.
    if model.kind == "pairs":
        raise TermgaugeError(f"The model '{model.name}' has no vectors, only similarities of pairs; choose another.")
    if model.kind == "words":
        return cast("WordModel", model).words_of(terms).means
    if model.kind == "terms":
        return cast("TermModel", model).encode(terms)
    concepts = cast("ConceptModel", model)
    rows = concepts.find(terms)
    vectors = np.full((len(terms), concepts.dimension), np.nan, np.float32)
    vectors[rows != MISSING] = concepts.gather(rows[rows != MISSING])
    return vectors


def _query_vectors(model: Model, queries: Sequence[str]) -> NDArray[np.float32]:
    vectors = term_vectors(model, queries)
    for index in np.flatnonzero(np.isnan(vectors).any(axis=1)).tolist():
        hint = ""
        if isinstance(model, WordModel | ConceptModel):
            hint = did_you_mean(queries[index], model.vocabulary.text(range(min(20_000, len(model.vocabulary.words)))))
        raise TermgaugeError(
            f"'{queries[index]}' has no vector in '{model.name}': a word of it is not in the vocabulary.{hint}"
        )
    return vectors
