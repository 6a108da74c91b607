"""What linking gives: its JSON, its values, and its wrong answers."""

from __future__ import annotations

import json

import pytest

import termgauge as tg
from tests.tasks.linking.samples import model, terminology


@pytest.fixture(scope="module")
def result():
    return tg.linking(terminology(), [model("a"), model("b")], k=[1, 2], device="cpu")


def test_its_json_has_the_keys_that_others_rely_on(result):
    said = json.loads(json.dumps(result.as_dict()))
    assert (said["index"], said["index_of"], said["queries"], said["ambiguous"]) == (5, "names", 7, 1)
    figures = said["models"]["a"]
    assert figures["accuracy"] == {"1": 4 / 7, "2": 4 / 7}
    assert figures["mrr"] == 4 / 7
    assert (figures["unscored"], figures["index_unscored"]) == (3, 0)
    assert set(figures["intervals"]) == {"accuracy", "mrr"}
    low, high = figures["intervals"]["accuracy"]["1"]
    assert low < 4 / 7 < high
    assert {each["statistic"] for each in said["differences"]} == {"accuracy", "mrr"}
    same = next(each for each in said["differences"] if {each["one"], each["other"]} == {"a", "b"})
    assert (same["difference"], same["p_value"], same["mcnemar_p"], same["significant"]) == (0, 1, 1, False)


def test_values_are_those_of_the_models_alone(result):
    assert {value.model for value in result.values()} == {"a", "b"}
    assert {(value.item, value.statistic) for value in result.values()} == {
        ("k = 1", "accuracy"), ("k = 2", "accuracy"), ("", "mrr"),
    }  # fmt: skip
    assert set(result.everyone) == {"a", "b", *result.baselines}


def test_wrong_answers_come_nearest_first_with_their_ranks(result):
    wrong = result.baselines["edit distance"].wrong
    assert wrong
    assert [each.answer_score for each in wrong] == sorted((each.answer_score for each in wrong), reverse=True)
    for each in wrong:
        assert each.rank != 1
        assert each.answer_concept not in each.concepts
        assert each.right_score <= each.answer_score


def test_terms_without_another_name_are_counted():
    result = tg.linking(terminology(), model(), index="all", baselines=False, device="cpu")
    assert (result.unanswerable, result.baselines) == (1, {})
