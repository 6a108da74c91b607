"""Pairs as numbers: the same sets as with plain Python, in the same order."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.pools import NO_PAIRS, Pool, contains, difference, union

WORDS = ["ab", "b", "ba", "c", "d", "é", "Z"]
words = st.sampled_from(WORDS)


def pool_of(some):
    return Pool("noun", "biomedical", tuple(sorted(some)))


@given(st.sets(words), st.lists(st.tuples(st.integers(0, 3), words)))
def test_pairs_within_groups(some, rows):
    pool = pool_of(some)
    groups = pl.DataFrame(rows, schema={"group": pl.Int64, "word": pl.String}, orient="row")
    expected = {
        tuple(sorted(pair))
        for group in range(4)
        for pair in combinations({word for own, word in rows if own == group} & some, 2)
    }
    codes = pool.pairs_within(groups)
    assert [pool.pair(code) for code in codes] == sorted(expected)
    assert [pool.code(*pool.pair(code)[::-1]) for code in codes] == codes.tolist()


@given(st.sets(words), st.lists(st.tuples(words, words)))
def test_pairs_of_a_table(some, rows):
    pool = pool_of(some)
    table = pl.DataFrame(rows, schema={"first": pl.String, "second": pl.String}, orient="row")
    expected = sorted({tuple(sorted(row)) for row in rows if set(row) <= some and len(set(row)) == 2})
    assert [pool.pair(code) for code in pool.pairs_of(table)] == expected


@given(st.lists(st.sets(st.integers(0, 9)), max_size=4), st.sets(st.integers(0, 9)))
def test_sets_of_pairs(several, others):
    arrays = [np.array(sorted(each), np.int64) for each in several]
    joined = union(arrays)
    assert joined.tolist() == sorted(set().union(*several))
    rest = difference(joined, np.array(sorted(others), np.int64))
    assert rest.tolist() == sorted(set().union(*several) - others)
    assert [contains(code, rest) for code in range(10)] == [code in rest.tolist() for code in range(10)]
    assert not contains(3, NO_PAIRS)
