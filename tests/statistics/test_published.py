"""The tests of the paper: as SciPy and statsmodels compute them, on pairs that are taken as independent."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as of_statsmodels

from termgauge.statistics.compare import SetOutcomes, compare_set
from termgauge.statistics.covariance import NO_UNIT, Units
from termgauge.statistics.published import as_published, published_values
from termgauge.statistics.separation import best_accuracy


def simulated(generator, statistic, n, qualities):
    """Return truth, and scores of systems that share a part of their errors."""
    truth = generator.normal(size=n) if statistic == "spearman" else (np.arange(n) % 2).astype(float)
    shared = generator.normal(size=n)
    own = generator.normal(size=(len(qualities), n))
    return np.array(qualities)[:, None] * truth + 0.7 * shared + 0.7 * own, truth


def published(scores, truth, statistic, *, correction="bonferroni", resamples=600, seed=3):
    """Compare systems a, b, … by the tests of the paper."""
    named = dict(zip("abcdefghijkl", np.asarray(scores, float), strict=False))
    truth = np.asarray(truth, float)
    units = Units(np.arange(len(truth)), np.full(len(truth), NO_UNIT))
    found = compare_set(SetOutcomes("set", statistic, units, truth, named), correction=correction)
    own = {name: named[name] for name in found.by_model}
    return as_published(found, own, truth, alpha=0.05, correction=correction, resamples=resamples, seed=seed)


def test_differences_of_rho_have_the_intervals_of_scipy():
    scores, gold = simulated(np.random.default_rng(10), "spearman", 60, [0.5, 1.5])
    found = published(scores, gold, "spearman")
    theirs = stats.bootstrap(
        (*scores, gold), lambda x, y, g: stats.spearmanr(x, g).statistic - stats.spearmanr(y, g).statistic,
        paired=True, vectorized=False, n_resamples=600, method="BCa", rng=np.random.default_rng(3),
    ).confidence_interval  # fmt: skip
    difference = found.between("a", "b")
    np.testing.assert_allclose((difference.low, difference.high), theirs, atol=1e-9)
    assert difference.significant == (theirs.high < 0)
    assert found.test == "BCa bootstrap"


def test_accuracies_have_the_p_values_of_statsmodels_and_wilson_intervals():
    scores, labels = simulated(np.random.default_rng(11), "accuracy", 60, [0.5, 1.5])
    found = published(scores, labels, "accuracy")
    right = [best_accuracy(row, labels).decisions == (labels == 1) for row in scores]
    table = [[(one & other).sum() for other in (right[1], ~right[1])] for one in (right[0], ~right[0])]
    assert found.between("a", "b").p_value == pytest.approx(of_statsmodels(table, exact=True).pvalue)
    assert found.test == "exact McNemar"
    wilson = stats.binomtest(int(right[0].sum()), 60).proportion_ci(method="wilson")
    value = found.by_model["a"]
    assert (value.value, value.low, value.high) == pytest.approx((right[0].mean(), *wilson))


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "none"])
@pytest.mark.parametrize("statistic", ["accuracy", "spearman"])
def test_nothing_but_the_adjusted_p_value_marks_a_difference(statistic, correction):
    scores, truth = simulated(np.random.default_rng(1), statistic, 120, [0.1, 0.6, 0.7, 2])
    found = published(scores, truth, statistic, correction=correction)
    assert any(each.significant for each in found.differences)
    for each in found.differences:
        assert each.significant == (each.adjusted_p < 0.05)
        assert each.value == pytest.approx(found.by_model[each.one].value - found.by_model[each.other].value)


def test_the_same_seed_gives_the_same_intervals_and_the_tails_as_many_resamples_as_they_need():
    scores, truth = simulated(np.random.default_rng(4), "spearman", 60, [1, 1, 2])
    one, again, other = (published(scores, truth, "spearman", seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one.differences[0].low != other.differences[0].low
    many, gold = simulated(np.random.default_rng(5), "spearman", 20, [1] * 12)
    assert published(many, gold, "spearman", resamples=None).resamples == 26_400


@pytest.mark.parametrize("statistic", ["accuracy", "spearman"])
def test_three_pairs_prove_nothing(statistic):
    truth = [1, 2, 3] if statistic == "spearman" else [0, 0, 1]
    found = published([[1, 2, 3], [3, 2, 1]], truth, statistic)
    apart = found.between("a", "b")
    assert apart.value > 0
    assert math.isnan(apart.p_value) or apart.p_value >= 0.25
    assert not (apart.low > 0)
    assert not apart.significant


def test_scores_that_are_all_equal_have_no_rho():
    scores, gold = simulated(np.random.default_rng(3), "spearman", 60, [3])
    flat, known = published_values("spearman", np.array([np.ones(60), scores[0]]), gold, 0.05, 1)
    assert all(map(math.isnan, flat))
    assert known.value == pytest.approx(stats.spearmanr(scores[0], gold).statistic)


def test_a_statistic_that_the_paper_does_not_test_stays_as_it_is():
    scores, labels = simulated(np.random.default_rng(6), "auc", 60, [1, 2])
    assert "McNemar" not in published(scores, labels, "auc").test


@pytest.mark.long
def test_bonferroni_keeps_false_claims_among_many_comparisons_rare():
    generator = np.random.default_rng(7)
    trials, any_false = 150, 0
    for trial in range(trials):
        scores, truth = simulated(generator, "spearman", 220, [1] * 6)
        found = published(scores, truth, "spearman", resamples=6000, seed=trial)
        any_false += any(each.significant for each in found.differences)
    assert any_false / trials < 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)
