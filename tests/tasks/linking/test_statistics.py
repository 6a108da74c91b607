"""Accuracy, reciprocal ranks and their differences: by hand, and by what must hold."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.similarity.search import Listed
from termgauge.statistics.compare import compare, estimated
from termgauge.statistics.separation import mcnemar
from termgauge.tasks.linking.result import Measure, clusters_of, linking_differences, measures_at, outcomes_of


def test_measures_of_ranks_by_hand():
    ranks = np.array([1, 2, 0, 7], np.int32)
    assert Measure("accuracy", 1).of(ranks).tolist() == [1, 0, 0, 0]
    assert Measure("accuracy", 5).of(ranks).tolist() == [1, 1, 0, 0]
    assert Measure("mrr").of(ranks).tolist() == [1, 0.5, 0, 1 / 7]


def test_queries_that_share_a_concept_are_one_cluster():
    assert clusters_of(Listed.from_lists([[5], [3], [3, 4], [5, 9], [9], [4]])).tolist() == [5, 3, 3, 5, 5, 3]


def statistics(ranks, beside=(), clusters=None):
    count = len(next(iter(ranks.values())))
    right = Listed.from_lists([[each] for each in (range(count) if clusters is None else clusters)])
    groups = {"words": {"first": np.arange(count) < 10}}
    outcomes = outcomes_of(ranks, right, [1, 5], groups)
    measures = measures_at([1, 5])
    found = {m.key: compare([outcomes[m.key,]], correction="bonferroni", reference=beside) for m in measures}
    return outcomes, found, list(linking_differences(found, ranks, [1, 5]))


def test_values_groups_and_differences():
    rng = np.random.default_rng(0)
    ranks = {name: rng.integers(0, most, 200).astype(np.int32) for name, most in {"a": 4, "b": 4, "low": 60}.items()}
    outcomes, found, differences = statistics(ranks)
    at_1 = found["1"].sets[0].by_model["a"]
    assert at_1.value == pytest.approx((ranks["a"] == 1).mean())
    assert at_1.low < at_1.value < at_1.high
    group = estimated(outcomes["words", "first"])["a"]
    assert group.value == pytest.approx((ranks["a"][:10] == 1).mean())
    pairs = [(each.one, each.other) for each in differences]
    assert pairs == [("a", "b"), ("a", "low"), ("b", "low")] * len(measures_at([1, 5]))
    first = dict(zip(pairs[:3], differences[:3], strict=True))
    assert first["a", "low"].significant
    assert not first["a", "b"].significant
    only = [int(((ranks[x] == 1) & (ranks[y] != 1)).sum()) for x, y in (("a", "low"), ("low", "a"))]
    exact = first["a", "low"].mcnemar_p, first["a", "low"].mcnemar_adjusted_p
    assert exact == pytest.approx((mcnemar(*only), min(1, 3 * mcnemar(*only))))
    assert differences[-1].mcnemar_p is None


def test_two_baselines_are_not_compared():
    ranks = {name: np.array([1, 2, 3, 1], np.int32) for name in ("mine", "one", "other")}
    differences = statistics(ranks, beside=["one", "other"])[-1]
    assert {(each.one, each.other) for each in differences} == {("mine", "one"), ("mine", "other")}
    assert {each.p_value for each in differences} == {1.0}


def test_the_verdict_can_be_said_where_two_baselines_are_on_either_side_of_what_is_certain():
    rng = np.random.default_rng(0)
    right = {"mine": 500, "near": 490, "far": 100}
    ranks = {name: rng.permutation(np.arange(1000) < count).astype(np.int32) for name, count in right.items()}
    verdict = statistics(ranks, beside=["near", "far"])[1]["1"].main.verdict
    assert verdict.startswith("mine and near cannot be told apart; mine is better than far.")


def test_what_depends_on_each_other_is_less_certain():
    rng = np.random.default_rng(1)
    known = np.repeat(rng.random(50) < 0.5, 8)
    ranks = {"a": np.where(known, 1, 9).astype(np.int32), "b": np.full(400, 9, np.int32)}
    alone = statistics(ranks)[1]["1"].sets[0].by_model["a"]
    together = statistics(ranks, clusters=np.repeat(np.arange(50), 8))[1]["1"].sets[0].by_model["a"]
    assert together.high - together.low > 2 * (alone.high - alone.low)
