"""Pools of words, sets of pairs, and the quarters that are drawn."""

from __future__ import annotations

from itertools import combinations
from random import Random

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.corpus.pools import DRAWS, QUARTERS, Pool, RelatedPairs, draw

WORDS = ["ab", "b", "ba", "c", "d", "é", "Z"]
words = st.sampled_from(WORDS)


def pool_of(some):
    return Pool("noun", "biomedical", tuple(sorted(some)))


@given(st.sets(words), st.lists(st.tuples(st.integers(0, 3), words)))
def test_pairs_within_groups(some, rows):
    pool = pool_of(some)
    schema = {"group": pl.Int64, "word": pl.String}
    groups = pl.DataFrame(rows, schema=schema, orient="row").with_columns(relation=pl.lit("synonym"))
    expected = {
        tuple(sorted(pair))
        for group in range(4)
        for pair in combinations({word for own, word in rows if own == group} & some, 2)
    }
    codes = pool.pairs_within(groups)["pair"].sort()
    assert [pool.pair(code) for code in codes] == sorted(expected)


@given(st.sets(words), st.lists(st.tuples(words, words)))
def test_pairs_of_a_table(some, rows):
    pool = pool_of(some)
    schema = {"first": pl.String, "second": pl.String}
    table = pl.DataFrame(rows, schema=schema, orient="row").with_columns(relation=pl.lit("synonym"))
    expected = sorted({tuple(sorted(row)) for row in rows if set(row) <= some and len(set(row)) == 2})
    assert [pool.pair(code) for code in pool.pairs_of(table)["pair"].sort()] == expected


def asked(size, candidates=(), closed=()):
    pool = Pool("noun", "biomedical", tuple(f"w{place:03}" for place in range(size)))
    pairs = pl.DataFrame({"pair": list(candidates)}, schema={"pair": pl.Int64})
    return RelatedPairs(pool, pairs, {}, {*candidates, *closed})


def test_quarters_have_the_names_of_the_paper():
    assert QUARTERS == (
        "biomedical-associated", "biomedical-unassociated", "general-associated", "general-unassociated",
    )  # fmt: skip


@pytest.mark.parametrize("k", [1, 3, 20])
def test_no_pair_twice_and_none_that_is_closed(k):
    biomedical, general = asked(30, range(1, 12), (14, 15)), asked(25, range(1, 9))
    drawn = draw(biomedical, general, biomedical.candidates, k, 7)
    of = {quarter: [code for own, code in drawn if own == quarter] for quarter in QUARTERS}
    assert {quarter: len(codes) for quarter, codes in of.items()} == dict(
        zip(QUARTERS, (min(k, 11), k, min(k, 8), k), strict=True)
    )
    assert len(set(of["biomedical-unassociated"])) == k
    assert not set(of["biomedical-unassociated"]) & {*range(1, 12), 14, 15}
    assert draw(biomedical, general, biomedical.candidates, k, 7) == drawn
    assert k == 1 or draw(biomedical, general, biomedical.candidates, k, 8) != drawn


def test_giving_up_uses_all_draws_so_that_what_follows_is_the_same():
    """Three words have three pairs; the fourth is looked for a thousand times for each that is wanted."""
    drawn = draw(asked(3), asked(0), [], 4, 1)
    assert sorted(code for _, code in drawn) == [1, 2, 5]
    rng = Random(1)
    for _ in range(DRAWS * 4):
        rng.sample(range(3), 2)
    pairs = [code for _, code in drawn]
    order = []
    again = Random(1)
    while len(order) < 3:
        x, y = sorted(again.sample(range(3), 2))
        order += [x * 3 + y] if x * 3 + y not in order else []
    rng.shuffle(order)
    assert pairs == order


@pytest.mark.parametrize("size", [0, 1])
def test_a_pool_without_two_words_gives_nothing(size):
    assert draw(asked(size), asked(size), [], 5, 1) == []
