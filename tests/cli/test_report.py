"""Reports on the command line: streams, statuses, files."""

from __future__ import annotations

import json

import pytest

import termgauge as tg
from termgauge.engine.evaluate import evaluate
from termgauge.exceptions import TermgaugeError
from tests.engine.toy_models import ToyPairs, ToyTerms, ToyWords, binary_set, graded_set

SETS = (graded_set(), binary_set())
GOOD = tuple(float(label) for label in SETS[1].frame["label"])


@pytest.fixture
def made(tmp_path):
    evaluate(SETS, [ToyTerms(), ToyPairs("own", GOOD)], tmp_path / "one")
    evaluate(SETS, [ToyTerms(), ToyPairs("own", GOOD[::-1])], tmp_path / "two")
    return tmp_path


def test_the_page_is_in_the_run(run, made):
    status, out, err = run("report", made / "one")
    assert (status, out) == (0, "")
    assert "report.html" in err.replace("\n", "")
    assert (made / "one" / "report.html").read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html")


def test_all_formats(run, made):
    status, out, _ = run(
        "report", made / "one", "--format", "html,markdown", "-f", "csv", "-f", "latex", "--out", made / "out", "--json"
    )
    assert status == 0
    found = json.loads(out)
    assert found["run"] == str(made / "one")
    names = ["report.html", "report.md", "report-csv/index.csv", "report-latex/report.tex"]
    assert found["written"] == [str(made / "out" / name) for name in names]
    assert (made / "out" / "report-latex" / "tables" / "paper-rho.tex").is_file()


def test_wrong_words(run, made, tmp_path):
    for arguments, sentence in (
        (["--format", "markdwn"], "Did you mean 'markdown'?"),
        (["--figures", "sgv"], "Did you mean 'svg'?"),
        (["--format", "html,csv", "--out", "x.html"], "name a folder"),
    ):
        status, out, err = run("report", made / "one", *arguments)
        assert (status, out) == (2, "")
        assert sentence in " ".join(err.split())
    status, _, err = run("report", tmp_path / "nowhere")
    assert status == 2
    assert "is no run folder" in " ".join(err.split())


def test_it_can_be_opened(run, made, monkeypatch):
    opened = []
    monkeypatch.setattr("typer.launch", opened.append)
    assert run("report", made / "one", "--open")[0] == 0
    assert opened == [str(made / "one" / "report.html")]


def test_diff(run, made):
    status, out, err = run("diff", made / "one", made / "two", "--html", made / "diff.html")
    assert (status, err) == (0, f"Written: {made / 'diff.html'}\n")
    assert "values changed" in out
    assert "own" in out
    assert (made / "diff.html").is_file()
    status, out, _ = run("diff", made / "one", made / "two", "--json", "--fail-on-worse")
    assert status == 3
    found = json.loads(out)
    assert found["worse"] > 0
    assert found["written"] == []
    assert run("diff", made / "two", made / "one", "--json", "--fail-on-worse")[0] == 0
    assert run("diff", made / "one", made / "one", "--fail-on-worse")[0] == 0


def test_diff_of_other_models(run, made):
    evaluate(SETS, [ToyWords("new")], made / "three")
    status, out, _ = run("diff", made / "one", made / "three", "--map", "encoder=new", "--json")
    assert status == 0
    assert {value["model"] for value in json.loads(out)["values"]} == {"encoder"}
    for words, sentence in (
        (["encoder"], "as A=B"),
        (["encoder=new", "own=new"], "twice"),
        (["x=new"], "has no model"),
    ):
        arguments = [part for word in words for part in ("--map", word)]
        status, _, err = run("diff", made / "one", made / "three", *arguments)
        assert status == 2
        assert sentence in " ".join(err.split())
    assert run("diff", made / "one", made / "three", "--html", made / "x.md", "--map", "encoder=new")[0] == 2


def test_leaderboard(run, made, monkeypatch):
    status, out, err = run("leaderboard", made / "one", made / "two", "--out", made / "board.html", "--title", "Ours")
    assert (status, err) == (0, f"Written: {made / 'board.html'}\n")
    assert "cannot be told apart" in out
    assert "own (one)" in out
    assert "Ours" in (made / "board.html").read_text(encoding="utf-8")
    monkeypatch.chdir(made)
    status, out, _ = run("leaderboard", "one", "two", "--format", "csv", "--json")
    assert status == 0
    found = json.loads(out)
    assert {each["model"] for each in found["standing"]} == {"encoder", "own (one)", "own (two)"}
    assert found["written"] == ["leaderboard-csv/index.csv"]
    assert (made / "leaderboard-csv" / "overall.csv").is_file()
    assert run("leaderboard", "one", "--format", "pdf")[0] == 2


def test_the_functions(made):
    (page,) = tg.report(made / "one", out=made / "page.html")
    assert page == made / "page.html"
    assert page.is_file()
    text, report = tg.report(made / "one", formats="markdown,latex", figures="none", out=made / "both")
    assert (text.name, report.name) == ("report.md", "report.tex")
    assert not list((made / "both").rglob("*.svg"))
    with pytest.raises(TermgaugeError, match="Did you mean 'html'"):
        tg.report(made / "one", formats=["htm1"])
    assert callable(tg.report)
