"""What changed in scores: sets by their contents, values by paired tests."""

from __future__ import annotations

import numpy as np
import pytest

from termgauge.benchmark.pairset import PairSet
from termgauge.engine.evaluate import evaluate
from termgauge.statistics.inputs import adjusted
from termgauge.tasks import contract
from termgauge.tasks.changes import ModelChange
from termgauge.tasks.pairs.changes import pair_changes
from tests.engine.toy_models import ToyPairs, ToyTerms, binary_set, graded_set

MODEL = [ModelChange("own", "own", "same")]


@pytest.fixture
def changes(tmp_path):
    def compared(before, after, **testing):
        runs = [
            evaluate(sets, models, tmp_path / name).scored()
            for name, (sets, models) in (("one", before), ("two", after))
        ]
        return pair_changes(tuple(runs), MODEL, contract.Testing(**testing))

    return compared


def scores(seed, noise=1.0):
    truth = binary_set().frame["label"].to_numpy()
    return tuple((truth + np.random.default_rng(seed).normal(0, noise, len(truth))).tolist())


def test_sets_are_the_same_by_contents_then_by_name(changes):
    graded, binary = graded_set(), binary_set()
    before = [graded, binary, binary_set("toy/gone", seed=9)]
    after = [PairSet("renamed", graded.frame), PairSet(binary.id, binary.frame.head(20)), binary_set("toy/new", seed=8)]
    found = changes((before, [ToyPairs()]), (after, [ToyPairs()]))
    assert [(each.name, each.other, each.state) for each in found.sets] == [
        ("toy/graded", "renamed", "renamed"),
        ("toy/binary", "toy/binary", "changed"),
        ("toy/gone", "", "only in the first run"),
        ("", "toy/new", "only in the second run"),
    ]
    assert {(each.set, each.paired) for each in found.values} == {("toy/graded", True), ("toy/binary", False)}


def test_equal_scores_are_not_tested(changes):
    found = changes(([binary_set()], [ToyPairs()]), ([binary_set()], [ToyPairs()]))
    assert [(each.identical, each.test, each.verdict) for each in found.values] == [(True, "", "unchanged")] * 2
    assert found.missing == []


@pytest.mark.parametrize("correction", ["bonferroni", "holm", "none"])
def test_all_tests_are_corrected_together(changes, correction):
    one = ([binary_set()], [ToyPairs(scores=scores(1, 0.2))])
    other = ([binary_set()], [ToyPairs(scores=scores(2, 9))])
    accuracy, area = changes(one, other, correction=correction).values
    assert (accuracy.statistic, area.statistic) == ("accuracy", "auc")
    expected = adjusted([accuracy.p_value, area.p_value], correction)
    assert (accuracy.adjusted_p, area.adjusted_p) == pytest.approx(tuple(expected))
    assert {accuracy.verdict, area.verdict} == {"worse"}
    assert accuracy.low <= accuracy.difference <= accuracy.high < 0


def test_what_only_one_run_has_scored(changes):
    found = changes(([binary_set(), graded_set()], [ToyPairs()]), ([binary_set(), graded_set()], [ToyTerms("own")]))
    assert {each.measures for each in found.values} == {("similarity", "cos")}
    assert {each.measure for each in found.values} == {"similarity → cos"}
    assert found.missing == []
