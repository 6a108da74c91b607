"""Intervals and differences over resampled pairs, against resampling the analogies themselves."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.tasks.analogies import statistics as analogy_statistics
from termgauge.tasks.analogies.statistics import resample_pairs


@pytest.mark.parametrize("most", [analogy_statistics.MOST_INVOLVED, 1])
def test_intervals_agree_with_resampling_the_analogies_themselves(most, monkeypatch):
    monkeypatch.setattr(analogy_statistics, "MOST_INVOLVED", most)
    generator = np.random.default_rng(2)
    good = generator.random(60) < 0.5
    holds = (generator.random((60, 60)) < 0.6) & (good[:, None] | good)
    np.fill_diagonal(holds, val=False)
    holding = np.argwhere(holds).astype(np.int32)
    (interval,) = resample_pairs(["one"], 60, [holding]).intervals
    shares = []
    for _ in range(3000):
        drawn = generator.integers(0, 60, 60)
        shares.append(holds[np.ix_(drawn, drawn)].sum() / (60 * 59))
    low, high = np.quantile(shares, [0.025, 0.975])
    assert interval.low == pytest.approx(low, abs=0.02)
    assert interval.high == pytest.approx(high, abs=0.02)


def test_a_few_analogies_between_few_pairs_prove_nothing():
    few = np.array([[0, 1], [1, 0]], np.int32)
    none = np.empty((0, 2), np.int32)
    found = resample_pairs(["some", "none", "same"], 21, [few, none, few])
    assert found.intervals[0].low == 0
    assert np.isnan(found.intervals[1].low)
    assert not any(each.significant for each in found.differences)
    same = next(each for each in found.differences if each.one == "some" and each.other == "same")
    assert same.p_value == 1
    many = np.argwhere(~np.eye(21, dtype=bool)).astype(np.int32)
    found = resample_pairs(["all", "none"], 21, [many, none])
    assert found.differences[0].significant
    assert found.differences[0].value == 1


def test_only_models_of_one_sort_are_compared():
    many = np.argwhere(~np.eye(21, dtype=bool)).astype(np.int32)
    none = np.empty((0, 2), np.int32)
    names, sorts = ["a", "b", "c"], ["vocabulary", "terminology", "vocabulary"]
    found = resample_pairs(names, 21, [many, many, none], sorts=sorts)
    (difference,) = found.differences
    assert (difference.one, difference.other) == ("a", "c")
    assert difference.adjusted_p == difference.p_value
