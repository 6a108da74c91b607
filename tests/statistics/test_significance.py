"""Comparisons of all systems on a set: what they report, their level, and that they find real differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as of_statsmodels

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.correlation import Jackknifed, pearson, spearman
from termgauge.statistics.dependence import Dependence
from termgauge.statistics.inputs import GRADED, STATISTICS
from termgauge.statistics.precision import average_precision, best_f1
from termgauge.statistics.separation import auc, best_accuracy, cross_validated_accuracy, mcnemar
from termgauge.statistics.significance import compare_systems


def simulated(generator, statistic, n, qualities):
    """Return truth, and scores of systems that share a part of their errors."""
    truth = generator.normal(size=n) if statistic in GRADED else (np.arange(n) % 2).astype(float)
    shared = generator.normal(size=n)
    own = generator.normal(size=(len(qualities), n))
    return np.array(qualities)[:, None] * truth + 0.7 * shared + 0.7 * own, truth


@pytest.mark.parametrize("statistic", STATISTICS)
def test_values_are_those_of_single_systems(statistic):
    scores, truth = simulated(np.random.default_rng(0), statistic, 90, [0.5, 1, 2])
    found = compare_systems(["a", "b", "c"], scores, truth, statistic=statistic, alpha=0.1)
    single = {
        "spearman": lambda row: [spearman(row, truth), *Jackknifed.rhos(row[None], truth).value(0, 0.1)[1:]],
        "accuracy": lambda row: best_accuracy(row, truth, alpha=0.1)[:3],
        "auc": lambda row: auc(row, truth, alpha=0.1)[:3],
        "pearson": lambda row: [pearson(row, truth), *Jackknifed.pearsons(row[None], truth).value(0, 0.1)[1:]],
        "ap": lambda row: average_precision(row, truth, alpha=0.1)[:3],
        "f1": lambda row: best_f1(row, truth, alpha=0.1)[:3],
    }[statistic]
    for value, row in zip(found.values, scores, strict=True):
        np.testing.assert_allclose(value, single(row), atol=1e-12)
    assert found.comparisons == 3
    assert found.level == pytest.approx(0.1 / 3)
    assert found.ranking == (2, 1, 0)


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "none"])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_matrices_are_antisymmetric_and_flags_follow_from_them(statistic, correction):
    scores, truth = simulated(np.random.default_rng(1), statistic, 120, [0.1, 0.6, 0.7, 2])
    found = compare_systems(list("abcd"), scores, truth, statistic=statistic, correction=correction)
    np.testing.assert_array_equal(found.differences, -found.differences.T)
    np.testing.assert_array_equal(found.lows, -found.highs.T)
    np.testing.assert_array_equal(found.p_values, found.p_values.T)
    np.testing.assert_array_equal(found.significant, found.significant.T)
    assert not found.significant.diagonal().any()
    assert sum(found.wins) == sum(found.losses) == found.significant.sum() / 2 > 0
    upper = np.triu_indices(4, 1)
    np.testing.assert_array_equal(found.significant[upper], found.adjusted_p[upper] < 0.05)
    for place, name in enumerate(found.names):
        wins = sum(found.between(name, other).significant and found.between(name, other).value > 0 for other in "abcd")
        assert found.wins[place] == wins


@pytest.mark.parametrize("statistic", STATISTICS)
def test_holm_finds_what_bonferroni_finds_and_no_correction_finds_most(statistic):
    more = 0
    for seed in range(8):
        scores, truth = simulated(np.random.default_rng(seed), statistic, 80, [0.2, 0.6, 1, 1.4])
        options = {"statistic": statistic, "resamples": 2000}
        flags = [
            compare_systems(list("abcd"), scores, truth, correction=c, **options).significant
            for c in ("bonferroni", "holm", "none")
        ]
        assert (flags[0] <= flags[1]).all()
        assert (flags[1] <= flags[2]).all()
        more += flags[2].sum() - flags[0].sum()
    assert more > 0


@pytest.mark.parametrize("statistic", STATISTICS)
def test_identical_systems_do_not_differ(statistic):
    scores, truth = simulated(np.random.default_rng(2), statistic, 50, [1])
    found = compare_systems(["a", "b"], [scores[0], scores[0]], truth, statistic=statistic)
    assert found.between("a", "b").value == 0
    assert found.between("a", "b").p_value == 1
    assert not found.significant.any()
    if statistic != "accuracy":
        assert np.isnan(found.between("a", "b")[3:5]).all()


def test_constant_scores_are_reported_and_left_out():
    scores, truth = simulated(np.random.default_rng(3), "spearman", 60, [0, 3])
    found = compare_systems(["a", "flat", "c"], [scores[0], np.ones(60), scores[1]], truth, statistic="spearman")
    assert found.undefined == ("flat",)
    assert found.comparisons == 1
    assert found.wins == (0, 0, 1)
    assert found.ranking == (2, 0, 1)
    assert math.isnan(found.between("a", "flat").p_value)
    assert found.values[2].value == pytest.approx(stats.spearmanr(scores[1], truth).statistic)


def test_constant_ratings_leave_nothing_to_compare():
    found = compare_systems(["a", "b"], np.random.default_rng(0).normal(size=(2, 9)), np.ones(9), statistic="spearman")
    assert found.undefined == ("a", "b")
    assert not found.significant.any()


def test_a_single_pair_and_a_single_system():
    assert compare_systems(["a", "b"], [[0.1], [0.2]], [3], statistic="spearman").undefined == ("a", "b")
    alone = compare_systems(["a"], [[0.1, 0.5, 0.3]], [1, 2, 3], statistic="spearman")
    assert alone.wins == (0,)
    assert alone.values[0].value == 0.5


def test_the_same_seed_gives_the_same_intervals():
    scores, truth = simulated(np.random.default_rng(4), "spearman", 60, [1, 1, 2])
    one, again, other = (
        compare_systems(list("abc"), scores, truth, statistic="spearman", resamples=500, seed=seed, tests="paper")
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one.lows, again.lows)
    assert (one.lows != other.lows).any()


def test_resamples_grow_with_the_number_of_comparisons():
    scores, truth = simulated(np.random.default_rng(5), "spearman", 20, [1] * 12)
    names = [str(number) for number in range(12)]
    options = {"statistic": "spearman", "tests": "paper"}
    drawn = compare_systems(names, scores, truth, **options).resamples
    assert drawn % 26_400 == 0 or drawn == 400_000
    assert compare_systems(names, scores, truth, resamples=700, **options).resamples == 700
    assert compare_systems(names, scores, truth, statistic="spearman").resamples == 0


def test_on_small_sets_or_with_concepts_rho_has_no_resamples():
    scores, truth = simulated(np.random.default_rng(9), "spearman", 200, [1, 2])
    alone = Dependence.from_concepts(range(200), [None] * 200)
    named = {
        "BCa bootstrap": {},
        "jackknife on Fisher's scale, clustered by concept": {"shared": alone},
    }
    for name, options in named.items():
        found = compare_systems(["a", "b"], scores, truth, statistic="spearman", **options)
        assert found.test == name
        assert (found.resamples > 0) == ("BCa" in name)
    small = compare_systems(["a", "b"], scores[:, 1:], truth[1:], statistic="spearman")
    assert small.test == "jackknife on Fisher's scale"
    paper = compare_systems(["a", "b"], scores[:, 1:], truth[1:], statistic="spearman", shared=alone, tests="paper")
    assert paper.test == "BCa bootstrap"


def test_tests_of_papers_are_the_published_definitions():
    generator = np.random.default_rng(10)
    scores, gold = simulated(generator, "spearman", 60, [0.5, 1.5])
    together = Dependence.from_concepts(np.arange(60) // 4, [None] * 60)
    options = {"tests": "paper", "shared": together, "seed": 3, "resamples": 600}
    found = compare_systems(["a", "b"], scores, gold, statistic="spearman", **options)
    theirs = stats.bootstrap(
        (*scores, gold), lambda x, y, g: stats.spearmanr(x, g).statistic - stats.spearmanr(y, g).statistic,
        paired=True, vectorized=False, n_resamples=600, method="BCa", rng=np.random.default_rng(3),
    ).confidence_interval  # fmt: skip
    np.testing.assert_allclose(found.between("a", "b")[3:5], theirs, atol=1e-9)
    assert found.between("a", "b").significant == (theirs.high < 0)

    scores, labels = simulated(generator, "accuracy", 60, [0.5, 1.5])
    found = compare_systems(["a", "b"], scores, labels, statistic="accuracy", **options)
    right = [best_accuracy(row, labels).decisions == (labels == 1) for row in scores]
    table = [[(one & other).sum() for other in (right[1], ~right[1])] for one in (right[0], ~right[0])]
    assert found.between("a", "b").p_value == pytest.approx(of_statsmodels(table, exact=True).pvalue)
    assert found.test == "exact McNemar"
    assert found.cross_validated == ()


def test_an_accuracy_must_differ_at_both_thresholds():
    generator = np.random.default_rng(11)
    seen = set()
    for _ in range(60):
        scores, labels = simulated(generator, "accuracy", 40, [0.2, 1.2])
        similar = labels == 1
        found = compare_systems(["a", "b"], scores, labels, statistic="accuracy")
        only = []
        for decide in (best_accuracy, cross_validated_accuracy):
            one, other = (decide(row, labels).decisions == similar for row in scores)
            only.append((int((one & ~other).sum()), int((other & ~one).sum())))
        same = (only[0][0] > only[0][1]) == (only[1][0] > only[1][1]) and (only[0][0] < only[0][1]) == (
            only[1][0] < only[1][1]
        )
        assert found.between("a", "b").p_value == (max(mcnemar(*each) for each in only) if same else 1)
        np.testing.assert_allclose(
            found.cross_validated, [cross_validated_accuracy(row, labels).value for row in scores]
        )
        seen.add((same, mcnemar(*only[0]) < mcnemar(*only[1])))
    assert len(seen) >= 3


@pytest.mark.parametrize("statistic", STATISTICS)
def test_pairs_given_four_times_over_are_not_more_certain(statistic):
    scores, truth = simulated(np.random.default_rng(12), statistic, 100, [1, 1.6])
    shared = Dependence.from_concepts(np.tile(np.arange(100), 4), [None] * 400)
    once = compare_systems(["a", "b"], scores, truth, statistic=statistic).between("a", "b")
    four = compare_systems(["a", "b"], np.tile(scores, 4), np.tile(truth, 4), statistic=statistic, shared=shared)
    naive = compare_systems(["a", "b"], np.tile(scores, 4), np.tile(truth, 4), statistic=statistic).between("a", "b")
    assert four.test.endswith("clustered by concept")
    assert naive.p_value < 0.5 * once.p_value
    if statistic not in ("accuracy", "f1"):  # whose folds are others
        assert four.between("a", "b").p_value == pytest.approx(once.p_value, rel=0.4)
    assert four.between("a", "b").p_value > 2 * naive.p_value


@pytest.mark.parametrize("tests", ["robust", "paper"])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_three_pairs_prove_nothing(statistic, tests):
    truth = [1, 2, 3] if statistic == "spearman" else [0, 0, 1]
    found = compare_systems(["a", "b"], [[1, 2, 3], [3, 2, 1]], truth, statistic=statistic, tests=tests)
    apart = found.between("a", "b")
    assert apart.value > 0
    assert math.isnan(apart.p_value) or apart.p_value >= 0.25
    assert not (apart.low > 0)
    assert not found.significant.any()


@pytest.mark.long
def test_verdicts_do_not_depend_on_the_seed():
    scores, truth = simulated(np.random.default_rng(13), "spearman", 250, np.linspace(0.8, 1.3, 7))
    names = list("abcdefg")
    exact = compare_systems(names, scores, truth, statistic="spearman", resamples=400_000, seed=99)
    differing = 0
    for seed in range(1, 6):
        found = compare_systems(names, scores, truth, statistic="spearman", seed=seed)
        settled = ~found.open & ~exact.open
        np.testing.assert_array_equal(found.significant[settled], exact.significant[settled])
        assert found.open.sum() <= 4
        few = compare_systems(names, scores, truth, statistic="spearman", seed=seed, resamples=300)
        differing += (few.significant != exact.significant).sum()
        assert (few.open >= found.open).all()
    assert differing > 0  # it is a case in which resamples matter


@pytest.mark.long
def test_bonferroni_keeps_false_claims_among_many_comparisons_rare():
    generator = np.random.default_rng(7)
    trials, any_false = 150, 0
    for trial in range(trials):
        scores, truth = simulated(generator, "spearman", 220, [1] * 6)
        found = compare_systems(list("abcdef"), scores, truth, statistic="spearman", resamples=6000, seed=trial)
        any_false += found.significant.any()
    assert any_false / trials < 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)


def test_spearman_ties_in_scores_and_ratings():
    generator = np.random.default_rng(8)
    scores = generator.integers(0, 4, (3, 70)).astype(float)
    gold = generator.integers(0, 5, 70).astype(float)
    found = compare_systems(list("abc"), scores, gold, statistic="spearman", resamples=500)
    assert [value.value for value in found.values] == pytest.approx([spearman(row, gold) for row in scores])


@pytest.mark.parametrize(
    ("names", "scores", "truth", "options", "words"),
    [
        ([], [], [1, 2], {}, "no system"),
        (["a"], [[1, 2], [3, 4]], [1, 2], {}, "1 names for 2 systems"),
        (["a", "a"], [[1, 2], [3, 4]], [1, 2], {}, "Two systems are called 'a'"),
        (["a", "b"], [[1, 2], [3]], [1, 2], {}, "'a' has scores for 2 pairs and 'b' for 1"),
        (["a", "b"], [[1, 2], [3, math.nan]], [1, 2], {}, "scores of 'b' have 1 missing"),
        (["a", "b"], [[], []], [], {}, "no pair that all systems can score"),
        (["a"], [[1, 2]], [1, 2, 3], {}, "2 scores for 3 pairs"),
        (["a"], [[1, 2]], [1, 2], {"correction": "hulm"}, "Did you mean 'holm'"),
        (["a"], [[1, 2]], [1, 2], {"statistic": "spaerman"}, "Did you mean 'spearman'"),
        (["a"], [[1, 2]], [1, 2], {"alpha": 0}, "between 0 and 1"),
        (["a"], [[1, 2]], [1, 2], {"tests": "papr"}, "Did you mean 'paper'"),
        (["a"], [[1, 2]], [1, 1], {"statistic": "auc"}, "no negative pair"),
    ],
)
def test_bad_input_is_told_in_one_sentence(names, scores, truth, options, words):
    with pytest.raises(TermgaugeError, match=words):
        compare_systems(names, scores, truth, **({"statistic": "spearman"} | options))


def test_unknown_name():
    found = compare_systems(["glove", "flat"], [[1, 2, 3], [2, 1, 3]], [1, 2, 3], statistic="spearman")
    with pytest.raises(TermgaugeError, match="Did you mean 'glove'"):
        found.between("glov", "flat")
