"""What commands show of a study: its layout, what to do next, and what became of sheets."""

from __future__ import annotations

from termgauge.studies.sheets import Imported
from termgauge.studies.status import begun_section, imported_section, summary
from tests.studies.small_study import quality, similarity


def test_a_new_study_says_how_it_is_laid_out_and_what_to_do_next(tmp_path):
    study = similarity(tmp_path)
    table, prose = begun_section(study, "secret").blocks
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Group 1", "15", "11", "2", "2", "2"],
        ["Group 2", "15", "11", "2", "2", "2"],
    ]
    said = " ".join(prose.paragraphs)
    for part in ("study.toml", f"study invite {study.folder}", f"study serve {study.folder}", "/admin/secret"):
        assert part in said


def test_the_summary_counts_showings(tmp_path):
    said = summary(quality(tmp_path))
    assert (said["kind"], said["pairs"], said["showings"], said["pages"]) == ("quality", 18, {"1": 18}, 1)


def test_sheets_that_were_imported():
    table = imported_section([Imported("a.csv", "r1", 2, 10, 9, 0)]).blocks[0]
    assert [cell.text for cell in table.rows[0]] == ["a.csv", "r1", "2", "10", "9", "0"]
