"""Which statistics there are of rated and of labelled pairs, and checks of what they are taken of.

A check that fails gives one sentence that says what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.exceptions import TermgaugeError

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
BINARY = ("accuracy", "auc", "ap", "f1")
"""Of labelled pairs; the first is the default."""
STATISTICS = (*GRADED, *BINARY)


def statistic_for(wanted: str, *, graded: bool) -> str:
    """Return what a set is compared by: the statistic that is wanted, or else the default of its kind.

    Examples
    --------
    >>> statistic_for("pearson", graded=True), statistic_for("pearson", graded=False)
    ('pearson', 'accuracy')
    """
    own = GRADED if graded else BINARY
    return wanted if wanted in own else own[0]
