"""What a set can show: it shrinks as the root of its size, and differences of that size are found as often as said."""

from __future__ import annotations

import math

import numpy as np
import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.dependence import Dependence
from termgauge.statistics.inputs import GRADED, STATISTICS
from termgauge.statistics.power import smallest_detectable_difference
from termgauge.statistics.significance import compare_systems


def observed(statistic, n, seed=0):
    generator = np.random.default_rng(seed)
    truth = generator.normal(size=n) if statistic in GRADED else (np.arange(n) % 2).astype(float)
    quality = 2 if statistic == "f1" else 1  # calling all pairs similar gives an F1 of 2/3 already
    return quality * truth + generator.normal(size=(4, n)), truth


@pytest.mark.long
@pytest.mark.parametrize("statistic", STATISTICS)
def test_it_shrinks_as_the_root_of_the_size(statistic):
    scores, truth = observed(statistic, 4000)
    options = {"statistic": statistic}
    found = [smallest_detectable_difference(scores[:, :n], truth[:n], **options).difference for n in (200, 800, 4000)]
    assert found[0] / found[1] == pytest.approx(2, rel=0.25)
    assert found[1] / found[2] == pytest.approx(math.sqrt(5), rel=0.25)


def test_a_stricter_level_and_more_power_need_a_greater_difference():
    scores, truth = observed("spearman", 150)
    options = {"statistic": "spearman"}
    usual = smallest_detectable_difference(scores, truth, **options)
    strict = smallest_detectable_difference(scores, truth, level=0.05 / 253, **options)
    sure = smallest_detectable_difference(scores, truth, power=0.95, **options)
    assert usual.difference < sure.difference < strict.difference
    assert (usual.n, usual.level, usual.power) == (150, 0.05, 0.8)


@pytest.mark.long
@pytest.mark.parametrize(("statistic", "trials"), [("spearman", 150), ("pearson", 300), ("auc", 300), ("ap", 300)])
def test_such_a_difference_is_found_in_80_percent_of_sets(statistic, trials):
    # Two systems whose true difference is known are compared on fresh sets, with the test that users get.
    def fresh(generator, n, quality):
        truth = generator.normal(size=n) if statistic in GRADED else (np.arange(n) % 2).astype(float)
        scores = np.array([[1.0], [quality]]) * truth + generator.normal(size=(2, n))
        return scores, truth

    def true_difference(quality):
        scores, truth = fresh(np.random.default_rng(99), 200_000, quality)
        found = compare_systems(["a", "b"], scores, truth, statistic=statistic, resamples=1)
        return found.between("a", "b").value

    n = 150
    scores, truth = fresh(np.random.default_rng(5), n, 1.0)
    wanted = smallest_detectable_difference(scores, truth, statistic=statistic).difference
    low, high = 0.0, 1.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if true_difference(middle) > wanted else (low, middle)
    generator = np.random.default_rng(6)
    found = 0
    for trial in range(trials):
        scores, truth = fresh(generator, n, low)
        comparison = compare_systems(["a", "b"], scores, truth, statistic=statistic, resamples=1000, seed=trial)
        found += comparison.between("a", "b").significant
    assert found / trials == pytest.approx(0.8, abs=0.12)


def test_where_no_rival_can_be_worse_by_enough_it_is_better():
    generator = np.random.default_rng(0)
    labels = np.repeat([1, 0], 1000)
    near_guessing = generator.normal(size=(3, 2000)) + 0.02 * labels
    found = smallest_detectable_difference(near_guessing, labels, statistic="accuracy")
    assert 0.02 < found.difference < 0.1


def test_a_handful_of_pairs_shows_nothing():
    scores, truth = observed("accuracy", 8)
    assert smallest_detectable_difference(scores, truth, statistic="accuracy", level=0.001).difference == math.inf
    scores, truth = observed("spearman", 2)
    assert smallest_detectable_difference(scores, truth, statistic="spearman").difference == math.inf


@pytest.mark.parametrize("statistic", ["accuracy", "auc"])
def test_systems_that_separate_perfectly(statistic):
    scores, truth = observed(statistic, 200)
    found = smallest_detectable_difference(scores + 20 * truth, truth, statistic=statistic)
    assert 0.01 < found.difference < 0.08


def test_perfect_and_identical_systems_can_only_be_turned_round():
    _, truth = observed("spearman", 60)
    assert smallest_detectable_difference([truth, truth], truth, statistic="spearman").difference == 2


@pytest.mark.parametrize("statistic", STATISTICS)
def test_pairs_that_share_concepts_show_less(statistic):
    scores, truth = observed(statistic, 200)
    shared = Dependence.from_concepts(np.tile(np.arange(200), 4), [None] * 800)
    once = smallest_detectable_difference(scores, truth, statistic=statistic).difference
    four = np.tile(scores, 4), np.tile(truth, 4)
    assert smallest_detectable_difference(*four, statistic=statistic).difference < 0.7 * once
    assert smallest_detectable_difference(*four, statistic=statistic, shared=shared).difference == pytest.approx(
        once, rel=0.1
    )


@pytest.mark.parametrize(
    ("scores", "truth", "options", "words"),
    [
        ([[1, 2, 3]], [1, 2, 3], {}, "at least two systems"),
        ([[1, 2, 3], [1, 1, 1]], [1, 2, 3], {}, "at least two systems"),
        ([[1, 2, 3], [1, 3, 2]], [1, 1, 1], {}, "ratings vary"),
        ([[1, 2, 3], [1, 3, 2]], [1, 2, 3], {"power": 1.5}, "power must lie"),
        ([[1, 2, 3], [1, 3, 2]], [1, 2, 3], {"statistic": "acuracy"}, "Did you mean 'accuracy'"),
        ([[1, 2, 3], [1, 3, math.nan]], [1, 2, 3], {}, "missing"),
    ],
)
def test_bad_input_is_told_in_one_sentence(scores, truth, options, words):
    with pytest.raises(TermgaugeError, match=words):
        smallest_detectable_difference(scores, truth, **({"statistic": "spearman"} | options))
