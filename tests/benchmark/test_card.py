"""Pieces of dataset cards."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.huggingface import listing, quoted, size_category, table, yaml_block


@given(st.text())
def test_any_text_survives_the_front_matter(text: str) -> None:
    assert yaml.safe_load(f"key: {quoted(text)}") == {"key": text}


@pytest.mark.parametrize(
    ("total", "category"),
    [(1, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (650_000, "100K<n<1M"), (3_000_000, "1M<n<10M")],
)
def test_size_categories(total: int, category: str) -> None:
    assert size_category(total) == category


def test_markdown_stays_on_its_line() -> None:
    assert listing({"a": "one\ntwo", "b": None, "c": 3}) == "- a: one two\n- c: 3"
    assert table([["set", "n"], ["a|b\nc", "1"]]) == "| set | n |\n|---|---|\n| a\\|b c | 1 |"


def _plain(word):
    return isinstance(yaml.safe_load(word), str)


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    TEXT | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6).map(lambda value: round(value, 6)),
    lambda inner: (
        st.dictionaries(st.from_regex(r"[a-z][a-z_-]*", fullmatch=True).filter(_plain), inner, min_size=1)
        | st.lists(st.dictionaries(st.just("key"), inner, min_size=1), min_size=1)
    ),
)


@given(st.dictionaries(st.just("top"), VALUES, min_size=1))
def test_whatever_is_written_reads_back(value):
    assert yaml.safe_load(yaml_block(value)) == value
