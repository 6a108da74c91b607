"""Made raters: the same seed makes the same ones, and they differ in the ways that a demonstration is to show."""

from __future__ import annotations

from statistics import correlation, mean

import pytest

from termgauge.studies.demo import SCALE, demo_pairs, simulated_raters


def test_pairs_are_different_and_within_the_scale():
    pairs = demo_pairs()
    assert len(pairs) == 72
    assert len({frozenset(pair[:2]) for pair in pairs}) == 72
    assert all(0 <= pair.score <= SCALE for pair in pairs)
    assert 3 <= sum(pair.rare for pair in pairs) <= 12


def test_the_same_seed_makes_the_same_raters():
    said = [
        [rater.rates(pair) for rater in simulated_raters(4, 2, seed) for pair in demo_pairs()] for seed in (1, 1, 2)
    ]
    assert said[0] == said[1]
    assert said[0] != said[2]


@pytest.mark.parametrize("seed", range(5))
def test_raters_follow_the_scores_but_for_the_careless_one(seed):
    pairs = demo_pairs()
    raters = simulated_raters(6, 2, seed)
    assert [rater.group for rater in raters] == [1, 2, 1, 2, 1, 2]
    for rater in raters:
        said = [rater.rates(pair) for pair in pairs]
        known = [
            (pair.score, rating) for pair, (rating, _seconds) in zip(pairs, said, strict=True) if rating is not None
        ]
        assert all(rating == int(rating) and 0 <= rating <= SCALE for _score, rating in known)
        assert (correlation(*zip(*known, strict=True)) > 0.75) == (not rater.careless)
        assert (len(known) < len(pairs)) == rater.unsure
        assert (mean(seconds for _rating, seconds in said) < 2) == rater.careless


def test_a_pair_that_is_seen_again_gets_about_the_same_rating():
    rater = simulated_raters(1, 1, 3)[0]
    pairs = demo_pairs()
    first = [rater.rates(pair)[0] for pair in pairs]
    again = [rater.rates(pair)[0] for pair in pairs]
    assert mean(abs(one - other) for one, other in zip(first, again, strict=True)) < 0.5


def test_they_say_same_or_not_same_too():
    rater = simulated_raters(1, 1, 3)[0]
    said = {pair.score: rater.rates(pair, quality=True)[0] for pair in demo_pairs()}
    assert {0.0, 1.0} <= set(said.values()) <= {0.0, 1.0, None}
    assert said[max(said)] == 1.0
    assert said[min(said)] == 0.0
