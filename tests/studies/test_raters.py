"""Tests of the ids of raters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.studies.store import number_of


@given(st.integers(0, 10**9 - 1))
def test_an_id_holds_its_number(number):
    assert number_of(f"r{number}") == number


@given(st.text(max_size=12))
def test_anything_else_is_refused(text):
    if text[:1] == "r" and text[1:].isascii() and text[1:].isdecimal() and str(int(text[1:])) == text[1:]:
        return
    with pytest.raises(TermgaugeError, match="no id of a rater"):
        number_of(text)


@pytest.mark.parametrize("text", ["r01", "r١", "1", "r", "r-1", "r1 ", "R1", "r9999999999"])
def test_near_misses_are_refused(text):
    with pytest.raises(TermgaugeError, match="no id of a rater"):
        number_of(text)
