"""How well a model covers a domain: which of its seeds have a vector, and how many of their neighbours are seeds too.

The k nearest of each seed are found once, for the greatest k; all that is measured at smaller k follows from which of
them are hits. Every measure is a mean over seeds, so its interval and the difference of two models come from resampled
seeds, drawn once for all measures and models.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.arrays import Array
from termgauge.domain.neighbourhood import neighbourhood_of, neighbours_of_seeds
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.exceptions import TermgaugeError, warn
from termgauge.progress import track
from termgauge.statistics.bootstrap import SEED, Bca, Interval, multiplicities, resamples_for
from termgauge.statistics.corrections import checked_correction, corrected_level
from termgauge.statistics.inputs import checked_level
from termgauge.statistics.resampled_differences import resampled_differences
from termgauge.tasks.coverage.map import DomainMap, map_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.domain.domain import Domain
    from termgauge.domain.neighbourhood import Neighbourhood
    from termgauge.embeddings.model import Model
    from termgauge.statistics.significance import Difference
    from termgauge.terminology import Terminology

KS = (5, 10, 20, 30, 40)
IN_VOCABULARY, GAIN, DISCOUNTED = "in_vocabulary", "cg", "posdcg"
_NEIGHBOURS_SHOWN = 10
_HINTS = {
    "words": " Labels are looked up as they are written: a vocabulary in lower case needs --lowercase (in an "
    "experiment: lowercase = true).",
    "concepts": " Are its concepts those of another terminology?",
}
"""What may be wrong if a model of a kind knows nothing."""


class Measure(NamedTuple):
    """What is measured: the share of seeds in the vocabulary (k is 0), %CG or posDCG at some k."""

    statistic: str
    k: int = 0


@dataclass(frozen=True)
class ModelCoverage:
    """How one model covers a domain, seed by seed."""

    name: str
    kind: str
    """Of the model: words, concepts or terms."""
    neighbourhood: str
    """Where neighbours were sought: in the model's `vocabulary`, or among the names of the `terminology`."""
    size: int
    """How many words or concepts that is."""
    known: Array
    """Which seeds are in the vocabulary."""
    hits: Array
    """Seeds x ranks: whether the neighbour at that rank is a seed; a seed out of vocabulary has none."""
    words: tuple[str | None, ...]
    """What stands for each seed: a label, an id; None for those out of vocabulary. The best one of several."""
    neighbours: tuple[tuple[str, ...], ...]
    """The few nearest of each seed, for people."""
    map: DomainMap | None = None

    @property
    def in_vocabulary(self) -> int:
        """How many seeds are in the vocabulary."""
        return int(self.known.sum())

    def per_seed(self, measure: Measure) -> NDArray[np.float64]:
        """Return what each seed adds: the measure is the mean."""
        if measure.statistic == IN_VOCABULARY:
            return self.known.astype(np.float64)
        hits = self.hits[:, : measure.k]
        weights = discounts(measure.k)
        gains = hits.sum(axis=1) / measure.k if measure.statistic == GAIN else hits @ weights / weights.sum()
        return np.asarray(gains, np.float64)

    def value(self, measure: Measure) -> float:
        """Return a measure over all seeds."""
        if measure.statistic == GAIN:  # a ratio of two counts, without the rounding of a mean
            return int(self.hits[:, : measure.k].sum()) / (measure.k * len(self.hits))
        return float(self.per_seed(measure).mean())


def discounts(k: int) -> NDArray[np.float64]:
    """Return what a hit at each rank counts in posDCG: 1 / log2(rank + 1).

    Examples
    --------
    >>> discounts(3).round(3).tolist()
    [1.0, 0.631, 0.5]
    """
    return np.asarray(1 / np.log2(np.arange(2, k + 2)), np.float64)


