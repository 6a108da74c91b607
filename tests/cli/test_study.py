"""Commands about studies: from the first pair to the answers, with sheets."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from datetime import datetime, timedelta

import pytest

from termgauge.studies.folder import open_study
from tests.studies.rated_study import rated_study
from tests.studies.small_study import filled, labelled, let_in, pair_table, rows_of, saved

CONNECT = sqlite3.connect


def test_a_study_by_sheets_from_pairs_to_answers(run, tmp_path):
    folder = tmp_path / "nouns"
    status, out, err = run("study", "new", folder, "--pairs", pair_table(tmp_path), "--title", "Nouns", "--seed", "7")
    assert (status, err) == (0, "")
    assert "study serve" in out
    assert "/admin/" in out
    status, out, _err = run("study", "sheets", folder, "--out", tmp_path / "out")
    assert out.splitlines() == [
        str(tmp_path / "out" / name) for name in ("instructions.txt", "group-1.csv", "group-2.csv")
    ]
    for group, name in ((1, "Ann"), (2, "Ben")):
        rows = rows_of(tmp_path / "out" / f"group-{group}.csv")
        saved(tmp_path / f"{name}.csv", filled(rows, lambda at: str(at % 7)), separator=";")
    status, out, err = run("study", "import", folder, tmp_path / "Ann.csv", tmp_path / "Ben.csv", "--json")
    assert (status, err) == (0, "")
    assert [(each["rater"], each["group"], each["unanswered"]) for each in json.loads(out)["imported"]] == [
        ("r1", 1, 0), ("r2", 2, 0),
    ]  # fmt: skip
    status, out, _err = run("study", "status", folder)
    assert "Ann" in out
    assert "finished" in out
    status, out, err = run("study", "export", folder, "--out", tmp_path / "answers.tsv")
    assert (status, out, err) == (0, "", f"Written: {tmp_path / 'answers.tsv'}\n")
    _status, printed, _err = run("study", "export", folder)
    assert printed == (tmp_path / "answers.tsv").read_text(encoding="utf-8")
    assert printed.splitlines()[1].endswith("\t")  # no seconds are known: the empty field stays
    assert "Ann" not in printed
    assert len(printed.splitlines()) == open_study(folder).layout.height + 1


LAYOUT_OF_200 = "51bd0144f19e0e49e9d38b563584b0946cc40b54312927deb8a9c63fb000f808"
"""Of layout.tsv for 200 pairs and the default seed: two groups, as other programs draw it too."""


def test_few_raters_rate_all_pairs_and_the_layout_is_as_ever_without_them(run, tmp_path):
    path = pair_table(tmp_path, 200)
    for name, words in (("none", ()), ("six", ("--raters", "6")), ("two", ("--raters", "2", "--groups", "2"))):
        _status, out, _err = run("study", "new", tmp_path / name, "--pairs", path, *words, "--json")
        assert hashlib.sha256((tmp_path / name / "layout.tsv").read_bytes()).hexdigest() == LAYOUT_OF_200
        assert json.loads(out)["plan"]["pairs"] == 110
    _status, out, _err = run("study", "new", tmp_path / "few", "--pairs", path, "--raters", "5", "--json")
    assert json.loads(out)["groups"] == 1
    layout = open_study(tmp_path / "few").layout
    assert sorted(layout.filter(layout["kind"] != "duplicate")["pair"]) == list(range(1, 201))
    assert set(layout["kind"]) == {"unique", "duplicate"}


def test_the_plan_is_shown_before_it_is_fixed(run, tmp_path, monkeypatch):
    words = ("study", "new", tmp_path / "s", "--pairs", pair_table(tmp_path, 200), "--raters", "3")
    said = "3 raters, 200 pairs each (20 of them twice), about 35 minutes per rater, agreement known to ± .08."
    status, out, _err = run(*words, "--dry-run")
    assert (status, " ".join(out.split()).count(said)) == (0, 1)
    assert "This assumes 10 seconds for a pair" in " ".join(out.split())
    plan = json.loads(run(*words, "--dry-run", "--json")[1])["plan"]
    assert (plan["raters"], plan["pairs"], plan["minutes"], round(plan["margin"], 2)) == (3, 200, 35, 0.08)
    assert not (tmp_path / "s").exists()
    questions = []

    def asked(question, **_options):
        questions.append(question)
        return len(questions) > 1

    monkeypatch.setattr("typer.confirm", asked)
    for stream in ("stdin", "stderr"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True)
    status, _out, err = run(*words)
    assert (status, "nothing was written" in err) == (2, True)
    assert not (tmp_path / "s").exists()
    assert run(*words)[0] == 0
    assert len(questions) == 2
    assert said in questions[0]
    assert run(*words[:2], tmp_path / "t", *words[3:], "--yes")[0] == 0
    assert len(questions) == 2


def test_links_begin_where_the_study_was_served_last(run, tmp_path):
    run("study", "new", tmp_path / "s", "--pairs", pair_table(tmp_path))
    _status, out, err = run("study", "invite", tmp_path / "s")
    assert "http://127.0.0.1:8000/r/" in out
    assert "which only this machine reaches" in err
    (tmp_path / "s" / ".serving").write_text("http://127.0.0.1:8123", encoding="utf-8")
    _status, out, err = run("study", "invite", tmp_path / "s", "--admin")
    assert out.startswith("http://127.0.0.1:8123/admin/")
    assert "where the study was served last" in err
    _status, out, err = run("study", "invite", tmp_path / "s", "--public-url", "https://study.example.org", "--qr")
    link, *drawn = out.splitlines()
    assert (link.split("\t")[-1].startswith("https://study.example.org/r/"), err) == (True, "")
    assert drawn[0] == "█" * len(drawn[0])


def test_the_administrators_link_works(run, tmp_path):
    _status, out, _err = run("study", "new", tmp_path / "s", "--pairs", pair_table(tmp_path), "--json")
    path = json.loads(out)["admin"]
    with open_study(tmp_path / "s").store() as store:
        assert let_in(store, path.removeprefix("/admin/")) == "admin"
        assert let_in(store, "guess") is None


def test_links_are_made_to_expire(run, tmp_path):
    _status, out, _err = run(
        "study", "new", tmp_path / "s", "--pairs", pair_table(tmp_path), "--expire-after", "3", "--json"
    )
    admin = json.loads(out)["admin"].rpartition("/")[2]
    words = ("study", "invite", tmp_path / "s", "--expire-after", "30", "--json")
    _status, out, _err = run(*words)
    rater = json.loads(out)["raters"][0]["link"].rpartition("/")[2]
    _status, out, _err = run(*words, "--reissue", "r1", "--admin")
    again = json.loads(out)["raters"][0]["link"].rpartition("/")[2]
    with open_study(tmp_path / "s").store() as store:
        for token, days in ((admin, 3), (rater, 30), (again, 30)):
            link = store.link_of(token)
            assert datetime.fromisoformat(link.expires) - datetime.fromisoformat(link.issued) == timedelta(days=days)
        assert let_in(store, again) == "r1"
    for wrong in ("0", "4000", "x"):
        assert run("study", "invite", tmp_path / "s", "--expire-after", wrong)[0] == 2


def careless_sqlite(*arguments, **options):
    """Open a database by an SQLite that leaves in the file what is deleted, as many do."""
    connection = CONNECT(*arguments, **options)
    connection.execute("PRAGMA secure_delete = OFF")
    return connection


def test_nothing_of_erased_answers_is_left_in_the_folder(run, tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite3, "connect", careless_sqlite)
    study = rated_study(tmp_path)
    secret = "sheet of somebody"
    with study.store() as store:
        places = study.layout.filter(group=1).select("page", "position").rows()
        for rating in (1.0, 2.0):  # former answers too
            store.import_answers("r1", [(*place, rating, None) for place in places], f"{secret} {rating}")
        store.run("UPDATE raters SET name = 'Zebulon' WHERE number = 1")
        others = [each for each in store.all_answers() if each.rater != "r1"]

        def left(word):
            return any(word.encode() in file.read_bytes() for file in study.folder.glob("study.sqlite*"))

        assert left(secret)
        status, out, err = run("study", "erase", study.folder, "r1", "--by", "Dr Who", "--reason", "asked by mail")
        assert (status, out) == (0, "r1\terased\n")
        assert "results that were written before still hold" in err
        assert not left(secret), "while another program has the database open"
        assert not left("Zebulon")
        assert store.all_answers() == others
    assert not left(secret)
    _status, out, _err = run("study", "status", study.folder, "--json")
    document = json.loads(out)
    first = document["raters"][0]
    assert (first["state"], first["name"], first["answered"]) == ("revoked", None, 0)
    record = next(each for each in document["history"] if each["what"] == "erased")
    assert (record["rater"], record["reason"]) == ("r1", "by Dr Who: asked by mail")
    assert record["time"].endswith("Z")
    assert "r1" not in set(study.export(history=True, include_left_out=True)["rater"])
    assert run("study", "results", study.folder, "--out", tmp_path / "results")[0] == 0
    for file in (tmp_path / "results").iterdir():
        assert not re.search(r"\br1\b", file.read_text(encoding="utf-8")), file
    assert run("study", "erase", study.folder, "r1")[0] == 0
    status, _out, err = run("study", "invite", study.folder, "--reissue", "r1")
    assert (status, "were erased" in err) == (2, True)
    assert run("study", "erase", study.folder, "r99")[0] == 2
    rows = rows_of(study.sheets(tmp_path / "sheets")[1])
    saved(tmp_path / "back.csv", filled(rows, lambda _at: "3"))
    status, _out, err = run("study", "import", study.folder, tmp_path / "back.csv", "--rater", "r1")
    assert (status, "were erased" in err) == (2, True)


def test_a_quality_study_tells_what_is_missing(run, tmp_path):
    labelled("small", 3, 40).write_tsv(tmp_path / "small.tsv")
    words = ("study", "new", tmp_path / "s", "--kind", "quality", "--pairs", tmp_path / "small.tsv")
    status, _out, err = run(*words)
    assert status == 4
    assert "Left out: 27 positives of 'small'." in err
    assert open_study(tmp_path / "s").pairs.height == 33


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["new", "{tmp}/s", "--pairs", "{tmp}/none.tsv"], "none.tsv"),
        (["new", "{tmp}/s", "--pairs", "{tmp}/pairs.tsv", "--kind", "simlarity"], "Did you mean 'similarity'?"),
        (["status", "{tmp}/none"], "there is no such folder"),
        (["export", "{tmp}"], "holds no study"),
        (["sheets", "{tmp}", "--out", "{tmp}/x"], "holds no study"),
        (["import", "{tmp}", "{tmp}/pairs.tsv"], "holds no study"),
    ],
)
def test_bad_input_is_a_sentence(run, tmp_path, words, said):
    pair_table(tmp_path)
    status, out, err = run("study", *(word.format(tmp=tmp_path) for word in words))
    assert (status, out) == (2, "")
    assert err.startswith("Error: ")
    assert said in err


def test_history_and_raters_left_out(run, tmp_path):
    run("study", "new", tmp_path / "s", "--pairs", pair_table(tmp_path))
    with open_study(tmp_path / "s").store() as store:
        store.invite(1)
        store.answer("r1", 1, 1, 1.0, seconds=1, client_id="a", revision=0)
        store.answer("r1", 1, 1, 2.0, seconds=1, client_id="b", revision=1)
        store.set_state("r1", "left_out", "why")
    assert len(run("study", "export", tmp_path / "s")[1].splitlines()) == 1
    assert len(run("study", "export", tmp_path / "s", "--left-out")[1].splitlines()) == 2
    out = run("study", "export", tmp_path / "s", "--left-out", "--history", "--json")[1]
    assert [each["rating"] for each in json.loads(out)["answers"]] == [1.0, 2.0]


def test_results_are_shown_and_written(run, tmp_path):
    study = rated_study(tmp_path / "s")
    status, out, err = run("study", "results", study.folder, "--format", "html,csv", "--leave-out", "r4")
    assert status == 0
    assert "Krippendorff's alpha, ordinal" in out
    assert "This is a demonstration." in out
    assert f"Written: {study.folder / 'results' / 'results.html'}" in err
    assert (study.folder / "results" / "results-csv" / "index.csv").is_file()
    found = json.loads(run("study", "results", study.folder, "--json", "--rule", "none", "--out", tmp_path / "o")[1])
    assert found["similarity"]["agreement"]["left_out"] == []
    assert found["study"]["left_out_by_hand"] == []


@pytest.mark.parametrize(
    ("kind", "words", "said"),
    [
        ("similarity", ["--rule", "others2"], "rule"),
        ("similarity", ["--leave-out", "r99"], "there is no rater 'r99'"),
        ("similarity", ["--format", "pdf"], "cannot be written as 'pdf'"),
        ("quality", ["--dont-know", "perhaps"], "'missing' or 'category'"),
    ],
)
def test_results_that_cannot_be_are_refused(run, tmp_path, kind, words, said):
    study = rated_study(tmp_path / "s", kind, raters=3)
    status, out, err = run("study", "results", study.folder, *words)
    assert (status, out) == (2, "")
    assert err.startswith("Error: ")
    assert said in err
    assert not (study.folder / "results").exists()


@pytest.mark.integration
def test_a_demonstration_says_so_and_where_it_is(run, tmp_path):
    status, out, err = run("study", "demo", tmp_path / "d", "--kind", "quality", "--raters", "3")
    assert status == 0
    assert "made raters" in out
    assert "made up by a program" in out
    assert f"termgauge study serve {tmp_path / 'd'}" in err
    status, _out, err = run("study", "demo", tmp_path / "d")
    assert status == 2
    assert "holds a study already" in err
