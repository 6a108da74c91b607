"""What the contract itself does: declarations are checked, and results lie where a run expects them."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import Field

from termgauge.exceptions import TermgaugeError
from termgauge.io.store import without_checksum
from termgauge.options import Options
from termgauge.tasks import contract
from termgauge.tasks.contract import RESERVED, Material, Task
from tests.tasks.small_task import Letters, LettersResult, LettersTask


def test_a_task_says_what_it_lacks_where_it_is_made():
    class Nameless(LettersTask):
        name = ""
        question = ""

    with pytest.raises(TypeError, match="Nameless must declare name, question"):
        Nameless()
    with pytest.raises(TypeError, match="abstract"):
        Task()


@pytest.mark.parametrize("wrong", ["Letters", "my letters", "9letters", "lett-ers", *sorted(RESERVED)])
def test_names_that_would_be_no_verb_no_table_or_no_folder_are_refused(wrong):
    with pytest.raises(TypeError, match=f"cannot be called '{wrong}'"):
        type("Other", (LettersTask,), {"name": wrong})()
    with pytest.raises(TypeError, match=f"cannot be called '{wrong}'"):
        type("Other", (LettersTask,), {"table": wrong})()


def test_options_are_described_and_do_not_hide_what_every_verb_has():
    class Silent(Options):
        depth: int = 3

    class Taken(Options):
        models: int = Field(3, description="How many.")

    with pytest.raises(TypeError, match="'depth' of the task 'letters' needs a description"):
        type("Other", (LettersTask,), {"options": Silent})()
    with pytest.raises(TypeError, match="'models' of the task 'letters' needs another name"):
        type("Other", (LettersTask,), {"options": Taken})()


def test_measures_are_known_by_name():
    class Chosen(Options):
        measures: contract.Measures = Field([], description="Measures.")

    assert Chosen.of(measures=["avg_cos"]).measures == ["avg_cos"]
    with pytest.raises(TermgaugeError, match="'avg_coz' is no measure"):
        Chosen.of(measures=["avg_coz"])


def test_results_lie_where_a_run_expects_them(tmp_path):
    task, run = LettersTask(), SimpleNamespace(path=tmp_path)
    result = LettersResult(models={"a": 3})
    assert task.load(run, "short words") is None
    task.save(result, tmp_path, "short words", {"inputs": "key"})
    place = task.file(tmp_path, "short words")
    assert place.parent == tmp_path / "letters"
    document = json.loads(without_checksum(place.read_bytes()))
    assert document == {"name": "short words", "left_out": [], "models": {"a": 3}, "identity": {"inputs": "key"}}
    read = result.model_copy(update={"name": "short words", "identity": {"inputs": "key"}})
    assert task.load(run, "short words") == read
    place.write_bytes(place.read_bytes().replace(b'"a": 3', b'"a": 2'))
    with pytest.raises(TermgaugeError, match="it is not what was written"):
        task.load(run, "short words")
    place.write_text('{"models": {"a": "many"}}')
    with pytest.raises(TermgaugeError, match=r"short.*json: cannot be read .*delete it and run again"):
        task.load(run, "short words")
    single = type("Single", (LettersTask,), {"repeated": False})()
    assert single.file(tmp_path, "anything") == tmp_path / "letters.json"


def test_two_names_never_share_a_file(tmp_path):
    task = LettersTask()
    names = ["a b", "a_b", "A b", "ä", "a" * 80, "a" * 79 + "b"]
    assert len({str(task.file(tmp_path, name)).lower() for name in names}) == len(names)


def test_what_is_not_said_has_an_answer():
    task, options = LettersTask(), Letters()
    assert task.identity(None, options) is None
    assert task.fits("words", "word2vec")
    assert not task.needs_terminology(options)
    assert task.companions(options) == {}
    result = LettersResult(models={"a": 3})
    assert list(task.paper_sections(result)) == list(task.cited(result)) == []
    assert [section.title for section in task.sections(result, contract.About("short"))] == ["Letters: short"]


def test_material_knows_where_a_run_keeps_things():
    assert Material(name="COPD").file("domains") is None
    inside = Material(name="COPD", run=SimpleNamespace(path=Path("run")))
    assert inside.file("domains").parent == Path("run/domains")
    assert inside.file("domains").suffix == ".json"


def test_how_differences_are_tested_is_checked():
    assert contract.Testing().seed == 42
    for wrong in ({"alpha": 0.0}, {"alpha": 1.0}, {"correction": "some"}, {"statistic": "f2"}, {"seed": -1}):
        with pytest.raises(TermgaugeError, match=f"The option '{next(iter(wrong))}' must be"):
            contract.Testing.of(**wrong)
