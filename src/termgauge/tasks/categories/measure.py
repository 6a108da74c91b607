"""How far a model keeps a distant category of terms apart from two close ones.

The overlap counts triples (a, b, c) in which the close term b is no nearer to a than the distant term c. No triple is
visited: for each a the similarities to C are sorted once, and every b is looked up among them. The cosine of whole
vectors is counted from matrix products; any other measure comes from the kernels, in blocks, so that memory stays
bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np

from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.io.arrays import Array
from termgauge.progress import track
from termgauge.similarity.measures import same_measure, select_measures, usual_measure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from termgauge.embeddings.model import ConceptModel, Model, PairScorer, TermModel, WordModel
    from termgauge.tasks.categories.members import Category, Members

CATEGORIES = "ABC"
_BLOCK_VALUES = 1 << 23
_TILE = 2048
_DECIMALS = 12

SimilarityBlocks = Callable[[str, str, slice, slice], "NDArray[np.floating]"]
"""The similarities of some terms of one category (rows) with some of another or the same one (columns): called with
two of the letters A, B, C and two slices. It must be symmetric; NaN stands for an undefined similarity."""


@dataclass(frozen=True)
class Counted:
    """The triples of three categories, by term; terms are those of A, then of B, then of C."""

    sizes: tuple[int, int, int]
    overlapping: Array
    """How many triples with a term overlap."""
    triples: Array
    """How many there are with it of which no similarity is undefined."""
    means: dict[str, float]
    """Mean similarities between and within categories: AB, AC, AA, BB, CC."""

    @property
    def total(self) -> int:
        """How many triples count."""
        return int(self.triples[: self.sizes[0]].sum())

    @property
    def overlap(self) -> float:
        """The share of triples that overlap; NaN where none counts."""
        return int(self.overlapping[: self.sizes[0]].sum()) / self.total if self.total else math.nan


def category_separation(similarity: SimilarityBlocks, sizes: tuple[int, int, int]) -> Counted:
    """Return overlap and mean similarities of three categories, for any similarity.

    A similarity that is NaN is left out of its triples and of the means.

    >>> terms = {"A": np.array([0.0, 0.1]), "B": np.array([0.2, 0.9]), "C": np.array([1.0, 0.8])}
    >>> def nearness(left, right, rows, columns):
    ...     return -abs(terms[left][rows, None] - terms[right][None, columns])
    >>> counted = category_separation(nearness, (2, 2, 2))
    >>> counted.overlap, round(counted.means["AA"], 3)
    (0.25, -0.1)
    """
    _check_sizes(sizes)
    overlapping, triples, means = _count_triples(similarity, sizes)
    means |= {2 * each: _mean_within(similarity, each, size) for each, size in zip(CATEGORIES, sizes, strict=True)}
    return Counted(sizes, overlapping, triples, means)


def cosine_separation(close_a: ArrayLike, close_b: ArrayLike, far_c: ArrayLike) -> Counted:
    """Return overlap and mean similarities of three categories under the cosine of vectors, one per term.

    The mean cosines follow from the sums of the unit vectors, without any pair. Cosines are rounded to 12 decimals:
    products of equal vectors come out of a matrix product with different last digits, and ties must stay ties. The
    cosine with a zero vector is undefined.
    """
    units = {c: _unit(c, given) for c, given in zip(CATEGORIES, (close_a, close_b, far_c), strict=True)}
    sizes = (len(units["A"]), len(units["B"]), len(units["C"]))
    _check_sizes(sizes)
    dimensions = [unit.shape[1] for unit in units.values()]
    if len(set(dimensions)) > 1:
        raise TermgaugeError(
            f"The vectors of the three categories have {dimensions} dimensions; use one model for all."
        )

    def cosines(left: str, right: str, rows: slice, columns: slice) -> NDArray[np.float64]:
        block = units[left][rows] @ units[right][columns].T
        return np.round(block, _DECIMALS, out=block)

    overlapping, triples, _means = _count_triples(cosines, sizes)
    means = {pair: _mean_cosine(units[pair[0]], units[pair[1]], same=False) for pair in ("AB", "AC")}
    means |= {2 * category: _mean_cosine(unit, unit, same=True) for category, unit in units.items()}
    return Counted(sizes, overlapping, triples, means)


class _Mean:
    """A mean that grows block by block and leaves out what is undefined."""

    def __init__(self) -> None:
        self.total = 0.0
        self.count = 0

    def add(self, values: NDArray[np.floating]) -> None:
        missing = np.isnan(values)
        self.count += values.size - int(missing.sum())
        self.total += float(np.sum(values, dtype=np.float64, where=~missing))

    @property
    def value(self) -> float:
        return self.total / self.count if self.count else math.nan


def _check_sizes(sizes: tuple[int, int, int]) -> None:
    for category, size in zip(CATEGORIES, sizes, strict=True):
        if size < 1:
            raise TermgaugeError(
                f"Category {category} has no term that the model can encode; choose another category or model."
            )


def _count_triples(
    similarity: SimilarityBlocks, sizes: tuple[int, int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, float]]:
    """Count, by term, the triples that overlap and those that count; return also the means of close and far pairs."""
    size_a, size_b, size_c = sizes
    overlapping, triples = ([np.zeros(size, np.int64) for size in sizes] for _ in range(2))
    mean_close, mean_far = _Mean(), _Mean()
    with track("Comparing categories", size_a, "terms") as advance:
        for rows in _spans(size_a, max(1, _BLOCK_VALUES // (size_b + size_c))):
            close = similarity("A", "B", rows, slice(0, size_b))
            far = similarity("A", "C", rows, slice(0, size_c))
            mean_close.add(close)
            mean_far.add(far)
            # NaN is sorted to the end of a row. Sorted values are looked up faster, being neighbours.
            orders_close, orders_far = np.argsort(close, axis=1), np.argsort(far, axis=1)
            numbers_far = size_c - np.isnan(far).sum(axis=1)
            numbers_close = size_b - np.isnan(close).sum(axis=1)
            for i, (number_close, number_far) in enumerate(zip(numbers_close, numbers_far, strict=True)):
                order_b, order_c = orders_close[i, :number_close], orders_far[i, :number_far]
                ordered_close, ordered_far = close[i, order_b], far[i, order_c]
                no_nearer = number_far - np.searchsorted(ordered_far, ordered_close, "left")
                overlapping[0][rows.start + i] = no_nearer.sum()
                overlapping[1][order_b] += no_nearer
                overlapping[2][order_c] += np.searchsorted(ordered_close, ordered_far, "right")
                triples[0][rows.start + i] = number_close * number_far
                triples[1][order_b] += number_far
                triples[2][order_c] += number_close
            advance(rows.stop - rows.start)
    means = {"AB": mean_close.value, "AC": mean_far.value}
    return np.concatenate(overlapping), np.concatenate(triples), means


def _mean_within(similarity: SimilarityBlocks, category: str, size: int) -> float:
    """Return the mean similarity of distinct terms of a category, from the tiles on and above the diagonal."""
    mean = _Mean()
    spans = list(_spans(size, _TILE))
    with track(f"Comparing category {category}", size, "terms") as advance:
        for i, rows in enumerate(spans):
            for columns in spans[i:]:
                tile = similarity(category, category, rows, columns)
                mean.add(tile[np.triu_indices(len(tile), 1)] if rows == columns else tile)
            advance(rows.stop - rows.start)
    return mean.value


def _mean_cosine(one: NDArray[np.float64], other: NDArray[np.float64], *, same: bool) -> float:
    """Return the mean cosine of two lists of unit vectors, or of the distinct pairs of one."""
    first, second = (unit[~np.isnan(unit[:, 0])] for unit in (one, other))
    total = float(first.sum(axis=0) @ second.sum(axis=0))
    pairs = len(first) * len(second)
    if same:  # each vector meets itself once
        total -= float(np.sum(first * first))
        pairs -= len(first)
    return total / pairs if pairs else math.nan


def _unit(category: str, vectors: ArrayLike) -> NDArray[np.float64]:
    """Return the vectors with length 1; those without direction, or with something that is no number, as NaN."""
    given = np.asarray(vectors, np.float64)
    if given.ndim != 2 or not given.shape[1]:
        if not given.size:
            return np.empty((0, 1))
        raise TermgaugeError(f"The vectors of category {category} must form a table of terms x dimensions.")
    return unit_vectors(given, np.float64)


def _spans(size: int, step: int) -> Iterator[slice]:
    for start in range(0, size, step):
        yield slice(start, min(size, start + step))


_PAIRS_AT_ONCE = 1 << 21
_TEXTS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class ModelSeparations:
    """What was measured of one model."""

    kind: str
    counted: dict[str, Counted]
    """By measure of similarity."""
    encoded: Array = field(repr=False, compare=False)
    """Which terms it encodes, those of A first; which concepts, for a model of concepts."""


def separations(
    model: Model, members: Members, measures: Sequence[str], *, only: NDArray[np.bool_] | None = None
) -> ModelSeparations:
    """Measure a model by each of some measures, or by its usual one; only terms that it can encode count.

    Models of concepts compare concepts, not terms: the sizes are numbers of concepts. `only` says which terms count.
    """
    wanted = select_measures(model.kind, measures) if measures else (usual_measure(model.kind),)
    encoded = _Encoded.of(model, members.categories, only)
    found = {name: encoded.separation(name) for name in wanted}
    return ModelSeparations(model.kind, found, encoded.there)


@dataclass(frozen=True)
class _Encoded:
    """The members of three categories that a model can encode, in one list."""

    model: Model
    members: tuple[slice, ...]
    """For each category where its members are."""
    texts: tuple[str, ...]
    vectors: NDArray[np.float64]
    """Of the words, or of the members themselves."""
    word_offsets: NDArray[np.int64]
    words: NDArray[np.int64]
    there: NDArray[np.bool_]
    """Which of all members these are."""

    @classmethod
    def of(cls, model: Model, chosen: Sequence[Category], only: NDArray[np.bool_] | None) -> _Encoded:
        members = [category.concepts if model.kind == "concepts" else category.terms for category in chosen]
        texts = [text for some in members for text in some]
        vectors, indptr, words, there = _vectors(model, texts)
        there = there if only is None else there & only
        sizes = np.diff(indptr)[there]
        starts = np.repeat(indptr[:-1][there] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        parts = [slice(low, high) for low, high in pairwise(np.cumsum([0, *map(len, members)]).tolist())]
        bounds = np.cumsum([0, *(there[part].sum() for part in parts)]).tolist()
        return cls(
            model=model,
            members=tuple(slice(low, high) for low, high in pairwise(bounds)),
            texts=tuple(text for text, known in zip(texts, there.tolist(), strict=True) if known),
            vectors=vectors,
            word_offsets=np.concatenate([[0], np.cumsum(sizes)]),
            words=words[starts + np.arange(len(starts))],
            there=there,
        )

    def separation(self, measure: str) -> Counted:
        """Return overlap and means by a measure."""
        a, b, c = sizes = tuple(members.stop - members.start for members in self.members)
        if all(sizes) and same_measure(measure, "cos"):
            from termgauge.similarity.vector_kernels import mean_rows

            means = np.empty((len(self.texts), self.vectors.shape[1]))
            mean_rows(self.vectors, self.word_offsets, self.words, means)
            parts = [means[members] for members in self.members]
            return cosine_separation(*parts)
        numbers = {c: np.arange(at.start, at.stop) for c, at in zip(CATEGORIES, self.members, strict=True)}

        def blocks(left: str, right: str, rows: slice, columns: slice) -> NDArray[np.float64]:
            return self._block(measure, numbers[left][rows], numbers[right][columns])

        return category_separation(blocks, (a, b, c))

    def _block(self, measure: str, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the similarities of some members with others, a few rows at a time."""
        out = np.empty((len(rows), len(columns)))
        most = _TEXTS_AT_ONCE if self.model.kind == "pairs" else _PAIRS_AT_ONCE
        step = max(1, most // max(1, len(columns)))
        for begin in range(0, len(rows), step):
            some = rows[begin : begin + step]
            first, second = np.repeat(some, len(columns)), np.tile(columns, len(some))
            out[begin : begin + step] = self._scores(measure, first, second).reshape(len(some), -1)
        return out

    def _scores(self, measure: str, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
        if self.model.kind == "pairs":
            one, two = ([self.texts[place] for place in side.tolist()] for side in (first, second))
            return cast("PairScorer", self.model).score(one, two, self.texts)
        from termgauge.similarity.kernels import score_terms, score_words

        if self.model.kind == "words":
            return score_words(self.vectors, self.word_offsets, self.words, first, second, [measure])[:, 0]
        return score_terms(self.vectors, self.words[first], self.words[second], [measure])[:, 0]


def _vectors(
    model: Model, texts: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return vectors, which of them each text has (offsets and rows), and which texts can be encoded."""
    each = np.arange(len(texts) + 1)
    if model.kind == "words":
        words = cast("WordModel", model).words_of(texts)
        return words.vectors.astype(np.float64), words.indptr, words.indices, ~words.missing
    if model.kind == "terms":
        vectors = cast("TermModel", model).encode(texts).astype(np.float64)
        return vectors, each, each[:-1], np.asarray(~np.isnan(vectors).any(axis=1))
    if model.kind == "concepts":
        concepts = cast("ConceptModel", model)
        rows = concepts.find(texts)
        vectors = np.zeros((len(texts), concepts.dimension))
        vectors[rows >= 0] = concepts.gather(rows[rows >= 0])
        return vectors, each, each[:-1], rows >= 0
    return np.empty((len(texts), 0)), each, each[:-1], np.ones(len(texts), np.bool_)
