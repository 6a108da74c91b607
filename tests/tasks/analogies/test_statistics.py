"""Intervals and differences over pairs, against leaving pairs out and against drawing them anew."""

from __future__ import annotations

import math

import numpy as np
import pytest

from termgauge.tasks.analogies.result import compare_pairs

NONE = np.empty((0, 2), np.int32)


def all_of(pairs):
    return np.argwhere(~np.eye(pairs, dtype=bool)).astype(np.int32)


def test_intervals_agree_with_drawing_pairs_anew():
    generator = np.random.default_rng(2)
    found = []
    for _ in range(300):
        good = generator.random(60) < 0.5
        holds = (generator.random((60, 60)) < 0.6) & (good[:, None] | good)
        np.fill_diagonal(holds, val=False)
        (interval,) = compare_pairs(["one"], 60, [np.argwhere(holds).astype(np.int32)]).intervals
        found.append((holds.sum() / (60 * 59), *interval))
    shares, low, high = np.array(found).T
    true = 0.6 * 0.75
    assert shares.mean() == pytest.approx(true, abs=0.01)
    assert np.mean((low <= true) & (true <= high)) == pytest.approx(0.95, abs=0.04)
    assert np.median(high - low) == pytest.approx(2 * 1.96 * shares.std(), rel=0.2)


def test_a_few_analogies_between_few_pairs_prove_nothing():
    few = np.array([[0, 1], [1, 0]], np.int32)
    found = compare_pairs(["some", "none", "same"], 21, [few, NONE, few])
    assert 0 < found.intervals[0].low < 2 / 420 < found.intervals[0].high
    assert np.isnan(found.intervals[1].low)
    assert not any(each.significant for each in found.differences)
    same = next(each for each in found.differences if each.one == "some" and each.other == "same")
    assert same.p_value == 1
    (difference,) = compare_pairs(["all", "none"], 21, [all_of(21), NONE]).differences
    assert (difference.value, difference.p_value, difference.significant) == (1, 2 / 2**21, True)
    assert math.isnan(difference.low)


@pytest.mark.parametrize("pairs", [2, 3, 4, 5])
def test_no_certainty_from_so_few_pairs(pairs):
    found = compare_pairs(["all", "none"], pairs, [all_of(pairs), NONE])
    (difference,) = found.differences
    assert difference.p_value >= 2 / 2**pairs
    assert not difference.significant
    assert all(math.isnan(interval.low) for interval in found.intervals)


def test_only_models_of_one_sort_are_compared():
    names, sorts = ["a", "b", "c"], ["vocabulary", "terminology", "vocabulary"]
    found = compare_pairs(names, 21, [all_of(21), all_of(21), NONE], sorts=sorts)
    (difference,) = found.differences
    assert (difference.one, difference.other) == ("a", "c")
    assert difference.adjusted_p == difference.p_value
