from __future__ import annotations

import json

import pytest

from termgauge.experiment.file import load_experiment
from termgauge.experiment.plan import plan
from termgauge.experiment.runner import run
from termgauge.experiment.steps import step_names
from tests.experiment.small_experiment import write_experiment

pytestmark = pytest.mark.filterwarnings("ignore:Without positives")


@pytest.fixture
def small(tmp_path):
    return write_experiment(tmp_path / "study")


def items(found):
    return {(step.name, item.name): item for step in found.steps for item in step.items}


def test_a_plan_makes_nothing_and_knows_what_is_there(small, cache_folder):
    before = plan(load_experiment(small))
    assert not (small.parent / "run").exists()
    assert not [path for path in cache_folder.iterdir() if path.name != "hashes"]
    assert items(before)["Read terminologies", "small"].what == "small-2026-01-01: 51 concepts, 141 terms"
    assert "21 words of 6 numbers" in items(before)["Score models", "words"].what
    assert not any(item.there for item in items(before).values())
    guess = int(items(before)["Build benchmarks", "small"].what.split()[1].replace(",", ""))
    run(small, report=False)
    after = plan(load_experiment(small))
    built = items(after)["Build benchmarks", "small"]
    assert built.there
    assert int(built.what.split()[0].replace(",", "")) == pytest.approx(guess, rel=0.3)
    unmade = {key for key, item in items(after).items() if not item.there}
    assert unmade == {("Read terminologies", "small"), ("Report", "report.html")}
    assert after.seconds < before.seconds
    text = small.read_text()
    small.write_text(text.replace('terminology = "small"', 'terminology = "small"\nseed = 7'))
    assert not items(plan(load_experiment(small)))["Build benchmarks", "small"].there, "other options, other sets"


def test_a_plan_says_what_will_fail(small):
    text = small.read_text().replace("words.txt", "none.txt").replace("small.obo", "none.obo")
    small.write_text(text + '\n[human]\nsets = ["human/mayosrs"]\n')
    found = items(plan(load_experiment(small)))
    assert "none.txt: there is no such file" in found["Score models", "words"].problem
    assert "none.obo: there is no such file" in found["Read terminologies", "small"].problem
    assert "not at hand" in found["Load rated sets", "human/mayosrs"].problem


def test_no_rated_set_at_hand(small, monkeypatch):
    monkeypatch.delenv("TERMGAUGE_DATA_DIR", raising=False)
    small.write_text(small.read_text() + "\n[human]\n")
    assert "No human-rated set is at hand" in items(plan(load_experiment(small)))["Load rated sets", "all"].problem


def test_it_is_json(small):
    before = plan(load_experiment(small), out="elsewhere", report=False)
    document = json.loads(json.dumps(before.as_dict()))
    assert document["out"] == "elsewhere"
    assert document["seconds"] == pytest.approx(sum(step["seconds"] for step in document["steps"]))
    assert document["seconds"] > 0
    assert [step["name"] for step in document["steps"]] == step_names(load_experiment(small).experiment, report=False)


def test_models_that_were_measured_before_are_counted(small):
    made = run(small, report=False)
    (made.path / "categories" / "organs.json").unlink()
    (made.path / "categories" / "organs" / "chance.json").unlink()
    item = items(plan(load_experiment(small)))["Categories", "organs"]
    assert (item.there, item.what) == (False, "2 of 3 models measured before")
