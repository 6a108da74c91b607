"""A task of a package that is not termgauge, written as the docs say: it gets all that our own have."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
import tomllib

import pytest

import termgauge as tg
from termgauge.engine.diff import diff_document
from termgauge.engine.file import init, load_experiment
from termgauge.engine.runner import plan
from termgauge.engine.tables import experiment_model, tables
from termgauge.engine.verbs import verb
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.tasks.registry import GROUP, all_tasks
from tests.conftest import REPOSITORY
from tests.engine.small_experiment import write_experiment
from tests.other_package import install

PAGE = (REPOSITORY / "docs" / "adding-a-task.md").read_text("utf-8")
EXPERIMENT = """\
output = "run"

[[terminology]]
name = "small"
source = "small.obo"

[[model]]
name = "words"
spec = "word2vec:words.txt"

[[model]]
name = "whole"
spec = "word2vec:phrases.txt"

[[model]]
name = "letters"
spec = "baseline:levenshtein"

"""


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


ENTRIES, TABLE = blocks("toml")


def forget():
    for known in (all_tasks, experiment_model, tables, verb):
        known.cache_clear()


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that installs the package of the docs, changed as a test wants it."""
    ((group, entries),) = tomllib.loads(ENTRIES)["project"]["entry-points"].items()
    assert group == GROUP

    def with_changes(old="", new="", place="site"):
        modules = {}
        for code in blocks("python"):
            name = re.match(r"# acme_splits/(\w+)\.py\n", code)[1]
            modules[f"acme_splits/{name}"] = code.replace(old, new) if old else code
        assert not old or new in "".join(modules.values())
        install(tmp_path / place, monkeypatch, modules, group, entries)
        forget()
        return tmp_path / place

    yield with_changes
    monkeypatch.undo()
    forget()


@pytest.fixture
def file(installed, tmp_path):
    """Return an experiment with a table of the new task."""
    installed()
    path = write_experiment(tmp_path / "study", EXPERIMENT + TABLE)
    (path.parent / "phrases.txt").write_text("2 2\nheart_pain 1 0\nheart 0 1\n")
    return path


def measured(monkeypatch):
    """Return a list that gets the name of each model that is measured."""
    calls, task = [], all_tasks()["splits"]
    plain = type(task).measure

    def measure(self, model, inputs, options):
        calls.append(model.name)
        return plain(self, model, inputs, options)

    monkeypatch.setattr(type(task), "measure", measure)
    return calls


def test_the_page_says_what_the_folder_holds():
    files = set(re.findall(r"^ {6}(\w+\.py)", PAGE, re.MULTILINE))
    written = {re.match(r"# acme_splits/(\w+\.py)\n", code)[1] for code in blocks("python")}
    assert files == written
    assert len(PAGE.splitlines()) < 210


def test_a_verb(file):
    words, source = str(file.parent / "words.txt"), file.parent / "small.obo"
    result = tg.splits(source, [f"words={words}"], most=1)
    # The names are "finding", ten organs with "finding", and forty of two words.
    assert result.as_dict() == {"left_out": [], "alpha": 0.05, "models": {"words": {"names": 51, "split": 50}}}
    (value,) = result.values()
    assert (value.value, value.n, value.better) == (50 / 51, 51, "lower")
    assert value.low < value.value < value.high
    assert tg.splits(source, [words], most=2).models["words"].split == 0
    assert repr(result) == "<SplitResult: words>"
    assert "Split names" in result._repr_html_()
    assert set(inspect.signature(tg.splits).parameters) >= {"source", "models", "most", "alpha", "language"}
    assert "A name of more pieces than this counts as split." in tg.splits.__doc__
    with pytest.raises(TermgaugeError, match=r"no option 'mots'.*Did you mean 'most'"):
        tg.splits(source, [words], mots=2)
    with pytest.raises(TermgaugeError, match=r"'most' must be at least 1, not 0. It means: A name of more pieces"):
        tg.splits(source, [words], most=0)


