from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.reporting.words import decimal, duration, missing, number, share, size, with_minus


@given(st.integers(-(10**12), 10**12))
def test_counts_have_commas_at_thousands(count):
    text = number(count)
    assert int(text.replace(",", "")) == count
    assert all(len(group) == 3 for group in text.lstrip("-").split(",")[1:])


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_no_zero_is_negative(value, digits):
    text = decimal(value, digits, top=None)
    assert not (text.startswith("-") and float(text) == 0)
    assert float(text) == pytest.approx(value, abs=0.5000001 * 10**-digits)


def test_what_is_missing_is_a_dash():
    for value in (None, math.nan):
        assert missing(value)
        assert decimal(value) == share(value) == "–"
    assert not missing(0.0)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (999_400, "999 kB"), (1_500_000, "1.5 MB"), (3e15, "3000.0 TB")],
)  # fmt: skip
def test_sizes(value, text):
    assert size(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, ""), (0.9, ""), (1, "1 s"), (44, "40 s"), (89, "90 s"), (90, "2 min"), (5399, "90 min"), (5400, "2 h")],
)  # fmt: skip
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_only_numbers_get_a_minus_sign():
    assert [with_minus(each) for each in ("-1", "-x", "1-2", "–", "")] == ["−1", "-x", "1-2", "–", ""]
