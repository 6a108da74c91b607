"""What measuring categories gives: their terms, and how far each model keeps them apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np
from pydantic import Field

from termgauge.embeddings.neighbours import term_vectors
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.io.arrays import Array
from termgauge.progress import track
from termgauge.similarity.measures import same_measure, select_measures, usual_measure
from termgauge.statistics.compare import SetOutcomes, compare, estimated
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.statistics.estimators import ratio
from termgauge.tasks.results import Finite, Record, Result, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from termgauge.embeddings.model import Model, PairScorer, WordModel
    from termgauge.statistics.estimators import Estimates
    from termgauge.tasks.categories.members import Category, Members
    from termgauge.tasks.categories.task import CategoryInputs, CategoryOptions

    Matrix = NDArray[np.float64]


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
        return _quotient(int(self.overlapping[: self.sizes[0]].sum()), self.total)


def category_separation(
    similarity: SimilarityBlocks, sizes: tuple[int, int, int], means: Mapping[str, float] | None = None
) -> Counted:
    """Return overlap and mean similarities of three categories, for any similarity; `means` where they are known.

    A similarity that is NaN is left out of its triples and of the means.

    >>> terms = {"A": np.array([0.0, 0.1]), "B": np.array([0.2, 0.9]), "C": np.array([1.0, 0.8])}
    >>> def nearness(left, right, rows, columns):
    ...     return -abs(terms[left][rows, None] - terms[right][None, columns])
    >>> counted = category_separation(nearness, (2, 2, 2))
    >>> counted.overlap, round(counted.means["AA"], 3)
    (0.25, -0.1)
    """
    if not all(sizes):
        raise TermgaugeError(
            f"Category {CATEGORIES[sizes.index(0)]} has no term that the model can encode; choose another category or "
            "model."
        )
    overlapping, triples, across = _count_triples(similarity, sizes)
    if means is None:
        within = (_mean_within(similarity, *category) for category in zip(CATEGORIES, sizes, strict=True))
        means = across | dict(zip(("AA", "BB", "CC"), within, strict=True))
    return Counted(sizes, overlapping, triples, dict(means))


def cosine_separation(close_a: ArrayLike, close_b: ArrayLike, far_c: ArrayLike) -> Counted:
    """Return overlap and mean similarities of three categories under the cosine of vectors, one per term.

    The mean cosines follow from the sums of the unit vectors, without any pair. Cosines are rounded to 12 decimals:
    products of equal vectors come out of a matrix product with different last digits, and ties must stay ties. The
    cosine with a zero vector is undefined.
    """
    a, b, c = (unit_vectors(np.asarray(vectors, np.float64), np.float64) for vectors in (close_a, close_b, far_c))
    units = {"A": a, "B": b, "C": c}

    def cosines(left: str, right: str, rows: slice, columns: slice) -> NDArray[np.float64]:
        block = units[left][rows] @ units[right][columns].T
        return np.round(block, _DECIMALS, out=block)

    means = {"AB": _mean_cosine(a, b), "AC": _mean_cosine(a, c)}
    means |= {2 * letter: _mean_cosine(unit) for letter, unit in units.items()}
    return category_separation(cosines, (len(a), len(b), len(c)), means)


def _sum_and_count(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the sum and the number of the values that are defined."""
    defined = ~np.isnan(values)
    return np.array([np.sum(values, dtype=np.float64, where=defined), np.count_nonzero(defined)])


def _quotient(total: float, count: float) -> float:
    return float(total / count) if count else math.nan


