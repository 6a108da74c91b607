"""Corrections for many comparisons: what a p-value must be held to when m of them are looked at together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

CORRECTIONS = ("bonferroni", "holm", "none")


def checked_correction(name: str) -> str:
    """Return the name of a correction, if there is such a one."""
    if name not in CORRECTIONS:
        close = did_you_mean(name, CORRECTIONS)
        raise TermgaugeError(f"There is no correction '{name}'; choose one of {', '.join(CORRECTIONS)}.{close}")
    return name


def corrected_level(alpha: float, comparisons: int, correction: str) -> float:
    """Return the level of the interval of one comparison.

    With Bonferroni and with Holm it is alpha divided by the number of comparisons: Holm's step-down procedure decides
    by p-values and has no intervals of its own; its first step is Bonferroni's.
    """
    return alpha if correction == "none" else alpha / max(1, comparisons)


def adjusted(p_values: ArrayLike, correction: str) -> NDArray[np.float64]:
    """Return p-values that can be held against alpha itself; NaN, a comparison that was not made, does not count.

    ``bonferroni`` multiplies by the number m of comparisons; ``holm`` multiplies the smallest by m, the next by m - 1
    and so on, and never lets a larger one fall below a smaller one; ``none`` changes nothing.

    Examples
    --------
    >>> adjusted([0.01, 0.04, 0.02], "bonferroni")
    array([0.03, 0.12, 0.06])
    >>> adjusted([0.01, 0.04, 0.02], "holm")
    array([0.03, 0.04, 0.04])
    """
    given = np.asarray(p_values, np.float64)
    result = given.copy()
    made = np.flatnonzero(~np.isnan(given))
    if checked_correction(correction) == "bonferroni":
        result[made] = np.minimum(1.0, given[made] * len(made))
    elif correction == "holm":
        order = made[np.argsort(given[made], kind="stable")]
        stepped = given[order] * (len(made) - np.arange(len(made)))
        result[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return result
