"""Commands about studies: from the first pair to the answers, with sheets."""

from __future__ import annotations

import json

import pytest

from termgauge.studies.folder import open_study
from tests.studies.small_study import filled, labelled, pair_table, rows_of, saved


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


def test_the_administrators_link_works(run, tmp_path):
    _status, out, _err = run("study", "new", tmp_path / "s", "--pairs", pair_table(tmp_path), "--json")
    path = json.loads(out)["admin"]
    with open_study(tmp_path / "s").store() as store:
        assert store.is_admin(path.removeprefix("/admin/"))
        assert not store.is_admin("guess")


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
