"""What is found beside agreement: counted by hand on a small study, and in general."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.studies.results.compute import findings_of, scores_of
from tests.studies.made_ratings import similarity_ratings

SAID = [[0, 6, 3, 5, None], [0, 5, 3, 1, 2], [6, 0, 3, 3, None]]


def found_of(ratings, accepted=None):
    counting = ratings if accepted is None else ratings.of_raters(accepted)
    return findings_of(ratings, counting, scores_of(ratings), scores_of(counting))


def test_a_small_study():
    found = found_of(similarity_ratings(SAID, seconds=[4, 5, 1]), ["r1", "r2"])
    assert [(each["rating"], each["count"]) for each in found.ratings] == [
        (0, 2),
        (1, 1),
        (2, 1),
        (3, 2),
        (5, 2),
        (6, 1),
    ]
    assert [(each.pair, each.ratings) for each in found.disputed] == [("4", [1, 5]), ("2", [5, 6])]
    assert found.disputed[0].sd == pytest.approx(8**0.5)
    assert [(each["pair"], each["unknown"], each["asked"]) for each in found.unknown] == [("5", 2, 3)]
    assert [(each["rater"], each["median"]) for each in found.times] == [("r1", 4), ("r2", 5), ("r3", 1)]
    change = found.change
    assert (change.raters, change.pairs, change.lost, change.moved) == (["r3"], 5, 0, 2)
    assert change.moved_noticeably == 2
    assert change.largest == pytest.approx(10 / 3)
    assert [each["pair"] for each in change.most] == ["1", "2"]
    assert (change.most[0]["before"], change.most[0]["after"]) == pytest.approx((10 / 3, 0))


def test_a_pair_that_only_left_out_raters_rated_is_lost():
    change = found_of(similarity_ratings([[1, 2, 3, None], [1, 2, 4, 5]]), ["r1"]).change
    assert (change.lost, change.pairs) == (1, 3)


def test_nobody_left_out_changes_nothing():
    found = found_of(similarity_ratings(SAID))
    assert (found.change.raters, found.change.moved, found.change.most) == ([], 0, [])
    assert found.change.spearman == pytest.approx(1.0)
    assert found.times == []


@given(st.lists(st.lists(st.none() | st.integers(0, 6), min_size=6, max_size=6), min_size=2, max_size=5))
def test_counts_add_up(said):
    ratings = similarity_ratings(said)
    found = found_of(ratings)
    given_ratings = [rating for row in said for rating in row if rating is not None]
    assert sum(each["count"] for each in found.ratings) == len(given_ratings)
    assert sum(each["unknown"] for each in found.unknown) == sum(map(len, said)) - len(given_ratings)
    assert all(one.sd >= other.sd for one, other in zip(found.disputed, found.disputed[1:], strict=False))
    assert all(each.ratings == sorted(each.ratings) and len(each.ratings) == each.n for each in found.disputed)
