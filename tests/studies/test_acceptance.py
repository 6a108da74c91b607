from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import SkippedWarning
from termgauge.statistics.agreement import agreement_of
from termgauge.studies.agreement.screening import calibration, consistency_pairs, groups_of, left_out, moved
from termgauge.studies.agreement.screening import rated_of as arrays_of
from termgauge.studies.ratings import parse_ratings
from tests.studies.raters import answers_text, drawn, long_text, matrix_text, rated_of


def two_groups(pairs=12, common=3):
    """Return four raters in two groups, with some pairs in common."""
    table = drawn(pairs, 4)
    table[common : pairs // 2 + 1, 2:] = np.nan
    table[pairs // 2 + 1 :, :2] = np.nan
    return table


def test_raters_with_the_same_pairs_are_one_group():
    ratings = parse_ratings(long_text(two_groups()), "f")
    assert groups_of(ratings) == {"r1": "1", "r2": "1", "r3": "2", "r4": "2"}
    assert set(groups_of(ratings, "one").values()) == {"1"}


def test_where_a_rater_would_be_alone_all_are_one_group():
    table = two_groups()
    table[0, 3] = np.nan
    ratings = parse_ratings(long_text(table), "f")
    assert set(groups_of(ratings).values()) == {"1"}
    assert list(groups_of(ratings, "sets").values()) == ["1", "1", "2", "3"]


def test_a_group_that_the_table_names_counts():
    ratings = parse_ratings(answers_text(two_groups()), "f")
    assert set(groups_of(ratings).values()) == {"1"}
    assert len(set(groups_of(ratings, "sets").values())) == 2


def test_arrays_are_those_of_the_table():
    table = drawn(9, 4, missing=0.3)
    ratings = parse_ratings(matrix_text(table), "f", scale=(0, 6))
    mine, theirs = arrays_of(ratings, groups_of(ratings, "one")), rated_of(table)
    for name in ("starts", "items", "values", "groups"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))


def test_the_consistency_set():
    table = two_groups()
    marked = parse_ratings(answers_text(table, consistency=(1, 2, 3)), "f", scale=(0, 6))
    groups = groups_of(marked, "sets")
    assert consistency_pairs(marked, arrays_of(marked, groups)).nonzero()[0].tolist() == [0, 1, 2]
    few = parse_ratings(answers_text(table, consistency=(1, 2)), "f", scale=(0, 6))
    assert consistency_pairs(few, arrays_of(few, groups)) is None
    plain = parse_ratings(long_text(table), "f", scale=(0, 6))
    rated = arrays_of(plain, groups_of(plain))
    assert consistency_pairs(plain, rated) is None
    assert consistency_pairs(plain, rated, common=True).nonzero()[0].tolist() == [0, 1, 2]


def plainly_out(values, rule):
    """Return who is out by the definition, in a group."""
    found = set()
    for a, value in enumerate(values):
        known = [each for b, each in enumerate(values) if not math.isnan(each) and (b != a or rule == "simlex")]
        limit = np.mean(known) - (2 if rule == "others" else 1) * np.std(known) if known else -2.0
        if math.isnan(value) or value < limit - 1e-12:
            found.add(a)
    return found


@given(st.integers(0, 10_000), st.sampled_from(["others", "simlex"]))
def test_who_is_out_by_the_definition(seed, rule):
    table = drawn(12, 6, seed, missing=0.1)
    table[:, seed % 6] = np.random.default_rng(seed).permutation(table[:, seed % 6])
    rated = rated_of(table)
    assert set(left_out(rated, rule, None)) == plainly_out(agreement_of(rated).rater_iaa1, rule)
    chosen = np.arange(12) < 6
    on_some = agreement_of(rated_of(table[:6])).rater_iaa1
    assert set(left_out(rated, rule, chosen)) == plainly_out(on_some, rule)
    assert left_out(rated, "none", None) == {}


def test_raters_are_judged_among_their_group():
    table = np.full((40, 8), np.nan)
    table[:20, :4] = drawn(20, 4, 1)
    table[20:, 4:] = drawn(20, 4, 2)
    table[20:, 7] = table[20:, 7][::-1]
    rated = rated_of(table, [0] * 4 + [1] * 4)
    values = agreement_of(rated).rater_iaa1
    expected = plainly_out(values[:4], "others") | {4 + a for a in plainly_out(values[4:], "others")}
    assert set(left_out(rated, "others", None)) == expected
    assert 7 in expected


def test_a_constant_rater_is_out_and_said_to_be_undefined():
    table = drawn(10, 4)
    table[:, 2] = 3
    assert left_out(rated_of(table), "others", None)[2] == "IAA-1 on the group is undefined"


def test_calibration_moves_whoever_rates_high_throughout():
    table = np.tile(np.array([0.0, 1, 2, 3, 4, 5])[:, None], (1, 4))
    table[:, 3] = [2, 3, 4, 5, 6, 6]
    ratings = parse_ratings(matrix_text(table), "f", scale=(0, 6))
    who = calibration(ratings, ratings.raters, None)
    assert who == {"r4": -1}
    after = moved(ratings, who).answers.filter(pl.col("rater") == "r4")["rating"].to_list()
    assert after == [1, 2, 3, 4, 5, 5]
    low = table.copy()
    low[:, 3] = [0, 0, 0, 0.5, 1, 6]
    ratings = parse_ratings(matrix_text(low + 0), "f", scale=(0, 6))
    who = calibration(ratings, ratings.raters, np.array([True, True, True, True, True, False]))
    assert who == {"r4": 1}
    assert moved(ratings, who).answers.filter(pl.col("rater") == "r4")["rating"].to_list() == [1, 1, 1, 1.5, 2, 6]


def test_calibration_needs_pairs_in_common():
    ratings = parse_ratings("pair\trater\trating\n1\ta\t2\n2\tb\t3\n", "f")
    with pytest.warns(SkippedWarning, match="no pair was rated by all raters"):
        assert calibration(ratings, ["a", "b"], None) == {}
    assert moved(ratings, {}) is ratings
