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

DECIMALS = 12
"""Cosines are rounded to so many before they are compared: equal directions of different lengths then tie."""
BLOCK_BYTES = 32 << 20
"""Rows of a block take about so much, in single precision."""

_COSINES_AT_ONCE = 1 << 25
_CANDIDATES_AT_ONCE = 1 << 20
_NUMBERS_AT_ONCE = 1 << 22
_NOWHERE = -2.0
"""Less than any cosine: what stands for a row that is no neighbour."""

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
                search.offer_units(start, block, units)
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

    A query is one vector, or several: then a row is as near as it is to the nearest of them. Of equally near rows the
    one with the lower number comes first. Rows that are zero or not finite are no neighbours; a query's vectors that
    are so do not count. Query i has ``vectors[offsets[i]:offsets[i + 1]]``, at least one; `own` says of each vector the
    number of its row, which is no neighbour of its query, or -1. With `own_ends` all rows from there up to this number
    are none.

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
        own: NDArray[np.int64],
        k: int,
        own_ends: NDArray[np.int64] | None = None,
    ) -> None:
        count, width = len(offsets) - 1, vectors.shape[1]
        self._k = k
        self._offsets = offsets
        self._own = own
        self._own_ends = own + 1 if own_ends is None else own_ends
        self._wide = unit_vectors(vectors, np.float64)
        self._usable: NDArray[np.bool_] = ~np.isnan(self._wide[:, 0])
        self._narrow = np.where(self._usable[:, None], self._wide, 0).astype(np.float32)
        # Twice what a sum of `width` products of two unit vectors, themselves rounded, can be off.
        self._margin = 2 * (width + 8) * 2.0**-24
        self.rows = np.full((count, k), MISSING, np.int64)
        """Their numbers, -1 where there are not so many."""
        self.cosines = np.full((count, k), -np.inf)
        """Their cosines, rounded."""

    def offer(self, start: int, block: NDArray[np.float32]) -> None:
        """Compare the queries with some rows, the first of which has the number `start`."""
        if len(block) and len(self.rows):
            self.offer_units(start, block, unit_vectors(block, np.float32))

    def offer_units(self, start: int, block: NDArray[np.float32], units: NDArray[np.float32]) -> None:
        """Compare the queries with rows whose unit vectors are known, NaN for those that are no neighbours."""
        wrong = np.flatnonzero(np.isnan(units[:, 0])) if units.shape[1] else np.arange(len(units))
        for low, high in self._slabs(max(1, _COSINES_AT_ONCE // len(block))):
            cosines = self._cosines(low, high, units)
            cosines[:, wrong] = _NOWHERE
            self._leave_out_own(cosines, low, high, start)
            for query, row in self._candidates(cosines, low):
                self._take(query, row, self._exact(query, block, row), start)

    def _slabs(self, most: int) -> Iterator[tuple[int, int]]:
        """Cut the queries into runs with no more than so many vectors, or of one query."""
        low, count = 0, len(self._offsets) - 1
        while low < count:
            high = int(np.searchsorted(self._offsets, self._offsets[low] + most, "right")) - 1
            high = min(max(high, low + 1), count)
            yield low, high
            low = high

    def _cosines(self, low: int, high: int, units: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how near each row is to each query of a run."""
        first, last = int(self._offsets[low]), int(self._offsets[high])
        with np.errstate(invalid="ignore"):
            cosines: NDArray[np.float32] = self._narrow[first:last] @ units.T
        cosines[~self._usable[first:last]] = _NOWHERE
        if last - first > high - low:
            cosines = np.maximum.reduceat(cosines, self._offsets[low:high] - first, axis=0)
        return cosines

    def _leave_out_own(self, cosines: NDArray[np.float32], low: int, high: int, start: int) -> None:
        some = slice(int(self._offsets[low]), int(self._offsets[high]))
        queries = np.repeat(np.arange(high - low), np.diff(self._offsets[low : high + 1]))
        width = cosines.shape[1]
        first, last = np.clip(self._own[some] - start, 0, width), np.clip(self._own_ends[some] - start, 0, width)
        sizes = np.where(self._own[some] == MISSING, 0, last - first)
        rows = np.repeat(first - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        cosines[np.repeat(queries, sizes), rows] = _NOWHERE

    def _candidates(
        self, cosines: NDArray[np.float32], low: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield queries and places of rows that may be among the nearest, some at a time."""
        least = np.maximum(self.cosines[low : low + len(cosines), -1] - self._margin, (_NOWHERE - 1) / 2)
        passed = cosines >= least[:, None].astype(np.float32)
        counts = np.count_nonzero(passed, axis=1)
        for query in np.flatnonzero(counts > 4 * self._k + 64).tolist():
            bound = np.partition(cosines[query], -self._k)[-self._k]
            passed[query] &= cosines[query] >= bound - np.float32(self._margin)
            counts[query] = np.count_nonzero(passed[query])
        ends = np.cumsum(counts)
        first = 0
        while first < len(counts):
            before = ends[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(ends, before + _CANDIDATES_AT_ONCE, "right")))
            places = np.flatnonzero(passed[first:last].ravel())  # much faster than nonzero in two dimensions
            if len(places):
                yield places // cosines.shape[1] + (low + first), places % cosines.shape[1]
            first = last

    def _exact(
        self, queries: NDArray[np.int64], block: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the cosines of some queries with some rows, pair by pair, in double precision."""
        cosines = np.empty(len(queries))
        step = max(1, _NUMBERS_AT_ONCE // max(1, block.shape[1]))
        for low in range(0, len(queries), step):
            some = queries[low : low + step]
            others, places = np.unique(rows[low : low + step], return_inverse=True)
            wide = unit_vectors(block[others], np.float64)
            sizes = self._offsets[some + 1] - self._offsets[some]
            begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
            vectors = np.repeat(self._offsets[some] - begins, sizes) + np.arange(int(sizes.sum()))
            products = np.empty(len(vectors))
            which = np.repeat(places, sizes)
            for at in range(0, len(vectors), step):
                some_vectors, some_rows = vectors[at : at + step], which[at : at + step]
                products[at : at + step] = np.einsum("ij,ij->i", self._wide[some_vectors], wide[some_rows])
            products[np.isnan(products)] = -np.inf
            cosines[low : low + step] = np.maximum.reduceat(products, begins)
        return np.round(cosines, DECIMALS)

    def _take(
        self, queries: NDArray[np.int64], rows: NDArray[np.int64], cosines: NDArray[np.float64], start: int
    ) -> None:
        """Put new rows among the nearest, and keep the k nearest of each query."""
        asked = np.unique(queries)
        all_queries = np.concatenate([np.repeat(asked, self._k), queries])
        all_rows = np.concatenate([self.rows[asked].ravel(), rows + start])
        all_cosines = np.concatenate([self.cosines[asked].ravel(), cosines])
        order = np.lexsort((all_rows, -all_cosines, all_queries))
        all_queries = all_queries[order]
        begins = np.searchsorted(all_queries, asked)
        rank = np.arange(len(order)) - np.repeat(begins, np.diff(np.append(begins, len(order))))
        kept = order[rank < self._k]
        self.rows[asked] = all_rows[kept].reshape(len(asked), self._k)
        self.cosines[asked] = all_cosines[kept].reshape(len(asked), self._k)
        self.rows[asked] = np.where(np.isneginf(self.cosines[asked]), MISSING, self.rows[asked])


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
