"""Tables of one's own: whatever separates, quotes and calls its columns, the pairs are the same."""

from __future__ import annotations

import csv
import gzip
import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import termgauge as tg
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
        (",,\n", "", "is empty"),
        (",,\n", "a,b,c", "is empty"),
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


def test_three_columns_without_a_header(tmp_path):
    (tmp_path / "t.csv").write_text("flu;influenza;3,5\n".replace(",", ".") + "leg;limb;2\n")
    assert read_pairs(tmp_path / "t.csv").frame.rows() == [("flu", "influenza", 3.5), ("leg", "limb", 2.0)]


LIBRARIES = ("polars", "pandas")
TABLE = {"Term 1": ["flu", " leg  pain"], "term_2": ["influenza", "limb"], "Rating": [0.1, 2], "note": [None, "x"]}
GRADED = [("flu", "influenza", 0.1), ("leg pain", "limb", 2.0)]


def frame_of(library, columns):
    return pytest.importorskip(library).DataFrame(columns)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_dataframe_is_a_set(library):
    frame = frame_of(library, TABLE)
    assert tg.PairSet("mine", frame).frame.rows() == GRADED
    (alone,) = load_sets(frame)
    (named,) = load_sets({"mine": frame})
    assert (alone.id, named.id, named.frame.rows()) == ("pairs", "mine", GRADED)
    other = frame_of(library, {"a": ["flu"], "b": ["influenza"], "same": [True], "c": [22298006], "d": ["C2"]})
    ways = ("a,b,same,c,d", ["a", "b", 3, "C", "d"],
            {"term_1": "a", "term_2": "b", "label": "same", "concept_1": "c", "concept_2": "d"})  # fmt: skip
    for columns in ways:
        pairs = tg.PairSet("mine", other, columns=columns)
        assert pairs.frame.rows() == [("flu", "influenza", 1, "22298006", "C2")]
        assert pairs == read_pairs(other, columns, id="mine")
    unnamed = frame_of(library, {each if library == "pandas" else str(each): ["a"] for each in (0, 1)} | {"2": [1]})
    assert tg.PairSet("mine", unnamed, columns=[0, 1, 2]).frame.rows() == [("a", "a", 1)]


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("title", "values", "graded"),
    [
        ("rating", [0, 1], False),
        ("rating", [0.0, 1.0], False),
        ("label", [True, False], False),
        ("similarity", ["yes", "no"], False),
        ("score", [1, 5], True),
        ("score", ["1.5", "0"], True),
    ],
)
def test_labels_or_scores_are_told_as_in_a_file(tmp_path, library, title, values, graded):
    columns = {"word1": ["flu", "leg"], "word2": ["influenza", "toe"], title: values}
    pl.DataFrame(columns).write_csv(tmp_path / "t.csv")
    from_file, from_frame = read_pairs(tmp_path / "t.csv", id="x"), tg.PairSet("x", frame_of(library, columns))
    assert from_frame == from_file
    assert from_frame.graded == graded


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_verb_of_sets_takes_a_dataframe(library, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = {"word1": [f"flu {at}" for at in range(30)], "word2": [f"fever {at}" for at in range(30)]}
    frame = frame_of(library, {**rows, "same": [at % 2 for at in range(30)]})
    run = tg.evaluate({"mine": frame}, "baseline:levenshtein", columns="word1,word2,same")
    assert list(run.record().sets) == ["mine"]
    labelled = frame_of(library, {**rows, "label": [at % 2 for at in range(30)]})
    assert tg.evaluate(labelled, "baseline:levenshtein").results().height
    assert tg.evaluate([labelled], "baseline:levenshtein").results().height
    assert len(tg.vocabulary("baseline:levenshtein", labelled).models) == 1
    assert tg.new_study("similarity", frame).pairs["word1"].to_list() == rows["word1"]
    assert tg.new_study("quality", labelled, kind="quality", per_label=5).pairs.height == 10
    tg.export(labelled, "hf", "exported", licence="CC0-1.0")
    assert len(load_sets("exported")[0]) == 30
    with pytest.raises(TermgaugeError, match="Two sets are called 'pairs'"):
        tg.evaluate([labelled, labelled], "baseline:levenshtein")


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"a": ["x"], "b": ["y"], "c": [1]}, "The pairs of 'm': does not say which columns .* with columns="),
        ({"word1": ["x", None], "word2": ["y", "z"], "score": [1, 2]}, "row 2: the column 'word1' is empty"),
        ({"term_1": ["x", None], "term_2": ["y", "z"], "score": [1, 2]}, "Row 2 .* term_1 is empty"),
        ({"word1": ["x"], "word2": ["y"], "score": [float("nan")]}, "row 1: the column 'score' is empty"),
        ({"word1": ["x", "y"], "word2": ["y", "z"], "score": [1.5, float("inf")]}, "row 2: the score .* is 'inf'"),
        ({"word1": ["x"], "word2": ["y"], "label": [3]}, "row 1: the label in column 'label' is '3'"),
        ({"term_1": ["x"], "term_2": ["y"], "label": [0.5]}, "Row 1 .* the label is not 0 or 1"),
        ({"word1": [5], "word2": ["y"], "score": [1]}, "the column 'word1' has the type Int64; make it text"),
        ({"term_1": [5], "term_2": ["y"], "score": [1]}, "the column 'term_1' has the type Int64; make it text"),
        ({"word1": [["x"]], "word2": ["y"], "score": [1]}, "the column 'word1' has the type List"),
        ({"word1": ["x"], "word2": ["y"], "score": [[1]]}, "the column 'score' has the type List"),
        ({"word1": [], "word2": [], "score": []}, "has no rows"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_dataframe_is_said(library, columns, says):
    with pytest.raises(TermgaugeError, match=says.replace("(", r"\(").replace(")", r"\)")) as caught:
        tg.PairSet("m", frame_of(library, columns))
    assert "'m'" in str(caught.value)


def test_columns_of_mixed_values_and_other_things():
    mixed = frame_of("pandas", {"word1": ["x", 5], "word2": ["y", "z"], "score": [1, 2]})
    with pytest.raises(TermgaugeError, match="the column 'word1' has the type Object"):
        tg.PairSet("m", mixed)
    assert tg.PairSet("m", mixed, columns="word2,word2,score").frame.height == 2
    twice = pytest.importorskip("pandas").DataFrame([["a", "b", 1]], columns=["x", "x", "score"])
    with pytest.raises(TermgaugeError, match="two columns are called 'x'"):
        tg.PairSet("m", twice)
    for other in (pl.col("x"), {"term_1": ["a"]}, None):
        with pytest.raises(TermgaugeError, match="must be a DataFrame of pandas or Polars, not "):
            tg.PairSet("m", other)
    with pytest.raises(TermgaugeError, match="not Expr"):
        tg.evaluate([pl.col("x")], "baseline:random")
    with pytest.raises(TermgaugeError, match="Pairs have no column 'first'"):
        tg.PairSet("m", mixed, columns={"first": "word1"})
    for verb in (tg.read_terminology, tg.read_ratings, tg.agreement, tg.prediction, tg.compare):
        with pytest.raises(TermgaugeError, match="The name of a file or folder is wanted here, not DataFrame"):
            verb(mixed)
