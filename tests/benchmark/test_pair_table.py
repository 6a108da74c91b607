"""Tables of one's own: whatever separates, quotes and calls its columns, the pairs are the same."""

from __future__ import annotations

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.load import load_sets
from termgauge.benchmark.pair_table import is_table, read_pairs, split_columns
from termgauge.exceptions import TermgaugeError

TERMS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8)
ROWS = [("heart, left", 'cardiac; "ventricle"', "3.5"), ("flu | cold", "influenza", "4")]


@pytest.mark.parametrize("separator", ",\t;|")
@pytest.mark.parametrize("columns", ["one,two,how alike", (1, 3, 4), ["ONE", "3", "how alike"], "1,3,score=4"])
def test_any_separator_and_names_or_numbers(tmp_path, separator, columns):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator)
    writer.writerow(["one", "note", "two", "how alike"])
    writer.writerows([one, "", two, score] for one, two, score in ROWS)
    file = tmp_path / "mine.v2.csv"
    file.write_text("\ufeff" + text.getvalue(), encoding="utf-8")
    pairs = read_pairs(file, columns)
    assert pairs.id == "mine.v2"
    assert pairs.frame.rows() == [(one, two, float(score)) for one, two, score in ROWS]


@given(st.lists(st.tuples(TERMS, TERMS, st.floats(0, 9).map(lambda each: round(each, 3))), min_size=1, max_size=8))
def test_what_is_written_is_read(tmp_path_factory, rows):
    file = tmp_path_factory.mktemp("tables") / "t.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("term1", "term2", "score"), *rows])
    pairs = read_pairs(file, "term1,term2,score=score")
    assert pairs.frame.rows() == rows


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("true", "FALSE"), ("Yes", "no"), ("1.0", "0.0"), ("y", "n")])
def test_labels_are_told_by_what_they_are(tmp_path, yes, no):
    file = tmp_path / "t.tsv.gz"
    file.write_bytes(gzip.compress(f"a\tb\tsame\nflu\tinfluenza\t{yes}\nflu\tleg\t{no}\n".encode()))
    pairs = read_pairs(file, "a,b,same")
    assert (pairs.id, pairs.graded, pairs.frame["label"].to_list()) == ("t", False, [1, 0])
    if yes == "1":
        assert read_pairs(file, "a,b,score=same").graded


def test_usual_names_need_no_columns_and_concepts_may_follow(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("score,word1,word2,c,d\n0.5,flu,influenza,C1,\n0.7,leg,limb,C2,C3\n")
    assert read_pairs(file, id="mine").frame.rows() == [("flu", "influenza", 0.5), ("leg", "limb", 0.7)]
    assert load_sets(file)[0] == read_pairs(file)
    (found,) = load_sets(f"{file}?columns=word1,word2,score,c,d")
    assert found.concepts.rows() == [("C1", None), ("C2", "C3")]
    assert load_sets([file], columns="word1,word2,score,c,d") == [found]
    file.write_text("flu,influenza,1\nleg,limb,0\n")
    assert len(read_pairs(file, (1, 2, 3))) == 2  # numbers need no header


@pytest.mark.parametrize(
    ("text", "columns", "words"),
    [
        ("a,b,c\nflu,cold,4\nflu,,3\n", "a,b,c", "line 3: the column 'b' is empty"),
        ("a,b,c\nflu,cold,4\nflu,leg,much\n", "a,b,c", "line 3: the score in column 'c' is 'much'"),
        ("a,b,label\nflu,cold,4\n", "a,b,label", "line 2: the label in column 'label' is '4'"),
        ("a,b,c\nflu,cold,4\n", "a,b,label=c", "line 2: the label in column 'c'"),
        ("a,b,c\nflu,cold\n", "a,b,c", "line 2: has 2 columns instead of 3"),
        ("term1,b,c\nflu,cold,4\n", "term2,b,c", "no column 'term2'; it has term1, b, c. Did you mean"),
        ("a,b,c\nflu,cold,4\n", "1,2,4", "no column '4'"),
        ("a,b,c\nflu,cold,4\n", "a,b", "2 columns are named"),
        ("a,b,c\nflu,cold,4\n", "", "name them with --columns"),
        ("a,b,c\n", "a,b,c", "a header and no pair"),
        (",,\n", "", "line 1: does not say which columns"),
        (",,\n", "a,b,c", "line 1: has no column 'a'"),
        ('a,b,c\nflu,"cold,4\n', "a,b,c", "check that every quote"),
        ("", "a,b,c", "is empty"),
    ],
)
def test_errors_name_line_and_column(tmp_path, text, columns, words):
    file = tmp_path / "t.csv"
    file.write_text(text)
    with pytest.raises(TermgaugeError) as caught:
        read_pairs(file, columns)
    assert words in str(caught.value)
    assert str(caught.value).startswith((str(file), "2 columns"))


def test_names_of_files():
    assert split_columns("a.csv") == ("a.csv", "")
    assert [is_table(name) for name in ("a.csv", "B.CSV.gz", "a.tsv")] == [True, True, False]


def test_line_ends_of_old_spreadsheet_programs(tmp_path):
    (tmp_path / "lf.csv").write_bytes(b'term1,term2,score\n"flu, mild",influenza,3\nleg,limb,2\n')
    (tmp_path / "cr.csv").write_bytes((tmp_path / "lf.csv").read_bytes().replace(b"\n", b"\r"))
    assert read_pairs(tmp_path / "cr.csv", id="x") == read_pairs(tmp_path / "lf.csv", id="x")
