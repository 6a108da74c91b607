"""Sheets for raters without a server: they open rightly in spreadsheet programs, and say neither kind nor label."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.studies.design import showings_of
from termgauge.studies.folder import new_study
from termgauge.studies.sheets import instructions_text
from tests.studies.small_study import quality, rows_of, similarity


def test_a_sheet_for_each_group_and_each_rater(tmp_path):
    study = similarity(tmp_path)
    with study.store() as store:
        store.invite(2, "Anna")
        store.answer("r1", 1, 1, 4.0, seconds=1, client_id="a", revision=0)
        store.answer("r1", 1, 2, None, seconds=1, client_id="b", revision=0)
        store.invite(1)
        store.set_state("r2", "revoked", None)
    files = study.sheets(tmp_path / "out")
    assert [path.name for path in files] == ["instructions.txt", "group-1.csv", "group-2.csv", "r1.csv"]
    assert sorted((tmp_path / "out").iterdir()) == sorted(files)
    blank, own = rows_of(tmp_path / "out" / "group-2.csv"), rows_of(tmp_path / "out" / "r1.csv")
    assert blank[0] == ["row", "term1", "term2", "answer"]
    assert [row[:3] for row in own] == [row[:3] for row in blank]
    assert [row[3] for row in own[1:4]] == ["4", "?", ""]
    order = study.layout.filter(study.layout["group"] == 2).sort("page", "position")["pair"]
    assert [row[:3] for row in blank[1:]] == [
        [str(at), f"left {pair - 1}", f"right {pair - 1}"] for at, pair in enumerate(order, 1)
    ]


def test_spreadsheet_programs_read_them_as_text(tmp_path):
    (tmp_path / "p.tsv").write_text('=cmd()\tŒdème\n-5-HT\ta;b,"c"\n', encoding="utf-8")
    study = new_study(tmp_path / "s", tmp_path / "p.tsv", groups=1)
    sheet = study.sheets(tmp_path / "out")[1].read_bytes()
    assert sheet.startswith(b"\xef\xbb\xbfrow,")
    assert sheet.count(b"\r\n") == 3
    assert sorted(row[1] for row in rows_of(tmp_path / "out" / "group-1.csv")[1:]) == ["'-5-HT", "'=cmd()"]
    assert {showing.word2 for showing in showings_of(study, 1)} == {"Œdème", 'a;b,"c"'}


def test_a_sheet_of_a_quality_study_has_neither_set_nor_label(tmp_path):
    study = quality(tmp_path)
    rows = rows_of(study.sheets(tmp_path / "out")[1])
    assert [tuple(row) for row in rows[1:]] == [(str(pair), one, two, "") for pair, one, two in study.pairs.rows()]


def test_the_instructions_say_all_that_is_needed(tmp_path):
    study = similarity(tmp_path)
    text = instructions_text(study.file)
    for part in (study.file.question, study.file.privacy, study.file.texts.sheet, *study.file.instructions):
        assert part in text
    assert "6   the same, or nearly so\r\n  ?   I do not know this word" in text
    assert "drug / pharmacy: 1 (hardly similar)" in text
    assert "\n" not in text.replace("\r\n", "")


def test_sheets_that_may_have_been_filled_in_are_not_replaced(tmp_path):
    study = similarity(tmp_path)
    study.sheets(tmp_path / "out")
    study.sheets(tmp_path / "out")  # the same again
    (tmp_path / "out" / "group-1.csv").write_text("filled in")
    with pytest.raises(TermgaugeError, match=r"group-1.csv: is there already and may have been filled in"):
        study.sheets(tmp_path / "out")
    with pytest.raises(TermgaugeError, match="is a file; name a folder"):
        study.sheets(tmp_path / "pairs.tsv")
