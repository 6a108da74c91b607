"""Folders of others: nothing is written through links in them, and only what termgauge wrote is replaced."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import termgauge as tg
from termgauge.io.atomic import whole_file
from tests.studies.server.process import COMMAND

pytestmark = [
    pytest.mark.filterwarnings("ignore::termgauge.exceptions.TermgaugeWarning"),
    pytest.mark.skipif(os.name == "nt", reason="links need rights there"),
]
MODEL = ["-m", "baseline:levenshtein", "--measure", "similarity"]


@pytest.fixture
def evaluate(tmp_path):
    """Return the arguments of a command that scores a small set into a folder."""
    pairs = "".join(f"heart {word}\tcardiac {word}\t1\nheart {word}\tskin {word}x\t0\n" for word in "abcdefgh")
    (tmp_path / "toy.tsv").write_text(pairs)
    return lambda folder: ["evaluate", "-b", tmp_path / "toy.tsv", *MODEL, "-o", folder]


@pytest.fixture
def build(tmp_path):
    """Return the arguments of a command that builds a small benchmark in a folder."""
    terms = enumerate([("heart attack", "infarction"), ("lung", "pulmo"), ("kidney stone", "calculus")])
    rows = "".join(f"{number}\t{term}\n" for number, both in terms for term in both)
    (tmp_path / "terms.tsv").write_text(f"concept\tterm\n{rows}")
    return lambda folder: ["build", tmp_path / "terms.tsv", "--out", folder]


def content(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def replaced(path, elsewhere):
    """Put what is at a path elsewhere, with a file beside it, and a link in its place; return what is there now."""
    elsewhere.mkdir()
    target = elsewhere / path.name
    if path.exists():
        path.rename(target)
    else:
        target.write_text("mine")
    (elsewhere / "keep.json").write_text("mine")
    path.symlink_to(target)
    return content(elsewhere)


@pytest.mark.parametrize("name", [".lock", "scores", "scores/levenshtein", "sets", "results.csv", "not/there"])
@pytest.mark.parametrize("command", ["evaluate", "report", "compare"])
def test_nothing_is_written_through_a_link_in_a_run(run, evaluate, tmp_path, name, command):
    folder = tmp_path / "run"
    assert run(*evaluate(folder))[0] == 0
    (folder / "not").mkdir()
    before = replaced(folder / name, tmp_path / "elsewhere")
    more = ["--format", "html,csv"] if command == "report" else []
    again = [*evaluate(folder), "--overwrite", "always"] if command == "evaluate" else [command, folder, *more]
    status, out, err = run(*again)
    assert (status, out) == (2, "")
    assert f"{folder / name}: is a link, and nothing is written through links" in err
    assert content(tmp_path / "elsewhere") == before


@pytest.mark.parametrize("name", ["benchmark.json", "fsn-syn.hard.random.tsv", "fsn-syn.hard.random.concepts.parquet"])
def test_nothing_is_written_through_a_link_in_a_benchmark(run, build, tmp_path, name):
    folder = tmp_path / "built"
    assert run(*build(folder))[0] == 0
    before = replaced(folder / name, tmp_path / "elsewhere")
    status, _out, err = run(*build(folder), "--seed", 7, "--force")
    assert (status, "is a link" in err) == (2, True)
    assert content(tmp_path / "elsewhere") == before


@pytest.mark.parametrize("name", [".serving", "study.sqlite", "study.sqlite-wal", "design.json"])
def test_nothing_is_written_through_a_link_in_a_study(tmp_path, name):
    (tmp_path / "pairs.tsv").write_text("".join(f"word {at}\tterm {at}\n" for at in range(40)))
    folder = tg.new_study(tmp_path / "study", tmp_path / "pairs.tsv").folder
    before = replaced(folder / name, tmp_path / "elsewhere")
    command = [*COMMAND, "serve", str(folder), "--port", "0"]
    served = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (served.returncode, "is a link" in served.stderr) == (2, True)
    assert content(tmp_path / "elsewhere") == before


@pytest.mark.parametrize(("form", "name"), [
    ("html,csv", "report-csv"), ("html,latex", "report-latex"), ("latex", "tables"), ("latex", "figures"),
    ("markdown", "report-figures"),
])  # fmt: skip
def test_nothing_is_written_through_a_link_beside_a_report(run, evaluate, tmp_path, form, name):
    assert run(*evaluate(tmp_path / "run"))[0] == 0
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).symlink_to(tmp_path / "elsewhere")
    out = tmp_path / "out" / ("report.md" if form == "markdown" else "")
    status, _out, err = run("report", tmp_path / "run", "--format", form, "--out", out, "--figures", "svg")
    assert (status, "is a link" in err) == (2, True)
    assert content(tmp_path / "elsewhere") == {}


def test_the_folder_that_is_named_may_be_a_link(run, evaluate, build, tmp_path):
    for name in ("run", "built", "report", "study"):
        (tmp_path / f"own {name}").mkdir()
        (tmp_path / name).symlink_to(tmp_path / f"own {name}")
    for _again in range(2):
        assert run(*evaluate(tmp_path / "run"))[0] == 0
        assert run(*build(tmp_path / "built"))[0] == 0
        assert run("report", tmp_path / "run", "--format", "html,csv", "--out", tmp_path / "report")[0] == 0
    assert (tmp_path / "own run" / "results.csv").is_file()
    assert tg.new_study(tmp_path / "study", tmp_path / "toy.tsv").folder.is_symlink()
    assert (tmp_path / "own report" / "report-csv" / "index.csv").is_file()
    assert (tmp_path / "own study" / "study.toml").is_file()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".tmp-")]


@pytest.mark.parametrize("lock", ["", "1234\n"])
def test_a_folder_that_is_no_run_is_refused_even_with_a_lock(run, evaluate, tmp_path, lock):
    (tmp_path / "mine").mkdir()
    for name, text in ((".lock", lock), ("results.csv", "mine"), (".tmp-keep", "mine"), ("run.json", "[1]")):
        (tmp_path / "mine" / name).write_text(text)
    before = content(tmp_path / "mine")
    assert run(*evaluate(tmp_path / "mine"))[0] == 2, "its run.json is another program's"
    (tmp_path / "mine" / "run.json").unlink()
    status, _out, err = run(*evaluate(tmp_path / "mine"))
    assert (status, "is no run folder and holds other files" in err) == (2, True)
    assert content(tmp_path / "mine") == {name: text for name, text in before.items() if name != "run.json"}


def test_a_run_file_of_another_program_is_not_made_again(tmp_path):
    (tmp_path / "toy.tsv").write_text("heart\tcor\t1\nheart\tskin\t0\n" * 4)
    tables = '[[benchmark]]\nfile = "toy.tsv"\n[[model]]\nspec = "baseline:levenshtein"\n'
    (tmp_path / "experiment.toml").write_text(tables)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "run.json").write_text("[1]")
    (tmp_path / "mine" / "results.csv").write_text("mine")
    before = content(tmp_path / "mine")
    with pytest.raises(tg.TermgaugeError, match="is no run folder and holds other files"):
        tg.run(tmp_path / "experiment.toml", out=tmp_path / "mine")
    assert content(tmp_path / "mine") == before


@pytest.mark.parametrize("more", [[], ["--force"]])
def test_a_folder_that_is_no_benchmark_is_refused(run, build, tmp_path, more):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "fsn-syn.hard.random.tsv").write_text("mine")
    status, _out, err = run(*build(tmp_path / "mine"), *more)
    assert (status, "is no benchmark and holds other files" in err) == (2, True)
    assert content(tmp_path / "mine") == {"fsn-syn.hard.random.tsv": b"mine"}


def test_only_what_termgauge_was_writing_is_swept(run, evaluate, build, tmp_path):
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    for arguments, folder in ((evaluate, tmp_path / "run"), (build, tmp_path / "built")):
        assert run(*arguments(folder))[0] == 0
        with whole_file(folder / "a.txt") as temporary:
            own = temporary.name
        killed = folder / own.replace(str(os.getpid()), ended.stdout.decode().strip())
        for path in (killed, folder / ".tmp-keep", folder / ".tmp-keep-1-2"):
            path.write_text("mine")
            os.utime(path, (0, 0))
        assert run(*arguments(folder))[0] == 0
        assert not killed.exists()
        assert (folder / ".tmp-keep").exists()
        assert (folder / ".tmp-keep-1-2").exists()
