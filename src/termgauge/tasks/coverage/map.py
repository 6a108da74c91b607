"""A map of a domain: its seeds and what is nearest to them, in the plane that shows most of their differences.

The plane is that of the first two principal components of the unit vectors; signs are fixed, so that the same vectors
always give the same map.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.embeddings.store.vocabulary import MISSING
from termgauge.embeddings.units import unit_vectors
from termgauge.tasks.results import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from termgauge.domain.domain import Domain
    from termgauge.domain.neighbourhood import Neighbourhood

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

    Examples
    --------
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
