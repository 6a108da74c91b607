from __future__ import annotations

import numpy as np
import pytest

from termgauge.statistics.bootstrap import Bca
from termgauge.statistics.resampled_differences import resampled_differences, wins_and_losses


def difference(mean, seed):
    generator = np.random.default_rng(seed)
    return Bca.of(mean, generator.normal(mean, 0.1, 10_000), generator.normal(mean, 0.001, 100))


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "none"])
def test_one_rule_for_all_that_is_resampled(correction):
    pairs = [("a", "b", difference(1.0, 1)), ("a", "c", difference(0.05, 2)), ("b", "c", difference(-1.0, 3))]
    found = resampled_differences(pairs, alpha=0.05, level=0.05 / 3, correction=correction)
    assert [each.significant for each in found] == [True, False, True]
    assert [wins_and_losses(model, found) for model in "abc"] == [(1, 0), (0, 2), (1, 0)]
    assert found[1].low < 0 < found[1].high
    assert set(found[0].as_dict()) == {*found[0]._fields} - {"value"} | {"difference"}


def test_two_that_never_differ():
    (found,) = resampled_differences(
        [("a", "b", Bca.of(0.0, np.zeros(1000), np.zeros(20)))], alpha=0.05, level=0.05, correction="bonferroni"
    )
    assert (found.value, found.p_value, found.significant) == (0, 1, False)
