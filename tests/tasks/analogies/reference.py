"""What an analogy is, in plain terms: one target, one score for each word, one ranking at a time.

The definition that :mod:`.search` must equal, as slow as it is readable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.tasks.analogies.search import EPSILON, SHORT, TIE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def rank_of_answer(
    vectors: ArrayLike, first: tuple[int, int], second: tuple[int, int], method: str = "add"
) -> int | None:
    """Return the rank of ``x_j`` among all words (rows) for the analogy of two pairs of rows, counted from 1.

    None where ``x_j`` does not rank: it is one of the words left out (``x_h``, ``y_h``, ``y_j``), or a vector of zeros,
    or the target has no direction. Of equal scores the earlier row ranks first.

    >>> words = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]])
    >>> rank_of_answer(words, (0, 1), (2, 3)), rank_of_answer(words, (0, 1), (0, 3))
    (1, None)
    """
    units = _units(np.asarray(vectors, np.float64))
    (x_h, y_h), (x_j, y_j) = first, second
    if x_j in (x_h, y_h, y_j):
        return None
    scores = _scores(units, units[x_h], units[y_h], units[y_j], method)
    if not np.isfinite(scores[x_j]):
        return None
    near = TIE * max(1, abs(scores[x_j]))
    beaten_by = 0
    for word, score in enumerate(scores):
        if word not in (x_h, y_h, x_j, y_j) and np.isfinite(score):
            tie = abs(score - scores[x_j]) <= near
            beaten_by += bool(word < x_j) if tie else bool(score > scores[x_j])
    return beaten_by + 1


def _units(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the vectors scaled to length 1; NaN for a vector of zeros, or one that is not finite."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        lengths = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
        return np.where(np.isfinite(lengths), vectors / lengths, np.nan)


def _scores(
    units: NDArray[np.float64],
    x_h: NDArray[np.float64],
    y_h: NDArray[np.float64],
    y_j: NDArray[np.float64],
    method: str,
) -> NDArray[np.float64]:
    """Return the score of every word; NaN where it is not defined."""
    if method == "add":
        target = x_h - y_h + y_j
        scores = units @ target if np.linalg.norm(target) > SHORT else np.full(len(units), np.nan)
    elif method == "mul":
        scores = _half(units @ x_h) * _half(units @ y_j) / (_half(units @ y_h) + EPSILON)
    else:
        way, steps = x_h - y_h, units - y_j
        lengths = np.linalg.norm(steps, axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = steps @ way / (lengths * np.linalg.norm(way))
        scores[(lengths <= SHORT) | (np.linalg.norm(way) <= SHORT)] = np.nan
    return np.asarray(scores)


def _half(cosines: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return cosines shifted to lie between 0 and 1."""
    return (1 + cosines) / 2
