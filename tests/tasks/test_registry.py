"""The tasks that there are; those of other packages come after our own, and a broken one costs itself alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from termgauge import tasks
from termgauge.engine.tables import Experiment
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.contract import RESERVED
from termgauge.tasks.registry import GROUP, all_tasks, task_of
from tests.other_package import install

FOLDERS = {path.parent.name for path in Path(tasks.__path__[0]).glob("*/task.py")}


@pytest.fixture(autouse=True)
def no_tasks_of_other_tests():
    all_tasks.cache_clear()
    yield
    all_tasks.cache_clear()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    def with_code(code):
        modules = {"acme_letters": f"from tests.tasks.small_task import LettersTask\n{code}\n"}
        install(tmp_path / "site", monkeypatch, modules, GROUP, {"letters": "acme_letters:TASK"})

    return with_code


def test_our_own():
    assert len(FOLDERS) >= 10
    assert set(all_tasks()) == FOLDERS
    assert {name: task.name for name, task in all_tasks().items()} == {name: name for name in FOLDERS}
    assert len({task.title for task in all_tasks().values()}) == len(FOLDERS)
    assert len({task.table_name for task in all_tasks().values()}) == len(FOLDERS)
    reading = [task.reads_run for task in all_tasks().values()]
    assert reading == sorted(reading)
    assert reading.count(True) >= 2


def test_what_experiment_files_use_themselves_is_reserved():
    assert set(Experiment.model_fields) | {"significance"} <= RESERVED


def test_a_name_that_is_not_there():
    assert task_of("coverage").title == "Coverage"
    with pytest.raises(TermgaugeError, match=r"no task 'coverge'; there are pairs, .*Did you mean 'coverage'"):
        task_of("coverge")


def test_one_of_another_package_comes_after_ours_that_measure_models(installed):
    own = all_tasks().values()
    installed("TASK = LettersTask()")
    all_tasks.cache_clear()
    measuring, reading = ([task.name for task in own if task.reads_run == read] for read in (False, True))
    assert list(all_tasks()) == [*measuring, "letters", *reading]
    assert task_of("letters").question == "Count the letters of names."


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("class Other(LettersTask):\n    name = 'model'\nTASK = Other()", "cannot be called 'model'"),
        ("class Other(LettersTask):\n    title = ''\nTASK = Other()", "Other must declare title"),
        ("class Other(LettersTask):\n    name = 'coverage'\nTASK = Other()", "the name 'coverage' is taken"),
        ("class Other(LettersTask):\n    table = 'scoring'\nTASK = Other()", "its table 'scoring' or title"),
        ("class Other(LettersTask):\n    title = 'Coverage'\nTASK = Other()", "or title 'Coverage' is taken"),
        ("TASK = LettersTask", "is no Task and is left out"),
        ("TASK = LettersTask().nothing", "has no attribute 'nothing'"),
    ],
)
def test_a_broken_one_costs_itself_alone(installed, code, why):
    installed(code)
    with pytest.warns(TermgaugeWarning, match=why):
        assert set(all_tasks()) == FOLDERS
