"""What a run says of itself: written, read back, and refused when it is damaged."""

from __future__ import annotations

import json

import pytest

from termgauge.benchmark.sets import Origin
from termgauge.engine.run_folder import LAYOUT, DamagedRunError, Failure, RunRecord
from termgauge.exceptions import TermgaugeError
from termgauge.io.identity import version
from termgauge.tasks import contract
from termgauge.tasks.records import ModelRecord, SetRecord
from tests.engine.toy_models import ToyWords, binary_set

RECORD = RunRecord(
    sets={"toy/binary": SetRecord.of(binary_set())},
    models={"words": ModelRecord.of(ToyWords())},
    tasks={"coverage": ["heart"]},
    failures={"gone": Failure(step="opening", reason="There is no such file.")},
    significance=contract.Testing(measure="best", statistic="auc"),
    alpha=0.1,
    correction="holm",
    seed=7,
)


def read(document):
    return RunRecord.read(json.dumps(document).encode(), "run.json")


def test_it_comes_back_as_it_was_written():
    text = RECORD.model_dump_json()
    assert RunRecord.read(text.encode(), "run.json") == RECORD
    assert json.loads(text)["models"]["words"]["from"] == "toy"
    assert json.loads(text)["layout"] == LAYOUT


def test_how_differences_are_tested():
    testing = RECORD.testing
    assert (testing.alpha, testing.correction, testing.seed) == (0.1, "holm", 7)
    assert (testing.measure, testing.statistic) == ("best", "auc")
    now = RunRecord().made_now(testing)
    assert (now.alpha, now.seed, now.termgauge) == (0.1, 7, version())
    assert "numpy" in now.libraries


def test_names_of_tables_as_version_0_1_0_wrote_them():
    former = {"layout": LAYOUT, "sets": {}, "models": {}, "categories": ["a"], "coverage": ["b"]}
    assert read(former).tasks == {"categories": ["a"], "coverage": ["b"], "analogies": ["b"]}
    assert read({**former, "tasks": {"coverage": ["c"]}}).tasks == {"coverage": ["c"]}


def test_what_a_later_version_adds_is_passed_over():
    later = {**json.loads(RECORD.model_dump_json()), "colour": "red"}
    later["sets"]["toy/binary"]["colour"] = "blue"
    assert read(later) == RECORD


def test_what_a_set_is():
    assert RECORD.sets["toy/binary"].origin == Origin()
    document = json.loads(RECORD.model_dump_json())
    del document["sets"]["toy/binary"]["origin"]
    assert read(document).sets["toy/binary"].origin is None


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({"layout": 1, "sets": {}, "models": {"m": {"kind": "odd"}}}, r"\('models.m.kind': Input should be"),
        ({"layout": 1, "sets": {"s": {}}, "models": {}}, r"\('sets.s.sha256': Field required\)"),
        ({"layout": 1, "sets": {}}, "it has no 'models'"),
        ([], "is damaged"),
    ],
)
def test_damage_is_named(document, sentence):
    with pytest.raises(DamagedRunError, match=sentence):
        read(document)


def test_another_layout_is_no_damage():
    with pytest.raises(TermgaugeError, match="layout 2, this one has 1") as caught:
        read({"layout": 2})
    assert not isinstance(caught.value, DamagedRunError)
