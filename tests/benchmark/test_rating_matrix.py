from __future__ import annotations

import numpy as np
import pytest

from termgauge.benchmark.pairset import read_tsv
from termgauge.benchmark.rating_matrix import minus_one_is_missing, read_matrix
from termgauge.exceptions import TermgaugeError
from termgauge.io.tables import parse_table
from tests.studies.raters import drawn, matrix_text


def test_with_and_without_a_header():
    table = drawn(6, 3, missing=0.2)
    one, other = (read_matrix(parse_table(matrix_text(table, header=header), "f")) for header in (True, False))
    assert one.ratings.equals(other.ratings)
    assert one.pairs.equals(other.pairs)
    np.testing.assert_array_equal(one.ratings.to_numpy(), table)
    assert one.pairs.row(0) == ("1", "a1", "b1")
    assert (one.lines[0], other.lines[0]) == (2, 1)


def test_columns_that_are_no_raters():
    text = (
        "snomed_id_1\tsnomed_label_1\tsnomed_id_2\tsnomed_label_2\trater_A\trater_B\tmean_rating\tCUI_1\n"
        "9991008\tcolic\t200149009\tdelivery\t0.0\t\t0.0\tC01\n"
        "21522001\tpain\t49650001\tdysuria\t1.0\t2.0\t1.5\tC02\n"
    )
    found = read_matrix(parse_table(text, "f"))
    assert found.ratings.columns == ["rater_A", "rater_B"]
    assert found.ratings["rater_B"].to_list() == [None, 2.0]
    assert found.pairs["word2"].to_list() == ["delivery", "dysuria"]
    assert "mean_rating" in found.notes[0]
    assert read_matrix(parse_table(text, "f"), raters=["rater_B"]).ratings.columns == ["rater_B"]


def test_one_column_with_an_id():
    found = read_matrix(parse_table("unit\tA\tB\n1\t1\t\n2\t2\t3\n", "f"))
    assert found.pairs["pair"].to_list() == ["1", "2"]
    assert found.pairs["word1"].to_list() == [None, None]
    assert found.ratings.columns == ["A", "B"]
    assert read_matrix(parse_table("case\tA\tB\n1\t1\t\n2\t2\t3\n", "f")).ratings.columns == ["A", "B"]
    assert read_matrix(parse_table("x1\t0\t1\nx2\t2\t3\n", "f")).ratings.columns == ["r1", "r2"]


def test_text_and_derived_columns_are_left_aside():
    text = "word1\tword2\tann\tbob\trelation\tscore\tremark\na\tb\t1\t2\tSYN\t1.5\tnone\n"
    found = read_matrix(parse_table(text, "f"))
    assert found.ratings.columns == ["ann", "bob"]
    assert "relation, score, remark" in found.notes[0]


def test_rows_with_more_ratings_than_names():
    found = read_matrix(parse_table("word1\tword2\tr1\tr2\na\tb\t1\t2\nc\td\t3\t4\t5\ne\tf\t1\n", "f"))
    assert found.ratings.columns == ["r1", "r2", "r3"]
    assert found.ratings.rows() == [(1, 2, None), (3, 4, 5), (1, None, None)]
    assert "line 3" in found.notes[0]
    with pytest.raises(TermgaugeError, match=r"f, line 3: has 5 columns instead of 4"):
        read_matrix(parse_table("word1\tword2\tann\tbob\na\tb\t1\t2\nc\td\t3\t4\t5\n", "f"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f: is empty"),
        ("\n \n", "f: is empty"),
        ("word1\tword2\tr1\n", "has a header and no row"),
        ("one\n", "line 1: has one column"),
        ("word1\tword2\tr1\na\tb\tx1\nc\td\t2\n", "line 2: the rating 'x1' is no number"),
        ("word1\tword2\tr1\na\tb\tnan\nc\td\t2\n", "line 2: the rating 'nan' is no number"),
        ("word1\tword2\tr1\tr1\na\tb\t1\t2\n", "names the column 'r1' twice"),
        ("word1\tword2\tscore\na\tb\t1\n", "no column looks like that of a rater"),
        ("a\tb\n", "line 1: has 2 columns and no rating"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(text, said):
    with pytest.raises(TermgaugeError, match=said):
        read_matrix(parse_table(text, "f"))


def test_raters_who_are_not_there():
    with pytest.raises(TermgaugeError, match=r"no column 'an'. Did you mean 'ann'"):
        read_matrix(parse_table("word1\tword2\tann\na\tb\t1\n", "f"), raters=["an"])
    with pytest.raises(TermgaugeError, match="has no header"):
        read_matrix(parse_table("a\tb\t1\nc\td\t2\n", "f"), raters=["r1"])


def test_minus_one_is_missing_only_where_it_is_no_rating():
    assert minus_one_is_missing(np.array([-1.0, 0, 6]))
    assert not minus_one_is_missing(np.array([-1.0, -2, 2]))
    assert not minus_one_is_missing(np.array([-1.0, 1]), (-1, 1))
    assert minus_one_is_missing(np.array([-1.0, -2]), (0, 6))


def test_ratings_beside_a_set(tmp_path):
    (tmp_path / "mine.tsv").write_text("word1\tword2\tscore\tn\tsd\na\tb\t1.5\t2\t0.7\ne\tf\t3.25\t1\t\n")
    assert read_tsv(tmp_path / "mine.tsv").ratings is None
    beside = tmp_path / "mine.ratings.tsv"
    beside.write_text("word1\tword2\tr1\tr2\na\tb\t1\t2\nc\td\t0\t-1\ne\tf\t-1\t3\n")
    pairs = read_tsv(tmp_path / "mine.tsv")
    assert pairs.ratings.rows() == [(1, 2), (None, 3)]
    plain = "a\tb\t1.5\ne\tf\t3.25\n"
    (tmp_path / "plain.tsv").write_text(plain)
    assert pairs.to_tsv_bytes() == plain.encode()
    assert pairs.sha256 == read_tsv(tmp_path / "plain.tsv").sha256
    beside.write_text("word1\tword2\tr1\tr2\nx\ty\t1\t2\nz\tw\t3\t4\n")
    with pytest.raises(TermgaugeError, match=r"mine.ratings.tsv: has no rating of any pair of mine.tsv"):
        read_tsv(tmp_path / "mine.tsv")
