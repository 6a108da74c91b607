"""Which statistics there are of rated and of labelled pairs, and checks of what they are taken of.

A check that fails gives one sentence that says what is wrong. Corrections say what a p-value must be held to where many
comparisons are looked at together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.exceptions import TermgaugeError, did_you_mean

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def checked_scores(scores: ArrayLike, what: str = "The scores") -> NDArray[np.float64]:
    """Return one system's scores as an array, none of them missing."""
    values = np.asarray(scores, np.float64)
    if values.ndim != 1:
        raise TermgaugeError(f"{what} must be one number per pair, not an array of shape {values.shape}.")
    missing = int(np.isnan(values).sum())
    if missing:
        raise TermgaugeError(f"{what} have {missing} missing values (NaN) among {len(values)}; leave those pairs out.")
    return values


def checked_gold(gold: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return the ratings of a graded set as an array, one for each of `n` scores."""
    return _same_length(checked_scores(gold, "The ratings"), n)


def checked_labels(labels: ArrayLike, n: int) -> NDArray[np.bool_]:
    """Return the labels of a binary set as booleans, one for each of `n` scores and both kinds among them."""
    values = _same_length(checked_scores(labels, "The labels"), n)
    if not np.isin(values, (0, 1)).all():
        raise TermgaugeError("The labels of a binary set must be 1 (similar) or 0 (not similar).")
    similar: NDArray[np.bool_] = values == 1
    for wanted, name in ((True, "positive"), (False, "negative")):
        if not (similar == wanted).any():
            raise TermgaugeError(
                f"The set has no {name} pair among its {n}; to tell similar from dissimilar pairs takes both kinds."
            )
    return similar


def checked_level(alpha: float) -> float:
    """Return the level of a test or interval, which is between 0 and 1."""
    if not 0 < alpha < 1:
        raise TermgaugeError(f"The significance level must lie between 0 and 1, not be {alpha}; 0.05 is usual.")
    return alpha


def _same_length(truth: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    if len(truth) != n:
        raise TermgaugeError(f"There are {n} scores for {len(truth)} pairs; give one score per pair.")
    return truth


GRADED = ("spearman", "pearson")
"""Of rated pairs; the first is the default."""
BINARY = ("auc", "accuracy", "ap", "f1")
"""Of labelled pairs; the first is the default."""
STATISTICS = (*GRADED, *BINARY)


def statistic_for(wanted: str, *, graded: bool) -> str:
    """Return what a set is compared by: the statistic that is wanted, or else the default of its kind.

    >>> statistic_for("pearson", graded=True), statistic_for("pearson", graded=False)
    ('pearson', 'auc')
    """
    choices = GRADED if graded else BINARY
    return wanted if wanted in choices else choices[0]


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

    >>> adjusted([0.01, 0.04, 0.02], "bonferroni")
    array([0.03, 0.12, 0.06])
    >>> adjusted([0.01, 0.04, 0.02], "holm")
    array([0.03, 0.04, 0.04])
    """
    raw = np.asarray(p_values, np.float64)
    result = raw.copy()
    made = np.flatnonzero(~np.isnan(raw))
    if checked_correction(correction) == "bonferroni":
        result[made] = np.minimum(1.0, raw[made] * len(made))
    elif correction == "holm":
        order = made[np.argsort(raw[made], kind="stable")]
        stepped = raw[order] * (len(made) - np.arange(len(made)))
        result[order] = np.minimum(1.0, np.maximum.accumulate(stepped))
    return result