def _count_triples(
    similarity: SimilarityBlocks, sizes: tuple[int, int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, float]]:
    """Count, by term, the triples that overlap and those that count; return also the means of close and far pairs."""
    size_a, size_b, size_c = sizes
    overlapping, triples = ([np.zeros(size, np.int64) for size in sizes] for _ in range(2))
    sum_close, sum_far = np.zeros(2), np.zeros(2)
    with track("Comparing categories", size_a, "terms") as advance:
        for rows in _spans(size_a, max(1, _BLOCK_VALUES // (size_b + size_c))):
            close = similarity("A", "B", rows, slice(0, size_b))
            far = similarity("A", "C", rows, slice(0, size_c))
            sum_close += _sum_and_count(close)
            sum_far += _sum_and_count(far)
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
    means = {"AB": _quotient(*sum_close), "AC": _quotient(*sum_far)}
    return np.concatenate(overlapping), np.concatenate(triples), means


def _mean_within(similarity: SimilarityBlocks, category: str, size: int) -> float:
    """Return the mean similarity of distinct terms of a category, from the tiles on and above the diagonal."""
    sums = np.zeros(2)
    spans = list(_spans(size, _TILE))
    with track(f"Comparing category {category}", size, "terms") as advance:
        for i, rows in enumerate(spans):
            for columns in spans[i:]:
                tile = similarity(category, category, rows, columns)
                sums += _sum_and_count(tile[np.triu_indices(len(tile), 1)] if rows == columns else tile)
            advance(rows.stop - rows.start)
    return _quotient(*sums)


def _mean_cosine(one: NDArray[np.float64], other: NDArray[np.float64] | None = None) -> float:
    """Return the mean cosine of two lists of unit vectors, or of the distinct pairs of one."""
    first, second = (unit[~np.isnan(unit[:, 0])] for unit in (one, one if other is None else other))
    total = float(first.sum(axis=0) @ second.sum(axis=0))
    if other is None:  # each vector meets itself once
        return _quotient(total - float(np.sum(first * first)), len(first) * (len(first) - 1))
    return _quotient(total, len(first) * len(second))


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
    from termgauge.similarity.kernels import score_terms, score_words
    from termgauge.similarity.vector_kernels import mean_rows

    wanted = select_measures(model.kind, measures) if measures else (usual_measure(model.kind),)
    chosen = [category.concepts if model.kind == "concepts" else category.terms for category in members.categories]
    texts = [text for some in chosen for text in some]
    vectors, offsets, rows, there = _vectors(model, texts)
    there = there if only is None else there & only
    bounds = np.cumsum([0, *map(len, chosen)])
    numbers = {
        letter: low + np.flatnonzero(there[low:high])
        for letter, (low, high) in zip(CATEGORIES, pairwise(bounds.tolist()), strict=True)
    }
    sizes = (len(numbers["A"]), len(numbers["B"]), len(numbers["C"]))
    corpus = [texts[number] for number in np.flatnonzero(there).tolist()]

    def scores(measure: str, first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.float64]:
        if model.kind == "pairs":
            one, two = ([texts[number] for number in side.tolist()] for side in (first, second))
            return cast("PairScorer", model).score(one, two, corpus)
        if model.kind == "words":
            return score_words(vectors, offsets, rows, first, second, [measure])[:, 0]
        return score_terms(vectors, rows[first], rows[second], [measure])[:, 0]

    def separation(measure: str) -> Counted:
        if all(sizes) and same_measure(measure, "cos"):
            means = np.empty((len(texts), vectors.shape[1]))
            mean_rows(vectors, offsets, rows, means)
            return cosine_separation(*(means[some] for some in numbers.values()))

        def block(left: str, right: str, lines: slice, columns: slice) -> NDArray[np.float64]:
            """Score a few lines at a time."""
            these, others = numbers[left][lines], numbers[right][columns]
            step = max(1, (_TEXTS_AT_ONCE if model.kind == "pairs" else _PAIRS_AT_ONCE) // max(1, len(others)))
            parts = [these[begin : begin + step] for begin in range(0, len(these), step)]
            tables = [scores(measure, np.repeat(part, len(others)), np.tile(others, len(part))) for part in parts]
            return np.concatenate([np.empty(0), *tables]).reshape(len(these), len(others))

        return category_separation(block, sizes)

    return ModelSeparations(model.kind, {measure: separation(measure) for measure in wanted}, there)


def _vectors(
    model: Model, texts: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return vectors, which of them each text has (offsets and rows), and which texts can be encoded."""
    bounds = np.arange(len(texts) + 1)
    if model.kind == "words":
        words = cast("WordModel", model).words_of(texts)
        return words.vectors.astype(np.float64), words.indptr, words.indices, ~words.missing
    scored = model.kind == "pairs"
    vectors = np.empty((len(texts), 0)) if scored else term_vectors(model, texts).astype(np.float64)
    return vectors, bounds, bounds[:-1], np.asarray(~np.isnan(vectors).any(axis=1))


_LEAST_SHARE = 0.5
"""Of each category, that a model must encode to decide which terms are shared."""


class CategorySummary(Record):
    """A category, and how large it is."""

    name: str
    terms: int
    """That were compared."""
    concepts: int
    all_terms: int = 0
    """That it has, of which some may have been drawn."""

    @classmethod
    def from_category(cls, category: Category) -> CategorySummary:
        """Say how large a category is."""
        terms, concepts = len(category.terms), len(category.concepts)
        return cls(name=category.name, terms=terms, concepts=concepts, all_terms=category.all_terms)


class Separation(Record):
    """How far a model keeps the categories apart, by one measure; None where something is undefined."""

    overlap: Finite
    """The share of triples with sim(a, b) <= sim(a, c): 0 is perfect, 1/2 is chance."""
    low: Finite
    high: Finite
    """The interval of the overlap over the concepts of A, B and C."""
    sizes: tuple[int, int, int]
    """How many terms of A, B and C it encodes."""
    means: dict[str, Finite]
    """Mean similarities between and within categories, within them over distinct pairs: AB, AC, AA, BB, CC."""
    triples: int
    undefined_triples: int
    """How many were left out because one of their similarities is undefined."""

    @classmethod
    def of(cls, counted: Counted, owners: NDArray[np.int64], alpha: float) -> Separation:
        """Add the interval to what was counted; `owners` are the concepts of the terms, by number."""
        separation = estimated(outcomes_of({"": counted}, owners), alpha)[""]
        return cls(
            overlap=counted.overlap,
            low=1 - separation.high,
            high=1 - separation.low,
            sizes=counted.sizes,
            means=counted.means,
            triples=counted.total,
            undefined_triples=math.prod(counted.sizes) - counted.total,
        )


Separations = dict[str, Separation]
"""By measure."""


class CategoryResult(Result):
    """How far models keep category C apart from A and B."""

    categories: dict[str, CategorySummary]
    """By letter: A and B are close, C is distant."""
    shared_terms: int
    """Terms that are in more than one category, before any were drawn."""
    models: dict[str, Separations]
    """On the terms that each model encodes."""
    on_shared: dict[str, Separations] = Field(default_factory=dict)
    """On the terms that all of these models encode; empty where they encode the same ones anyway."""
    too_few: list[str] = Field(default_factory=list)
    """Models that encode less than half of a category, and so do not decide what is shared."""

    def values(self) -> Iterator[Value]:
        """Yield the overlap by each measure, on a model's own terms and on those that all models encode."""
        for statistic, models in (("overlap", self.models), ("overlap_shared", self.on_shared)):
            for model, by_measure in models.items():
                for measure, figures in by_measure.items():
                    ends = figures.low, figures.high
                    yield Value(model, statistic, figures.overlap, *ends, figures.triples, item=measure, better="lower")


def outcomes_of(counted: Mapping[str, Counted], owners: NDArray[np.int64]) -> SetOutcomes:
    """Return the share of triples that are kept apart; the units of terms are their concepts, by number.

    Without a term the triples with it are left out, so all that a term contributes is how often these are kept apart.
    """
    sizes = next(iter(counted.values())).sizes
    values = {name: np.stack([count.triples - count.overlapping, count.triples], -1) for name, count in counted.items()}

    category = np.repeat(np.arange(len(sizes)), sizes)

    def separation(values: Matrix, _truth: Matrix) -> Estimates:
        apart, triples = values[:, :, 0], values[:, :, 1]
        kept, total = (column.sum(axis=1, keepdims=True) / len(sizes) for column in (apart, triples))
        return replace(ratio(apart, triples, (kept, total)), classes=category)

    label = "separation (1 − overlap)"
    units = Units(owners, np.full(len(owners), NO_UNIT))
    return SetOutcomes("", "ratio", units, np.zeros(0), values, label=label, estimator=separation)


def _owners(members: Members, measured: ModelSeparations) -> NDArray[np.int64]:
    """Return the concept of each term that a model encodes, or of each concept, as a number."""
    by_concept = measured.kind == "concepts"
    owners = [owner for part in members.categories for owner in (part.concepts if by_concept else part.owners)]
    return np.asarray(np.unique(owners, return_inverse=True)[1][measured.encoded])


def _separations(measured: ModelSeparations, members: Members, alpha: float) -> Separations:
    owners = _owners(members, measured)
    return {measure: Separation.of(counted, owners, alpha) for measure, counted in measured.counted.items()}


def combined(
    measured: Mapping[str, ModelSeparations], inputs: CategoryInputs, options: CategoryOptions
) -> CategoryResult:
    """Compare models by their first measures, on the terms that all of them encode."""
    members, testing = inputs.members, inputs.testing
    terms, names, too_few = shared_terms(measured, members)
    shared = {
        name: separations(inputs.models[name](), members, options.measures, only=terms)
        if (measured[name].encoded != terms).any()
        else measured[name]
        for name in names
    }
    again = any(shared[name] is not measured[name] for name in names)
    first = {name: next(iter(model.counted.values())) for name, model in shared.items()}
    outcomes = [outcomes_of(first, _owners(members, shared[name])) for name in names[:1]]
    return CategoryResult(
        categories=dict(zip(CATEGORIES, map(CategorySummary.from_category, members.categories), strict=True)),
        shared_terms=members.shared,
        models={name: _separations(model, members, testing.alpha) for name, model in measured.items()},
        on_shared={name: _separations(model, members, testing.alpha) for name, model in shared.items() if again},
        too_few=too_few,
        joint=compare(outcomes, alpha=testing.alpha, margin=testing.margin, min_coverage=0.0).main,
    )


def shared_terms(
    models: Mapping[str, ModelSeparations], members: Members
) -> tuple[NDArray[np.bool_], list[str], list[str]]:
    """Return the terms that models share that encode enough, which models these are, and which encode too few.

    Models of concepts, which encode no terms, are not among them; those that encode less than half of a category are
    too few, and where nothing of a category is shared there is nobody to be compared.
    """
    bounds = np.cumsum([0, *(len(category.terms) for category in members.categories)]).tolist()
    parts = [slice(*ends) for ends in pairwise(bounds)]
    encoded = {name: model.encoded for name, model in models.items() if model.kind != "concepts"}
    names = [name for name, there in encoded.items() if min(there[part].mean() for part in parts) >= _LEAST_SHARE]
    terms = np.logical_and.reduce([np.ones(bounds[-1], np.bool_), *(encoded[name] for name in names)])
    too_few = [name for name in encoded if name not in names]
    empty = not all(terms[part].any() for part in parts)
    return terms, [] if empty else names, too_few if len(encoded) > 1 else []
