"""The values of a run, with where models stand made from them on demand."""

from __future__ import annotations

import json

import pytest

from termgauge.engine.evaluate import evaluate
from termgauge.tasks.pairs.task import TASK
from tests.engine.toy_models import ToyPairs, ToyTerms, binary_set, graded_set

HARD = "hp/fsn-syn/hard/random"


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    sets = [graded_set(size=60), binary_set(HARD, size=60)]
    run = evaluate(sets, [ToyTerms(), ToyPairs()], tmp_path_factory.mktemp("made") / "run", measures=["cos"])
    return TASK.load(run.scored(), "")


def test_values_are_those_on_shared_pairs(result):
    values = list(result.values())
    wanted = result.results.filter((result.results["subset"] == "shared") | (result.results["statistic"] == "coverage"))
    assert [each.value for each in values] == wanted["value"].to_list()
    assert values[0].item == f"{wanted['set'][0]}, {wanted['measure'][0]}"
    assert result.to_frame() is result.results


def test_it_is_json(result):
    document = json.loads(json.dumps(result.as_dict()))
    assert len(document["results"]) == result.results.height
    assert "scored" not in document


def test_where_models_stand(result):
    standings = result.standings
    assert [each.id for each in standings.sets] == ["toy/graded", HARD]
    assert standings.sets[1].origin.kind == "fsn-syn"
    assert result.standings is standings, "it is made once"
    assert [standings.size(each) for each in standings.sets] == [60, 60]
