from __future__ import annotations

import json

import pytest

from termgauge.display import shortened
from termgauge.engine.evaluate import evaluate
from termgauge.engine.run_folder import LAYOUT, RunFolder, open_run
from termgauge.exceptions import TermgaugeError
from tests.engine.toy_models import ToyPairs, ToyWords, binary_set, graded_set


@pytest.fixture
def run(tmp_path):
    return evaluate([graded_set(), binary_set()], [ToyWords(), ToyPairs()], tmp_path / "run")


def test_no_run(tmp_path):
    with pytest.raises(TermgaugeError, match="is no run folder"):
        open_run(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(TermgaugeError, match="is no run folder"):
        open_run(tmp_path / "file")
    with pytest.raises(TermgaugeError, match="is a file, not a run folder"):
        RunFolder(tmp_path / "file").record()
    with pytest.raises(TermgaugeError, match="holds no results"):
        RunFolder(tmp_path).results()


def test_a_folder_of_other_things_is_left_alone(tmp_path):
    (tmp_path / "experiment.toml").write_text("mine")
    with pytest.raises(TermgaugeError, match=r"is no run folder and holds other files \('experiment.toml'\)"):
        evaluate([graded_set()], [ToyPairs()], tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["experiment.toml"]
    assert (tmp_path / "experiment.toml").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    evaluate([graded_set()], [ToyPairs()], tmp_path / "empty")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"layout": 99}', "another version of termgauge"),
        ('{"sets": {}, "models": {}}', "another version of termgauge"),
        ("[]", "is damaged"),
        ("{", "is damaged"),
        (json.dumps({"layout": LAYOUT, "sets": [], "models": {}}), "is damaged"),
        (json.dumps({"layout": LAYOUT, "sets": {}}), "is damaged"),
    ],
)
def test_another_version_and_damage(run, text, sentence):
    (run.path / "run.json").write_text(text)
    for use in (lambda: open_run(run.path), lambda: evaluate([graded_set()], [ToyPairs()], run.path)):
        with pytest.raises(TermgaugeError, match=sentence) as error:
            use()
        assert "--out" in str(error.value)


def test_what_a_run_says_of_itself_comes_back(run):
    record = run.record()
    assert list(record.models) == ["words", "own"]
    assert {name: (each.pairs, each.graded) for name, each in record.sets.items()} == {
        "toy/graded": (40, True),
        "toy/binary": (40, False),
    }
    changed = record.model_copy(update={"title": "Ours", "measures": ["cos"]})
    run.write(changed)
    assert run.record() == changed
    assert run.scored().measures == ("cos",)
    assert repr(run) == f"<run '{shortened(run.path)}': 2 models, 2 sets>"
    assert open_run(run) is run


def test_results_that_cannot_be_read(run):
    assert run.results().height
    (run.path / "results.parquet").write_bytes(b"x")
    with pytest.raises(TermgaugeError, match="is no readable Parquet file"):
        run.results()


def test_a_folder_whose_name_is_no_text(tmp_path):
    with pytest.raises(TermgaugeError, match="its name is no UTF-8 text"), RunFolder(tmp_path / "r\udcff").at_work():
        pass


@pytest.mark.parametrize("kind", ["x", "fsn-syn"])
def test_a_set_of_no_known_kind_is_damage(tmp_path, kind):
    about = {"sha256": "0", "pairs": 1, "origin": {"kind": kind, "difficulty": "", "strategy": ""}}
    (tmp_path / "run.json").write_text(json.dumps({"layout": LAYOUT, "sets": {"a": about}, "models": {}}))
    with pytest.raises(TermgaugeError, match=r"is damaged .*must be a set that termgauge builds"):
        RunFolder(tmp_path).record()
