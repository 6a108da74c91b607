"""What shells get while somebody types, asked as they ask."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import termgauge as tg
from termgauge.cli import completion

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a run of two sets."""
    place = tmp_path_factory.mktemp("completed")
    for name in ("one", "other"):
        (place / f"{name}.tsv").write_text("heart\tcardiac\t1\nheart\tskin\t0\n")
    tg.evaluate([place / "one.tsv", place / "other.tsv"], "baseline:levenshtein", place / "run")
    return place


def offered(line, folder, shell="bash"):
    words = line.split(" ")
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    if shell != "bash":
        asked = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    path = os.pathsep.join(sys.path)
    code = "import sys; sys.argv = ['termgauge']; from termgauge.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **asked, "_TERMGAUGE_COMPLETE": f"complete_{shell}", "PYTHONPATH": path},
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("termgauge lea", ["leaderboard"]),
        ("termgauge voc", ["vocabulary"]),
        ("termgauge study inv", ["invite"]),
        ("termgauge evaluate --over", ["--overwrite"]),
        ("termgauge compare run --statistic a", ["auc", "accuracy", "ap"]),
        ("termgauge errors run --set o", ["one", "other"]),
    ],
)
def test_bash(folder, line, words):
    assert offered(line, folder) == words


def test_fish(folder):
    assert offered("termgauge lea", folder, "fish") == ["leaderboard"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_each_shell_has_its_script(run, shell):
    status, out, err = run("--show-completion", shell)
    assert (status, err) == (0, "")
    assert "_TERMGAUGE_COMPLETE" in out
    assert run("--show-completion", "csh")[0] == 2


def test_the_users_own_shell(run, monkeypatch, tmp_path):
    monkeypatch.setenv("SHELL", "/usr/bin/fish")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run("--show-completion")[1] == run("--show-completion", "fish")[1]
    status, out, err = run("--install-completion", "fish")
    assert (status, out) == (0, "")
    (written,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert str(written) in err
    assert "_TERMGAUGE_COMPLETE" in written.read_text()


def test_models_sets_and_measures():
    assert completion.models("base") == ["baseline:levenshtein", "baseline:char-ngrams", "baseline:random"]
    assert completion.models("mine=word2") == ["mine=word2vec:"]
    assert "sentence-transformers:" in completion.models("")
    assert completion.benchmarks("human/umnsrs-s") == ["human/umnsrs-sim", "human/umnsrs-sim-mod"]
    assert "avg_cos" in completion.measures("avg")
    assert completion.choices(["one", "two"])("t") == ["two"]


def test_names_of_a_run(folder, monkeypatch):
    class Context:
        params = {"run": folder / "run"}  # noqa: RUF012

    assert completion.sets_of_run(Context, "") == ["one", "other"]
    assert completion.models_of_run(Context, "lev") == ["levenshtein"]
    monkeypatch.setitem(Context.params, "run", folder)
    assert completion.models_of_run(Context, "") == []
    (folder / "damaged").mkdir()
    (folder / "damaged" / "run.json").write_text("{")
    monkeypatch.setitem(Context.params, "run", folder / "damaged")
    assert completion.sets_of_run(Context, "") == []
