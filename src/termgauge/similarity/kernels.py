"""Similarity of many pairs of terms, by compiled kernels on all processors.

Whatever depends on one word or one term alone (its length, its ranks, its order) is computed once for that word or
term, one measure after the other; a pair then costs little more than reading two prepared vectors.

Beside the vectors given and the scores returned, one measure at a time holds a prepared vector, as large as a given
one, for each distinct word and each term in use; where these take much, they lie in a temporary file that is mapped.
:mod:`termgauge.similarity.reference` defines what is computed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numba
import numpy as np

from termgauge.embeddings.store.vectors import room_for
from termgauge.similarity.kendall import Orders, empty_orders, mean_taus, write_orders
from termgauge.similarity.measures import find_measures
from termgauge.similarity.reference import similarity
from termgauge.similarity.vector_kernels import (
    dots,
    fuzzy_ratios,
    maximum_ratios,
    maximum_rows,
    mean_rows,
    own_memberships,
    rank_unit_rows,
    unit_rows,
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
    """Writes the scores of some pairs: first terms, second terms, where to write."""

PREPARED_BYTES = 1_200_000_000
"""How much prepared words or terms may take in memory."""
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
    kind: Literal["words", "terms"] = "words",
) -> Doubles:
    """Score pairs of terms that consist of words: a row for each pair, a column for each measure, NaN where undefined.

    Term t has the words ``words[offsets[t]:offsets[t + 1]]``, which are rows of ``word_vectors`` (in single or double
    precision; a memory map will do), and pair p compares the terms ``first[p]`` and ``second[p]``. ``advance`` is told
    the pairs done since the last call (a fraction of a pair for each measure), in all ``len(first)``.
    """
    chosen = find_measures(measures, kind)
    offsets, words = np.asarray(offsets, np.int64), np.asarray(words, np.int64)
    first, second = np.asarray(first, np.int64), np.asarray(second, np.int64)
    _check(word_vectors, offsets, words, first, second)
    scores = np.full((len(first), len(measures)), np.nan)
    if word_vectors.shape[1] == 0:
        return scores
    work = _work(word_vectors, offsets, words, first, second)
    for m, measure in enumerate(chosen):
        scores[work.pairs, m] = _column(work, measure, lambda pairs: advance(pairs / len(measures)))
    return scores


def _column(work: _Work, measure: Measure, advance: Callable[[float], None]) -> Doubles:
    column = np.empty(len(work.pairs))
    score = _scorer(work, measure)  # what it holds is gone before the next measure is prepared

    def score_slice(begin: int, end: int) -> None:
        score(work.first[begin:end], work.second[begin:end], column[begin:end])

    _in_threads(score_slice, len(column), SLICE_PAIRS, advance)
    return column


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
    return score_words(vectors, offsets, offsets[:-1], first, second, measures, advance=advance, kind="terms")


class _Work(NamedTuple):
    """What is to be scored, words and terms in use numbered anew.

    Prepared vectors have the precision of these; what leads to them is computed in double.
    """

    vectors: Rows
    used: Numbers
    """The rows of the words in use."""
    pairs: Numbers
    """The numbers of the pairs: those of the same first term follow each other, whose vector is then still at hand."""
    first: Numbers
    second: Numbers
    offsets: Numbers
    words: Numbers
    """The words of the terms."""
    rows: Numbers
    """The rows of these words in the matrix of vectors."""

    @property
    def terms(self) -> int:
        return len(self.offsets) - 1

    def room(self, count: int) -> Rows:
        """Return room for so many prepared vectors."""
        return room_for((count, self.vectors.shape[1]), self.vectors.dtype, PREPARED_BYTES)

    def prepare_terms(self, prepare: Callable[[Numbers, slice], None]) -> None:
        """Prepare the terms: some of them at a time, given their offsets and which they are."""
        _in_threads(lambda low, high: prepare(self.offsets[low : high + 1], slice(low, high)), self.terms, SLICE_ROWS)


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


def _work(vectors: Rows, offsets: Numbers, words: Numbers, first: Numbers, second: Numbers) -> _Work:
    order = np.argsort(first, kind="stable")
    terms, (first, second) = _numbered(len(offsets) - 1, first[order], second[order])
    sizes = np.diff(offsets)[terms]
    ends = np.cumsum(sizes)
    words = words[np.repeat(offsets[:-1][terms] - (ends - sizes), sizes) + np.arange(int(sizes.sum()))]
    used, (words,) = _numbered(len(vectors), words)
    vectors = np.asarray(vectors)
    if vectors.dtype not in (np.float32, np.float64) or not vectors.flags.c_contiguous or not vectors.flags.aligned:
        narrow = vectors.dtype.kind == "f" and vectors.dtype.itemsize <= 4
        vectors = np.ascontiguousarray(vectors[used], np.float32 if narrow else np.float64)
        used = np.arange(len(used))
    return _Work(vectors, used, order, first, second, np.concatenate([[0], ends]), words, used[words])


def _numbered(count: int, *numbers: Numbers) -> tuple[Numbers, list[Numbers]]:
    """Return which of ``count`` numbers occur, in order, and the numbers as positions among those."""
    occurs = np.zeros(count, np.bool_)
    for some in numbers:
        occurs[some] = True
    position = np.cumsum(occurs) - 1
    return np.flatnonzero(occurs), [position[some] for some in numbers]


def _scorer(work: _Work, measure: Measure) -> Scorer:
    """Prepare the words and the terms as a measure needs them; return what scores pairs."""
    if measure.function is not None:
        compute = measure.kernel or partial(_by_definition, measure)
        return partial(compute, work.vectors, work.offsets, work.rows)
    if measure.family == "jaccard":
        return _fuzzy(work) if measure.pooling == "sets" else _maximum(work)
    if measure.pooling in ("mean", "none"):
        means = _encoded(
            measure.family,
            work.terms,
            work,
            lambda low, high: _means(work.vectors, work.rows, work.offsets[low : high + 1]),
        )
        if isinstance(means, Orders):  # each term as its one word
            return partial(mean_taus, means, np.arange(work.terms + 1), np.arange(work.terms))
        return partial(dots, means)
    words = _encoded(
        measure.family, len(work.used), work, lambda low, high: work.vectors[work.used[low:high]].astype(np.float64)
    )
    return (
        partial(mean_taus, words, work.offsets, work.words) if isinstance(words, Orders) else _mean_units(work, words)
    )


def _by_definition(
    measure: Measure, vectors: Rows, offsets: Numbers, rows: Numbers, first: Numbers, second: Numbers, out: Doubles
) -> None:
    for p, pair in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        x, y = (vectors[rows[offsets[term] : offsets[term + 1]]] for term in pair)
        out[p] = similarity(measure.name, *((x, y) if measure.compares == "words" else (x[0], y[0])))


def _mean_units(work: _Work, units: Rows) -> Scorer:
    means = work.room(work.terms)

    def prepare(offsets: Numbers, some: slice) -> None:
        means[some] = _means(units, work.words, offsets)

    work.prepare_terms(prepare)
    return partial(dots, means)


def _fuzzy(work: _Work) -> Scorer:
    memberships = np.empty(len(work.rows), np.float64)
    work.prepare_terms(lambda offsets, _some: own_memberships(work.vectors, offsets, work.rows, memberships))
    return partial(fuzzy_ratios, work.vectors, work.offsets, work.rows, memberships)


def _maximum(work: _Work) -> Scorer:
    maxima = work.room(work.terms)
    work.prepare_terms(lambda offsets, some: maximum_rows(work.vectors, offsets, work.rows, maxima[some]))
    return partial(maximum_ratios, maxima)


def _encoded(family: str, count: int, work: _Work, rows_of: Callable[[int, int], Doubles]) -> Rows | Orders:
    """Prepare vectors, slice by slice, for a family: their orders for Kendall's, else unit vectors."""
    orders = empty_orders(count if family == "kendall" else 0, work.vectors.shape[1], PREPARED_BYTES)
    units = work.room(0 if family == "kendall" else count)

    def prepare(begin: int, end: int) -> None:
        rows = rows_of(begin, end)
        if family == "kendall":
            write_orders(rows, np.argsort(rows, axis=1), orders, begin)
        elif family == "spearman":
            rank_unit_rows(rows, np.argsort(rows, axis=1), units[begin:end])
        else:
            unit_rows(rows, family == "pearson", units[begin:end])

    _in_threads(prepare, count, SLICE_ROWS)
    return orders if family == "kendall" else units


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
