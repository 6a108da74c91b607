from __future__ import annotations

import json
from collections import Counter

import pytest

from termgauge.benchmark.pairset import PairSet
from termgauge.engine import units
from termgauge.engine.file import load_experiment
from termgauge.engine.runner import plan, run
from termgauge.tasks import contract
from termgauge.tasks.pairs.scored import ScoredSets
from termgauge.tasks.registry import all_tasks

pytestmark = pytest.mark.filterwarnings("ignore:Without positives")


def items(found):
    return {(step.name, item.name): item for step in found.steps for item in step.items}


def test_a_plan_makes_nothing_and_knows_what_is_there(small, cache_folder):
    before = plan(load_experiment(small))
    assert not (small.parent / "run").exists()
    assert not [path for path in cache_folder.iterdir() if path.name != "hashes"]
    assert items(before)["Read terminologies", "small"].what == "small-2026-01-01: 51 concepts, 141 terms"
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
    assert [step["name"] for step in document["steps"]] == [
        "Read terminologies",
        "Build benchmarks",
        "Score models",
        "Vocabularies",
        "Categories",
        "Coverage",
    ]


def test_models_that_were_measured_before_are_counted(small):
    made = run(small, report=False)
    (made.path / "categories" / "organs.json").unlink()
    (made.path / "categories" / "organs" / "chance.json").unlink()
    item = items(plan(load_experiment(small)))["Categories", "organs"]
    assert (item.there, item.todo, item.what) == (False, 1, "1 of 3 models to be measured")


class Done:
    """Watches what a run does: sets built, sets scored of each model, models measured of each table, results made."""

    def __init__(self, monkeypatch, folder):
        self.amounts, self.saved = Counter(), set()
        scored, built, kept, saved = ScoredSets.write_scores, PairSet.write_tsv, units.write_text, contract.Task.save
        titles = {task.name: task.title for task in all_tasks().values()}

        def write_scores(scores, model, *more):
            self.amounts["Score models", model] += 1
            scored(scores, model, *more)

        def write_tsv(pairs, path):
            self.amounts["Build benchmarks", path.parent.name] += 1
            built(pairs, path)

        def write_unit(path, text):
            task, name, _model = path.relative_to(folder).parts
            self.amounts[titles[task], name] += 1
            kept(path, text)

        def save(task, result, place, name, identity):
            self.saved.add((task.title, name))
            saved(task, result, place, name, identity)

        monkeypatch.setattr(ScoredSets, "write_scores", write_scores)
        monkeypatch.setattr(PairSet, "write_tsv", write_tsv)
        monkeypatch.setattr(units, "write_text", write_unit)
        monkeypatch.setattr(contract.Task, "save", save)


def replaced(old, new, file="experiment.toml"):
    """Return a change of a file."""

    def change(folder):
        text = (folder / file).read_text()
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1))

    return change


def added(text):
    return lambda folder: (folder / "experiment.toml").write_text((folder / "experiment.toml").read_text() + text)


CHANGES = {
    "nothing there": lambda _folder: None,
    "nothing changed": lambda _folder: None,
    "a measure": replaced('"fuzzy_jaccard"', '"fuzzy_jaccard", "pair_cos"'),
    "a model": added('[[model]]\nname = "more"\nspec = "word2vec:words.txt?lowercase=true"\n'),
    "an option": replaced("k = [5]", "k = [4]"),
    "another name of a model": replaced('name = "more"', 'name = "other"'),
    "a file of vectors": replaced("heart -0.8", "heart 0.8", "words.txt"),
    "a file of vectors back": replaced("heart 0.8", "heart -0.8", "words.txt"),
    "scores deleted": lambda folder: next((folder / "run" / "scores" / "letters").iterdir()).unlink(),
    "a table that cannot be measured": added('[[coverage]]\nname = "misspelt"\nbranches = ["X:nothing"]\n'),
    "a model that is not there": added('[[model]]\nname = "gone"\nspec = "word2vec:gone.txt"\n'),
    "fewer sets": replaced('terminology = "small"', 'terminology = "small"\nonly = ["fsn-syn"]'),
    "other sets": replaced('only = ["fsn-syn"]', 'only = ["random"]\nmax_pairs = 20'),
    "another terminology": replaced("name: heart pain", "name: pain in the heart", "small.obo"),
    "a model less": replaced('[[model]]\nname = "chance"\nspec = "baseline:random?dim=8"\n', ""),
    "another level": added("[significance]\nalpha = 0.01\n"),
}


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_a_plan_says_what_the_run_then_does(small, monkeypatch):
    """Sets that are yet to be built may come out as they were scored before: there the plan says "up to"."""
    for what, change in CHANGES.items():
        change(small.parent)
        planned = items(plan(load_experiment(small)))
        if what not in ("nothing there", "fewer sets", "other sets", "another terminology"):
            assert not any("up to" in item.what for item in planned.values()), what
        with monkeypatch.context() as patched:
            done = Done(patched, small.parent / "run")
            made = run(small, report=False).record()
        failed = {*made.failures, *(name.split(" ", 1)[1] for name in made.section_failures)}
        for (step, name), item in planned.items():
            if step not in ("Read terminologies", "Report"):
                amount = done.amounts.pop((step, name), 0)
                assert item.todo == amount or ("up to" in item.what and item.todo > amount), (what, step, name)
                assert bool(item.problem) == (name in failed), (what, step, name)
            if step in ("Vocabularies", "Categories", "Coverage"):
                assert item.there == ((step, name) not in done.saved) or item.problem, (what, step, name)
            elif step in ("Build benchmarks", "Score models"):
                assert item.there == (item.todo == 0) or item.problem, (what, step, name)
        assert not done.amounts, f"{what}: the plan says nothing of it"


def test_a_plan_says_whether_the_page_is_written(finished):
    for change in (lambda _: None, lambda _: None, added("# a remark\n"), lambda _: None):
        change(finished.parent)
        item = items(plan(load_experiment(finished)))["Report", "report.html"]
        page = finished.parent / "run" / "report.html"
        before = page.stat().st_mtime_ns if page.exists() else None
        run(finished)
        assert item.there == (page.stat().st_mtime_ns == before)
        assert bool(item.todo) != item.there


def test_sets_without_pairs_are_not_counted(small):
    """Of the twenty, those of replaced concepts are empty here."""
    before = items(plan(load_experiment(small)))["Build benchmarks", "small"]
    made = run(small, report=False)
    after = items(plan(load_experiment(small)))["Build benchmarks", "small"]
    sets = len(made.record().sets)
    assert sets < 20
    assert before.todo == sets
    assert before.what.endswith(f"pairs in {sets} sets")
    assert after.what.endswith(f"pairs in {sets} sets")
