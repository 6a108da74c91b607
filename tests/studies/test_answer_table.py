"""The answers of a study as a table: the published columns, no names, and the history where it is asked for."""

from __future__ import annotations

from termgauge.studies.ratings import read_ratings
from termgauge.studies.status import answer_text
from tests.studies.small_study import similarity


def answered(folder):
    study = similarity(folder)
    with study.store() as store:
        for name in ("Anna Secret", "Ben Secret"):
            rater, _token = store.invite(1, name)
            store.answer(rater.id, 1, 1, 3.0, seconds=1.25, client_id="a", revision=0)
            store.answer(rater.id, 1, 2, None, seconds=None, client_id="b", revision=0)
            store.answer(rater.id, 1, 1, 4.0, seconds=2.0, client_id="c", revision=1)
    return study


def test_the_table_is_the_published_one(tmp_path):
    study = answered(tmp_path)
    text = answer_text(study.export())
    lines = text.splitlines()
    assert lines[0] == "rater\tgroup\tpage\tposition\tpair\tword1\tword2\trating\tkind\tseconds"
    pair, kind = study.layout.row(0)[3:]
    assert lines[1] == f"r1\t1\t1\t1\t{pair}\tleft {pair - 1}\tright {pair - 1}\t4\t{kind}\t2"
    assert lines[2].split("\t")[7:] == ["", study.layout.row(1)[4], ""]
    assert len(lines) == 5
    assert "Secret" not in text


def test_what_is_exported_is_read_back(tmp_path):
    study = answered(tmp_path)
    (tmp_path / "answers.tsv").write_text(answer_text(study.export()), encoding="utf-8")
    read = read_ratings(tmp_path / "answers.tsv", scale=(0, 6))
    assert read.answers.rows() == study.ratings().answers.select(read.answers.columns).rows()


def test_the_history_has_every_answer(tmp_path):
    study = answered(tmp_path)
    table = study.export(history=True)
    assert table.columns[-3:] == ["revision", "given", "source"]
    assert table.filter(table["rater"] == "r1").select("position", "revision", "rating").rows() == [
        (1, 1, 3.0), (2, 1, None), (1, 2, 4.0),
    ]  # fmt: skip
    assert "Secret" not in answer_text(table)


def test_raters_who_were_left_out(tmp_path):
    study = answered(tmp_path)
    with study.store() as store:
        store.set_state("r1", "left_out", "too fast")
    assert set(study.export()["rater"]) == {"r2"}
    assert set(study.export(include_left_out=True)["rater"]) == {"r1", "r2"}


def test_a_study_without_answers(tmp_path):
    assert len(answer_text(similarity(tmp_path).export()).splitlines()) == 1
