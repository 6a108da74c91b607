from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from termgauge.statistics.inputs import BINARY, STATISTICS
from termgauge.statistics.significance import compare_systems
from termgauge.statistics.system_tests import binary_test, value_of


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_single_value_is_the_one_that_is_compared(statistic):
    generator = np.random.default_rng(1)
    truth = (np.arange(60) % 2).astype(float)
    scores = truth + generator.normal(size=(2, 60))
    compared = compare_systems(["a", "b"], scores, truth, statistic=statistic)
    assert [value_of(statistic, row, truth) for row in scores] == [
        pytest.approx(value.value) for value in compared.values
    ]


def test_values_of_others():
    truth = np.array([0.0, 1, 1, 0, 1])
    scores = np.array([0.1, 0.8, 0.3, 0.4, 0.4])
    assert value_of("ap", scores, truth) == pytest.approx(average_precision_score(truth, scores))
    assert value_of("auc", scores, truth) == pytest.approx(roc_auc_score(truth, scores))
    assert value_of("pearson", scores, truth) == pytest.approx(stats.pearsonr(scores, truth).statistic)


@pytest.mark.parametrize("statistic", BINARY)
def test_a_perfect_system_beats_noise_but_not_itself(statistic):
    similar = np.arange(200) % 2 == 0
    noise = np.random.default_rng(2).normal(size=200)
    test = binary_test(statistic, np.array([similar, similar, noise]), similar, 0.05, None, robust=True, seed=1)
    assert test.compare(0, 1, 0.05)[1] == 1
    assert test.compare(0, 2, 0.05)[1] < 1e-6
    assert test.compare(0, 2, 0.05)[0].low > 0
