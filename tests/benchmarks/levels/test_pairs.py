from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.levels.pairs import Case, draw, rates, true_values
from scipy import stats
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from benchmarks.levels import pairs
from termgauge.statistics.inputs import STATISTICS

LONG = 400


@pytest.mark.parametrize("concepts", [False, True])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_systems_have_the_values_that_are_called_true(statistic, concepts):
    case = Case(statistic, 60_000, (1.0, 0.5), concepts=concepts)
    scores, truth, shared = draw(case, np.random.default_rng(1))
    assert scores.shape == (2, len(truth))
    assert (shared is not None) == concepts
    value = {
        "spearman": lambda row: stats.spearmanr(row, truth).statistic,
        "pearson": lambda row: stats.pearsonr(row, truth).statistic,
        "auc": lambda row: roc_auc_score(truth, row),
        "ap": lambda row: average_precision_score(truth, row),
        "f1": lambda row: max(f1_score(truth, row >= at) for at in np.linspace(-1, 1, 21)),
        "accuracy": lambda row: max(((row >= at) == truth).mean() for at in np.linspace(0, 1, 21)),
    }[statistic]
    assert [value(row) for row in scores] == pytest.approx(true_values(case), abs=0.015)
    assert np.std(scores[0] - truth) == pytest.approx(1, abs=0.05)


def test_similar_pairs_are_those_of_one_concept():
    scores, labels, shared = draw(Case("auc", 600, (0, math.inf), concepts=True), np.random.default_rng(2))
    np.testing.assert_array_equal(shared.first == shared.second, labels == 1)
    assert labels.mean() == 0.5
    assert np.bincount(shared.first[labels == 1]).max() <= 28
    assert (scores[1] == 0).all()
    same = scores[0][labels == 1]
    by_concept = [same[shared.first[labels == 1] == concept] for concept in set(shared.first[labels == 1])]
    within = np.mean([np.var(each, ddof=1) for each in by_concept if len(each) > 2])
    assert within == pytest.approx(0.5, abs=0.15)  # the other half belongs to the concept


@pytest.mark.integration
def test_rates_are_shares(capsys, monkeypatch):
    found = rates(Case("auc", 60, concepts=True), 20)
    assert found.usually > found.marked
    assert found.usually_held < found.held
    assert rates(Case("auc", 60, (0.0, 4.0)), 5)[:3] == (0.5, 1, 1)
    monkeypatch.setattr(pairs, "CASES", [Case("accuracy", 20), Case("spearman", 12)])
    pairs.main(2)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[1].startswith("accuracy, 20 pairs, 50% positive, quality 1")


def at_most(level, repeats=LONG):
    """Return what a rate may be: the level, a tolerance, and two of its errors."""
    return level + 0.015 + 2 * math.sqrt(level * (1 - level) / repeats)


@pytest.mark.long
@pytest.mark.parametrize(
    "case",
    [
        *(Case("spearman", n) for n in (30, 100)),
        *(Case("auc", n, positives=share) for n in (30, 100) for share in (0.1, 0.5)),
        *(Case("accuracy", n, each) for n in (40, 200) for each in ((0.0, 0.0), (0.0, math.inf), (1.5, 1.5))),
        Case("accuracy", 1000, (0.0, math.inf)),
        *(Case("pearson", n) for n in (30, 100)),
        *(Case(name, n, positives=share) for name in ("ap", "f1") for n in (40, 200) for share in (0.1, 0.5)),
        *(Case("spearman", n, concepts=True) for n in (50, 300)),
        *(Case("pearson", n, concepts=True) for n in (50, 300)),
        *(Case(name, n, (q, q), concepts=True) for name in ("ap", "f1") for n in (400, 2000) for q in (1.0, 2.5)),
        *(Case("auc", n, concepts=True) for n in (200, 400, 2000)),
        *(Case("accuracy", n, (q, q), concepts=True) for n in (400, 2000) for q in (0.0, 1.5)),
    ],
    ids=str,
)
def test_levels_are_kept(case):
    found = rates(case, LONG)
    assert found.marked <= at_most(0.05)
    assert found.difference_held >= 1 - at_most(0.05)
    if case.statistic not in ("accuracy", "f1"):  # of which the threshold is an estimate, too
        assert found.held >= 1 - at_most(0.05)
    if case.concepts and case.qualities[0] > 0:
        assert found.usually > found.marked


@pytest.mark.long
def test_noise_against_a_constant_on_many_pairs():
    found = rates(Case("accuracy", 15_000, (0.0, math.inf)), 150)
    assert found.marked <= at_most(0.05, 150)
    assert found.marked <= found.usually
