"""Examples in the documentation run."""

from __future__ import annotations

import re

import pytest

import termgauge as tg
from tests.conftest import REPOSITORY


@pytest.fixture
def example(tmp_path, monkeypatch, capsys):
    """Return a function that runs the one example of a page in an empty folder, and what it prints."""

    def run(page):
        text = (REPOSITORY / "docs" / page).read_text(encoding="utf-8")
        (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        monkeypatch.chdir(tmp_path)
        exec(compile(code, f"docs/{page}", "exec"), {})
        return capsys.readouterr().out

    return run


def test_the_example_of_evaluation(example, tmp_path):
    out = example("evaluation.md")
    assert "auc" in out
    assert "('random', 'levenshtein')" in out
    assert "false" in out
    assert (tmp_path / "demo-run" / "results.csv").is_file()


def test_every_key_of_an_experiment_is_described():
    from termgauge.experiment.tables import SINGLE, TABLES, Experiment

    text = (REPOSITORY / "docs" / "experiments.md").read_text(encoding="utf-8")
    for table, model in {"": Experiment, **TABLES}.items():
        heading = f"### `{f'[{table}]' if table in SINGLE else f'[[{table}]]'}`\n" if table else "## The file\n"
        part = re.split(r"\n##", text.partition(heading)[2])[0]
        described = dict(re.findall(r"^\| `(\w+)` \| (.*) \| [^|]* \|$", part, re.MULTILINE))
        wanted = {name: field.description for name, field in model.model_fields.items() if table or name not in TABLES}
        assert described == wanted


def test_the_recipes_of_experiments_are_valid(monkeypatch):
    from termgauge.experiment.file import parse_experiment

    monkeypatch.setenv("SNOMED_RELEASE", "somewhere")
    text = (REPOSITORY / "docs" / "experiments.md").read_text(encoding="utf-8")
    recipes = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(recipes) == 4
    for recipe in recipes:
        assert parse_experiment(recipe).experiment.model


def test_the_example_of_analogies(example):
    out = example("analogies.md")
    assert "clear, may_treat: " in out
    assert "vague, inverse of may_treat: " in out
    assert "'success'" in out


def test_the_example_of_reports(example, tmp_path):
    out = example("reports.md")
    assert "before/report.html before/report-latex/report.tex" in out
    assert "words demo" in out
    assert "words (before) 1.5" in out
    assert (tmp_path / "before" / "report-latex" / "tables").is_dir()


@pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning")
def test_the_example_of_coverage(example, tmp_path):
    out = example("coverage.md")
    # lung has bronchus and dyspnea, dyspnea has bronchus and lung; cough is missing.
    assert "one relation away from asthma ('2', '3', '4')" in out
    assert "2 of 3 missing: ['4']" in out
    assert out.splitlines()[-1].startswith(f"{2 / 6}")
    assert tg.read_domain(tmp_path / "asthma.json").seeds == ("2", "3", "4")
