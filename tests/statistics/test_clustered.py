"""Means of clustered items: by hand, as if independent, and whether intervals hold the true value."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.statistics.bootstrap import Bca
from termgauge.statistics.dependence import ClusteredMeans


def test_replicates_are_means_over_the_clusters_drawn():
    values = np.array([[1.0, 0, 1, np.nan], [0.5, 0.5, 0.25, 1]])
    clusters = np.array([7, 7, 2, 3])
    means = ClusteredMeans.from_values(values, clusters, 300, seed=5)
    drawn = np.random.default_rng(5).integers(0, 3, (300, 3))
    members = [[2], [3], [0, 1]]  # in the order of the clusters' numbers
    for row, some in enumerate(drawn):
        items = [item for cluster in some for item in members[cluster]]
        with np.errstate(invalid="ignore"):
            first = values[0, items][~np.isnan(values[0, items])]
            expected = first.mean() if len(first) else np.nan
        assert means.replicates[row, 0] == pytest.approx(expected, nan_ok=True)
        assert means.replicates[row, 1] == pytest.approx(values[1, items].mean())
    assert means.estimates.tolist() == [pytest.approx(2 / 3), pytest.approx(0.5625)]


def test_clusters_of_one_item_are_the_plain_bootstrap():
    rng = np.random.default_rng(0)
    values = rng.random((2, 30))
    means = ClusteredMeans.from_values(values, np.arange(30), 2000, seed=1)
    drawn = np.random.default_rng(1).integers(0, 30, (2000, 30))
    left_out = (values[0].sum() - values[0]) / 29
    plain = Bca.from_replicates(float(values[0].mean()), values[0][drawn].mean(axis=1), left_out)
    assert means.mean(0).interval(0.05) == pytest.approx(plain.interval(0.05))
    assert means.difference(0, 1).estimate == pytest.approx(values[0].mean() - values[1].mean())


def test_intervals_of_a_mean_are_those_of_scipy():
    from scipy.stats import bootstrap

    values = np.random.default_rng(3).exponential(size=60)
    own = ClusteredMeans.from_values(values[None], np.arange(60), 20_000, seed=2).mean(0).interval(0.05)
    theirs = bootstrap((values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(9))
    assert own == pytest.approx(tuple(theirs.confidence_interval), abs=0.02)


@pytest.mark.long
def test_intervals_hold_the_true_value_where_items_depend_on_each_other():
    rng = np.random.default_rng(0)
    held, naive = 0, 0
    for _ in range(400):
        chance = rng.beta(1, 1, 80)
        sizes = rng.integers(1, 8, 80)
        clusters = np.repeat(np.arange(80), sizes)
        values = (rng.random(len(clusters)) < chance[clusters]).astype(float)[None]
        low, high = ClusteredMeans.from_values(values, clusters, 1000, seed=1).mean(0).interval(0.05)
        held += low <= 0.5 <= high
        low, high = ClusteredMeans.from_values(values, np.arange(len(clusters)), 1000, seed=1).mean(0).interval(0.05)
        naive += low <= 0.5 <= high
    assert 0.915 <= held / 400 <= 0.975
    assert naive / 400 < 0.92
