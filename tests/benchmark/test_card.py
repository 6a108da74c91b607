"""Pieces of dataset cards."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.card import listing, quoted, size_category, table


@given(st.text())
def test_any_text_survives_the_front_matter(text: str) -> None:
    yaml = pytest.importorskip("yaml")
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    assert yaml.safe_load(f"key: {quoted(text)}") == {"key": plain}


@pytest.mark.parametrize(
    ("total", "category"),
    [(1, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (650_000, "100K<n<1M"), (3_000_000, "1M<n<10M")],
)
def test_size_categories(total: int, category: str) -> None:
    assert size_category(total) == category


def test_markdown_stays_on_its_line() -> None:
    assert listing({"a": "one\ntwo", "b": None, "c": 3}) == "- a: one two\n- c: 3"
    assert table([["set", "n"], ["a|b\nc", "1"]]) == "| set | n |\n|---|---|\n| a\\|b c | 1 |"
