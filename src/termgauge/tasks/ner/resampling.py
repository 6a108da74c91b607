"""The F of several networks in resamples of the test sentences, which all of them share.

F needs two numbers of a sentence: how many entities are right, and how many are predicted or in the gold standard. The
sums of both over the sentences of a resample are made for all networks at once, so that each sentence is drawn once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from termgauge.progress import track
from termgauge.statistics.resample_kernels import SUM_NANOSECONDS, resampled_sums
from termgauge.statistics.resampled import resampled

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
    right = counts[:, :, 0].astype(np.int64)
    found = counts[:, :, 1].astype(np.int64) + counts[:, :, 2]
    rows = np.ascontiguousarray(np.concatenate([right, found]).T, np.int32)
    networks, sentences = right.shape
    replicates = np.empty((resamples, networks))
    generator, takes = np.random.default_rng(seed), SUM_NANOSECONDS * rows.shape[1]
    with track("Resampling sentences", total=resamples, unit="resamples") as advance:
        for these, sums in resampled(resampled_sums, {"rows": rows}, sentences, resamples, generator, takes):
            replicates[these] = _f(sums[:, :networks], sums[:, networks:])
            advance(len(sums))
    all_right, all_found = right.sum(axis=1, keepdims=True), found.sum(axis=1, keepdims=True)
    return FResamples(_f(all_right, all_found)[:, 0], replicates.T, _f(all_right - right, all_found - found))


def _f(right: NDArray[np.int64], found: NDArray[np.int64]) -> NDArray[np.float64]:
    return 2 * right / np.maximum(found, 1)
