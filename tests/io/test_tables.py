"""One reader of tables: files however they are separated, quoted and headed, and DataFrames, by whichever names."""

from __future__ import annotations

import csv
import io

import polars as pl
import pytest

import termgauge as tg
from termgauge.io.tables import parse_table

ROWS = [("heart, left", 'a "b"; c', "3.5"), ("flu | cold", "influenza\tB", "4")]


def written(tmp_path, text, name="t.csv"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path / name


@pytest.mark.parametrize("separator", ",\t;|")
@pytest.mark.parametrize("titles", ["term_1 term_2 score", "Word.1 WORD2 Rating", "text1 Text-2 label"])
@pytest.mark.parametrize("headed", [True, False])
def test_files_of_any_layout(tmp_path, separator, titles, headed):
    titles, text = titles.split(), io.StringIO()
    csv.writer(text, delimiter=separator).writerows([titles, *ROWS] if headed else ROWS)
    file = written(tmp_path, "\ufeff" + text.getvalue())
    wanted = {"term_1": "term_1", "score": "score"} if headed else {"term_1": 1, "score": 3}
    table = tg.read_table(file, wanted)
    assert table.to_dict(as_series=False) == {"term_1": [ROWS[0][0], ROWS[1][0]], "score": ["3.5", "4"]}
    assert tg.read_table(file).columns == (titles if headed else ["column_1", "column_2", "column_3"])
    assert tg.read_table(file, "1,3").rows() == table.rows()


def test_a_header_is_told_by_its_numbers_or_by_the_caller(tmp_path):
    file = written(tmp_path, "flu,influenza\nleg,limb\n")
    assert tg.read_table(file).rows() == [("leg", "limb")]
    assert tg.read_table(file, header=False).rows() == [("flu", "influenza"), ("leg", "limb")]
    bare = tg.read_table(written(tmp_path, "a,,a\n1,2,\n"))
    assert bare.to_dicts() == [{"a": "1", "column_2": "2", "column_3": None}]


def test_a_dataframe_is_read_as_a_file_is():
    frame = pl.DataFrame({"Word1": ["flu", None], "n": [1, 2], "Word2": pl.Series(["a", "b"], dtype=pl.Categorical)})
    assert tg.read_table(frame, ["term_1", "term_2"]).rows() == [("flu", "a"), (None, "b")]
    assert tg.read_table(frame.lazy(), {"count": "n"}).rows() == [("1",), ("2",)]
    assert tg.read_table(frame.clear()).shape == (0, 3)


@pytest.mark.parametrize(
    ("text", "columns", "says"),
    [
        ("a,b\n1\n", "a", "t.csv, line 2: has 1 columns instead of 2"),
        ("term1,b\nx,y\n", "term2", "t.csv, line 1: has no column 'term2'; it has term1, b. Did you mean 'term1'?"),
        ("a,b\nx,y\n", [3], "has no column '3'"),
        (" \n", "a", "is empty"),
        ('a,b\n"x,y\n', "a", "check that every quote is closed"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, columns, says):
    with pytest.raises(tg.TermgaugeError) as caught:
        tg.read_table(written(tmp_path, text), columns)
    assert says in str(caught.value)


def test_cells_are_no_lists():
    with pytest.raises(tg.TermgaugeError, match="The table: the column 'a' has the type List"):
        tg.read_table(pl.DataFrame({"a": [[1], [2]]}))


def test_rows_of_a_table():
    text = '\na,"b\nc"\r\n\n d ,\re,f'
    assert parse_table(text, "f").content == [(3, ["a", "b\nc"]), (5, ["d", ""]), (6, ["e", "f"])]
    for bad in ('a,"b', 'a,"b"c', "a," + "b" * 200_000):
        with pytest.raises(tg.TermgaugeError, match="f, line 1: cannot be read as a table"):
            parse_table(bad, "f")
