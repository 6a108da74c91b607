"""What measuring the coverage of a domain gives: each model's figures, their intervals, and which seeds it lacks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import Field

from termgauge.domain.domain import DomainField
from termgauge.domain.neighbourhood import FIRST, neighbourhood_of, neighbours_of_seeds
from termgauge.embeddings.cosines import DECIMALS
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.arrays import Array
from termgauge.statistics.compare import SetOutcomes, compare, compare_set
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.tasks.results import DifferenceAtK, Ends, JointRecord, Record, Result, Value, at_k
from termgauge.tasks.shown import by_neighbourhood

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from termgauge.domain.domain import Domain, Lookup
    from termgauge.domain.neighbourhood import Neighbourhood
    from termgauge.embeddings.model import Model
    from termgauge.statistics.comparison import Joint, SetComparison
    from termgauge.tasks.contract import Testing
    from termgauge.tasks.coverage.task import CoverageOptions, DomainInputs
    from termgauge.terminology import Terminology


MOST_POINTS = 400


class Point(Record):
    """A word or concept on the map."""

    x: float
    y: float
    term: str
    seed: bool
    """Whether it stands for a seed; else it is a neighbour of one."""
    concepts: list[str]
    """The seeds that it stands for."""


class DomainMap(Record):
    """The seeds of a domain that a model knows, and their neighbours, in a plane."""

    points: list[Point]
    explained: tuple[float, float]
    """Which share of the variance each axis shows."""
    seeds_left_out: int
    """Seeds that are known but for which there was no room."""


def map_of(among: Neighbourhood, rows: NDArray[np.int64], domain: Domain, most: int = MOST_POINTS) -> DomainMap:
    """Draw the map; `rows` are the neighbours of each seed, the nearest first, -1 where there is none.

    Half of the points are for seeds, the first ones; the rest for their nearest neighbours, then for the second
    nearest, and so on. What one half does not need the other may use.
    """
    seeds = among.seeds
    seed_rows = list(dict.fromkeys(seeds.first[seeds.known].tolist()))
    around = _by_rank(rows, exclude=seed_rows)
    room = max(most // 2, most - len(around))
    chosen = seed_rows[:room]
    near = _by_rank(rows[np.isin(seeds.first, chosen)], exclude=seed_rows) if room < len(seed_rows) else around
    chosen += near[: most - len(chosen)]
    vectors = among.gather(np.array(chosen, np.int64)) if chosen else np.empty((0, 1), np.float32)
    units = unit_vectors(vectors, np.float32)
    usable = ~np.isnan(units[:, 0])
    chosen = np.array(chosen, np.int64)[usable].tolist()
    places, explained = projected(units[usable])
    stands: dict[int, list[str]] = {}
    for seed, row in zip(np.repeat(domain.seeds, np.diff(seeds.offsets)).tolist(), seeds.values.tolist(), strict=True):
        stands.setdefault(row, []).append(seed)
    points = [
        Point(x=round(x, 4), y=round(y, 4), term=text, seed=row in stands, concepts=stands.get(row, []))
        for (x, y), row, text in zip(places.tolist(), chosen, among.texts(chosen), strict=True)
    ]
    shares = round(explained[0], 4), round(explained[1], 4)
    return DomainMap(points=points, explained=shares, seeds_left_out=max(0, len(seed_rows) - room))


def _by_rank(rows: NDArray[np.int64], exclude: list[int]) -> list[int]:
    """Return the neighbours of all seeds, the nearest of each first, each once."""
    left_out = {MISSING, *exclude}
    return [row for row in dict.fromkeys(rows.T.ravel().tolist()) if row not in left_out]


def projected(vectors: NDArray[np.floating]) -> tuple[NDArray[np.float64], tuple[float, float]]:
    """Return vectors in the plane of their first two principal components, and which share of variance each shows.

    Of the two signs that an axis may have, the one is taken in which its greatest entry is positive.

    >>> places, explained = projected(np.array([[0.0, 0, 1], [4, 0, 1], [2, 1, 1], [2, -1, 1]]))
    >>> places.round(6).tolist(), [round(share, 2) for share in explained]
    ([[-2.0, 0.0], [2.0, 0.0], [0.0, 1.0], [0.0, -1.0]], [0.8, 0.2])
    """
    places = np.zeros((len(vectors), 2))
    if len(vectors) < 2:
        return places, (0.0, 0.0)
    centred = np.asarray(vectors, np.float64) - np.mean(vectors, axis=0, dtype=np.float64)
    _left, sizes, axes = np.linalg.svd(centred, full_matrices=False)
    axes = axes[:2]
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    places[:, : len(axes)] = centred @ (axes * signs[:, None]).T
    shares = [*(sizes**2 / ((sizes @ sizes) or 1)).tolist(), 0.0]
    return places, (shares[0], shares[1])


KS = (5, 10, 20, 30, 40)
NOBODY = -1
"""Stands where a seed has no neighbour."""
IN_VOCABULARY, GAIN, DISCOUNTED = "in_vocabulary", "cg", "posdcg"
_NEIGHBOURS_SHOWN = 10
_HINTS = {
    "words": " Labels are looked up as they are written: a vocabulary in lower case needs the option `lowercase`.",
    "concepts": " Are its concepts those of another terminology?",
}
"""What may be wrong if a model of a kind knows nothing."""


class Measure(NamedTuple):
    """What is measured: the share of seeds in the vocabulary (k is 0), %CG or posDCG at some k."""

    statistic: str
    k: int = 0

    @property
    def weights(self) -> NDArray[np.float64]:
        """What a hit at each rank counts."""
        return discounts(self.k) if self.statistic == DISCOUNTED else np.ones(self.k)


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
    nearest: Array
    """Seeds x ranks: who the neighbour at that rank is: the number of a seed; below -1 a number made from the text of a
    word that is none, the same for all models; -1 for nobody."""
    same: Array
    """For each seed the first one that has the same word: itself, or one before it."""
    words: tuple[str | None, ...]
    """What stands for each seed: a label, an id; None for those out of vocabulary. The best one of several."""
    neighbours: tuple[tuple[str, ...], ...]
    """The few nearest of each seed, for people."""
    map: DomainMap | None = None

    @property
    def in_vocabulary(self) -> int:
        """How many seeds are in the vocabulary."""
        return int(self.known.sum())

    @property
    def hits(self) -> NDArray[np.bool_]:
        """Seeds x ranks: whether the neighbour at that rank is a seed; a seed out of vocabulary has none."""
        return np.asarray(self.nearest > NOBODY)

    def value(self, measure: Measure) -> float:
        """Return a measure over all seeds, from whole numbers of hits at each rank."""
        if measure.statistic == IN_VOCABULARY:
            return self.in_vocabulary / len(self.known)
        hits = self.hits[:, : measure.k].sum(axis=0)
        return math.fsum(measure.weights * hits) / (len(self.known) * math.fsum(measure.weights))


def discounts(k: int) -> NDArray[np.float64]:
    """Return what a hit at each rank counts in posDCG: 1 / log2(rank + 1).

    >>> discounts(3).round(3).tolist()
    [1.0, 0.631, 0.5]
    """
    return np.asarray(1 / np.log2(np.arange(2, k + 2)), np.float64)


def cover(
    model: Model, terminology: Terminology, domain: Domain, ks: Sequence[int] = KS, lookup: Lookup = FIRST
) -> ModelCoverage:
    """Measure how a model covers a domain.

    A neighbour is a hit if it is a row that stands for a seed: by the best-ranked label in vocabulary with ``first``
    labels, by any with ``all``. A seed's own rows are never its neighbours; two seeds with one row are no neighbours of
    each other. With ``all`` labels a row is as near to a seed as to the nearest of its labels. With ``max`` each label
    in the vocabulary has a list, and the one with the greatest posDCG at the largest k counts, of equal ones the better
    ranked; with ``medoid`` it is the list of the label whose mean cosine with the others is greatest. In both, as in
    the authors' program, the other labels of a seed may stand in its list and are hits. Seeds whose vector is zero are
    in the vocabulary and have no neighbours.

    An encoder of terms has no vocabulary: neighbours are the terminology's active concepts by their best-ranked labels.
    """
    if not len(domain):
        raise TermgaugeError("The domain has no seeds; make one that has.")
    chosen = lookup.labels in ("max", "medoid")
    among = neighbourhood_of(model, terminology, domain.seeds, lookup._replace(labels="all") if chosen else lookup)
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
    lists = neighbours_of_seeds(among, most, each_label=chosen).rows
    stands = np.full(among.rows + 1, NOBODY, np.int64)  # the last place is that of the missing row, -1
    stands[seeds.values[::-1]] = seeds.owners[::-1]  # of several seeds with one row the first
    first = seeds.first
    if chosen:
        scores = _gains(lists, stands) if lookup.labels == "max" else _centralities(among)
        spans = [span for span in pairwise(seeds.offsets.tolist()) if span[0] < span[1]]
        best = np.array([low + int(np.argmax(scores[low:high])) for low, high in spans], np.int64)
        first[seeds.known], lists = seeds.values[best], lists[best]
    rows = np.full((len(domain), most), MISSING, np.int64)
    rows[seeds.known] = lists
    texts = iter(among.texts(first[seeds.known].tolist()))
    return ModelCoverage(
        name=model.name,
        kind=model.kind,
        neighbourhood=among.kind,
        size=len(among),
        known=seeds.known,
        nearest=_nearest(among, rows, stands),
        same=np.where(seeds.known, stands[seeds.first], np.arange(len(domain))),
        words=tuple(next(texts) if mask else None for mask in seeds.known.tolist()),
        neighbours=_neighbours(among, rows),
        map=map_of(among, rows, domain),
    )


def _gains(rows: NDArray[np.int64], stands: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the gain of the list of neighbours of each label."""
    weights = discounts(rows.shape[1])
    return np.array([math.fsum(weights[hits]) for hits in stands[rows] > NOBODY])


