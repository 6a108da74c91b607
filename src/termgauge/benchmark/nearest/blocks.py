"""Batches of the nearest-term search that may be done anywhere: the index is an artifact, the queries are a job.

A batch is searched twice. The second time is for those that will probably be left with too few when pairs are made:
near terms stand side by side in the alphabet and so in one batch, and if the first takes the second, the second may not
take the first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from termgauge.benchmark.nearest.candidates import Index, Queries
from termgauge.benchmark.nearest.search import Levels, search_index
from termgauge.benchmark.nearest.term_bitmaps import Bitmaps
from termgauge.io.arrays import load_arrays, save_arrays

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from termgauge.executor import JobExecutor
    from termgauge.io.artifacts import Artifact

MOST_REFUSED = 8
"""For the few terms that stand in many known pairs it is better to search again when they need it."""


def search_batch(
    index: Index,
    queries: Queries,
    ids: NDArray[np.int64],
    offsets: NDArray[np.int64],
    excluded: NDArray[np.int64],
) -> Levels:
    """Search for queries that are made pairs of in the order of their numbers; each one's own id is given.

    Which will be taken is not known yet, so nothing more is excluded; more is asked for. One thread does it.
    """
    levels = search_index(index, queries, offsets, excluded, threads=1)
    wanted = np.empty(len(ids), np.int64)
    wanted[queries.numbers] = queries.wanted
    taken = _taken_before(levels, ids)
    short = (taken > 0) & (taken <= MOST_REFUSED) & (np.diff(levels.offsets) - taken < wanted) & ~levels.exhausted
    if not short.any():
        return levels
    chosen = np.flatnonzero(short)
    again = _some(queries, short, taken)
    left_out = np.repeat(short, np.diff(offsets))
    bounds = np.concatenate([[0], np.cumsum(np.diff(offsets)[chosen])])
    return levels.with_others(chosen, search_index(index, again, bounds, excluded[left_out], threads=1))


def _taken_before(levels: Levels, ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many queries before each one have it among their nearest."""
    sizes = np.diff(levels.offsets)
    owners = np.repeat(np.arange(len(ids)), sizes)
    nearest = levels.distances == levels.distances[levels.offsets[owners]]
    order = np.argsort(ids, kind="stable")
    at = np.minimum(np.searchsorted(ids[order], levels.ids), len(ids) - 1)
    position = order[at]
    taken = nearest & (ids[position] == levels.ids) & (position > owners)
    return np.bincount(position[taken], minlength=len(ids))


def _some(queries: Queries, chosen: NDArray[np.bool_], more: NDArray[np.int64]) -> Queries:
    """Return those of the queries that are chosen by number, numbered anew, with more texts wanted."""
    kept = chosen[queries.numbers]
    sizes = np.diff(queries.starts)
    numbers = queries.numbers[kept]
    return Queries(
        np.cumsum(chosen)[numbers] - 1,
        queries.symbols[np.repeat(kept, sizes)],
        np.concatenate([[0], np.cumsum(sizes[kept])]),
        queries.forwards[kept],
        queries.backwards[kept],
        queries.wanted[kept] + more[numbers],
    )


def artifact_of(index: Index, executor: JobExecutor) -> Artifact:
    """Make an artifact of an index."""
    arrays: dict[str, NDArray[Any]] = index._asdict() | index.bitmaps._asdict()
    arrays["symbol_count"] = np.array([index.symbol_count])
    del arrays["bitmaps"]
    return executor.artifact(save_arrays(arrays))


@lru_cache(maxsize=2)
def index_in(artifact: Artifact) -> Index:
    """Return the index of an artifact, mapped from the disk; the last ones are kept at hand."""
    arrays: dict[str, Any] = load_arrays(artifact.here)
    arrays["symbol_count"] = int(arrays["symbol_count"][0])
    arrays["bitmaps"] = Bitmaps(*(arrays.pop(name) for name in Bitmaps._fields))
    return Index(**arrays)


def search_block(
    artifact: Artifact,
    queries: Queries,
    ids: NDArray[np.int64],
    offsets: NDArray[np.int64],
    excluded: NDArray[np.int64],
) -> Levels:
    """Do :func:`search_batch` with the index of an artifact."""
    arrays = Queries(*(np.require(array, requirements=["C", "W"]) for array in queries))  # as the kernels know them
    return search_batch(index_in(artifact), arrays, ids, offsets, excluded)
