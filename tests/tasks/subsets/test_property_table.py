"""Tables of properties: with and without a header, of words and of pairs; what is wrong is said with its line."""

from __future__ import annotations

import math

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.subsets.properties import read_property


@pytest.fixture
def table(tmp_path):
    def write(text):
        (tmp_path / "table.tsv").write_text(text, encoding="utf-8")
        return tmp_path / "table.tsv"

    return write


def test_the_first_line_is_data_if_its_second_field_is_a_number(table):
    found = read_property(table("Heart\t7\tx\nlung\t0\ty\n"))
    assert (found.values, found.column, found.of) == ({"heart": 7.0, "lung": 0.0}, "", "words")
    found = read_property(table("word\tcount\tmore\nheart\t7\t1\nlung\t1.5\t2\n"))
    assert (found.values, found.column) == ({"heart": 7.0, "lung": 1.5}, "count")


def test_a_column_can_be_named_and_is_looked_for_by_its_usual_names(table):
    words = "word\tclass\tcount\tjournals\tsubjects\ncell\tnoun\t9\t3\t\ngrow\tverb\t4\t2\t\n"
    assert read_property(table(words), column="journals").values == {"cell": 3.0, "grow": 2.0}
    assert read_property(table(words), usual=("subjects", "journals")).column == "journals", "subjects is empty"
    assert read_property(table(words), usual=("count",), word_class="verb").values == {"grow": 4.0}


def test_words_that_were_counted_and_not_found_have_0(table):
    text = "word\tcount\na\tN/A\nb\t3\nc\t\n"
    found = read_property(table(text))
    assert (found.values, found.zeros) == ({"a": 0.0, "b": 3.0}, 1)
    assert math.isnan(found.absent)
    assert read_property(table(text), missing="none").values == {"b": 3.0}
    assert read_property(table(text), missing="0").absent == 0
    assert read_property(table(text.replace("3", "3.5"))).values == {"b": 3.5}, "no table of counts"


def test_a_column_without_numbers_has_kinds(table):
    text = "word1\tword2\tclass\tquarter\nHeart\tlung\tnoun\tbio\nlung\tskin\tnoun\tgeneral\n"
    found = read_property(table(text), column="quarter")
    assert (found.of, found.labels) == ("pairs", ("bio", "general"))
    assert found.values == {("heart", "lung"): 0.0, ("lung", "skin"): 1.0}
    assert read_property(table("word\ttype\nheart\torgan\nskin\torgan\nflu\tdisease\n")).values["flu"] == 0.0


def test_a_pair_is_found_in_either_order(table):
    found = read_property(table("term_2\tterm_1\tvalue\nb\ta\t1\n"))
    assert found.values == {("a", "b"): 1.0}


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("heart\n", {}, r"table\.tsv, line 1: has 1 of 2 columns"),
        ("", {}, "is empty"),
        ("word\tcount\n", {}, "has no value in the column 'count'"),
        ("heart\t7\nlung\tmany\n", {}, r"line 2: 'many' is no number"),
        ("heart\t7\nlung\t1\nHEART\t8\n", {}, r"line 3: 'heart' has 8 here and 7 in line 1"),
        ("w\tc\na\tx\na\ty\n", {}, r"line 3: 'a' has y here and x in line 2"),
        ("heart\t7\n", {"column": "count"}, "has no header, so that columns have no names"),
        ("heart\t7\n", {"word_class": "noun"}, "has no header, so that classes of words"),
        ("word\tcount\na\t1\n", {"column": "cuont"}, "has no column 'cuont'. Did you mean 'count'"),
        ("word\tcount\na\t1\n", {"word_class": "noun"}, "has no column 'class'"),
        ("word2\tx\tword1\na\t1\tb\nc\t2\n", {}, r"line 3: has 2 columns instead of 3"),
        ("word\tname\n" + "".join(f"w{at}\tn{at}\n" for at in range(60)), {}, "60 different texts and no number"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(table, text, options, said):
    with pytest.raises(TermgaugeError, match=said):
        read_property(table(text), **options)


def test_a_table_that_is_not_there():
    with pytest.raises(TermgaugeError, match="gone"):
        read_property("gone.tsv")
