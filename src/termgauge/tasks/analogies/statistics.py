"""How far the coverage of analogies can be trusted, and whether two models differ in it.

Analogies of one pair with others are not independent, so it is pairs of concepts that make up the variance, not
analogies: every two analogies that share a pair are counted together, see
:func:`~termgauge.statistics.dependence.mean_of_pairs`.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.corrections import corrected_level
from termgauge.statistics.dependence import mean_of_pairs
from termgauge.statistics.significance import corrected_differences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.statistics.bootstrap import Interval
    from termgauge.statistics.significance import Difference
    from termgauge.statistics.student import Mean

    Analogies = NDArray[np.int32]


class Tested(NamedTuple):
    """The coverage of one relation by several models."""

    intervals: tuple[Interval, ...]
    """Of each model, at level 1 - alpha, not corrected; NaN where nothing varies, as where no analogy holds."""
    differences: tuple[Difference, ...]


def compare_pairs(
    names: Sequence[str],
    pairs: int,
    holding: Sequence[Analogies],
    *,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    sorts: Sequence[str] | None = None,
) -> Tested:
    """Return intervals of the coverage of a relation, and the differences of the pairs of models that are of one sort.

    `pairs` counts those out of vocabulary, too, and is at least 2; `holding` has a line with h and j for each analogy
    that holds; where no `sorts` are named, all models are of one.
    """
    both = [(a, b) for a, b in combinations(range(len(names)), 2) if sorts is None or sorts[a] == sorts[b]]
    level = corrected_level(alpha, len(both), correction)
    intervals = tuple(_coverage(pairs, each).share_interval(alpha) for each in holding)
    found = [_coverage(pairs, holding[a], holding[b]) for a, b in both]
    differences = [
        (names[a], names[b], each.value, each.interval(level), each.p_value())
        for (a, b), each in zip(both, found, strict=True)
    ]
    return Tested(intervals, corrected_differences(differences, alpha=alpha, correction=correction))


def _coverage(pairs: int, one: Analogies, other: Analogies | None = None) -> Mean:
    """Return M of one model, less that of another."""
    lines = one if other is None else np.concatenate([one, other])
    values = np.ones(len(lines))
    values[len(one) :] = -1
    keys, place = np.unique(lines[:, 0].astype(np.int64) * pairs + lines[:, 1], return_inverse=True)
    return mean_of_pairs(pairs, keys // pairs, keys % pairs, np.bincount(place, values, len(keys)).astype(np.float64))
