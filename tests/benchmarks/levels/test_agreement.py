from __future__ import annotations

import numpy as np
import pytest
from benchmarks.levels.agreement import CASES, CEILINGS, PANELS, Case, Raters, ceilings, held, losing, planned

from benchmarks.levels import agreement


@pytest.mark.parametrize("case", CASES, ids=str)
def test_raters_rate_what_they_are_to_rate(case):
    generator = np.random.default_rng(1)
    rated = Raters(case, generator).rate(case.pairs, generator)
    assert len(rated.groups) == case.raters * case.groups
    assert len(np.unique(rated.groups)) == case.groups
    share = len(rated.values) / (case.raters * case.groups * case.pairs)
    assert share == pytest.approx(1 - case.missing, abs=0.05)
    assert set(np.unique(rated.values)) <= set(range(7))
    counts = np.bincount(rated.items)
    assert (counts > case.raters).sum() == (case.pairs // 5 if case.groups > 1 else 0)


@pytest.mark.integration
def test_each_case_is_a_line(capsys, monkeypatch):
    for name in ("CASES", "CEILINGS", "PANELS"):
        monkeypatch.setattr(agreement, name, [Case(20, 3)])
    monkeypatch.setattr(agreement, "MANY", 500)
    agreement.main(10)
    assert capsys.readouterr().out.splitlines()[1].startswith("20 pairs, 3 raters")


@pytest.mark.long
@pytest.mark.parametrize("case", [each for each in CASES if each.groups < 10], ids=str)
def test_intervals_hold_the_truth(case):
    found = held(case, 200)
    assert min(found[:4]) > 0.89


@pytest.mark.long
@pytest.mark.parametrize("case", CEILINGS, ids=str)
def test_intervals_hold_the_true_ceiling(case):
    assert ceilings(case, 100).held > 0.85


@pytest.mark.long
@pytest.mark.parametrize("case", PANELS, ids=str)
def test_equally_good_raters_stay(case):
    assert losing(case, 200) < 0.08


@pytest.mark.long
def test_plans_are_right():
    for deviation, width in ((1.0, 2.0), (1.5, 1.0)):
        _count, wide, share = planned(deviation, width, 10_000)
        assert wide == pytest.approx(width, rel=0.05)
        assert share == pytest.approx(0.95, abs=0.025)
