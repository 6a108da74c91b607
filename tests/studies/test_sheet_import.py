"""Sheets that come back: read however they were saved, checked as the server checks, stored whole or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.studies.folder import new_study
from termgauge.studies.sheets import MOST_PROBLEMS, rating_of
from termgauge.studies.study_file import new_study_file
from tests.studies.small_study import filled, quality, rows_of, saved, similarity


@pytest.fixture
def study(tmp_path):
    return similarity(tmp_path)


@pytest.fixture
def sheet(study, tmp_path):
    """Return the rows of the sheet of group 1."""
    study.sheets(tmp_path / "out")
    return rows_of(tmp_path / "out" / "group-1.csv")


def stored(study):
    with study.store() as store:
        return {(each.rater, each.page, each.position): each.rating for each in store.answers()}


FORMS = [
    {},
    {"separator": ";"},
    {"separator": "\t"},
    {"separator": "\t", "encoding": "utf-16"},
    {"encoding": "utf-8", "line_end": "\n"},
    {"quoting": 1},
]


@pytest.mark.parametrize("form", FORMS)
def test_answers_come_back_however_the_sheet_was_saved(study, sheet, tmp_path, form):
    decimal = "{},0" if form.get("separator") == ";" else "{}"
    rows = filled(sheet, lambda at: "?" if at % 5 == 0 else decimal.format(at % 7))
    done = study.import_sheets(saved(tmp_path / "Anna.csv", [rows[0], *reversed(rows[1:])], **form))
    assert [(each.rater, each.group, each.answers, each.new, each.unanswered) for each in done] == [
        ("r1", 1, len(rows) - 1, len(rows) - 1, 0)
    ]
    expected = [None if at % 5 == 0 else float(at % 7) for at in range(len(rows) - 1)]
    assert list(stored(study).values()) == expected
    with study.store() as store:
        rater = store.rater("r1")
        assert (rater.name, rater.state) == ("Anna", "finished")
        assert all("Anna" not in each.source for each in store.answers())


@settings(max_examples=20)
@given(data=st.data())
def test_any_answers_in_any_order_with_any_rows_missing(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("study")
    study = similarity(folder, 12)
    study.sheets(folder / "out")
    header, *rows = rows_of(folder / "out" / "group-2.csv")
    kept = data.draw(st.lists(st.sampled_from(range(len(rows))), unique=True, min_size=1))
    said = [data.draw(st.sampled_from(["", "?", *map(str, range(7))])) for _ in kept]
    path = saved(folder / "x.csv", [header, *([*rows[at][:3], answer] for at, answer in zip(kept, said, strict=True))])
    with pytest.warns(TermgaugeWarning) if "" in said or len(kept) < len(rows) else study.store():
        study.import_sheets(path, group=2)
    shown = [(page, at) for group, page, at, _pair, _kind in study.layout.rows() if group == 2]
    expected = {
        ("r1", *shown[at]): None if answer == "?" else float(answer)
        for at, answer in zip(kept, said, strict=True)
        if answer
    }
    assert stored(study) == expected


def test_a_quality_sheet_takes_words(tmp_path):
    study = quality(tmp_path)
    study.sheets(tmp_path / "out")
    words = ["same", "NOT same", "don’t know", "1", "0", "?"]
    rows = filled(rows_of(tmp_path / "out" / "group-1.csv"), lambda at: words[at % 6])
    study.import_sheets(saved(tmp_path / "Dr No.csv", rows))
    assert list(stored(study).values())[:6] == [1.0, 0.0, None, 1.0, 0.0, None]


def test_terms_that_look_like_formulas_are_known_again(tmp_path):
    (tmp_path / "p.tsv").write_text('=1+1\t"x"\n-a\t b  c\n', encoding="utf-8")
    study = new_study(tmp_path / "s", tmp_path / "p.tsv", groups=1)
    study.sheets(tmp_path / "out")
    rows = filled(rows_of(tmp_path / "out" / "group-1.csv"), lambda _at: "1")
    assert study.import_sheets(saved(tmp_path / "a.csv", rows))[0].answers == 2
    bare = [[cell.removeprefix("'") for cell in row] for row in rows]  # some programs drop the mark
    assert study.import_sheets(saved(tmp_path / "b.csv", bare))[0].answers == 2


def test_western_text_of_older_programs(tmp_path):
    (tmp_path / "p.tsv").write_text("Œdème\tÖdem\nfièvre\tFieber\n", encoding="utf-8")
    study = new_study(tmp_path / "s", tmp_path / "p.tsv", groups=1)
    study.sheets(tmp_path / "out")
    rows = filled(rows_of(tmp_path / "out" / "group-1.csv"), lambda _at: "2")
    assert study.import_sheets(saved(tmp_path / "a.csv", rows, encoding="cp1252", separator=";"))[0].answers == 2


def problems(study, path, **options):
    with pytest.raises(TermgaugeError) as error:
        study.import_sheets(path, **options)
    assert "othing was imported" in error.value.args[-1]
    assert not stored(study)
    with study.store() as store:
        assert store.raters() == []
    return error.value.args[:-1]


def test_everything_wrong_is_told_with_its_line(study, sheet, tmp_path):
    rows = filled(sheet, lambda _at: "3")
    rows[1][3] = "7"
    rows[2][3] = "2.5"
    rows[3][3] = "=cmd()"
    rows[4][1] = "other term"
    rows[5][0] = "999"
    rows[6][0] = "x"
    rows[8][0:3] = rows[7][0:3]
    good = saved(tmp_path / "good.csv", filled(sheet, lambda _at: "3"))
    path = saved(tmp_path / "bad.csv", rows)
    said = problems(study, [good, path], group=1)
    assert [each.partition(": ")[0] for each in said] == [f"{path}, line {line}" for line in (2, 3, 4, 5, 6, 7, 9)]
    assert "the answer '7' is none of 0, 1, 2, 3, 4, 5, 6, nor ? (\"I do not know this word\")." in said[0]
    assert "is not in the sheet of group 1" in said[3]
    assert "has the same row as line 8" in said[6]


def test_of_many_problems_the_first_are_told(study, sheet, tmp_path):
    long = [sheet[0], *([str(at), "a", "b", "1"] for at in range(100))]
    with pytest.raises(TermgaugeError) as error:
        study.import_sheets(saved(tmp_path / "x.csv", long), group=1)
    assert len(error.value.args) == MOST_PROBLEMS + 1
    assert error.value.args[-1] == "And 80 more such lines; nothing was imported."


def test_the_sheet_of_another_group(study, sheet, tmp_path):
    path = saved(tmp_path / "x.csv", filled(sheet, lambda _at: "3"))
    assert "is not in the sheet of group 2" in problems(study, path, group=2)[0]
    assert "there is no group 3; the study has 2" in problems(study, path, group=3)[0]
    with study.store() as store:
        store.invite(2, "Ben")
    with pytest.raises(TermgaugeError, match="r1 is in group 2, not in group 1"):
        study.import_sheets(path, rater="Ben", group=1)
    with pytest.raises(TermgaugeError, match="is not in the sheet of group 2"):
        study.import_sheets(path, rater="r1")


def test_the_group_is_known_by_the_pairs(study, tmp_path):
    study.sheets(tmp_path / "out")
    for group in (2, 1):
        rows = filled(rows_of(tmp_path / "out" / f"group-{group}.csv"), lambda _at: "3")
        assert study.import_sheets(saved(tmp_path / f"of {group}.csv", rows))[0].group == group


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"row,term1,term2,answer\n", "holds no rows"),
        (b"row,term1,answer\n1,a,3\n", "has no column 'term2'"),
        (b"row,term1,term2,answer,answer\n1,a,b,3,3\n", "has two columns named 'answer'"),
        (b"row,term1,term2,answer\n1,a\n", "do not tell the group"),
        (b"row,term1,term2,answer\n1,\xff,b,3\n", "do not tell the group"),
        (b"\xff\xfer", "is not UTF-8"),
        (b"PK\x03\x04\0\0", "zero byte"),
    ],
)
def test_what_is_no_sheet(study, tmp_path, content, said):
    (tmp_path / "x.csv").write_bytes(content)
    assert said in problems(study, tmp_path / "x.csv")[0]


@given(content=st.binary(max_size=60))
def test_any_bytes_are_bad_input(study, tmp_path, content):
    (tmp_path / "x.csv").write_bytes(b"row,term1,term2,answer\n" + content)
    with pytest.raises(TermgaugeError, match=r"x\.csv"):
        study.import_sheets(tmp_path / "x.csv")


def test_files_that_do_not_say_whose_they_are(study, sheet, tmp_path):
    path = saved(tmp_path / "group-1.csv", filled(sheet, lambda _at: "3"))
    assert "whose sheet is this?" in problems(study, path)[0]
    assert "there is no rater 'r9'" in problems(study, path, rater="r9")[0]
    assert "cannot be read" in problems(study, tmp_path / "none.csv")[0]
    with study.store() as store:
        store.invite(1, "Ann")
        store.invite(1, "ann")
    with pytest.raises(TermgaugeError, match=r"There are 2 raters called 'Ann' \(r1, r2\)"):
        study.import_sheets(path, rater="Ann")
    assert study.import_sheets(path, rater="r2")[0].rater == "r2"


def test_a_sheet_is_not_imported_twice(study, sheet, tmp_path):
    rows = filled(sheet, lambda _at: "3")
    path = saved(tmp_path / "Ann.csv", rows)
    study.import_sheets(path)
    for options in ({}, {"rater": "Ben"}):
        with pytest.raises(TermgaugeError, match=r"was imported before, as r1; --replace"):
            study.import_sheets(path, **options)
    rows[2][3] = "5"
    saved(path, rows)
    with pytest.raises(TermgaugeError, match=r"line 3: Ann gave another answer before \(3, here 5\); --replace"):
        study.import_sheets(path)
    assert study.import_sheets(path, replace=True)[0].new == 1
    assert max(stored(study).values()) == 5.0
    with study.store() as store:
        assert [rater.id for rater in store.raters()] == ["r1"]


def test_two_sheets_of_one_rater(study, sheet, tmp_path):
    first = saved(tmp_path / "a.csv", filled(sheet, lambda at: "3" if at < 9 else ""))
    second = saved(tmp_path / "b.csv", filled(sheet, lambda at: "4" if at > 7 else ""))
    with pytest.raises(TermgaugeError, match=r"b.csv, line 10: .*a.csv, line 10, has another answer of 'Ann'"):
        study.import_sheets([first, second], rater="Ann")
    assert stored(study) == {}
    saved(second, filled(sheet, lambda at: "4" if at > 8 else ""))
    with pytest.warns(TermgaugeWarning, match="pairs of r1 have no answer yet"):
        done = study.import_sheets([first, second], rater="Ann")
    assert [(each.rater, each.answers) for each in done] == [("r1", 9), ("r1", len(sheet) - 10)]
    study.sheets(tmp_path / "more")
    other = saved(tmp_path / "c.csv", filled(rows_of(tmp_path / "more" / "group-2.csv"), lambda _at: "1"))
    with pytest.raises(TermgaugeError, match="is of another group than"):
        study.import_sheets([saved(tmp_path / "d.csv", filled(sheet, lambda _at: "2")), other], rater="Cleo")


@pytest.mark.parametrize("state", ["paused", "left_out"])
def test_raters_who_may_not_answer(study, sheet, tmp_path, state):
    with study.store() as store:
        store.invite(1, "Ann")
        store.set_state("r1", state, "because")
    with pytest.raises(TermgaugeError, match=f"r1 is {state.replace('_', ' ')}; let them go on first"):
        study.import_sheets(saved(tmp_path / "Ann.csv", filled(sheet, lambda _at: "3")), replace=True)
    assert stored(study) == {}


@pytest.mark.parametrize(
    ("text", "rating"),
    [("3", 3.0), (" 3.0 ", 3.0), ("3,00", 3.0), ("'3", 3.0), ("+3", 3.0), ("Hardly  Similar", 1.0), ("?", None),
     ("i do not know this WORD", None)],
)  # fmt: skip
def test_what_an_answer_means(study, text, rating):
    assert rating_of(text, study.file) == rating


@given(st.text(max_size=12) | st.integers().map(str) | st.floats().map(str))
def test_any_answer_is_of_the_scale_or_refused(text):
    file = new_study_file("similarity", seed=1, groups=1, pages=1, consistency=0, duplicates=0)
    try:
        rating = rating_of(text, file)
    except ValueError:
        return
    assert rating is None or rating in file.values
