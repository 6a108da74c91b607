"""Means over items that come in clusters: intervals and differences by a bootstrap that draws whole clusters.

Synonyms of one concept are right or wrong together, so that a concept, not a synonym, is what chance could have drawn
otherwise. In a resample a mean is the sum over the clusters drawn, divided by how many items these have. All systems
share the resamples, so that the differences of any two come from the same batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from termgauge.statistics.bootstrap import SEED, Bca
from termgauge.statistics.resampled import resampled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class ClusteredMeans:
    """The means of several columns of values, over all resamples of clusters."""

    sums: NDArray[np.float64]
    """Clusters x columns: of the values of the cluster's items."""
    sizes: NDArray[np.float64]
    """Clusters x columns: how many items of the cluster have a value."""
    replicates: NDArray[np.float64]
    """Resamples x columns."""

    @classmethod
    def of(
        cls, values: NDArray[np.float64], clusters: NDArray[np.int64], resamples: int, seed: int = SEED
    ) -> ClusteredMeans:
        """Resample values (columns x items); NaN is an item that a column does not count.

        Examples
        --------
        >>> means = ClusteredMeans.of(np.array([[1.0, 1, 0, 0]]), np.array([0, 0, 1, 2]), 1000)
        >>> means.estimates.tolist(), sorted(set(means.replicates[:, 0].round(2).tolist()))[:3]
        ([0.5], [0.0, 0.5, 0.8])
        """
        _known, numbers = np.unique(clusters, return_inverse=True)
        count = int(numbers.max()) + 1
        counted = ~np.isnan(values)
        sums, sizes = (
            np.array([np.bincount(numbers, column, count) for column in table], np.float64)
            for table in (np.where(counted, values, 0), counted.astype(np.float64))
        )
        from termgauge.statistics.sum_kernel import SUM_NANOSECONDS, resampled_sums

        both = np.ascontiguousarray(np.concatenate([sums, sizes]).T)
        replicates = np.empty((resamples, len(values)))
        takes = SUM_NANOSECONDS * both.shape[1]
        for these, some in resampled(
            resampled_sums, {"rows": both}, count, resamples, np.random.default_rng(seed), takes
        ):
            with np.errstate(invalid="ignore", divide="ignore"):
                replicates[these] = some[:, : len(values)] / some[:, len(values) :]
        return cls(sums.T, sizes.T, replicates)

    @property
    def estimates(self) -> NDArray[np.float64]:
        """The mean of each column; NaN where it has no value."""
        with np.errstate(invalid="ignore"):
            means: NDArray[np.float64] = self.sums.sum(axis=0) / self.sizes.sum(axis=0)
        return means

    def mean(self, column: int) -> Bca:
        """Return the distribution of a mean."""
        return self._weighed([column], [1.0])

    def difference(self, one: int, other: int) -> Bca:
        """Return the distribution of the difference of two means."""
        return self._weighed([one, other], [1.0, -1.0])

    def _weighed(self, columns: Sequence[int], weights: Sequence[float]) -> Bca:
        sums, sizes = self.sums[:, columns], self.sizes[:, columns]
        counted = sizes.sum(axis=1) > 0  # a cluster without any of the items has no part in it
        with np.errstate(invalid="ignore", divide="ignore"):
            without = (sums.sum(axis=0) - sums[counted]) / (sizes.sum(axis=0) - sizes[counted])
        estimate = float(self.estimates[columns] @ np.array(weights))
        return Bca.of(estimate, self.replicates[:, columns] @ np.array(weights), without @ np.array(weights))
