import numpy as np
import pytest
from scipy import stats

from termgauge.statistics.compare import compare
from termgauge.tasks.ner.measure import outcomes_of
from tests.tasks.ner.counts import with_gold

GENERATOR = np.random.default_rng(1)
GOLD = GENERATOR.poisson(1.2, 600)
DOCUMENTS = np.repeat(np.arange(60), 10)
COUNTS = {
    name: [with_gold(GOLD, good, GENERATOR) for _ in range(3)]
    for name, good in (("poor", 0.5), ("good", 0.8), ("as good", 0.8))
}


def f_of(counts):
    right, predicted, gold = counts.sum(axis=0)
    return 2 * right / (predicted + gold)


def mean_f(trials, kept=slice(None)):
    return np.mean([f_of(each[kept]) for each in trials])


def compared(counts, documents=DOCUMENTS, *, trained_anew=True):
    (found,) = compare([outcomes_of("made", counts, documents, trained_anew=trained_anew)]).sets
    return found


def some(*names):
    return {name: COUNTS[name] for name in names}


def test_values_and_marks():
    found = compared(COUNTS)
    assert (found.n, found.units) == (600, 60)
    assert {name: each.value for name, each in found.by_model.items()} == {
        name: pytest.approx(mean_f(trials)) for name, trials in COUNTS.items()
    }
    assert all(each.low < each.value < each.high for each in found.estimates)
    assert [(each.one, each.other, each.significant) for each in found.differences] == [
        ("poor", "good", True),
        ("poor", "as good", True),
        ("good", "as good", False),
    ]


@pytest.mark.parametrize("documents", [DOCUMENTS, None])
def test_the_error_over_documents_is_that_of_leaving_each_out(documents):
    units = np.arange(600) if documents is None else documents
    one, other = COUNTS["good"], COUNTS["as good"]
    left = np.array([mean_f(one, units != at) - mean_f(other, units != at) for at in np.unique(units)])
    size, difference = len(left), mean_f(one) - mean_f(other)
    error = np.sqrt((size - 1) / size * np.square(left - difference).sum())
    (found,) = compared(some("good", "as good"), documents, trained_anew=False).differences
    assert found.value == pytest.approx(difference)
    reach = (found.high - found.low) / 2
    assert stats.t.ppf(0.975, size) * error * 0.99 < reach < stats.t.ppf(0.975, size / 4) * error


def test_sentences_of_a_document_that_are_alike_make_intervals_longer():
    ten_times = {name: [np.repeat(each[:60], 10, axis=0) for each in trials] for name, trials in COUNTS.items()}
    alone, together = (compared(ten_times, units, trained_anew=False) for units in (None, DOCUMENTS))
    for one, other in zip(alone.differences, together.differences, strict=True):
        assert (other.high - other.low) / (one.high - one.low) == pytest.approx(np.sqrt(10), rel=0.1)


def test_where_only_trials_vary_they_are_compared_as_welch_did():
    """Every trial finds the same share in all sentences."""
    shares = {"one": [5, 6, 8], "other": [9, 9, 10]}
    gold = np.full(500, 10)
    counts = {
        name: [np.stack([np.full(500, right), gold, gold], axis=1).astype(np.int32) for right in each]
        for name, each in shares.items()
    }
    (found,) = compared(counts, None).differences
    theirs = stats.ttest_ind(shares["one"], shares["other"], equal_var=False)
    assert found.p_value == pytest.approx(theirs.pvalue)
    low, high = theirs.confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((low / 10, high / 10))
    assert compared(counts, None, trained_anew=False).differences[0].significant


def test_trials_that_differ_make_intervals_longer():
    equal = {name: [COUNTS[name][0]] * 3 for name in ("poor", "good")}
    (networks,), (same,) = (compared(equal, trained_anew=anew).differences for anew in (False, True))
    assert (same.low, same.high) == (networks.low, networks.high)
    (trials,) = compared(some("poor", "good")).differences
    failed = with_gold(GOLD, 0.3, np.random.default_rng(3))
    (apart,) = compared({"poor": COUNTS["poor"], "good": [failed, *COUNTS["good"][1:]]}).differences
    assert apart.high - apart.low > 3 * (trials.high - trials.low)


def test_what_trials_do_in_single_sentences_counts_once():
    """Many trials that differ by chance in each sentence add nothing to what sentences vary anyway."""
    many = {name: [with_gold(GOLD, 0.8, GENERATOR) for _ in range(40)] for name in ("one", "other")}
    (networks,), (trials,) = (compared(many, trained_anew=anew).differences for anew in (False, True))
    assert (trials.high - trials.low) / (networks.high - networks.low) == pytest.approx(1, abs=0.1)


def test_corpora_share_no_document():
    apart = [outcomes_of(name, COUNTS, DOCUMENTS, first=first) for name, first in (("a", 0), ("b", 600))]
    joint, alone = compare(apart).main, compare(apart[:1]).main
    for one, other in zip(joint.differences, alone.differences, strict=True):
        assert one.value == pytest.approx(other.value)
        assert (one.high - one.low) / (other.high - other.low) == pytest.approx(np.sqrt(0.5), rel=0.1)


def test_a_model_and_itself():
    (found,) = compared({"one": COUNTS["good"], "same": COUNTS["good"]}, trained_anew=False).differences
    assert (found.value, found.p_value, found.significant) == (0, 1, False)


@pytest.mark.parametrize("differing", [1, 3])
def test_few_sentences_prove_nothing(differing):
    counts = np.tile([1, 1, 1], (400, 1)).astype(np.int32)
    other = counts.copy()
    other[:differing, 0] = 0
    (found,) = compared({"one": [counts], "other": [other]}, None, trained_anew=False).differences
    assert not found.significant


def test_nothing_found_at_all():
    nothing = np.zeros((30, 3), np.int32)
    nothing[:, 2] = 1
    found = compared({"one": [nothing] * 2, "other": [nothing] * 2}, None)
    assert [each.value for each in found.estimates] == [0, 0]
    assert found.differences[0].p_value == 1
