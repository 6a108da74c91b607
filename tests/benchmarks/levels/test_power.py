from __future__ import annotations

import numpy as np
import pytest
from benchmarks.levels.power import Case, draw, found
from sklearn.metrics import roc_auc_score

from benchmarks.levels import power
from termgauge.statistics.separation import best_accuracy


def test_systems_have_the_values_that_they_are_drawn_with():
    scores, labels = draw(Case("auc", 100_000, 0.9), [0.9, 0.6], np.random.default_rng(1))
    assert [roc_auc_score(labels, row) for row in scores] == pytest.approx([0.9, 0.6], abs=0.01)
    scores, labels = draw(Case("accuracy", 100_000, 0.9), [0.9, 0.6], np.random.default_rng(1))
    assert [best_accuracy(row, labels).value for row in scores] == pytest.approx([0.9, 0.6], abs=0.01)


def test_a_line_through_powers():
    from scipy import stats

    powers = stats.norm.cdf(1.5 + 4 * np.log(power.FACTORS))
    factor = power._factor_with(0.8, powers.tolist())
    assert stats.norm.cdf(1.5 + 4 * np.log(factor)) == pytest.approx(0.8)


def test_each_case_is_a_line(capsys, monkeypatch):
    monkeypatch.setattr(power, "CASES", [Case("auc", 40, 0.8)])
    power.main(40)
    assert capsys.readouterr().out.splitlines()[1].startswith("auc 0.8, 40 pairs")


@pytest.mark.long
@pytest.mark.parametrize(
    "case",
    [Case(statistic, n, value) for statistic in ("accuracy", "auc") for n in (100, 1000) for value in (0.55, 0.99)],
    ids=str,
)
def test_what_is_stated_is_what_is_found(case):
    stated, there, needed = found(case, 60)
    assert stated / needed == pytest.approx(1, abs=0.25)  # 20 %, and what so few repeats may be off
    assert 0.6 < there < 0.98
