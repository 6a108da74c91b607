"""Does a model keep a distant category apart from two close ones? The overlap error, and mean similarities.

The overlap counts triples (a, b, c) in which the close term b is no nearer to a than the distant term c. No triple is
visited: for each a the similarities to C are sorted once, and every b is looked up among them. Similarities come in
blocks, so memory stays bounded whatever the size of the categories.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError
from termgauge.progress import track
from termgauge.statistics.bootstrap import UNDEFINED
from termgauge.statistics.inputs import checked_level
from termgauge.statistics.student import Mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

CATEGORIES = "ABC"
_BLOCK_VALUES = 1 << 23
_TILE = 2048
_DECIMALS = 12

SimilarityBlocks = Callable[[str, str, slice, slice], "NDArray[np.floating]"]
"""The similarities of some terms of one category (rows) with some of another or the same one (columns): called with
two of the letters A, B, C and two slices. It must be symmetric; NaN stands for an undefined similarity."""

Owners = Sequence["NDArray[np.int64]"]
"""For each category the number of the concept that each of its terms is of."""


class CategorySeparation(NamedTuple):
    """How close categories A and B are apart from a distant category C."""

    overlap: float
    """The share of triples with sim(a, b) <= sim(a, c): 0 is perfect, 1/2 is chance; NaN if there is no triple."""
    low: float
    high: float
    """The interval of the overlap over the concepts of A, B and C."""
    sizes: tuple[int, int, int]
    means: dict[str, float]
    """The mean similarities AB, AC, AA, BB and CC; the last three over distinct pairs, NaN if there are none."""
    triples: int
    """How many triples were counted."""
    undefined_triples: int
    """How many were left out because one of their similarities is undefined."""


def category_separation(
    similarity: SimilarityBlocks,
    sizes: tuple[int, int, int],
    *,
    alpha: float = 0.05,
    owners: Owners | None = None,
) -> CategorySeparation:
    """Return overlap and mean similarities of three categories, for any similarity.

    The interval is over the concepts of all three categories: `owners` has the concept of each term, by number; without
    it each term is on its own. It is Student's on the scale of log odds, and undefined where nothing varies or a
    category has a single concept. A similarity that is NaN is left out of its triples and of the means.

    Examples
    --------
    >>> terms = {"A": np.array([0.0, 0.1]), "B": np.array([0.2, 0.9]), "C": np.array([1.0, 0.8])}
    >>> def nearness(left, right, rows, columns):
    ...     return -abs(terms[left][rows, None] - terms[right][None, columns])
    >>> counted = category_separation(nearness, (2, 2, 2))
    >>> counted.overlap, round(counted.means["AA"], 3)
    (0.25, -0.1)
    """
    _check_sizes(sizes)
    counted = _count_triples(similarity, sizes)
    means = {"AB": counted.mean_close, "AC": counted.mean_far}
    for category, size in zip(CATEGORIES, sizes, strict=True):
        means[2 * category] = _mean_within(similarity, category, size)
    return _separation(counted, sizes, means, owners, checked_level(alpha))


def cosine_separation(
    close_a: ArrayLike,
    close_b: ArrayLike,
    far_c: ArrayLike,
    *,
    alpha: float = 0.05,
    owners: Owners | None = None,
) -> CategorySeparation:
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

    counted = _count_triples(cosines, sizes)
    means = {pair: _mean_cosine(units[pair[0]], units[pair[1]], same=False) for pair in ("AB", "AC")}
    means |= {2 * category: _mean_cosine(unit, unit, same=True) for category, unit in units.items()}
    return _separation(counted, sizes, means, owners, checked_level(alpha))


class _Counted(NamedTuple):
    """Per term of A, B and C the triples that count and those that overlap; the means over close and far pairs."""

    overlapping: tuple[NDArray[np.int64], ...]
    triples: tuple[NDArray[np.int64], ...]
    mean_close: float
    mean_far: float


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


def _count_triples(similarity: SimilarityBlocks, sizes: tuple[int, int, int]) -> _Counted:
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
    return _Counted(tuple(overlapping), tuple(triples), mean_close.value, mean_far.value)


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


def _separation(
    counted: _Counted, sizes: tuple[int, int, int], means: dict[str, float], owners: Owners | None, alpha: float
) -> CategorySeparation:
    triples = int(counted.triples[0].sum())
    overlap = int(counted.overlapping[0].sum()) / triples if triples else math.nan
    low, high = UNDEFINED if math.isnan(overlap) else _mean_of(counted, overlap, owners).share_interval(alpha)
    return CategorySeparation(
        overlap=overlap,
        low=low,
        high=high,
        sizes=sizes,
        means=means,
        triples=triples,
        undefined_triples=math.prod(sizes) - triples,
    )


def _mean_of(counted: _Counted, overlap: float, owners: Owners | None) -> Mean:
    """Return the overlap with its standard error: what the concepts of each category add to its variance, summed.

    What a concept adds is how far the triples with its terms are from overlapping as often as all.
    """
    total = int(counted.triples[0].sum())
    parts = []
    for place, (overlapping, triples) in enumerate(zip(counted.overlapping, counted.triples, strict=True)):
        own = np.arange(len(triples)) if owners is None else np.unique(owners[place], return_inverse=True)[1]
        adds = np.bincount(own, overlapping - overlap * triples)
        count = len(adds)
        if count < 2:  # one concept says nothing about others
            return Mean(overlap, math.nan, math.nan, 0)
        parts.append((math.fsum(adds * adds) / total**2 * count / (count - 1), count - 1))
    variance = sum(part for part, _freedom in parts)
    freedom = variance**2 / sum(part**2 / free for part, free in parts) if variance else math.nan
    return Mean(overlap, math.sqrt(variance), freedom, total)


def _spans(size: int, step: int) -> Iterator[slice]:
    for start in range(0, size, step):
        yield slice(start, min(size, start + step))
