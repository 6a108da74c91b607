"""What spreadsheet programs would obey is marked, and comes back as it was."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.formulas import as_meant, harmless, harmless_table


@given(st.text(max_size=10))
def test_tables_are_marked_as_texts_are(text):
    assert harmless(text) == harmless_table(pl.DataFrame({"x": [text]}))["x"][0]


@pytest.mark.parametrize("formula", ["=1+1", "+SUM(A1)", "@x", "-a", "\t=1", "\uff1d1"])
def test_formulas_begin_with_an_apostrophe(formula):
    assert harmless(formula) == f"'{formula}"


@pytest.mark.parametrize("text", ["-3", "+4.5", "-", "5-HT", "a=b", "", ".5"])
def test_what_is_no_formula_stays(text):
    assert harmless(text) == text


@given(st.text(st.sampled_from("=-3a\t"), max_size=4))
def test_what_was_meant_comes_back(text):
    assert as_meant(harmless(text)) == text
