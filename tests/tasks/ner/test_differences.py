import math

import numpy as np
import pytest
from scipy import stats

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.ner.differences import MANY, compare_models
from tests.tasks.ner.counts import with_gold

GENERATOR = np.random.default_rng(1)
GOLD = GENERATOR.poisson(1.2, 600)
COUNTS = {
    name: [with_gold(GOLD, good, GENERATOR) for _ in range(3)]
    for name, good in (("poor", 0.5), ("good", 0.8), ("as good", 0.8))
}


def f_of(counts):
    right, predicted, gold = counts.sum(axis=0)
    return 2 * right / (predicted + gold)


@pytest.fixture(scope="module")
def tested():
    return compare_models(list(COUNTS), list(COUNTS.values()))


def test_scores(tested):
    assert tested.resamples == 10_000
    for found, (name, trials) in zip(tested.models, COUNTS.items(), strict=True):
        values = [f_of(each) for each in trials]
        assert found.model == name
        assert found.trials == pytest.approx(values)
        assert found.f == pytest.approx(np.mean(values))
        assert found.f_sd == pytest.approx(np.std(values, ddof=1))
        assert found.over_sentences.low < found.f < found.over_sentences.high
        assert found.over_trials.low < found.f < found.over_trials.high


def test_differences(tested):
    names = [(each.one, each.other) for each in tested.over_sentences]
    assert names == [("poor", "good"), ("poor", "as good"), ("good", "as good")]
    assert names == [(each.one, each.other) for each in tested.over_trials]
    for found in (tested.over_sentences, tested.over_trials):
        assert [each.significant for each in found] == [True, True, False]
        scores = {each.model: each.f for each in tested.models}
        for each in found:
            assert each.difference == pytest.approx(scores[each.one] - scores[each.other])
            assert each.low < each.difference < each.high
            assert (each.low > 0 or each.high < 0) == each.significant == (each.adjusted_p < 0.05)
            assert each.adjusted_p == pytest.approx(min(1, 3 * each.p_value))


def test_the_interval_of_one_network_is_that_of_scipy():
    counts = COUNTS["good"][0]
    found = compare_models(["one"], [[counts]], resamples=4000).models[0]

    def f(right, predicted, gold, axis=-1):
        return 2 * right.sum(axis=axis) / (predicted.sum(axis=axis) + gold.sum(axis=axis))

    theirs = stats.bootstrap(
        tuple(counts.T), f, paired=True, n_resamples=4000, method="BCa", random_state=np.random.default_rng(5)
    ).confidence_interval
    assert found.over_sentences == pytest.approx(tuple(theirs), abs=0.002)
    assert math.isnan(found.f_sd)
    assert all(map(math.isnan, found.over_trials))


def test_without_sentences_trials_are_compared_as_welch_did():
    """Where every trial finds the same share in all sentences, only trials vary."""
    gold = np.full(500, 10)
    shares = {"one": [5, 6, 8], "other": [8, 9, 9, 10]}
    counts = [
        [np.stack([np.full(500, right), gold, gold], axis=1).astype(np.int32) for right in each]
        for each in shares.values()
    ]
    (found,) = compare_models(list(shares), counts, resamples=200).over_trials
    theirs = stats.ttest_ind(shares["one"], shares["other"], equal_var=False)
    assert found.p_value == pytest.approx(theirs.pvalue)
    low, high = theirs.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((low / 10, high / 10))


def test_trials_that_differ_make_intervals_longer():
    names = ["poor", "good"]
    equal = compare_models(names, [[COUNTS[name][0]] * 3 for name in names], resamples=500)
    (sentences,), (trials,) = equal.over_sentences, equal.over_trials
    assert trials.high - trials.low == pytest.approx(sentences.high - sentences.low, rel=0.1)
    failed = with_gold(GOLD, 0.3, np.random.default_rng(3))
    (apart,) = compare_models(names, [COUNTS["poor"], [failed, *COUNTS["good"][1:]]], resamples=500).over_trials
    assert apart.high - apart.low > 3 * (trials.high - trials.low)


def test_one_trial_says_nothing_of_trials():
    found = compare_models(["one", "two", "once"], [COUNTS["poor"], COUNTS["good"], COUNTS["good"][:1]], resamples=200)
    assert len(found.over_sentences) == 3
    assert [(each.one, each.other) for each in found.over_trials] == [("one", "two")]
    assert found.over_trials[0].adjusted_p == found.over_trials[0].p_value


def test_a_model_and_itself():
    found = compare_models(["one", "same"], [COUNTS["good"], COUNTS["good"]], resamples=200)
    (difference,) = found.over_sentences
    assert (difference.difference, difference.p_value, difference.significant) == (0, 1, False)
    assert difference.low is difference.high is None
    (difference,) = found.over_trials
    assert (difference.difference, difference.p_value) == (0, 1)


@pytest.mark.parametrize("differing", [1, 3])
def test_few_sentences_prove_nothing(differing):
    counts = np.tile([1, 1, 1], (400, 1)).astype(np.int32)
    other = counts.copy()
    other[:differing, 0] = 0
    (found,) = compare_models(["one", "other"], [[counts], [other]]).over_sentences
    assert found.p_value >= 2.0 ** (1 - differing)
    assert not found.significant


def test_few_sentences_get_longer_intervals():
    few = [[each[: MANY // 4] for each in COUNTS[name]] for name in ("poor", "good")]
    found = compare_models(["poor", "good"], few, resamples=2000)
    (difference,) = found.over_sentences
    assert difference.difference - difference.low == pytest.approx(difference.high - difference.difference)
    assert 0 < found.models[1].over_sentences.low < found.models[1].over_sentences.high < 1


def test_nothing_found_at_all():
    nothing = np.zeros((30, 3), np.int32)
    nothing[:, 2] = 1
    found = compare_models(["one", "other"], [[nothing] * 2, [nothing] * 2], resamples=100)
    assert [each.f for each in found.models] == [0, 0]
    assert found.over_trials[0].p_value == 1


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "none"])
def test_corrections_and_seeds(correction):
    options = {"correction": correction, "resamples": 300, "seed": 3}
    first = compare_models(list(COUNTS), list(COUNTS.values()), **options)
    assert first == compare_models(list(COUNTS), list(COUNTS.values()), **options)
    factor = {"bonferroni": 3, "holm": 1, "none": 1}[correction]
    last = first.over_trials[-1]
    assert last.adjusted_p == pytest.approx(min(1, factor * last.p_value))


@pytest.mark.parametrize("counts", [[], [[]], [[np.zeros((0, 3), np.int32)]]])
def test_what_cannot_be_compared(counts):
    with pytest.raises(TermgaugeError, match="trials on the same sentences"):
        compare_models(["one"], counts)
    with pytest.raises(TermgaugeError, match="trials on the same sentences"):
        compare_models(["one", "other"], [[COUNTS["good"][0]], [COUNTS["good"][0][:5]]])