def cover(
    model: Model,
    terminology: Terminology,
    domain: Domain,
    ks: Sequence[int] = KS,
    *,
    labels: str = "first",
    join: str | None = None,
    lowercase: bool = False,
) -> ModelCoverage:
    """Measure how a model covers a domain.

    A neighbour is a hit if it is a row that stands for a seed. With ``first`` labels that is the seed's best-ranked
    label in the vocabulary, and no other label of it; with ``all`` it is any of its labels. A seed's own rows are never
    its neighbours. Two seeds with the same row (a label that both have) are measured each for itself and are no
    neighbours of each other. With ``all`` labels a seed has one list of neighbours: a row is as near to it as to the
    nearest of its labels. Seeds whose vector is zero are in the vocabulary and have no neighbours.

    An encoder of terms has no vocabulary: it encodes the best-ranked label of every active concept of the terminology,
    neighbours are concepts, and a hit is a concept that is a seed. That is another question, for the neighbourhood
    holds nothing but concepts, and the result says so.
    """
    if not len(domain):
        raise TermgaugeError("The domain has no seeds; make one that has.")
    among = neighbourhood_of(model, terminology, domain.seeds, labels, join=join, lowercase=lowercase)
    seeds = among.seeds
    most = ks[-1]
    if not seeds.known.any():
        nothing = f"none of the {len(domain):,} seeds is in its vocabulary, so that all its figures are 0."
        warn(f"{model.name}: {nothing}{_HINTS.get(model.kind, '')}")
    elif most > len(among) - 1:
        warn(
            f"{model.name}: there are fewer than k = {most} other {'words' if model.kind == 'words' else 'concepts'} "
            f"({len(among) - 1:,}); neighbours that are not there count as misses."
        )
    rows = np.full((len(domain), most), MISSING, np.int64)
    rows[seeds.known] = neighbours_of_seeds(among, most).rows
    stands = np.zeros(among.rows + 1, np.bool_)  # the last place is that of the missing row, -1
    stands[seeds.rows] = True
    words: list[str | None] = [None] * len(domain)
    for place, text in zip(np.flatnonzero(seeds.known), among.texts(seeds.first[seeds.known].tolist()), strict=True):
        words[place] = text
    return ModelCoverage(
        name=model.name,
        kind=model.kind,
        neighbourhood=among.kind,
        size=len(among),
        known=seeds.known,
        hits=stands[rows],
        words=tuple(words),
        neighbours=_neighbours(among, rows),
        map=map_of(among, rows, domain),
    )


def _neighbours(among: Neighbourhood, rows: NDArray[np.int64]) -> tuple[tuple[str, ...], ...]:
    few = rows[:, :_NEIGHBOURS_SHOWN]
    wanted = np.unique(few[few != MISSING])
    text_of = dict(zip(wanted.tolist(), among.texts(wanted.tolist()), strict=True))
    return tuple(tuple(text_of[row] for row in each if row != MISSING) for each in few.tolist())


@dataclass(frozen=True)
class CoverageStatistics:
    """Intervals of all measures of all models, and their differences; seeds are resampled, jointly for all."""

    alpha: float
    correction: str
    resamples: int
    intervals: dict[tuple[str, Measure], Interval]
    differences: dict[Measure, tuple[Difference, ...]]


def measures_at(ks: Sequence[int]) -> tuple[Measure, ...]:
    """Return all that is measured."""
    return (Measure(IN_VOCABULARY), *(Measure(statistic, k) for statistic in (GAIN, DISCOUNTED) for k in ks))


def coverage_statistics(
    models: Sequence[ModelCoverage],
    ks: Sequence[int],
    *,
    alpha: float = 0.05,
    correction: str = "bonferroni",
    resamples: int | None = None,
    seed: int = SEED,
) -> CoverageStatistics:
    """Return BCa intervals over seeds, and which differences between models are real, for each measure on its own.

    Only models whose neighbours were sought in the same sort of place are compared with each other: in their own
    vocabularies, or in the terminology. Between the two a difference would say nothing about the models.
    """
    checked_level(alpha)
    checked_correction(correction)
    pairs = [(one, other) for one, other in combinations(models, 2) if one.neighbourhood == other.neighbourhood]
    level = corrected_level(alpha, len(pairs), correction)
    drawn = resamples or resamples_for(level)
    measures = measures_at(ks)
    values = np.stack([model.per_seed(measure) for model in models for measure in measures], axis=1)
    replicates, left_out = _resampled(values, drawn, seed)
    estimates = values.mean(axis=0)
    keys = [(model.name, measure) for model in models for measure in measures]
    column = {key: place for place, key in enumerate(keys)}
    intervals = {
        key: Bca.of(float(estimates[at]), replicates[:, at], left_out[:, at]).interval(alpha)
        for key, at in column.items()
    }

    def difference(one: str, other: str, measure: Measure) -> Bca:
        i, j = column[one, measure], column[other, measure]
        return Bca.of(
            float(estimates[i] - estimates[j]), replicates[:, i] - replicates[:, j], left_out[:, i] - left_out[:, j]
        )

    differences = {}
    for measure in measures:
        apart = [(one.name, other.name, difference(one.name, other.name, measure)) for one, other in pairs]
        differences[measure] = resampled_differences(apart, alpha=alpha, level=level, correction=correction)
    return CoverageStatistics(alpha, correction, drawn, intervals, differences)


def _resampled(
    values: NDArray[np.float64], resamples: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means of columns over resampled rows, and with each row left out."""
    size = len(values)
    means = np.empty((resamples, values.shape[1]))
    done = 0
    with track("Resampling seeds", total=resamples, unit="resamples") as advance:
        for times in multiplicities(size, resamples, seed):
            means[done : done + len(times)] = times.astype(np.float64) @ values / size
            done += len(times)
            advance(len(times))
    left_out = (values.sum(axis=0) - values) / (size - 1) if size > 1 else values
    return means, left_out
