"""Noise and multi-word strings, held against the regular expressions of the protocol."""

from __future__ import annotations

import re

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.counting import Noise, multi_word

FORMS = st.text(st.sampled_from("abXZ019-_ \tµβé<.\u00a0\u2009"), max_size=7)


def says(expression, form):
    return pl.DataFrame({"form": [form]}).select(expression).item()


@given(FORMS, st.integers(1, 5))
def test_noise_is_what_the_protocol_says(form, least):
    column = pl.col("form")
    letters = len(re.findall("[A-Za-z]", form))
    assert says(Noise(min_length=least).kept(column), form) == (
        bool(re.fullmatch("[A-Za-z]+", form)) and len(form) >= least
    )
    assert says(Noise(hyphens=True, min_length=least).kept(column), form) == (
        bool(re.fullmatch("[A-Za-z]+(?:-[A-Za-z]+)*", form)) and letters >= least
    )
    assert says(Noise(digits=True, min_length=least).kept(column), form) == (
        bool(re.fullmatch("(?=.*[A-Za-z].*[A-Za-z])[A-Za-z0-9]+", form)) and len(form) >= least
    )


def test_names_of_molecules():
    kept = Noise(digits=True).kept(pl.col("form"))
    assert [says(kept, form) for form in ("CO2", "H2O", "b1", "A12", "2010")] == [True, True, False, False, False]
    both = Noise(digits=True, hyphens=True).kept(pl.col("form"))
    assert [says(both, form) for form in ("IL-2", "up-regulate", "T-4", "-IL2")] == [True, True, False, False]


@given(FORMS)
def test_multi_word_strings_hold_white_space_or_an_underscore(form):
    assert says(multi_word(pl.col("form")), form) == bool(re.search(r"[\s_]", form))