@pytest.mark.filterwarnings("ignore:The LaTeX:UserWarning")
@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_a_table_a_section_in_every_report_and_a_line_in_the_plan(file, monkeypatch):
    before = plan(load_experiment(file))
    (step,) = [step for step in before.steps if step.name == "Split names"]
    assert [(item.name, item.there) for item in step.items] == [("phenotypes", False)]
    assert step.seconds > 0
    calls = measured(monkeypatch)
    run = tg.run(file)
    assert calls == ["words", "whole"]  # the baseline is no model of words
    kept = json.loads((run.path / "splits" / "phenotypes.json").read_text())
    assert kept["name"] == "phenotypes"
    assert set(kept["models"]) == {"words", "whole"}
    (step,) = [step for step in plan(load_experiment(file)).steps if step.name == "Split names"]
    assert [(item.name, item.there) for item in step.items] == [("phenotypes", True)]
    assert step.seconds == 0
    share = kept["models"]["words"]["split"] / 51
    page, text, tables_, latex = tg.report(run, formats=["html", "markdown", "csv", "latex"], figures="none")
    assert "Split names: phenotypes" in page.read_text()
    assert f"{share:.3f}" in page.read_text()
    assert f"| words | {share:.3f}" in text.read_text()
    (values,) = tables_.parent.glob("*splits-values-phenotypes*.csv")
    assert "words,split," in values.read_text()
    assert "Split names" in latex.read_text()
    assert any("words" in part.read_text() for part in latex.parent.rglob("*splits-values-phenotypes*.tex"))


def test_the_comments_of_init_explain_it(file):
    text = init(file.parent / "new.toml").read_text()
    assert "[[splits]]" in text
    assert "A name of more pieces than this counts as split." in text
    file.write_text(file.read_text().replace("most = 2", "mots = 2"))
    with pytest.raises(TermgaugeError, match=r"line \d+.*'mots'.*Did you mean 'most'"):
        load_experiment(file)


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_a_unit_of_work_for_each_model_that_is_done_once(file, installed, monkeypatch):
    calls = measured(monkeypatch)
    tg.run(file, report=False)
    assert calls == ["words", "whole"]
    calls.clear()
    tg.run(file, report=False)
    assert calls == []
    (file.parent / "phrases.txt").write_text("1 2\nheart 0 1\n")
    tg.run(file, report=False)
    assert calls == ["whole"]
    calls.clear()
    file.write_text(file.read_text().replace("most = 2", "most = 1"))
    run = tg.run(file, report=False)
    assert calls == ["words", "whole"]
    assert json.loads((run.path / "splits" / "phenotypes.json").read_text())["models"]["words"]["split"] == 50
    # A package that measures something else says so, and is asked again.
    installed('name = "splits"', 'name = "splits"\n    version = 2', "later")
    calls = measured(monkeypatch)
    tg.run(file, report=False)
    assert calls == ["words", "whole"]


def test_a_model_that_fails_costs_itself_alone(file):
    words, source = str(file.parent / "words.txt"), file.parent / "small.obo"
    with pytest.warns(TermgaugeWarning, match="failed in splits: 'levenshtein' takes a name as a whole"):
        result = tg.splits(source, ["baseline:levenshtein", words])
    assert list(result.models) == ["words"]
    assert result.left_out[0].startswith("levenshtein: ")


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_a_model_that_fails_in_a_run_is_named_there(file, installed):
    installed(
        "words = model.words_of(inputs.names)", 'words = model.words_of(inputs.names)[model.name == "words"]', "bad"
    )
    run = tg.run(file)
    record = run.record()
    assert record.failures["words"].step == "splits phenotypes"
    assert "whole" in record.models
    assert "What is missing" in (run.path / "report.html").read_text()


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_a_comparison_of_two_runs(file):
    first = tg.run(file, report=False)
    file.write_text(file.read_text().replace("most = 2", "most = 1"))
    second = tg.run(file, out=file.parent / "second", report=False)
    changes = tg.diff(first, second)
    values = {value.model: value for value in changes.values if value.set == "splits: phenotypes"}
    assert (values["words"].before, values["words"].after) == (0, 50 / 51)
    assert (values["words"].statistic, values["words"].better, values["words"].verdict) == (
        "split",
        "lower",
        "not tested",
    )
    assert "splits: phenotypes" in str(diff_document(changes))


@pytest.mark.integration
@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_workers_in_other_processes_measure_the_same(file):
    here = tg.run(file, report=False)
    there = tg.run(file, out=file.parent / "there", jobs=2, report=False)
    results = [(run.path / "splits" / "phenotypes.json").read_text() for run in (here, there)]
    assert results[0] == results[1]


@pytest.mark.integration
def test_a_command(file):
    folder = file.parents[1] / "site"
    given = ["splits", "small.obo", "-m", "words.txt", "--most", "1", "--json"]
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); from termgauge.cli import main; main({given!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=file.parent, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["models"] == {"words": {"names": 51, "split": 50}}
