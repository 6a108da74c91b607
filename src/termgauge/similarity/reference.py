"""What each measure means, in plain NumPy: slow, readable, and the definition that the kernels must equal.

A term under word vectors is a matrix with a row for each of its words; under a model of whole terms it is one vector.
All is computed in double precision. A similarity that is not defined is NaN, never 0:

- cosine with a vector of zeros; a correlation with a vector whose components are all equal (so every correlation of
  one-dimensional vectors);
- the mean over pairs of words, if a single one of these pairs is undefined (a mean over the others would compare
  different words than it says);
- a Jaccard ratio whose denominator is 0;
- anything with a term that has no words, or with a component that is no finite number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from termgauge.similarity.measures import find_measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Vector = NDArray[np.float64]
    Matrix = NDArray[np.float64]


def similarity(name: str, x: ArrayLike, y: ArrayLike) -> float:
    """Return the similarity of two matrices, a word in each row, or of two vectors, if the measure is one of terms.

    Examples
    --------
    >>> similarity("cos", [1, 0], [1, 1])
    0.7071067811865475
    >>> similarity("pair_cos", [[1, 0]], [[1, 1], [1, 0]])
    0.8535533905932737
    >>> similarity("pearson", [1, 1], [1, 2])
    nan
    """
    measure = find_measure(name)
    if measure.compares == "pairs":
        raise ValueError(f"{name} is what a model says of two terms, and compares no vectors")
    left, right = np.asarray(x, np.float64), np.asarray(y, np.float64)
    dimensions = 2 if measure.compares == "words" else 1
    if not left.ndim == right.ndim == dimensions or left.shape[-1] != right.shape[-1]:
        raise ValueError(f"{name} needs two arrays of {dimensions} dimensions and equal width")
    if left.size == 0 or right.size == 0 or not (np.isfinite(left).all() and np.isfinite(right).all()):
        return math.nan
    if measure.function is not None:
        return float(measure.function(left, right))
    f = _DEFINITIONS[measure.name if measure.family == "jaccard" else measure.family]
    if measure.pooling == "mean":
        return f(mean_word(left), mean_word(right))
    if measure.pooling == "pairs":
        return float(np.mean([f(word, other) for word in left for other in right]))
    return f(left, right)


def mean_word(words: Matrix) -> Vector:
    """Return the mean of the rows; summed exactly, so that the order of the words cannot make or break a tie."""
    return np.array([math.fsum(column) for column in words.T]) / len(words)


def cosine(x: Vector, y: Vector) -> float:
    """Return the cosine of the angle between two vectors."""
    x, y = scaled(x), scaled(y)
    if not x.any() or not y.any():
        return math.nan
    return _within(x @ y / (np.linalg.norm(x) * np.linalg.norm(y)), -1, 1)


def pearson(x: Vector, y: Vector) -> float:
    """Return Pearson's correlation: the cosine of the vectors less their means."""
    return cosine(centred(x), centred(y))


def spearman(x: Vector, y: Vector) -> float:
    """Return Spearman's correlation: Pearson's of the ranks."""
    return pearson(average_ranks(x), average_ranks(y))


def kendall(x: Vector, y: Vector) -> float:
    """Return Kendall's tau-b: the cosine of the tables that say which component is the greater one of each two.

    The numerator counts pairs of components that both vectors put in the same order, less those they put in opposite
    orders; under the root stand the numbers of pairs that are not tied in x and in y.
    """
    greater_x = np.sign(x[:, None] - x[None, :])
    greater_y = np.sign(y[:, None] - y[None, :])
    untied = np.sum(greater_x**2) * np.sum(greater_y**2)
    return float(np.sum(greater_x * greater_y) / np.sqrt(untied)) if untied else math.nan


def fuzzy_jaccard(x: Matrix, y: Matrix) -> float:
    """Return the Jaccard ratio of two fuzzy sets: how much each word of either term belongs to x, and to y."""
    universe = np.vstack([x, y])
    return _ratio(np.max(x @ universe.T, axis=0), np.max(y @ universe.T, axis=0))


def max_jaccard(x: Matrix, y: Matrix) -> float:
    """Return the Jaccard ratio of the component-wise maxima."""
    return _ratio(np.max(x, axis=0), np.max(y, axis=0))


def average_ranks(x: Vector) -> Vector:
    """Return the rank of each component, from 1; equal components share the mean of their ranks."""
    below = np.sum(x[None, :] < x[:, None], axis=1)
    equal = np.sum(x[None, :] == x[:, None], axis=1)
    return np.asarray(below + (equal + 1) / 2)


def centred(x: Vector) -> Vector:
    """Return a vector less its mean; exactly zero if all components are equal.

    The first component is taken off before the mean is formed: a small spread around a large value is then not lost.
    """
    spread = scaled(x)
    spread = spread - spread[0]
    return np.zeros_like(x) if not spread.any() else spread - spread.mean()


def scaled(x: Vector) -> Vector:
    """Return a vector times the power of two that brings it near 1, so that no square under- or overflows."""
    return np.ldexp(x, -int(np.frexp(np.max(np.abs(x)))[1]))


def _ratio(x: Vector, y: Vector) -> float:
    x, y = np.maximum(x, 0), np.maximum(y, 0)
    whole = np.sum(np.maximum(x, y))
    return _within(np.sum(np.minimum(x, y)) / whole, 0, 1) if whole > 0 else math.nan


def _within(value: Any, lowest: float, highest: float) -> float:  # noqa: ANN401
    """Take off what rounding added beyond the range."""
    return float(min(max(value, lowest), highest))


_DEFINITIONS: dict[str, Callable[[Vector, Vector], float]] = {
    function.__name__: function for function in (cosine, pearson, spearman, kendall, fuzzy_jaccard, max_jaccard)
}
"""By the family of a measure of two vectors, or the name of a Jaccard ratio of two matrices."""
