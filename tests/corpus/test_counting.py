"""From distinct tokens to counted words, and which forms may be words."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.counting import count, in_case_of, multi_word
from termgauge.corpus.options import WordOptions
from termgauge.corpus.tagsets import PENN


def counted(*tokens, rule="checked", american=None, min_count=1):
    rows = [(*token, False, number) for *token, number in tokens]
    names = {"form": pl.String, "tag": pl.String, "lemma": pl.String, "from_upos": pl.Boolean, "count": pl.Int64}
    frame = pl.DataFrame(rows, schema=names, orient="row")
    options = WordOptions(spelling=rule, min_count=min_count)
    return count(frame, lambda tag, _upos: PENN.class_of(tag), {}, american or {}, options)


def words(found):
    return [(word, number) for word, number in found[0].select("word", "count").iter_rows()]


def test_a_pattern_is_believed_only_if_the_corpus_bears_it_out():
    british = [("anaemia", "NN", None, 3), ("anaerobics", "NNS", None, 2)]
    assert words(counted(*british)) == [("anaemia", 3), ("anaerobic", 2)]
    assert words(counted(*british, ("Anemia", "JJ", None, 1))) == [("anemia", 3), ("anaerobic", 2)]
    assert words(counted(*british, rule="biolemmatizer")) == [("anemia", 3), ("anerobic", 2)]
    listed = {"anaemia": "anaemy"}
    assert words(counted(*british, ("anemia", "JJ", None, 1), american=listed)) == [("anaemy", 3), ("anaerobic", 2)]


def test_the_lemma_of_the_text_wins():
    found = counted(
        ("saw", "VBD", "see", 2), ("went", "VBD", None, 1), ("been", "VBN", "exist", 1), ("had", "VBD", "Have", 4)
    )
    assert sorted(words(found)) == [("exist", 1), ("go", 1), ("see", 2)]
    assert found[2]["verb"].tokens["auxiliaries"] == 4


def test_words_are_written_as_most_tokens_write_them():
    found = counted(("Germany", "NNP", None, 3), ("GERMANY", "NNP", None, 3), ("germany", "NN", None, 2))
    assert words(found) == [("GERMANY", 8)]  # a tie, in code point order
    assert words(counted(("Cells", "NNS", None, 5), ("Cell", "NNP", None, 4))) == [("cell", 9)]


def test_classes_are_counted_apart():
    found = counted(("result", "NN", None, 2), ("results", "VBZ", None, 3), min_count=3)
    assert words(found) == [("result", 3)]
    assert found[1].tolist() == [-1, 0]


@given(st.text("abcXYZ", min_size=1, max_size=8), st.text("abcxyz", min_size=1, max_size=8))
def test_capitals_never_change_a_word(form, word):
    assert in_case_of(form, word).lower() == word


@pytest.mark.parametrize(
    ("form", "word", "expected"),
    [("mRNAs", "mrna", "mRNA"), ("McDonald", "mcdonald", "McDonald"), ("A", "axe", "Axe")],
)
def test_capitals_come_from_the_form(form, word, expected):
    assert in_case_of(form, word) == expected


FORMS = st.text(st.sampled_from("abXZ019-_ \tµβé<.\u00a0\u2009"), max_size=7)


def says(expression, form):
    return pl.DataFrame({"form": [form]}).select(expression).item()


@given(FORMS, st.integers(1, 5))
def test_noise_is_what_the_protocol_says(form, least):
    column = pl.col("form")
    letters = len(re.findall("[A-Za-z]", form))
    assert says(WordOptions(min_length=least).not_noise(column), form) == (
        bool(re.fullmatch("[A-Za-z]+", form)) and len(form) >= least
    )
    assert says(WordOptions(hyphens=True, min_length=least).not_noise(column), form) == (
        bool(re.fullmatch("[A-Za-z]+(?:-[A-Za-z]+)*", form)) and letters >= least
    )
    assert says(WordOptions(digits=True, min_length=least).not_noise(column), form) == (
        bool(re.fullmatch("(?=.*[A-Za-z].*[A-Za-z])[A-Za-z0-9]+", form)) and len(form) >= least
    )


def test_names_of_molecules():
    kept = WordOptions(digits=True).not_noise(pl.col("form"))
    assert [says(kept, form) for form in ("CO2", "H2O", "b1", "A12", "2010")] == [True, True, False, False, False]
    both = WordOptions(digits=True, hyphens=True).not_noise(pl.col("form"))
    assert [says(both, form) for form in ("IL-2", "up-regulate", "T-4", "-IL2")] == [True, True, False, False]


@given(FORMS)
def test_multi_word_strings_hold_white_space_or_an_underscore(form):
    assert says(multi_word(pl.col("form")), form) == bool(re.search(r"[\s_]", form))
