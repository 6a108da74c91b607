"""The statistics of a set, against a plain count."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.benchmark.manifest import statistics_of
from termgauge.benchmark.pairset import PairSet
from tests.benchmark.plain_builder import distance

TERMS = st.text("abA ß", min_size=1, max_size=8).filter(str.strip)


def mean(values):
    return pytest.approx(sum(values) / len(values), abs=1e-6) if values else None


@given(st.lists(st.tuples(TERMS, TERMS, st.integers(0, 1)), min_size=1, max_size=10))
def test_a_plain_count_gives_the_same(rows):
    pairs = PairSet("demo", pl.DataFrame(rows, schema=["term_1", "term_2", "label"], orient="row"))
    found = statistics_of(pairs)
    assert found.mean_distance_positives == mean([distance(one, two) for one, two, label in rows if label])
    assert found.mean_distance_negatives == mean([distance(one, two) for one, two, label in rows if not label])
    terms = {term for row in pairs.frame.select("term_1", "term_2").iter_rows() for term in row}
    assert found.multi_word == mean([len(term.split()) > 1 for term in terms])


def test_a_set_without_pairs():
    assert set(statistics_of(None).model_dump().values()) == {None}
