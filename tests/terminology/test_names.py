"""Cleaning a name follows the protocol's words, and loses nothing."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.terminology.model import split_names


def by_the_protocol(name):
    start = name.rfind(" (")
    if start < 0 or not name.endswith(")"):
        return name, None
    before, inside = name[:start], name[start + 2 : -1]
    return (name, None) if before.endswith((" or", "&")) or inside.startswith("&") else (before, inside)


def split_name(name):
    return split_names(pl.Series([name], dtype=pl.String)).row(0)


PARTS = st.sampled_from([" (", ")", "(", " or", " or (", "&", " (&", " ", "a", "disorder", "\n", "ß", "", ") ("])
NAMES = st.one_of(st.text(max_size=30), st.lists(PARTS, max_size=10).map("".join))


@pytest.mark.parametrize(
    ("name", "clean", "tag"),
    [
        ("Myocardial infarction (disorder)", "Myocardial infarction", "disorder"),
        ("A (b) (c)", "A (b)", "c"),
        ("No tag", "No tag", None),
        ("Not at (the) end", "Not at (the) end", None),
        ("Removal of (stent) or (drain)", "Removal of (stent) or (drain)", None),
        ("This &(that)", "This &(that)", None),
        ("This & (that)", "This & (that)", None),
        ("This or that (finding)", "This or that", "finding"),
        ("This (& that)", "This (& that)", None),
        ("Tight(tag)", "Tight(tag)", None),
        (" (x)", "", "x"),
        ("", "", None),
        ("Floor (finding)", "Floor", "finding"),
        ("Doctor (occupation)", "Doctor", "occupation"),
    ],
)
def test_examples(name, clean, tag):
    assert split_name(name) == (clean, tag)


@given(name=NAMES)
def test_nothing_is_lost(name):
    clean, tag = split_name(name)
    assert (clean, tag) == by_the_protocol(name)
    assert name == (clean if tag is None else f"{clean} ({tag})")
