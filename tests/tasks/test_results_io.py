"""Tasks that read what the others of a run found: asked by a table, by a command and in Python."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest

import termgauge as tg
from termgauge.engine.diff import diff_document
from termgauge.engine.file import load_experiment
from termgauge.engine.nodes import LATER
from termgauge.engine.report import run_document
from termgauge.engine.runner import plan
from termgauge.engine.tables import experiment_model, tables
from termgauge.engine.verbs import verb
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.registry import GROUP, all_tasks, load_results
from tests.engine.small_experiment import EXPERIMENT as SMALL
from tests.engine.small_experiment import write_experiment
from tests.other_package import install
from tests.tasks.small_task import SumsTask

EXPERIMENT = """\
output = "run"

[[sums]]
name = "together"

[[model]]
name = "chance"
spec = "baseline:random"

[[model]]
name = "edits"
spec = "baseline:levenshtein"

[[letters]]
name = "short"
"""
MODULES = {
    "acme_sums": "from tests.tasks.small_task import LettersTask, SumsTask\nLETTERS, SUMS = LettersTask(), SumsTask()\n"
}


pytestmark = pytest.mark.filterwarnings("ignore:Without positives")


@pytest.fixture
def file(tmp_path, monkeypatch):
    """Return an experiment with a task that reads what another found; both are of another package."""

    def forget():
        for known in (all_tasks, experiment_model, tables, verb):
            known.cache_clear()

    install(tmp_path / "site", monkeypatch, MODULES, GROUP, {"sums": "acme_sums:SUMS", "letters": "acme_sums:LETTERS"})
    forget()
    path = tmp_path / "experiment.toml"
    path.write_text(EXPERIMENT)
    yield path
    monkeypatch.undo()
    forget()


def changed(file, old, new):
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))


def planned(file):
    return {item.name: item for step in plan(load_experiment(file)).steps for item in step.items}


def test_it_comes_last_and_is_in_the_run_and_its_report(file):
    order = list(all_tasks())
    assert order[-1] == "sums"
    assert order.index("letters") < min(order.index(name) for name, task in all_tasks().items() if task.reads_run)
    made = tg.run(file)
    record = made.record()
    assert record.tasks["sums"] == ["together"]
    assert list(record.timings)[-3:-1] == ["Letters", "Sums of letters"]
    assert json.loads((made.path / "sums" / "together.json").read_text())["sums"] == {"short": 11}
    assert not (made.path / "sums" / "together").exists(), "nothing is measured of a model"
    assert [section.title for section in run_document(made).sections][1:3] == [
        "Letters: short",
        "Sums of letters: together",
    ]
    (letters,) = [each for each in load_results(made.scored()) if each.task.repeated]
    assert (letters.name, letters.result.models) == ("short", {"chance": 6, "edits": 5})


def test_it_is_brought_together_anew_only_if_what_it_read_has_changed(file, monkeypatch):
    calls, plain = [], SumsTask.combine
    monkeypatch.setattr(SumsTask, "combine", lambda *given: calls.append(1) or plain(*given))
    assert planned(file)["together"].what == LATER
    tg.run(file, report=False)
    assert planned(file)["together"].there
    tg.run(file, report=False)
    assert len(calls) == 1
    changed(file, 'name = "short"', 'name = "short"\nat_least = 6')
    assert not planned(file)["together"].there
    run = tg.run(file, report=False)
    assert len(calls) == 2
    assert json.loads((run.path / "sums" / "together.json").read_text())["sums"] == {"short": 7}
    changed(file, 'name = "together"', 'name = "together"\nat_least = 2')
    later = planned(file)
    assert (later["short"].there, later["together"].there, later["together"].what) == (True, False, LATER)
    tg.run(file, report=False)
    assert len(calls) == 3
    changed(file, 'name = "short"\nat_least = 6', 'name = "other"')
    tg.run(file, report=False)
    assert json.loads((run.path / "sums" / "together.json").read_text())["sums"] == {"other": 11}


def test_one_that_cannot_be_made_costs_itself_alone(file):
    changed(file, '[[letters]]\nname = "short"\n', "")
    with pytest.raises(TermgaugeError, match=r"names nothing to measure; add a table .*\[\[letters\]\]\."):
        load_experiment(file)
    write_experiment(file.parent, f"{SMALL}\n[[sums]]\nname = 'together'\n")
    with pytest.warns(TermgaugeWarning, match="The section 'sums together' is left out: .* has no letters"):
        run = tg.run(file, report=False)
    assert run.record().section_failures.keys() == {"sums together"}
    assert "has no letters" in planned(file)["together"].problem


def test_a_verb_reads_a_run_and_writes_nothing(file):
    run = tg.run(file, report=False)
    before = {path: path.stat().st_mtime_ns for path in run.path.rglob("*")}
    assert tg.sums(run.path).sums == tg.sums(run, at_least=1, alpha=0.1).sums == {"short": 11}
    assert tg.sums(run, at_least=6).sums == {"short": 12}
    assert {path: path.stat().st_mtime_ns for path in run.path.rglob("*")} == before
    assert list(inspect.signature(tg.sums).parameters) == ["run", "at_least", "alpha"]
    assert "\nrun\n    A run folder, made by termgauge run or evaluate; or a text.\n" in tg.sums.__doc__
    (file.parent / "words.txt").write_text("four")
    assert tg.sums(file.parent / "words.txt").sums == {"text": 4}
    with pytest.raises(TermgaugeError, match="nothing: there is no such file or folder; name a run folder, or a text"):
        tg.sums(file.parent / "nothing")
    with pytest.raises(TermgaugeError, match="is no run folder"):
        tg.sums(file.parent)
    with pytest.raises(TypeError, match="measures no model"):
        SumsTask().measure(None, {}, None)


def test_two_runs_are_compared(file):
    before = tg.run(file, report=False)
    changed(file, 'output = "run"', 'output = "later"')
    changed(file, 'name = "edits"', 'name = "editing"')
    after = tg.run(file, report=False)
    changes = tg.diff(before, after, models={"edits": "editing"})
    (value,) = [each for each in changes.values if each.set == "sums: together"]
    assert (value.model, value.before, value.after, value.measure) == ("", 11, 13, "short")
    assert "sums: together" in str(diff_document(changes))


@pytest.mark.integration
def test_a_command(file):
    tg.run(file, report=False)
    folder = file.parent / "site"
    for given, expected in ((["run"], {"short": 11}), (["run", "--at-least", "6", "--alpha", "0.1"], {"short": 12})):
        words = ["sums", *given, "--json"]
        code = f"import sys; sys.path.insert(0, {str(folder)!r}); from termgauge.cli import main; main({words!r})"
        done = subprocess.run([sys.executable, "-c", code], cwd=file.parent, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["sums"] == expected
