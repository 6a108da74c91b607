"""Tables as spreadsheet programs save them: whatever separator, encoding and line end, the same cells come back."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.formulas import harmless
from termgauge.studies.sheets import Row, read_spreadsheet, spreadsheet_bytes
from tests.studies.small_study import saved

CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
TABLES = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=5)


@given(
    TABLES, st.sampled_from(",;\t"), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.sampled_from(["\n", "\r\n"])
)
def test_cells_come_back_however_they_were_saved(tmp_path, table, separator, encoding, line_end):
    rows = [("row", "term1", "answer"), *table]
    path = saved(
        tmp_path / "t.csv", rows, separator=separator, encoding=encoding, line_end=line_end, quoting=csv.QUOTE_ALL
    )
    read = read_spreadsheet(path.read_bytes(), "t.csv")
    assert [tuple(row.fields) for row in read] == [row for row in rows if any(cell.strip() for cell in row)]


@given(TABLES)
def test_what_is_written_is_read_back_and_no_formula(table):
    written = spreadsheet_bytes([("a", "b", "c"), *table])
    assert written.startswith(b"\xef\xbb\xbf")
    read = read_spreadsheet(written, "t.csv")[1:]
    kept = [row for row in table if any(harmless(cell).strip() for cell in row)]
    assert [row.fields for row in read] == [[harmless(cell) for cell in row] for row in kept]


@given(st.lists(st.lists(CELLS, min_size=2, max_size=3), min_size=1, max_size=5))
def test_unquoted_tables_are_taken_literally(rows):
    rows = [[cell.replace("\t", "") for cell in row] for row in rows]
    content = "".join("\t".join(row) + "\n" for row in rows).encode()
    read = read_spreadsheet(content, "t.tsv", separators="\t", quoted=False)
    assert [row.fields for row in read] == [row for row in rows if "\t".join(row).strip()]


def test_lines_are_those_of_the_file():
    assert read_spreadsheet(b'a,b\r\n\r\n"x\r\ny",2\r\n3,4', "t") == [
        Row(1, ["a", "b"]), Row(4, ["x\r\ny", "2"]), Row(5, ["3", "4"]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,b\nc\xe4,d\n", "t, line 2: is not UTF-8 text"),
        (b"a,b\n\0,d\n", "t, line 2: holds a zero byte"),
        (b'a,b\n"x,y\n', "t, line 2: cannot be read as a table"),
        (b'a,b\n"x"y,z\n', "t, line 2: cannot be read as a table"),
        (b"\xff\xfea", "is not UTF-8 text"),
    ],
)
def test_what_is_no_table(content, said):
    with pytest.raises(TermgaugeError, match=said):
        read_spreadsheet(content, "t")


@given(st.binary(max_size=80), st.booleans())
def test_any_bytes_are_a_table_or_bad_input(content, quoted):
    try:
        rows = read_spreadsheet(content, "t", quoted=quoted)
    except TermgaugeError:
        return
    assert all(row.line >= 1 and row.fields for row in rows)
