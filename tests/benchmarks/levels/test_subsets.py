from __future__ import annotations

import pytest
from benchmarks.levels.subsets import Case, rates

from benchmarks.levels import subsets


def test_a_trend_is_found_and_none_is_claimed_where_there_is_none():
    none, there = (rates(Case("accuracy", values, 200), 60) for values in ((0.8, 0.8, 0.8), (0.6, 0.75, 0.9)))
    assert none.trend < 0.15 < 0.9 < there.trend
    assert none.differing < 0.15 < 0.9 < there.differing
    assert there.held > 0.8
    assert none.marked < 0.15


@pytest.mark.parametrize("across", [False, True])
def test_concepts_are_allowed_for(across):
    found = rates(Case("accuracy", (0.8, 0.8, 0.8), 200, 8, across), 80)
    assert max(found.trend, found.differing, found.marked) < 0.15


@pytest.mark.parametrize("statistic", ["spearman", "auc"])
def test_true_values_are_those_of_the_case(statistic):
    assert rates(Case(statistic, (0.6, 0.7, 0.8), 400), 30).held > 0.8


def test_each_case_is_a_line(capsys, monkeypatch):
    monkeypatch.setattr(subsets, "simulated", lambda simulate, cases, many: [(cases[0], simulate(cases[0], many[0]))])
    subsets.main(2)
    assert "spearman 0.6 0.6 0.6, 20 pairs a band" in capsys.readouterr().out
