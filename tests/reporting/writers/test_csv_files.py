from __future__ import annotations

import csv

import polars as pl
import pytest
from hypothesis import given

from termgauge.reporting.blocks import Cell, Column, Table
from termgauge.reporting.writers.write import csv_text, tidy, write_csv
from tests.reporting.small_documents import document, figure, hostile_document, paper_table, tables


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_one_file_for_each_and_an_index(tmp_path):
    files = write_csv(document(), tmp_path)
    assert [file.name for file in files] == ["index.csv", "accuracy-levenshtein.csv", "dots.csv"]
    index = pl.read_csv(files[0])
    assert index["file"].to_list() == ["accuracy-levenshtein.csv", "dots.csv"]
    assert index["kind"].to_list() == ["table", "figure"]
    assert index["rows"].to_list() == [3, 2]
    assert index["section"].to_list() == ["Values", "Values"]
    values = pl.read_csv(files[2])["value"]
    assert values.to_list() == [0.25, 1 / 3]


def test_what_cells_say_becomes_columns():
    frame = tidy(paper_table(kinds=("fsn-syn",)))
    names = ["fsn-syn easy", "fsn-syn hard"]
    parts = ["", " low", " high", " better than", " worse than"]
    assert frame.columns == ["Model", *(f"{name}{part}" for name in names for part in parts)]
    assert frame["fsn-syn easy"].to_list() == [0.9, 0.8, 0.9 - 0.1 * 2]
    assert frame["fsn-syn easy better than"].to_list() == [2, 1, 0]
    assert frame["fsn-syn easy worse than"].to_list() == [0, 1, 2]
    assert frame["fsn-syn easy low"].to_list() == pytest.approx([0.85, 0.75, 0.65])


def test_its_own_data_come_first(tmp_path):
    data = pl.DataFrame({"x": [1.23456789012345], "list": [["a", 'b"']], "both": [{"p": 1, "q": None}]})
    table = Table("t", "", (Column("x", numeric=True),), ((Cell("1.2", 1.2),),), data=data)
    files = write_csv(document(table), tmp_path)
    assert rows_of(files[1]) == [["x", "list", "both"], ["1.23456789012345", '["a","b\\""]', '{"p":1,"q":null}']]


def test_headings_that_occur_twice_and_cells_without_a_number():
    columns = (Column("a"), Column("a"), Column("n", numeric=True))
    frame = tidy(Table("t", "", columns, ((Cell("x"), Cell("y"), Cell("–")), (Cell("x"), Cell("y"), Cell.count(1234)))))
    assert frame.columns == ["a", "a 2", "n"]
    assert frame["n"].to_list() == [None, 1234]


@given(tables())
def test_every_row_is_there(table):
    frame = tidy(table)
    assert frame.height == len(table.rows)
    assert frame.width >= len(table.columns)


def test_a_hostile_document(tmp_path):
    index, *files = write_csv(hostile_document(), tmp_path)
    assert len(rows_of(index)) == 5
    for file in files:
        assert len({len(row) for row in rows_of(file)}) == 1


FORMULAS = ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\tx", "\rx", "=cmd|' /C calc'!A0", "\uff1d1", "-itis"]
HARMLESS = ["-1.5", "+3", "1e5", "-.5e-3", "-", "", "a=1", "'=1", "5 - 3"]


@pytest.mark.parametrize("own", [False, True])
def test_no_text_is_taken_for_a_formula(tmp_path, own):
    texts = [*FORMULAS, *HARMLESS]
    data = pl.DataFrame({"=x": texts, "c": pl.Series(texts, dtype=pl.Categorical), "n": [-1.5] * len(texts)})
    rows = tuple((Cell(text), Cell(text), Cell("-1.5", -1.5)) for text in texts)
    columns = (Column("=x"), Column("c"), Column("n", numeric=True))
    table = Table("t", "=caption", columns, rows, data=data if own else None)
    files = write_csv(document(table), tmp_path)
    shown = texts if own else [text.replace("\t", " ").replace("\r", " ") for text in texts]  # cells hold no such signs
    wanted = [f"'{text}" if text[:1] in {*"=+-@\t\r\uff1d"} and text not in HARMLESS else text for text in shown]
    assert rows_of(files[1]) == [["'=x", "c", "n"], *([text, text, "-1.5"] for text in wanted)]
    assert csv_text(table) == files[1].read_bytes().decode()
    assert rows_of(files[0])[1][3] == "'=caption"


def test_no_tables_at_all(tmp_path):
    empty = type(document())("t", (), (), ())
    assert write_csv(empty, tmp_path) == [tmp_path / "index.csv"]
    assert rows_of(tmp_path / "index.csv") == [["file", "kind", "section", "caption", "rows", "columns"]]


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e-17, -3.0])
def test_all_digits_come_back(tmp_path, value):
    shown = figure().__class__("f", "", "", figure().draw, pl.DataFrame({"v": [value]}))
    files = write_csv(document(shown), tmp_path)
    assert float(rows_of(files[1])[1][0]) == value
