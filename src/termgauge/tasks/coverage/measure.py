"""How well a model covers a domain: which of its seeds have a vector, and how many of their neighbours are seeds too.

The k nearest of each seed are found once, for the greatest k; all that is measured at smaller k follows from which of
them are hits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.domain.neighbourhood import FIRST, neighbourhood_of, neighbours_of_seeds
from termgauge.embeddings.neighbours import DECIMALS
from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.embeddings.units import unit_vectors
from termgauge.exceptions import TermgaugeError, warn
from termgauge.io.arrays import Array
from termgauge.tasks.results import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from termgauge.domain.domain import Domain, Lookup
    from termgauge.domain.neighbourhood import Neighbourhood
    from termgauge.embeddings.model import Model
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
    own = list(dict.fromkeys(seeds.first[seeds.known].tolist()))
    around = _by_rank(rows, exclude=own)
    room = max(most // 2, most - len(around))
    chosen = own[:room]
    near = _by_rank(rows[np.isin(seeds.first, chosen)], exclude=own) if room < len(own) else around
    chosen += near[: most - len(chosen)]
    vectors = among.gather(np.array(chosen, np.int64)) if chosen else np.empty((0, 1), np.float32)
    units = unit_vectors(vectors, np.float32)
    usable = ~np.isnan(units[:, 0])
    chosen = [row for row, good in zip(chosen, usable.tolist(), strict=True) if good]
    places, explained = projected(units[usable])
    stands: dict[int, list[str]] = {}
    for place in np.flatnonzero(seeds.known).tolist():
        for row in seeds.rows_of(place).tolist():
            stands.setdefault(row, []).append(domain.seeds[place])
    points = [
        Point(x=round(x, 4), y=round(y, 4), term=text, seed=row in stands, concepts=stands.get(row, []))
        for (x, y), row, text in zip(places.tolist(), chosen, among.texts(chosen), strict=True)
    ]
    shares = (round(explained[0], 4), round(explained[1], 4))
    return DomainMap(points=points, explained=shares, seeds_left_out=max(0, len(own) - room))


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
    total = float(sizes @ sizes)
    shares = [float(size * size) / total if total > 0 else 0.0 for size in sizes[:2]]
    return places, (shares[0], shares[1] if len(shares) > 1 else 0.0)


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
        seeds = len(self.known)
        if measure.statistic == IN_VOCABULARY:
            return self.in_vocabulary / seeds
        hits: list[int] = self.hits[:, : measure.k].sum(axis=0).tolist()
        if measure.statistic == GAIN:
            return sum(hits) / (measure.k * seeds)
        weights = discounts(measure.k).tolist()
        gain = math.fsum(weight * number for weight, number in zip(weights, hits, strict=True))
        return gain / (seeds * math.fsum(weights))


def discounts(k: int) -> NDArray[np.float64]:
    """Return what a hit at each rank counts in posDCG: 1 / log2(rank + 1).

    >>> discounts(3).round(3).tolist()
    [1.0, 0.631, 0.5]
    """
    return np.asarray(1 / np.log2(np.arange(2, k + 2)), np.float64)


def cover(
    model: Model,
    terminology: Terminology,
    domain: Domain,
    ks: Sequence[int] = KS,
    lookup: Lookup = FIRST,
) -> ModelCoverage:
    """Measure how a model covers a domain.

    A neighbour is a hit if it is a row that stands for a seed. With ``first`` labels that is the seed's best-ranked
    label in the vocabulary, and no other label of it; with ``all`` it is any of its labels. A seed's own rows are never
    its neighbours. Two seeds with the same row (a label that both have) are measured each for itself and are no
    neighbours of each other. With ``all`` labels a seed has one list of neighbours: a row is as near to it as to the
    nearest of its labels. With ``max`` each label in the vocabulary has a list, and the one with the greatest posDCG at
    the largest k counts, of equal ones the better ranked; with ``medoid`` it is the list of the label whose mean cosine
    with the concept's other labels is greatest. In both, as in the authors' program, the other labels of a seed may
    stand in its list and are hits. Seeds whose vector is zero are in the vocabulary and have no neighbours.

    An encoder of terms has no vocabulary: it encodes the best-ranked label of every active concept of the terminology,
    neighbours are concepts, and a hit is a concept that is a seed. That is another question, for the neighbourhood
    holds nothing but concepts, and the result says so.
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
    rows = np.full((len(domain), most), MISSING, np.int64)
    found = neighbours_of_seeds(among, most, each_label=chosen).rows
    stands = np.full(among.rows + 1, NOBODY, np.int64)  # the last place is that of the missing row, -1
    owners = np.repeat(np.arange(len(domain)), np.diff(seeds.offsets))
    stands[seeds.rows[::-1]] = owners[::-1]  # of several seeds with one row the first
    first = seeds.first
    if chosen:
        place = _by_gain(found, stands, seeds.offsets) if lookup.labels == "max" else _medoids(among)
        first[seeds.known], found = seeds.rows[place], found[place]
    rows[seeds.known] = found
    same = np.where(seeds.known, stands[seeds.first], np.arange(len(domain)))
    words: list[str | None] = [None] * len(domain)
    for number, text in zip(np.flatnonzero(seeds.known), among.texts(first[seeds.known].tolist()), strict=True):
        words[number] = text
    return ModelCoverage(
        name=model.name,
        kind=model.kind,
        neighbourhood=among.kind,
        size=len(among),
        known=seeds.known,
        nearest=_nearest(among, rows, stands),
        same=same,
        words=tuple(words),
        neighbours=_neighbours(among, rows),
        map=map_of(among, rows, domain),
    )


def _by_gain(rows: NDArray[np.int64], stands: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each known seed which of the lists of its labels has the greatest gain, of equal ones the first."""
    weights = discounts(rows.shape[1])
    gains = np.array([math.fsum(weights[hits]) for hits in stands[rows] > NOBODY])
    spans = [(low, high) for low, high in pairwise(offsets.tolist()) if low < high]
    return np.array([low + int(np.argmax(gains[low:high])) for low, high in spans], np.int64)


def _medoids(among: Neighbourhood) -> NDArray[np.int64]:
    """Return for each known seed which of its labels is nearest to the others, of equal ones the first."""
    units = np.nan_to_num(unit_vectors(among.gather(among.seeds.rows), np.float64))
    chosen = []
    for low, high in pairwise(among.seeds.offsets.tolist()):
        if low < high:
            cosines = np.einsum("ij,kj->ik", units[low:high], units[low:high])
            chosen.append(low + int(np.argmax(np.round(cosines.sum(axis=1), DECIMALS))))
    return np.array(chosen, np.int64)


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
    return tuple(tuple(text_of[row] for row in each if row != MISSING) for each in few.tolist())
