"""Tests of adjudication: what counts as disagreement, and that decisions stand beside the ratings."""

from __future__ import annotations

import json

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.studies.status import disagreements
from tests.studies.small_study import quality, similarity


def rated(study, *raters):
    """Let each rater, in a group of all pairs, say what a function says of a pair."""
    with study.store() as store:
        for says in raters:
            rater, _token = store.invite(1)
            rows = [(page, position, says(pair), 2.0) for _group, page, position, pair, _kind in study.layout.rows()]
            store.import_answers(rater.id, rows, "test")
    return study


@pytest.fixture
def study(tmp_path):
    made = similarity(tmp_path, groups=1, consistency=0, duplicates=0)
    return rated(made, lambda _pair: 3.0, lambda pair: {1: 0.0, 2: 6.0, 3: 5.0, 4: None}.get(pair, 3.0), lambda _: 3.0)


def test_half_a_scale_apart_is_disagreement(study):
    assert [(each["pair"], each["ratings"]) for each in disagreements(study)] == [(1, [0, 3, 3]), (2, [3, 3, 6])]
    with study.store() as store:
        store.set_state("r2", "left_out", "does not read")
    assert disagreements(study) == []


def test_every_difference_is_one_in_a_quality_study(tmp_path):
    study = rated(quality(tmp_path), lambda _pair: 1.0, lambda pair: 0.0 if pair < 3 else 1.0)
    assert [each["pair"] for each in disagreements(study)] == [1, 2]


def test_decisions_are_kept_beside_the_ratings(run, study, tmp_path):
    run("study", "results", study.folder, "--out", tmp_path / "before")
    with study.store() as store:
        store.adjudicate(1, 0.0, "another organ")
        store.adjudicate(1, 1.0, "a near organ\nafter all")
        store.adjudicate(2, None, "has two meanings")
        with pytest.raises(TermgaugeError, match="Say why"):
            store.adjudicate(2, 3.0, " ")
        assert len(store.adjudications()) == 3
    assert [(each["pair"], each["reason"]) for each in disagreements(study)] == [
        (1, "a near organ after all"), (2, "has two meanings"),
    ]  # fmt: skip
    run("study", "results", study.folder, "--out", tmp_path / "after")
    for name in ("scores.tsv", "scores.ratings.tsv"):
        assert (tmp_path / "before" / name).read_bytes() == (tmp_path / "after" / name).read_bytes()
    before, after = (json.loads((tmp_path / each / "results.json").read_text("utf-8")) for each in ("before", "after"))
    assert before["adjudications"] == []
    assert [(each["pair"], each["rating"]) for each in after["adjudications"]] == [(1, 1.0), (2, None)]
    assert after["similarity"] == before["similarity"]
    assert not (tmp_path / "before" / "adjudications.tsv").exists()
    table = (tmp_path / "after" / "adjudications.tsv").read_text("utf-8").splitlines()
    assert table[0] == "pair\tword1\tword2\trating\tanswer\treason\tdecided"
    assert table[1].startswith("1\tleft 0\tright 0\t1\t1 ")
    assert table[2].startswith("2\tleft 1\tright 1\t\t")
    page = (tmp_path / "after" / "results.html").read_text("utf-8")
    assert "Adjudicated pairs" in page
    assert "has two meanings" in page
    _status, out, _err = run("study", "export", study.folder, "--adjudications")
    assert out.splitlines() == table
    _status, out, _err = run("study", "export", study.folder, "--adjudications", "--history", "--json")
    assert [each["rating"] for each in json.loads(out)["adjudications"]] == [0.0, 1.0, None]
    assert "organ" not in run("study", "export", study.folder)[1]
