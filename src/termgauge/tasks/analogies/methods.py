"""The three ways to score a word for an analogy, each as a sum of two numbers that tables can hold.

A method gives, for each analogy, the score of the right answer in double precision and the bounds between which single
precision cannot decide, and for a block of words the two tables whose sum is compared with the bounds. 3CosMul is a
sum of logarithms. PairDirection is a quotient, but to compare it with a known score is again a weighted sum. Of these
two the tables hold upper limits, so that words which may beat the answer are found by them and decided exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from termgauge.tasks.analogies.kernel import ADD, DIRECTION, EPSILON, MUL, SHORT, TIE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Single = NDArray[np.float32]
    Double = NDArray[np.float64]

UNIT = 2.0**-24
"""How far rounding to single precision moves a number, relative to it."""
_SLACK = 1e-5
"""More than what a few operations in single precision, on numbers below 10, can be off by."""
_LEAST = -1e30


class Bounds(NamedTuple):
    """For each analogy (pairs h by pairs j) what decides it."""

    truth: Double
    """The score of the right answer."""
    low: Double
    """A word whose sum is below certainly loses to the answer."""
    high: Double | float
    """A word whose sum is above certainly beats the answer."""
    defined: NDArray[np.bool_]
    """Whether there is a target, and the answer has a score."""
    weight: Double | float = 1.0
    """Of the second number in the sum; never negative."""
    variant: NDArray[np.int32] | int = 0
    """Which of the second tables is summed."""


class Scoring(Protocol):
    """A way to score a word."""

    code: int
    variants: int
    """How many second tables there are."""

    def bounds(self, x_h: Double, y_h: Double, x: Double, y: Double) -> Bounds:
        """Return what decides the analogies of some first pairs with all second pairs, all ends of length 1."""
        ...

    def first(self, words: Single, x_h: Double, y_h: Double) -> Single:
        """Return the table of first pairs by words."""
        ...

    def second(self, words: Single, y: Double) -> Single:
        """Return the table of second pairs by words; for several variants, one below the other."""
        ...


def reach(width: int) -> float:
    """Return how far a dot product of vectors of length 1 can be off in single precision, in whatever order summed."""
    return 1.05 * (width + 8) * UNIT


def _products(ends: Double, words: Single) -> Single:
    products: Single = ends.astype(np.float32) @ words.T
    return products


class CosAdd:
    """3CosAdd: ``cos(v, x_h - y_h + y_j)``, whose order is that of the dot product."""

    code, variants = ADD, 1

    def bounds(self, x_h: Double, y_h: Double, x: Double, y: Double) -> Bounds:
        """Return what decides."""
        way = x_h - y_h
        truth = way @ x.T + np.einsum("ij,ij->i", x, y)
        # |x_h - y_h + y_j|^2
        square = np.einsum("ij,ij->i", way, way)[:, None] + 2 * (way @ y.T) + 1
        off = 3 * reach(x.shape[1]) + TIE
        return Bounds(truth, truth - off, truth + off, square > SHORT * SHORT)

    def first(self, words: Single, x_h: Double, y_h: Double) -> Single:
        """Return the dot products with ``x_h - y_h``."""
        return _products(x_h - y_h, words)

    def second(self, words: Single, y: Double) -> Single:
        """Return the dot products with ``y_j``."""
        return _products(y, words)


class CosMul:
    """3CosMul: ``c(v, x_h) c(v, y_j) / (c(v, y_h) + 0.001)``, where c is ``(1 + cos) / 2``."""

    code, variants = MUL, 1

    def bounds(self, x_h: Double, y_h: Double, x: Double, y: Double) -> Bounds:
        """Return what decides, in logarithms."""
        to_y_j = np.einsum("ij,ij->i", x, y)
        truth = (1 + x_h @ x.T) / 2 * ((1 + to_y_j) / 2) / ((1 + y_h @ x.T) / 2 + EPSILON)
        with np.errstate(divide="ignore"):
            low = np.log(np.maximum(truth - TIE * np.maximum(1, np.abs(truth)), 0)) - 4 * _SLACK
        low = np.maximum(low, _LEAST)  # finite, for words that never rank have minus infinity
        return Bounds(truth, low, np.inf, np.ones(truth.shape, np.bool_))

    def first(self, words: Single, x_h: Double, y_h: Double) -> Single:
        """Return ``log c(v, x_h) - log(c(v, y_h) + 0.001)``, no less than it is."""
        off = np.float32(2 * reach(words.shape[1]))
        above, below = _log_shifted(_products(x_h, words), off), _products(y_h, words)
        below += np.float32(1) - off
        np.maximum(below, 0, out=below)
        below *= np.float32(0.5)
        below += np.float32(EPSILON * (1 - 1e-3))
        above -= np.log(below, out=below)
        return above

    def second(self, words: Single, y: Double) -> Single:
        """Return ``log c(v, y_j)``, no less than it is."""
        return _log_shifted(_products(y, words), np.float32(2 * reach(words.shape[1])))


def _log_shifted(cosines: Single, off: np.float32) -> Single:
    """Return ``log((1 + cos + off) / 2)`` in place."""
    cosines += np.float32(1) + off
    np.maximum(cosines, off / 2, out=cosines)
    cosines *= np.float32(0.5)
    return np.log(cosines, out=cosines)


class PairDirection:
    """PairDirection: ``cos(v - y_j, x_h - y_h)``.

    With ``a = (x_h - y_h) v``, ``c = (x_h - y_h) y_j``, ``r = |v - y_j|`` and ``s = |x_h - y_h|``, the score
    ``(a - c) / (r s)`` is at least t where ``a - t s r >= c``: a sum of two numbers, the second of which has the
    weight ``t s``.
    """

    code, variants = DIRECTION, 2

    def bounds(self, x_h: Double, y_h: Double, x: Double, y: Double) -> Bounds:
        """Return what decides."""
        way = x_h - y_h
        span = np.sqrt(np.einsum("ij,ij->i", way, way))
        step = x - y
        apart = np.sqrt(np.einsum("ij,ij->i", step, step))
        defined = (span > SHORT)[:, None] & (apart > SHORT)
        with np.errstate(invalid="ignore", divide="ignore"):
            truth = np.where(defined, way @ step.T / (span[:, None] * apart), 0.0)
        low = way @ y.T - 2 * reach(x.shape[1]) - _SLACK
        weight = np.abs(truth) * span[:, None]
        return Bounds(truth, low, np.inf, defined, weight, (truth < 0).astype(np.int32))

    def first(self, words: Single, x_h: Double, y_h: Double) -> Single:
        """Return the dot products with ``x_h - y_h``."""
        return _products(x_h - y_h, words)

    def second(self, words: Single, y: Double) -> Single:
        """Return ``-|v - y_j|``, for scores of the answer of 0 or more, and below it ``|v - y_j|``, for the others."""
        off = np.float32(2 * reach(words.shape[1]))
        both = np.empty((2 * len(y), len(words)), np.float32)
        near, far = both[: len(y)], both[len(y) :]
        np.matmul(y.astype(np.float32), words.T, out=near)
        # |v - y_j|^2 = 2 - 2 v y_j
        near *= np.float32(-2)
        near += np.float32(2)
        np.add(near, 2 * off, out=far)
        near -= 2 * off
        np.maximum(both, 0, out=both)
        np.sqrt(both, out=both)
        np.negative(near, out=near)
        return both


SCORINGS: dict[str, Scoring] = {"add": CosAdd(), "mul": CosMul(), "direction": PairDirection()}
"""Levy and Goldberg 2014 name and compare them."""
