from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from termgauge.benchmark.pairset import PairSet
from termgauge.engine.evaluate import evaluate
from termgauge.executor import use_executor
from termgauge.statistics.bootstrap import resampled_rhos
from termgauge.statistics.separation import best_accuracy, cross_validated_decisions
from termgauge.tasks import contract
from termgauge.tasks.pairs.results import (
    SCHEMA,
    STATISTICS,
    make_results,
    scored_systems,
    set_results,
    shared_pairs,
    truth_of,
)
from tests.common.executors import FarExecutor, SmallExecutor
from tests.engine.toy_models import ToyWords, binary_set, graded_set

NAN = float("nan")


def values(frame, **where):
    found = frame.filter(**where)
    assert found.height == 1, (where, found)
    return found.row(0, named=True)


def systems(size, *, seed=0, lost=0.2):
    """Return some scores with gaps: two measures of one model with the same gaps, others with their own."""
    generator = np.random.default_rng(seed)
    scores = {(model, measure): generator.normal(size=size) for model, measure in (("a", "x"), ("a", "y"), ("b", "x"))}
    gaps = generator.random((2, size)) < lost
    for (model, _measure), own in scores.items():
        own[gaps["ab".index(model)]] = NAN
    scores["c", "x"] = generator.normal(size=size)
    return scores


def test_graded_values_are_those_of_scipy():
    pairs = graded_set(size=60)
    scores = systems(60)
    found = set_results(pairs, scores)
    assert dict(found.schema) == SCHEMA
    assert set(found["statistic"]) <= set(STATISTICS)
    together = ~np.isnan(np.array(list(scores.values()))).any(axis=0)
    for (model, measure), own in scores.items():
        for subset, usable in (("own", ~np.isnan(own)), ("shared", together)):
            row = values(found, model=model, measure=measure, subset=subset, statistic="spearman")
            truth = truth_of(pairs)[usable]
            assert row["n"] == usable.sum()
            assert row["value"] == pytest.approx(stats.spearmanr(own[usable], truth)[0], abs=1e-12)
            assert -1 < row["low"] < row["value"] < row["high"] < 1
        coverage = values(found, model=model, measure=measure, statistic="coverage")
        assert coverage["value"] == pytest.approx((~np.isnan(own)).mean())
        assert coverage["low"] <= coverage["value"] <= coverage["high"]
        assert (coverage["n"], coverage["subset"]) == (60, "own")


def test_binary_values():
    pairs = binary_set(size=50)
    scores = systems(50)
    found = set_results(pairs, scores)
    for (model, measure), own in scores.items():
        usable = ~np.isnan(own)
        truth = truth_of(pairs)[usable]
        area = values(found, model=model, measure=measure, subset="own", statistic="auc")
        assert area["value"] == pytest.approx(roc_auc_score(truth, own[usable]))
        assert area["low"] < area["value"] < area["high"]
        decided = cross_validated_decisions(own[usable], truth == 1)
        expected = {
            "accuracy": best_accuracy(own[usable], truth).value,
            "accuracy_cv": (decided == (truth == 1)).mean(),
        }
        for statistic, value in expected.items():
            row = values(found, model=model, measure=measure, subset="own", statistic=statistic)
            assert row["value"] == value
            assert 0 < row["low"] < row["value"] < row["high"] < 1


@pytest.mark.parametrize("make", [graded_set, binary_set])
def test_values_of_a_model_do_not_depend_on_which_others_are_there(make):
    pairs = make(size=50)
    scores = systems(50)
    everything = set_results(pairs, scores)
    alone = set_results(pairs, {("b", "x"): scores["b", "x"]})
    keep = {"model": "b", "subset": "own"}
    assert alone.filter(**keep).equals(everything.filter(**keep))


@pytest.mark.parametrize("make", [graded_set, binary_set])
def test_a_model_that_scores_nothing_does_not_empty_the_shared_pairs(make):
    pairs = make()
    scores = systems(40)
    with_none = {**scores, ("none", "x"): np.full(40, NAN)}
    assert np.array_equal(shared_pairs(with_none, 40), shared_pairs(scores, 40))
    assert list(scored_systems(with_none)) == list(scores)
    found = set_results(pairs, with_none)
    assert found.filter(pl.col("model") != "none").equals(set_results(pairs, scores))
    lost = found.filter(model="none")
    assert lost.filter(pl.col("statistic") != "coverage")["value"].null_count() == lost.height - 1
    assert set(lost.filter(pl.col("statistic") != "coverage")["n"]) == {0}
    assert values(lost, statistic="coverage")["value"] == 0
    nothing = set_results(pairs, {("none", "x"): np.full(40, NAN)})
    assert nothing.filter(subset="shared")["value"].is_null().all()


