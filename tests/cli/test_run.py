"""The commands about whole experiments."""

from __future__ import annotations

import json


def test_init_writes_a_file_that_a_dry_run_understands(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    status, out, err = run("init", "mine.toml")
    assert (status, out) == (0, "")
    assert "termgauge run mine.toml" in err
    assert run("init", "mine.toml")[0] == 2
    status, out, _err = run("run", "mine.toml", "--dry-run", "--json", "--out", tmp_path / "run")
    assert status == 0
    steps = [step["name"] for step in json.loads(out)["steps"]]
    assert steps[0] == "Read terminologies"
    assert steps[-1] == "Report"
    assert not (tmp_path / "run").exists()


def test_a_small_experiment_prints_its_values_and_where_the_report_is(run, tmp_path):
    folder = tmp_path / "pairs"
    assert run("sets")[0] == 0
    (tmp_path / "terms.tsv").write_text(
        "".join(["concept\tterm\n", *(f"{i}\theart {i}\n{i}\tcardiac {i}\n" for i in range(9))])
    )
    assert run("build", tmp_path / "terms.tsv", "--out", folder, "--only", "random")[0] == 0
    text = f'[[benchmark]]\nfolder = "{folder}"\n[[model]]\nspec = "baseline:levenshtein"\n'
    (tmp_path / "small.toml").write_text(text)
    status, out, err = run("run", tmp_path / "small.toml")
    assert status == 0
    assert "levenshtein" in out
    assert "Report: " in err
    status, out, _err = run("run", tmp_path / "small.toml", "--json", "--no-report")
    assert status == 0
    assert {row["model"] for row in json.loads(out)["results"]} == {"levenshtein"}
