"""The F of several networks in resamples of the test sentences, which all of them share.

F needs two numbers of a sentence: how many entities are right, and how many are predicted or in the gold standard. The
sums of both over the sentences of a resample are made for all networks at once, so that each sentence is drawn once.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.compiled import njit
from termgauge.progress import track
from termgauge.statistics.bootstrap import draws

if TYPE_CHECKING:
    from numpy.typing import NDArray


class FResamples(NamedTuple):
    """F of several networks."""

    estimates: NDArray[np.float64]
    """On all sentences."""
    replicates: NDArray[np.float64]
    """Networks x resamples."""
    left_out: NDArray[np.float64]
    """Networks x sentences: without that sentence."""


def resample_f(counts: NDArray[np.int32], resamples: int, seed: int) -> FResamples:
    """Return the F of networks in resamples of sentences, and with each sentence left out.

    `counts` are networks x sentences x 3: what is right, predicted and in the gold standard. The same seed gives the
    same resamples, whatever the number of processors.
    """
    from concurrent.futures import ThreadPoolExecutor

    right = counts[:, :, 0].astype(np.int64)
    found = counts[:, :, 1].astype(np.int64) + counts[:, :, 2]
    rows = np.ascontiguousarray(np.concatenate([right, found]).T, np.int32)
    networks, sentences = right.shape
    replicates = np.empty((resamples, networks))
    threads = os.cpu_count() or 1
    tracked = track("Resampling sentences", total=resamples, unit="resamples")
    with tracked as advance, ThreadPoolExecutor(threads) as pool:
        waiting = []
        start = 0
        for drawn in draws(sentences, resamples, seed):
            part = replicates[start : start + len(drawn)]
            waiting.append(pool.submit(_resampled, rows, drawn, part))
            start += len(drawn)
            if len(waiting) > 2 * threads:
                waiting.pop(0).result()
                advance(len(drawn))
        for done in waiting:
            done.result()
    all_right, all_found = right.sum(axis=1, keepdims=True), found.sum(axis=1, keepdims=True)
    return FResamples(_f(all_right, all_found)[:, 0], replicates.T, _f(all_right - right, all_found - found))


def _f(right: NDArray[np.int64], found: NDArray[np.int64]) -> NDArray[np.float64]:
    return 2 * right / np.maximum(found, 1)


@njit()
def _resampled(
    rows: NDArray[np.int32], drawn: NDArray[np.int64], f: NDArray[np.float64]
) -> None:  # pragma: no cover - compiled
    networks = rows.shape[1] // 2
    sums = np.empty(2 * networks, np.int64)
    for resample in range(len(drawn)):
        sums[:] = 0
        for place in range(drawn.shape[1]):
            row = rows[drawn[resample, place]]
            for column in range(2 * networks):
                sums[column] += row[column]
        for network in range(networks):
            found = sums[networks + network]
            f[resample, network] = 2.0 * sums[network] / found if found > 0 else 0.0
