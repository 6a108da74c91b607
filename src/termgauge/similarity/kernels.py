"""Similarity of many pairs of terms, by compiled kernels on all processors.

Whatever depends on one word or one term alone (its length, its ranks, its order) is computed once for that word or
term, one measure after the other; a pair then costs little more than reading two prepared vectors. Pearson's
correlation is the cosine of centred vectors, Spearman's is Pearson's of ranks; the mean over all pairs of words is the
dot product of two mean unit vectors. What is undefined is a row of NaN, which every sum and product passes on.

One measure at a time holds at most :data:`PREPARED_BYTES` for the terms, and as much for their words: more terms are
prepared in batches of pairs. :mod:`termgauge.similarity.reference` defines what is computed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numba
import numpy as np

from termgauge.embeddings.units import unit_vectors
from termgauge.similarity.measures import find_measures
from termgauge.similarity.reference import similarity
from termgauge.similarity.vector_kernels import (
    Orders,
    dots,
    fuzzy_ratios,
    maximum_ratios,
    maximum_rows,
    mean_rows,
    mean_taus,
    own_memberships,
    tied_places,
)
from termgauge.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from termgauge.similarity.measures import Measure

    Rows = NDArray[Any]
    Doubles = NDArray[np.float64]
    Numbers = NDArray[np.int64]
    Scorer = Callable[[Numbers, Numbers, NDArray[np.float64]], None]
    """Writes the scores of some pairs of a batch: first terms, second terms, where to write."""

PREPARED_BYTES = 1_200_000_000
"""How much prepared terms may take at a time."""
SLICE_ROWS = 1024
"""How many words or terms one thread prepares at a time."""
SLICE_PAIRS = 8192
"""How many pairs one thread scores at a time."""


def score_words(
    word_vectors: Rows,
    offsets: Numbers,
    words: Numbers,
    first: Numbers,
    second: Numbers,
    measures: Sequence[str],
    *,
    advance: Callable[[float], None] = lambda _pairs: None,
) -> Doubles:
    """Score pairs of terms that consist of words: a row for each pair, a column for each measure, NaN where undefined.

    Term t has the words ``words[offsets[t]:offsets[t + 1]]``, which are rows of ``word_vectors`` (in single or double
    precision; a memory map will do), and pair p compares the terms ``first[p]`` and ``second[p]``. ``advance`` is told
    the pairs done since the last call (a fraction of a pair for each measure), in all ``len(first)``.
    """
    return _scores(word_vectors, offsets, words, first, second, find_measures(measures, "words"), advance)


def _scores(
    vectors: Rows,
    offsets: Numbers,
    words: Numbers,
    first: Numbers,
    second: Numbers,
    measures: Sequence[Measure],
    advance: Callable[[float], None],
) -> Doubles:
    offsets, words = np.asarray(offsets, np.int64), np.asarray(words, np.int64)
    first, second = np.asarray(first, np.int64), np.asarray(second, np.int64)
    _check(vectors, offsets, words, first, second)
    scores = np.full((len(first), len(measures)), np.nan)
    if vectors.shape[1] == 0:
        return scores
    # Pairs of the same first term follow each other: its vector is still at hand, and few batches share a term.
    order = np.argsort(first, kind="stable")
    fitting = max(2, PREPARED_BYTES // (vectors.shape[1] * vectors.itemsize))
    terms = len(_numbered(len(offsets) - 1, first, second)[0])
    step = max(1, len(first) if terms <= fitting else fitting // 2)
    for begin in range(0, len(first), step):
        pairs = order[begin : begin + step]
        batch = _batch(vectors, offsets, words, first[pairs], second[pairs])
        for m, measure in enumerate(measures):
            scores[pairs, m] = _column(batch, measure, lambda done: advance(done / len(measures)))
    return scores


def _column(batch: _Batch, measure: Measure, advance: Callable[[float], None]) -> Doubles:
    scores = np.empty(len(batch.first))
    score = _scorer(batch, measure)

    def work(low: int, high: int) -> None:
        score(batch.first[low:high], batch.second[low:high], scores[low:high])

    _in_threads(work, len(scores), SLICE_PAIRS, advance)
    return scores


def score_terms(
    vectors: Rows,
    first: Numbers,
    second: Numbers,
    measures: Sequence[str],
    *,
    advance: Callable[[float], None] = lambda _pairs: None,
) -> Doubles:
    """Score pairs of terms, or concepts, that have one vector each, as :func:`score_words` does."""
    # A vector is the mean of itself.
    offsets = np.arange(len(vectors) + 1)
    return _scores(vectors, offsets, offsets[:-1], first, second, find_measures(measures, "terms"), advance)


class _Batch(NamedTuple):
    """Pairs that are scored together, their terms and the words of these, each numbered anew."""

    vectors: Rows
    """Those of the words. Prepared vectors have the same precision; what leads to them is computed in double."""
    offsets: Numbers
    words: Numbers
    first: Numbers
    second: Numbers


def _batch(vectors: Rows, offsets: Numbers, words: Numbers, first: Numbers, second: Numbers) -> _Batch:
    terms, (first, second) = _numbered(len(offsets) - 1, first, second)
    sizes = np.diff(offsets)[terms]
    ends = np.cumsum(sizes)
    words = words[np.repeat(offsets[:-1][terms] - (ends - sizes), sizes) + np.arange(int(sizes.sum()))]
    used, (words,) = _numbered(len(vectors), words)
    precision = np.float32 if vectors.dtype.kind == "f" and vectors.dtype.itemsize <= 4 else np.float64
    rows = np.ascontiguousarray(np.asarray(vectors)[used], precision)
    return _Batch(rows, np.concatenate([[0], ends]), words, first, second)


def _check(vectors: Rows, offsets: Numbers, words: Numbers, first: Numbers, second: Numbers) -> None:
    if vectors.ndim != 2 or vectors.dtype.kind not in "fiu":
        raise ValueError("vectors must be a matrix of real numbers, one vector in each row")
    if len(first) != len(second):
        raise ValueError(f"{len(first)} first terms cannot be paired with {len(second)} second terms")
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(words) or np.any(np.diff(offsets) < 0):
        raise ValueError(f"offsets must go from 0 to the {len(words)} words without a step back")
    for what, numbers, count in (
        ("words", words, len(vectors)),
        ("first terms", first, len(offsets) - 1),
        ("second terms", second, len(offsets) - 1),
    ):
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < count:
            raise ValueError(f"{what} must be numbers from 0 to {count - 1}")


def _numbered(count: int, *numbers: Numbers) -> tuple[Numbers, list[Numbers]]:
    """Return which of ``count`` numbers occur, in order, and the numbers as positions among those."""
    occurs = np.zeros(count, np.bool_)
    for some in numbers:
        occurs[some] = True
    position = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), [position[some] for some in numbers]


def _scorer(batch: _Batch, measure: Measure) -> Scorer:
    """Prepare the words or the terms of a batch for a measure; return what scores pairs of them."""
    vectors, offsets, words = batch[:3]
    terms, width = len(offsets) - 1, vectors.shape[1]
    if measure.function is not None:
        return partial(measure.kernel or partial(_by_definition, measure), vectors, offsets, words)
    if measure.pooling == "sets":
        memberships = np.empty(len(words))
        _in_threads(
            lambda low, high: own_memberships(vectors, offsets[low : high + 1], words, memberships), terms, SLICE_ROWS
        )
        return partial(fuzzy_ratios, vectors, offsets, words, memberships)
    prepared = np.empty((terms, width), vectors.dtype)
    if measure.pooling == "maxima":
        _in_threads(
            lambda low, high: maximum_rows(vectors, offsets[low : high + 1], words, prepared[low:high]),
            terms,
            SLICE_ROWS,
        )
        return partial(maximum_ratios, prepared)
    by_word = measure.pooling == "pairs"  # each word is prepared, else the mean of each term

    def rows_of(low: int, high: int) -> Doubles:
        return vectors[low:high].astype(np.float64) if by_word else _means(vectors, words, offsets[low : high + 1])

    count = len(vectors) if by_word else terms
    if measure.family == "kendall":
        orders = Orders.empty(count, width)
        _in_threads(lambda low, high: orders.write(rows_of(low, high), low), count, SLICE_ROWS)
        # A mean is the one word of its term.
        return partial(mean_taus, orders, *((offsets, words) if by_word else (np.arange(terms + 1), np.arange(terms))))
    units = np.empty((count, width), vectors.dtype) if by_word else prepared

    def write_units(low: int, high: int) -> None:
        units[low:high] = _units(measure.family, rows_of(low, high))

    def write_means(low: int, high: int) -> None:
        prepared[low:high] = _means(units, words, offsets[low : high + 1])

    _in_threads(write_units, count, SLICE_ROWS)
    if by_word:
        _in_threads(write_means, terms, SLICE_ROWS)
    return partial(dots, prepared)


def _by_definition(
    measure: Measure, vectors: Rows, offsets: Numbers, rows: Numbers, first: Numbers, second: Numbers, out: Doubles
) -> None:
    for p, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        x, y = (vectors[rows[offsets[term] : offsets[term + 1]]] for term in pair)
        out[p] = similarity(measure.name, *((x, y) if measure.compares == "words" else (x[0], y[0])))


def _units(family: str, rows: Doubles) -> Doubles:
    """Return vectors at length 1 whose dot products are a coefficient: as they are, centred, or their centred ranks."""
    if family == "spearman":
        order, begins, ends = tied_places(rows)
        finite = np.isfinite(rows).all(axis=1)
        # Twice a rank less its mean is an integer, so that nothing is rounded before the end.
        np.put_along_axis(rows, order, (begins + ends - rows.shape[1]).astype(np.float64), axis=1)
        rows[~finite] = np.nan
    elif family == "pearson":
        with np.errstate(invalid="ignore"):
            # Near 1, so that nothing overflows; without the first component, so that equal ones give exact zeros.
            rows = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1])
            rows -= rows[:, :1].copy()
            rows -= rows.mean(axis=1, keepdims=True)
    return unit_vectors(rows, np.float64)


def _means(vectors: Rows, rows: Numbers, offsets: Numbers) -> Doubles:
    means = np.empty((len(offsets) - 1, vectors.shape[1]), np.float64)  # always in double: compiled once
    mean_rows(vectors, offsets, rows, means)
    return means


def _in_threads(
    work: Callable[[int, int], None], count: int, size: int, advance: Callable[[float], None] = lambda _count: None
) -> None:
    """Work on ``count`` things in slices, on all processors; the kernels do not hold the interpreter."""
    slices = [(begin, min(begin + size, count)) for begin in range(0, count, size)]
    with ThreadPool(max(1, min(numba.get_num_threads(), len(slices)))) as pool:
        for (begin, end), _ in zip(slices, pool.map(lambda slice_: work(*slice_), slices), strict=True):
            advance(end - begin)