def _centralities(among: Neighbourhood) -> NDArray[np.float64]:
    """Return how near each label is to the others of its seed: the sum of their cosines."""
    units = np.nan_to_num(unit_vectors(among.gather(among.seeds.values), np.float64))
    labels = (units[low:high] for low, high in pairwise(among.seeds.offsets.tolist()))
    sums = [np.einsum("ij,kj->ik", some, some).sum(axis=1) for some in labels]
    return np.round(np.concatenate([np.zeros(0), *sums]), DECIMALS)


def _nearest(among: Neighbourhood, rows: NDArray[np.int64], stands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return who each neighbour is: the number of a seed, or one that stands for the text of another word."""
    others = np.unique(rows[(rows != MISSING) & (stands[rows] == NOBODY)])
    numbers = stands.copy()
    for row, text in zip(others.tolist(), among.texts(others.tolist()), strict=True):
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        numbers[row] = NOBODY - 1 - (int.from_bytes(digest, "big") >> 2)
    return numbers[rows]


def _neighbours(among: Neighbourhood, rows: NDArray[np.int64]) -> tuple[tuple[str, ...], ...]:
    few = rows[:, :_NEIGHBOURS_SHOWN]
    wanted = np.unique(few[few != MISSING])
    text_of = dict(zip(wanted.tolist(), among.texts(wanted.tolist()), strict=True))
    return tuple(tuple(text_of[row] for row in nearest if row != MISSING) for nearest in few.tolist())


NAMES = {GAIN: "%CG", DISCOUNTED: "posDCG"}
_USUAL_K = 10
_PARTS = "", "_interval", "_wins", "_losses"
"""How the names end of what is told of a measure."""


def main_k(ks: Sequence[int]) -> int:
    """Return the k of the verdict: the one that the paper shows its results for, else the first."""
    return _USUAL_K if _USUAL_K in ks else ks[0]


class AtK(Record):
    """The neighbours of a domain's concepts, for some number of them."""

    cg: float
    cg_interval: Ends
    cg_wins: int
    cg_losses: int
    posdcg: float
    posdcg_interval: Ends
    posdcg_wins: int
    posdcg_losses: int
    negdcg: float = 0.0
    """Of neighbours that are no seeds, by the same weights; seeds without a vector count in full, so that it is what
    posDCG lacks to 1."""


class CoverageFigures(Record):
    """How one model covers a domain. Lists have an entry for each seed, in the order of the domain's seeds."""

    seeds: int
    in_vocabulary: int
    out_of_vocabulary: int
    out_share: float = 0.0
    """%OOV."""
    share: float
    share_interval: Ends
    share_wins: int
    share_losses: int
    k: dict[str, AtK]
    kind: str
    neighbourhood: str
    neighbourhood_size: int
    missing: list[str]
    """Seeds that are not in the vocabulary."""
    words: list[str | None]
    """What stands for each seed."""
    hits: dict[str, list[int]]
    """For each k, how many neighbours of each seed are seeds."""
    neighbours: list[list[str]]
    """The few nearest of each seed."""
    map: DomainMap | None = None

    def at(self, k: int) -> AtK:
        """Return the figures for some number of neighbours."""
        return self.k[str(k)]

    def measured(self, statistic: str, k: int) -> tuple[float, Ends]:
        """Return the share in vocabulary, or a measure for some k, with its interval."""
        name, at = ("share", self) if statistic == IN_VOCABULARY else (statistic, self.at(k))
        return getattr(at, name), getattr(at, f"{name}_interval")


class CoverageResult(Result):
    """How models cover a domain. Shares and measures are between 0 and 1."""

    domain: DomainField
    labels: str
    """Which labels stood for a concept under models of words: ``first`` or ``all``."""
    k: list[int]
    alpha: float
    correction: str
    resamples: int = 0
    """None are drawn; results of version 0.1 have a number here."""
    models: dict[str, CoverageFigures]
    differences: list[DifferenceAtK]
    encoders: JointRecord | None = Field(None, exclude_if=lambda joint: joint is None)
    """The verdict on encoders, where there are other models, too: these seek neighbours elsewhere."""

    def values(self) -> Iterator[Value]:
        """Yield the share in vocabulary, and %CG and posDCG for each k."""
        for name, model in self.models.items():
            yield Value(name, IN_VOCABULARY, model.share, *model.share_interval, model.seeds)
            for k in self.k:
                for statistic in (GAIN, DISCOUNTED):
                    value, interval = model.measured(statistic, k)
                    yield Value(name, statistic, value, *interval, model.seeds, at_k(k))


def outcomes_of(models: Mapping[str, ModelCoverage], ks: Sequence[int]) -> dict[Measure, SetOutcomes]:
    """Return which seeds are known, and for each k which neighbours of each seed are hits.

    A neighbour is a unit as the seed is, for seeds are each other's neighbours, and one word may stand in many lists. A
    word in the list of a single seed ties it to nothing, and is no unit.
    """
    (kind,) = {model.neighbourhood for model in models.values()}
    known_seeds = {name: model.known.astype(np.float64) for name, model in models.items()}
    seeds = len(next(iter(known_seeds.values())))
    alone = Units(np.arange(seeds), np.full(seeds, NO_UNIT))
    label = "share of seeds in the vocabulary"
    outcomes = {
        Measure(IN_VOCABULARY): SetOutcomes(f"{kind}/{label}", "mean", alone, np.zeros(0), known_seeds, label=label)
    }
    for k in ks:
        units = _units({name: (model.same, model.nearest[:, :k]) for name, model in models.items()})
        for measure in (Measure(GAIN, k), Measure(DISCOUNTED, k)):
            weights, label = measure.weights, f"{NAMES[measure.statistic]} at {k}"
            values = {
                name: np.stack(np.broadcast_arrays(model.hits[:, :k] * weights, weights), axis=-1).reshape(-1, 2)
                for name, model in models.items()
            }
            outcomes[measure] = SetOutcomes(f"{kind}/{label}", "ratio", units, np.zeros(0), values, label=label)
    return outcomes


def _units(lists: Mapping[str, tuple[NDArray[np.int64], NDArray[np.int64]]]) -> dict[str, Units]:
    """Return the seed and the neighbour of each item."""
    both = {name: Units(np.repeat(same, near.shape[1]), near.ravel()) for name, (same, near) in lists.items()}
    first, second = (np.concatenate([getattr(units, end) for units in both.values()]) for end in ("first", "second"))
    words, places = np.unique(second, return_inverse=True)
    width = int(first.max()) + 1
    lists_of_word = np.bincount(np.unique(places * width + first) // width)
    alone = words[(words < NOBODY) & (lists_of_word == 1)]
    return {
        name: Units(units.first, np.where(np.isin(units.second, alone), NO_UNIT, units.second))
        for name, units in both.items()
    }


def compared_apart(
    measured: Mapping[str, Any],
    outcomes_of: Callable[[dict[str, Any]], Mapping[Any, SetOutcomes]],
    main: Callable[[Any], bool],
    testing: Testing,
) -> tuple[dict[tuple[str, Any], SetComparison], dict[str, Joint | None]]:
    """Compare models that sought in the same sort of place: return the comparisons by place and key, and the verdicts.

    `outcomes_of` makes of some models what they are compared by; `main` says which keys count in the verdict.
    """
    compared, joints = {}, []
    for kind, names in by_neighbourhood(measured).items():
        outcomes = outcomes_of({name: measured[name] for name in names})
        for key, outcome in outcomes.items():
            compared[kind, key] = compare_set(outcome, alpha=testing.alpha, correction=testing.correction)
        counted = [outcome for key, outcome in outcomes.items() if main(key)]
        joints.append(compare(counted, alpha=testing.alpha, margin=testing.margin, min_coverage=0.0).main)
    return compared, dict(zip(("joint", "encoders"), joints, strict=False))


def combined(measured: Mapping[str, ModelCoverage], inputs: DomainInputs, options: CoverageOptions) -> CoverageResult:
    """Add intervals, differences and the verdict; models that sought neighbours elsewhere are compared apart."""
    main = Measure(DISCOUNTED, main_k(options.k))
    compared, joints = compared_apart(
        measured, lambda models: outcomes_of(models, options.k), lambda measure: measure == main, inputs.testing
    )
    return CoverageResult(
        domain=inputs.domain,
        labels=options.labels,
        k=options.k,
        alpha=inputs.testing.alpha,
        correction=inputs.testing.correction,
        models={name: _figures(name, inputs.domain, options.k, model, compared) for name, model in measured.items()},
        differences=[
            DifferenceAtK.of(difference, statistic=measure.statistic, k=measure.k or None)
            for (_place, measure), part in compared.items()
            for difference in part.differences
        ],
        **joints,
    )


def _figures(
    name: str,
    domain: Domain,
    ks: Sequence[int],
    model: ModelCoverage,
    compared: Mapping[tuple[str, Measure], SetComparison],
) -> CoverageFigures:
    def measured(called: str, measure: Measure) -> dict[str, Any]:
        part = compared[model.neighbourhood, measure]
        ends = part.by_model[name].low, part.by_model[name].high
        values = model.value(measure), ends, *part.counts[name]
        return {f"{called}{ending}": value for ending, value in zip(_PARTS, values, strict=True)}

    def at(k: int) -> AtK:
        gains = measured(GAIN, Measure(GAIN, k)) | measured(DISCOUNTED, Measure(DISCOUNTED, k))
        return AtK(**gains, negdcg=1 - gains[DISCOUNTED])

    seeds, out = len(model.known), len(model.known) - model.in_vocabulary
    return CoverageFigures(
        seeds=seeds,
        in_vocabulary=model.in_vocabulary,
        out_of_vocabulary=out,
        out_share=out / seeds,
        **measured("share", Measure(IN_VOCABULARY)),
        k={str(k): at(k) for k in ks},
        kind=model.kind,
        neighbourhood=model.neighbourhood,
        neighbourhood_size=model.size,
        missing=[domain.seeds[number] for number in np.flatnonzero(~model.known).tolist()],
        words=list(model.words),
        hits={str(k): model.hits[:, :k].sum(axis=1).tolist() for k in ks},
        neighbours=list(map(list, model.neighbours)),
        map=model.map,
    )
