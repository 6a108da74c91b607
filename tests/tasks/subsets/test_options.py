"""Options of subsets: limits ascend, whichever way they are given, and missing values are said in one word."""

from __future__ import annotations

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.tasks.subsets.task import SubsetOptions


@pytest.mark.parametrize("given", ["0,1000, 10000", ["0", "1000,10000"], [0, 1000, 10000], [0.0, 1000.0, 1e4]])
def test_limits_can_be_text_or_numbers(given):
    assert SubsetOptions.of(bands=given).bands == [0.0, 1000.0, 10000.0]


@pytest.mark.parametrize("given", ["5,5", [3, 2], "1,,0"])
def test_limits_that_do_not_ascend(given):
    with pytest.raises(TermgaugeError, match="'bands' must be limits each of which is greater than the one before"):
        SubsetOptions.of(bands=given)


@pytest.mark.parametrize("given", ["low,high", [None], {"a": 1}, "nan"])
def test_limits_that_are_no_numbers(given):
    with pytest.raises(TermgaugeError, match="'bands' must be"):
        SubsetOptions.of(bands=given)


def test_missing_values():
    assert [SubsetOptions.of(missing=each).missing for each in ("auto", "none", "0", 0, 2.5)] == [
        "auto",
        "none",
        "0",
        "0",
        "2.5",
    ]
    with pytest.raises(TermgaugeError, match="'missing' must be a number, 'auto' or 'none'"):
        SubsetOptions.of(missing="zero")


def test_a_property_must_be_named():
    assert SubsetOptions.of().problems()
    assert not SubsetOptions.of(by="words").problems()
