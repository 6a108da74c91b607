"""A model that is measured in parts: each is kept as soon as it is done, made once, and sent to workers on its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from termgauge.engine import session, verbs, workers
from termgauge.engine.run_folder import RunFolder, RunRecord
from termgauge.engine.session import RunSession
from termgauge.engine.units import BoundTask
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks import contract
from tests.engine.toy_models import ToyPairs, ToyTerms, ToyWords
from tests.tasks.parts_task import Throws, ThrowsTask

PARTS = ["throw/1", "throw/2", "throw/3"]


@pytest.fixture
def task(monkeypatch):
    made = ThrowsTask()
    monkeypatch.setattr(workers, "task_of", lambda _name: made)
    return made


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path / "run")


def prepared(task, folder=None, throws=3, seed=4):
    run = folder and folder.scored()
    return BoundTask.from_material(
        task, Throws(throws=throws), contract.Material("dice", run=run, testing=contract.Testing(seed=seed))
    )


@pytest.mark.parametrize("inside", [True, False])
def test_a_part_that_is_done_is_not_done_again(task, folder, inside):
    here, model = prepared(task, folder if inside else None), ToyWords()
    task.failing.add((model.name, "throw/3"))
    assert here.attempt(model.name, lambda: model).failure.reason == "throw/3 fell off the table."
    assert here.missing(model.name, model.identity.key) == ["throw/3"]
    assert here.kept(model.name, model.identity.key) is None
    task.failing.clear()
    assert here.measure(model) == here.kept(model.name, model.identity.key) == [451, 452, 453]
    assert [part for _model, part in task.made] == PARTS, "each once"


def test_more_parts_leave_those_that_are_there_as_they_are(task, folder):
    model = ToyWords()
    prepared(task, folder).measure(model)
    assert prepared(task, folder, throws=5).measure(model) == [451, 452, 453, 454, 455]
    assert prepared(task, folder, throws=2).measure(model) == [451, 452]
    assert [part for _model, part in task.made] == [*PARTS, "throw/4", "throw/5"]
    prepared(task, folder, throws=1, seed=5).measure(model)
    assert task.made[5:] == [(model.name, "throw/1")], "of another seed"
    other = ToyWords(seed=9)
    assert prepared(task, folder).missing(other.name, other.identity.key) == PARTS, "another version of the model"


def test_parts_lie_in_the_run_or_in_the_cache(task, folder, cache_folder):
    model = ToyWords()
    prepared(task, folder).measure(model)
    found = sorted(path.relative_to(folder.path).as_posix() for path in folder.path.rglob("*.json"))
    assert found == [f"throws/dice/words/throw__{number}.json" for number in (1, 2, 3)]
    assert not (cache_folder / "throws").exists()
    prepared(task).measure(model)
    assert len(list((cache_folder / "throws").iterdir())) == 3


def measuring(folder, models, **more):
    return RunSession(folder, RunRecord(), {model.name: model for model in models}, **more)


def measure(made, task, folder, throws=3):
    made.measure(task, Throws(throws=throws), contract.Material("dice", run=folder.scored()))


def test_a_part_that_fails_costs_its_model_alone(task, folder):
    task.failing.add(("own", "throw/2"))
    with pytest.warns(TermgaugeWarning, match="The model 'own' failed in throws dice: throw/2 fell off"):
        measure(measuring(folder, [ToyWords(), ToyPairs()]), task, folder)
    assert list(task.load(folder.scored(), "dice").models) == ["words"]
    task.failing.clear()
    task.made.clear()
    measure(measuring(folder, [ToyWords(), ToyPairs()]), task, folder)
    assert task.made == [("own", "throw/2"), ("own", "throw/3")]
    assert list(task.load(folder.scored(), "dice").models) == ["words", "own"]


SPECS = {"letters": "baseline:levenshtein", "chance": "baseline:random?dim=8"}


def test_workers_get_each_part_on_its_own(task, folder):
    sent = []

    class Executor(ThreadPoolExecutor):
        def submit(self, verb, work, unit, inputs):
            sent.append(unit)
            return super().submit(verb, work, unit, inputs)

    made = RunSession(folder, RunRecord(), SPECS, executor=Executor(2))
    made.write()
    measure(made, task, folder)
    assert [tuple(unit) for unit in sent] == [(model, (part,)) for model in SPECS for part in PARTS]
    models = task.load(folder.scored(), "dice").models
    assert models["letters"] == [number + 10 for number in models["chance"]] == [4271, 4272, 4273]


def test_a_run_is_added_to(task, folder):
    def add(*models, throws=2):
        return verbs.measure(task, Throws(throws=throws), {}, models, out=folder.path)

    assert add(ToyWords()).models.keys() == {"words"}
    result = add(ToyTerms())
    assert result.models.keys() == {"encoder", "words"}
    assert result.left_out == []
    assert [model for model, _part in task.made] == ["words"] * 2 + ["encoder"] * 2
    assert add(ToyTerms(), throws=3).models.keys() == {"encoder"}, "of the other there are no three throws"
    record = folder.record()
    assert record.tasks["throws"] == ["2 throws", "3 throws"]
    assert list(record.models) == ["words", "encoder"]
    task.failing.add(("own", "throw/1"))
    with pytest.raises(TermgaugeError, match="fell off the table"), pytest.warns(TermgaugeWarning):
        add(ToyPairs())
    assert task.load(folder.scored(), "2 throws").models.keys() == {"encoder", "words"}, "as it was"


def test_several_at_once_outside_of_a_run(task, monkeypatch):
    used, plain = [], session.work_off

    def work_off(bound, wanted, openers, work, jobs, pool):
        if jobs > 1:
            used.append((work.run, dict(work.specs), [tuple(unit) for unit in wanted], jobs))
            pool = ThreadPoolExecutor(2)
        return plain(bound, wanted, openers, work, jobs, pool)

    monkeypatch.setattr(session, "work_off", work_off)
    specs = [f"{name}={spec}" for name, spec in SPECS.items()]
    several = verbs.measure(task, Throws(), {}, specs, jobs=2)
    assert used == [("", dict(zip(SPECS, specs, strict=True)), [(name, tuple(PARTS)) for name in SPECS], 2)]
    assert several == verbs.measure(task, Throws(), {}, specs)
    assert len(task.made) == 6, "the second time they were there"


def test_a_task_in_one_part_is_as_it_was(folder):
    from tests.tasks.small_task import Letters, LettersTask

    here = BoundTask.from_material(LettersTask(), Letters(), contract.Material("names", run=folder.scored()))
    assert dict(here.parts) == {"": ""}
    assert here.measure(ToyWords()) == 5
    assert (folder.path / "letters" / "names" / "words.json").is_file()
    assert replace(here, key="other").missing("words", ToyWords().identity.key) == [""]
