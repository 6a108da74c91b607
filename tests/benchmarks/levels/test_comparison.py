from __future__ import annotations

import numpy as np
import pytest
from benchmarks.levels.comparison import CASES, LEVEL, Case, draw, simulate, true_value
from scipy import stats
from sklearn.metrics import roc_auc_score

from benchmarks.levels import comparison

ORACLES = {
    "auc": roc_auc_score,
    "pearson": lambda truth, scores: stats.pearsonr(truth, scores)[0],
    "spearman": lambda truth, scores: stats.spearmanr(truth, scores)[0],
    "mean": lambda _truth, values: values.mean(),
}


@pytest.mark.parametrize(
    "case",
    [*(Case(statistic, "even", 5000) for statistic in ("auc", "pearson", "spearman")),
     Case("mean", "queries", 20_000, quality=0.35)],
    ids=str,
)  # fmt: skip
def test_models_have_the_values_that_they_are_drawn_with(case):
    items, values = draw(case, np.random.default_rng(1))
    for name in ("m0", "m1"):
        found = ORACLES[case.statistic](items["truth"].to_numpy(), values[name].to_numpy())
        assert found == pytest.approx(true_value(case), abs=0.015)


def test_sets_share_their_units_or_do_not():
    shared, apart = (
        draw(Case("auc", "even", 20, sets=3, apart=apart), np.random.default_rng(1))[0] for apart in (False, True)
    )
    assert (shared["unit_1"].n_unique(), apart["unit_1"].n_unique()) == (20, 60)


def test_each_case_is_a_line_that_says_what_is_missed(capsys, monkeypatch):
    monkeypatch.setattr(comparison, "CASES", [Case("mean", "queries", 30, "marked", comparison.Goal(2, 2), 0.3)])
    comparison.main(10)
    line = capsys.readouterr().out.splitlines()[1]
    assert line.startswith("acc@1 at 0.3, 30 queries units: marked")
    assert line.endswith("2 to 2  missed")


def test_a_power_is_that_of_the_stated_difference():
    assert simulate(Case("auc", "even", 60, "power"), 60) == pytest.approx(0.8, abs=0.2)


@pytest.mark.long
@pytest.mark.parametrize("case", [case for case in CASES if case.sets == 1], ids=str)
def test_rates_are_near_what_is_to_be_reached(case):
    margin = 3 * np.sqrt(0.05 * 0.95 / 200) if case.goal is LEVEL else 0.06
    assert case.goal.low - margin <= simulate(case, 200) <= case.goal.high + margin
