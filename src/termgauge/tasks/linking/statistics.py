"""Accuracy at k and mean reciprocal rank of several models, their intervals, and which differences are real.

Queries of one concept are right or wrong together, and a query that means two concepts ties these to each other: so
what is resampled are concepts, those that share a query as one (:mod:`termgauge.statistics.dependence`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.statistics.bootstrap import Interval, resamples_for
from termgauge.statistics.corrections import adjusted, corrected_level
from termgauge.statistics.dependence import ClusteredMeans
from termgauge.statistics.mcnemar import mcnemar, only_right
from termgauge.statistics.significance import corrected_differences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.similarity.search import Listed
    from termgauge.statistics.significance import Difference
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.linking.questions import Grouping

ACCURACY, RECIPROCAL = "accuracy", "mrr"


class Measure(NamedTuple):
    """Accuracy at some k, or the mean reciprocal rank."""

    statistic: str
    k: int | None = None

    def of(self, ranks: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return what each query gets; one without a rank gets nothing."""
        known = ranks > 0
        if self.k is not None:
            return (known & (ranks <= self.k)).astype(np.float64)
        return np.where(known, 1 / np.maximum(ranks, 1), 0.0)


def measures_at(ks: Sequence[int]) -> tuple[Measure, ...]:
    """Return all that is measured."""
    return (*(Measure(ACCURACY, k) for k in ks), Measure(RECIPROCAL))


class Estimate(NamedTuple):
    """A mean and its interval."""

    value: float
    interval: Interval


class Compared(NamedTuple):
    """The difference of two models in a measure, tested by the bootstrap, and by McNemar's exact test at k = 1."""

    measure: Measure
    difference: Difference
    mcnemar: tuple[float, float] | None
    """The p-value, and the corrected one."""


@dataclass(frozen=True)
class LinkingStatistics:
    """What is known of all models together."""

    resamples: int
    clusters: int
    values: dict[tuple[str, Measure], Estimate]
    groups: dict[tuple[str, str, str], Estimate]
    """Accuracy at the smallest k by model, grouping and group."""
    differences: tuple[Compared, ...]


def clusters_of(right: Listed) -> NDArray[np.int64]:
    """Return a number for each query: equal where queries share a right concept, directly or through others.

    Examples
    --------
    >>> from termgauge.similarity.search import Listed
    >>> clusters_of(Listed.from_lists([[0], [0, 1], [2], [1]])).tolist()
    [0, 0, 2, 0]
    """
    parent: dict[int, int] = {}

    def root(concept: int) -> int:
        while parent.setdefault(concept, concept) != concept:
            parent[concept] = parent[parent[concept]]
            concept = parent[concept]
        return concept

    for query, concept in zip(right.owners.tolist(), right.values.tolist(), strict=True):
        first = root(int(right.values[right.offsets[query]]))
        other = root(concept)
        parent[max(first, other)] = min(first, other)
    return np.array([root(int(right.values[begin])) for begin in right.offsets[:-1]], np.int64)


def linking_statistics(
    ranks: Mapping[str, NDArray[np.int32]],
    own: Sequence[str],
    right: Listed,
    ks: Sequence[int],
    groupings: Sequence[Grouping],
    testing: Testing,
) -> LinkingStatistics:
    """Return means, intervals and tested differences.

    `own` are the models that were asked about; two of the others are not compared. Each measure is corrected for its
    own comparisons.
    """
    measures = measures_at(ks)
    pairs = [(one, other) for one, other in combinations(ranks, 2) if one in own or other in own]
    level = corrected_level(testing.alpha, len(pairs), testing.correction)
    resamples = resamples_for(level)
    keys = [(model, measure) for model in ranks for measure in measures]
    columns = [measure.of(ranks[model]) for model, measure in keys]
    parts = [(model, way.name, group) for model in ranks for way in groupings for group in way.groups]
    masks = {(way.name, group): mask for way in groupings for group, mask in way.groups.items()}
    first = measures[0]
    columns += [np.where(masks[way, group], first.of(ranks[model]), np.nan) for model, way, group in parts]
    clusters = clusters_of(right)
    means = ClusteredMeans.from_values(np.array(columns), clusters, resamples, testing.seed)
    estimates = [
        Estimate(float(value), means.mean(column).interval(testing.alpha))
        for column, value in enumerate(means.estimates.tolist())
    ]
    place = {key: column for column, key in enumerate(keys)}
    decided = np.array([Measure(ACCURACY, 1).of(each) > 0 for each in ranks.values()])
    only, at = only_right(decided), {model: row for row, model in enumerate(ranks)}
    exact = np.array([mcnemar(int(only[at[a], at[b]]), int(only[at[b], at[a]])) for a, b in pairs])
    exactly = list(zip(exact.tolist(), adjusted(exact, testing.correction).tolist(), strict=True))
    differences: list[Compared] = []
    for measure in measures:
        tested = []
        for one, other in pairs:
            bca = means.difference(place[one, measure], place[other, measure])
            p = 1.0 if bca.estimate == 0 and np.ptp(bca.replicates) == 0 else bca.p_value()
            tested.append((one, other, bca.estimate, bca.interval(level), p))
        corrected = corrected_differences(tested, alpha=testing.alpha, correction=testing.correction)
        beside = exactly if measure == Measure(ACCURACY, 1) else [None] * len(pairs)
        differences += [Compared(measure, *each) for each in zip(corrected, beside, strict=True)]
    return LinkingStatistics(
        resamples,
        len(np.unique(clusters)),
        dict(zip(keys, estimates, strict=False)),
        dict(zip(parts, estimates[len(keys) :], strict=True)),
        tuple(differences),
    )
