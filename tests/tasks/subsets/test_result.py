"""Results of subsets: one set stands by itself in JSON, several by their names, and both are read back."""

from __future__ import annotations

import json

import pytest

import termgauge as tg
from termgauge.tasks.subsets.result import SubsetsResult
from tests.tasks.subsets.banded_run import counts, labelled_pairs, model_of, rated_pairs


@pytest.fixture
def run(tmp_path):
    return tg.evaluate([rated_pairs(), labelled_pairs()], [model_of(rated_pairs())], tmp_path / "run")


def test_one_set_stands_by_itself(run, tmp_path):
    result = tg.subsets(run, property=counts(tmp_path), bands=[1, 10, 100], sets=["rated"])
    document = json.loads(json.dumps(result.as_dict()))
    assert document["outside"] == 0
    assert [(band["low"], band["high"], band["pairs"]) for band in document["bands"]] == [
        (1, 10, 50),
        (10, 100, 50),
        (100, None, 50),
    ]
    found = document["bands"][1]["models"]["knows"]
    assert found["interval"][0] < found["value"] < found["interval"][1]
    assert found["n"] == 50
    assert SubsetsResult.model_validate(document) == result


def test_several_sets_stand_by_their_names(run, tmp_path):
    result = tg.subsets(run, property=counts(tmp_path))
    document = result.as_dict()
    assert list(document["sets"]) == ["rated", "labelled"]
    assert document["sets"]["rated"]["bands"]
    assert SubsetsResult.model_validate(document) == result


def test_values_have_a_row_for_each_band_and_one_for_the_change(run, tmp_path):
    frame = tg.subsets(run, property=counts(tmp_path), sets=["rated"], bands=[1, 10]).to_frame()
    assert frame["item"].to_list() == ["rated, count: 1 to under 10", "rated, count: 10 or more", "rated, count"]
    assert frame["statistic"].to_list() == ["spearman", "spearman", "change"]
