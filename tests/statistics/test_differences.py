from __future__ import annotations

import pytest

from termgauge.statistics.bootstrap import Interval
from termgauge.statistics.significance import corrected_differences
from termgauge.tasks.results import wins_and_losses


@pytest.mark.parametrize(("correction", "real"), [("bonferroni", 1), ("holm", 2), ("none", 3)])
def test_one_rule_for_all(correction, real):
    interval = Interval(-2.0, 2.0)
    pairs = [("a", "b", 1.0, interval, 0.001), ("a", "c", 0.5, interval, 0.02), ("b", "c", -1.0, interval, 0.04)]
    pairs[2] = (*pairs[2][:4], 0.04 if correction != "holm" else 0.06)
    found = corrected_differences(pairs, alpha=0.05, correction=correction)
    assert [each.significant for each in found] == [place < real for place in range(3)]
    assert set(found[0].as_dict()) == {*found[0]._fields} - {"value"} | {"difference"}


def test_wins_and_losses():
    interval = Interval(0.5, 2.0)
    pairs = [("a", "b", 1.0, interval, 0.0), ("a", "c", 0.5, interval, 0.9), ("b", "c", -1.0, interval, 0.0)]
    found = corrected_differences(pairs, alpha=0.05, correction="bonferroni")
    assert [wins_and_losses(model, found) for model in "abc"] == [(1, 0), (0, 2), (1, 0)]
    assert corrected_differences([], alpha=0.05, correction="holm") == ()