def test_nothing_shared():
    pairs = graded_set(size=4)
    scores = {("a", "x"): np.array([1.0, 2, NAN, NAN]), ("b", "x"): np.array([NAN, NAN, 1.0, 2])}
    found = set_results(pairs, scores)
    shared = found.filter(subset="shared")
    assert shared["value"].is_null().all()
    assert set(shared["n"]) == {0}
    assert found.filter(subset="own", statistic="spearman")["n"].to_list() == [2, 2]


def test_what_is_undefined_is_null_and_nothing_fails():
    def one(scores, truth, column):
        frame = pl.DataFrame({"term_1": ["a"] * len(truth), "term_2": ["b"] * len(truth), column: truth})
        return set_results(PairSet("x", frame), {("m", "cos"): np.array(scores, float)})

    for made in (
        one([0.5, 0.5, 0.5], [1.0, 2.0, 3.0], "score"),  # constant scores
        one([0.1, 0.2, 0.3], [2.0, 2.0, 2.0], "score"),  # constant ratings
        one([0.1], [2.0], "score"),  # a single pair
        one([0.1], [1], "label"),
        one([0.1, 0.4], [1, 1], "label"),  # no negatives
        one([0.1, 0.4], [0, 0], "label"),  # no positives
        one([NAN, 0.4], [0, 1], "label"),  # one pair left
        one([], [], "score"),
    ):
        assert made.filter(pl.col("statistic") != "coverage")["value"].is_null().all()
    constant = one([0.5] * 4, [1, 0, 1, 0], "label")
    assert values(constant, subset="own", statistic="auc")["value"] == 0.5
    assert values(constant, subset="own", statistic="accuracy")["value"] == 0.5
    tiny = one([0.1, 0.4], [0, 1], "label")
    assert values(tiny, subset="own", statistic="auc")["value"] == 1
    assert values(tiny, subset="own", statistic="auc")["low"] is None
    assert values(one([0.1, 0.4], [1.0, 2.0], "score"), subset="own", statistic="spearman")["value"] == 1


def test_intervals_of_the_papers_are_those_of_bootstraps():
    pairs, scores = graded_set(size=60), systems(60)
    row = values(
        set_results(pairs, scores, contract.Testing(tests="paper", seed=7)), model="c", measure="x", subset="own",
        statistic="spearman",
    )  # fmt: skip
    single = resampled_rhos(scores["c", "x"][None], truth_of(pairs), 10_000, 7).single(0)
    assert (row["low"], row["high"]) == single.interval(0.05)


def test_a_model_with_few_words_moves_nobody():
    pairs, scores = graded_set(size=60), systems(60)
    alone = set_results(pairs, scores)
    poor = np.full(60, NAN)
    poor[:20] = np.arange(20)
    found = set_results(pairs, {**scores, ("poor", "x"): poor})
    assert found.filter(pl.col("model") != "poor").equals(alone)
    shared = values(found, model="poor", subset="shared", statistic="spearman")
    assert (shared["value"], shared["n"]) == (None, 0)
    assert values(found, model="poor", subset="own", statistic="spearman")["n"] == 20
    everyone = set_results(pairs, {**scores, ("poor", "x"): poor}, contract.Testing(min_coverage=0.0))
    assert values(everyone, model="poor", subset="shared", statistic="spearman")["n"] < 20
    assert values(set_results(pairs, {("poor", "x"): poor}), subset="shared", statistic="spearman")["n"] == 20


def test_pairs_that_share_concepts_say_less():
    pairs = binary_set(size=50)
    concepts = pl.DataFrame({"concept_1": [str(n // 5) for n in range(50)], "concept_2": [f"x{n}" for n in range(50)]})
    scores = {("m", "x"): truth_of(pairs) + np.repeat(np.random.default_rng(1).normal(size=10), 5)}
    alone, together = (set_results(each, scores) for each in (pairs, pairs.with_concepts(concepts)))
    for statistic in ("auc", "accuracy"):
        one, other = (values(each, subset="own", statistic=statistic) for each in (alone, together))
        assert one["value"] == other["value"]
        assert other["high"] - other["low"] > 1.2 * (one["high"] - one["low"])
    paper = [
        set_results(each, scores, contract.Testing(tests="paper")) for each in (pairs, pairs.with_concepts(concepts))
    ]
    assert paper[0].equals(paper[1])


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
@pytest.mark.parametrize("kind", [SmallExecutor, FarExecutor])
def test_a_executor_makes_the_same_values(kind, tmp_path):
    sets = [binary_set(), graded_set(), binary_set("again", seed=5)]
    models = [
        ToyWords("all"),
        ToyWords("few", words=["heart", "attack", "fever", "cough"], seed=1),
        ToyWords("c", seed=2),
    ]
    scored = evaluate(sets, models, tmp_path / "run").scored()
    place = kind(tmp_path / "place")
    with use_executor(place):
        found = make_results(scored)
    assert found.equals(make_results(scored))
    assert place.called.count("values") == 9, "a block for each model and set"
