from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.studies.agreement.screening import (
    carelessness_of,
    flags_of,
    longest_alternation,
    longest_run,
)
from termgauge.studies.ratings import parse_ratings
from tests.studies.raters import answers_text, drawn, matrix_text

said = st.lists(st.integers(0, 2), max_size=30)


@given(said)
def test_the_longest_run(given_):
    assert longest_run(given_) == max((len(list(run)) for _value, run in groupby(given_)), default=0)


@given(said)
def test_the_longest_alternation(given_):
    longest = 0
    for start in range(len(given_)):
        for end in range(start + 2, len(given_) + 1):
            part = given_[start:end]
            if part[0] != part[1] and all(value == part[at % 2] for at, value in enumerate(part)):
                longest = max(longest, len(part))
    assert longest_alternation(given_) == longest


def test_flags():
    assert flags_of(run=9, alternation=9, difference=1.0, seconds=1.0, typical=2.9) == []
    assert len(flags_of(run=10, alternation=10, difference=1.01, seconds=0.9, typical=3.0)) == 4


def test_all_raters():
    table = drawn(12, 4)
    table[:, 0] = 3
    table[:, 1] = [0, 1] * 6
    table[4, 2] = np.nan
    ratings = parse_ratings(
        answers_text(table, duplicates={(1, 3): table[0, 2], (2, 3): abs(table[1, 2] - 4)}), "f", scale=(0, 6)
    )
    one, two, three, four = carelessness_of(ratings)
    assert (one.longest_run, one.used, one.flags) == (12, 1, ("12 equal ratings in a row",))
    assert (two.alternation, two.used) == (12, 2)
    assert (three.missing, three.duplicates, three.self_consistency) == (1, 2, 0.5)
    assert three.self_difference == pytest.approx(abs(table[1, 2] - abs(table[1, 2] - 4)) / 2)
    assert (three.answers, four.answers, four.missing) == (14, 12, 0)
    assert [each.seconds for each in (one, two, three, four)] == [2, 3, 4, 5]


def test_empty_fields_count_as_missing_only_where_the_group_rated_the_pair():
    table = drawn(8, 4)
    table[:4, 2:] = np.nan
    table[4:, :2] = np.nan
    table[0, 1] = np.nan
    ratings = parse_ratings(matrix_text(table), "f", scale=(0, 6))
    together = [each.missing for each in carelessness_of(ratings)]
    in_groups = carelessness_of(ratings, {"r1": "1", "r2": "1", "r3": "2", "r4": "2"})
    assert together == [4, 5, 4, 4]
    assert [each.missing for each in in_groups] == [0, 1, 0, 0]


@pytest.mark.parametrize(
    ("seconds", "typical", "said"),
    [
        (0.3, None, ["0.3 s for an answer, too fast to read a pair"]),  # one or two raters: nobody to compare with
        (0.3, 0.4, ["0.3 s for an answer, where others take 0.4 s"]),
        (1.4, 4.5, ["1.4 s for an answer, where others take 4.5 s"]),
        (1.0, None, []),
        (1.6, 4.5, []),
        (None, 4.5, []),
    ],
)
def test_haste_is_flagged_whatever_others_take(seconds, typical, said):
    assert flags_of(run=1, alternation=0, difference=None, seconds=seconds, typical=typical) == said
