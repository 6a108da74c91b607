"""The nearest terms of other concepts, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from termgauge.compiled import njit
from termgauge.progress import track

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COSINES_AT_ONCE = 1 << 25


def nearest_elsewhere(
    queries: NDArray[np.float32],
    own: NDArray[np.int64],
    rows: NDArray[np.float32],
    groups: NDArray[np.int64],
    k: int,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return the k nearest rows of each query that are not of its own group, and their cosines; -1 where there are none.

    All vectors have length 1; those that are not numbers have no neighbours and are none. Of equally near rows the
    first comes first.
    """
    known = np.flatnonzero(~np.isnan(rows[:, 0]))
    among, of_group = np.ascontiguousarray(rows[known].T), groups[known]
    found = np.full((len(queries), k), -1, np.int64)
    cosines = np.full((len(queries), k), -np.inf, np.float32)
    step = max(1, _COSINES_AT_ONCE // max(1, len(known)))
    asked = np.flatnonzero(~np.isnan(queries[:, 0]))
    with track("Looking for neighbours", total=len(asked), unit="terms") as advance:
        for low in range(0, len(asked), step):
            some = asked[low : low + step]
            best, near = _best(queries[some] @ among, own[some], of_group, k)
            found[some] = np.where(best >= 0, known[best], -1)
            cosines[some] = near
            advance(len(some))
    return found, cosines


@njit(parallel=False)
def _best(cosines, own, groups, k):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    queries, rows = cosines.shape
    found = np.full((queries, k), -1, np.int64)
    best = np.full((queries, k), -np.inf, np.float32)
    for query in range(queries):
        least = best[query, k - 1]
        for row in range(rows):
            cosine = cosines[query, row]
            if cosine > least and groups[row] != own[query]:
                place = k - 1
                while place > 0 and best[query, place - 1] < cosine:
                    best[query, place], found[query, place] = best[query, place - 1], found[query, place - 1]
                    place -= 1
                best[query, place], found[query, place] = cosine, row
                least = best[query, k - 1]
    return found, best
