"""Examples in the documentation run."""

from __future__ import annotations

import re

import pytest

import termgauge as tg
from tests.conftest import REPOSITORY


def test_the_example_of_evaluation(tmp_path, monkeypatch, capsys):
    text = (REPOSITORY / "docs" / "evaluation.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/evaluation.md", "exec"), {})
    out = capsys.readouterr().out
    assert "auc" in out
    assert "('random', 'levenshtein')" in out
    assert "false" in out
    assert (tmp_path / "demo-run" / "results.csv").is_file()


@pytest.mark.filterwarnings("ignore::termgauge.errors.TermgaugeWarning")
def test_the_example_of_coverage(tmp_path, monkeypatch, capsys):
    text = (REPOSITORY / "docs" / "coverage.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/coverage.md", "exec"), {})
    out = capsys.readouterr().out
    # lung has bronchus and dyspnea, dyspnea has bronchus and lung; cough is missing.
    assert "one relation away from asthma ('2', '3', '4')" in out
    assert "2 of 3 missing: ['4']" in out
    assert out.splitlines()[-1].startswith(f"{2 / 6}")
    assert tg.read_domain(tmp_path / "asthma.json").seeds == ("2", "3", "4")


def test_the_example_of_analogies(tmp_path, monkeypatch, capsys):
    text = (REPOSITORY / "docs" / "analogies.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "docs/analogies.md", "exec"), {})
    out = capsys.readouterr().out
    assert "clear, may_treat: " in out
    assert "vague, inverse of may_treat: " in out
    assert "'success'" in out
