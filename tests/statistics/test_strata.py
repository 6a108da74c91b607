"""Shares over parts that were drawn from separately: what they are, and how often their intervals hold the truth."""

from __future__ import annotations

import math
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.statistics.strata import Stratum, pooled_share, share_of_hits

DRAWN = 30


@st.composite
def strata(draw, *, sized=False):
    drawn = draw(st.integers(1, 40))
    items = draw(st.integers(0, drawn))
    size = drawn + draw(st.integers(0, 200)) if sized or draw(st.booleans()) else None
    return Stratum(draw(st.integers(0, items)), items, drawn, size)


def binomial(share):
    return [comb(DRAWN, k) * share**k * (1 - share) ** (DRAWN - k) for k in range(DRAWN + 1)]


def holds(estimate, truth):
    low, high = estimate.interval
    return low - 1e-9 <= truth <= high + 1e-9


@given(strata())
def test_an_interval_holds_its_share_and_is_one_of_shares(part):
    low, high = part.interval()
    if part.items:
        assert 0 <= low <= part.share <= high <= 1
    else:
        assert math.isnan(low)
        assert math.isnan(part.share)


@given(strata(sized=True))
def test_the_more_is_drawn_of_a_part_the_surer_its_share_is(part):
    if part.items:
        low, high = part.interval()
        wide_low, wide_high = part._replace(size=None).interval()
        assert wide_low <= low + 1e-12
        assert high <= wide_high + 1e-12
        whole = part._replace(size=part.drawn).interval()
        assert whole == pytest.approx((part.share, part.share))


@given(strata(), strata(), st.booleans())
def test_pooled_shares_are_weighted_means(one, other, whole):
    value, (low, high) = pooled_share([one, other], whole=whole)
    weights = [part.items * (part.weight if whole else 1) for part in (one, other)]
    if not sum(weights):
        assert math.isnan(value)
        return
    shares = [part.share if part.items else 0 for part in (one, other)]
    assert value == pytest.approx(sum(w * s for w, s in zip(weights, shares, strict=True)) / sum(weights))
    assert 0 <= low <= value + 1e-12
    assert value - 1e-12 <= high <= 1


@given(strata(), strata(), st.booleans())
def test_shares_of_hits_add_up_to_one(one, other, whole):
    value, (low, high) = share_of_hits(one, other, whole=whole)
    weights = [part.hits * (part.weight if whole else 1) for part in (one, other)]
    if not sum(weights):
        assert math.isnan(value)
        return
    assert value == pytest.approx(weights[0] / sum(weights))
    assert -1e-12 <= low <= value + 1e-9
    assert value - 1e-9 <= high <= 1 + 1e-12
    mirrored, (mirrored_low, mirrored_high) = share_of_hits(other, one, whole=whole)
    assert (mirrored, mirrored_low, mirrored_high) == pytest.approx((1 - value, 1 - high, 1 - low), abs=1e-9)


@pytest.mark.parametrize("same", [0.995, 0.95, 0.8, 0.5])
@pytest.mark.parametrize("slipped", [0.001, 0.005, 0.02, 0.1, 0.3])
def test_intervals_of_30_and_30_draws_hold_the_truth_about_as_often_as_they_say(same, slipped):
    """All outcomes of 30 positives and 30 negatives are enumerated: nothing here is left to chance."""
    ones, others = binomial(same), binomial(slipped)
    accuracy, recall = (same + 1 - slipped) / 2, same / (same + slipped)
    held = {"share": 0.0, "accuracy": 0.0, "recall": 0.0}
    for hits, chance in enumerate(ones):
        positives = Stratum(hits, DRAWN, DRAWN)
        held["share"] += chance * (positives.interval().low <= same <= positives.interval().high)
        for slips, other_chance in enumerate(others):
            if (both := chance * other_chance) < 1e-7:
                continue
            right = pooled_share([positives, Stratum(DRAWN - slips, DRAWN, DRAWN)])
            held["accuracy"] += both * holds(right, accuracy)
            held["recall"] += both * holds(share_of_hits(positives, Stratum(slips, DRAWN, DRAWN)), recall)
    assert min(held.values()) > 0.915, held


@pytest.mark.parametrize("hits", [1, 3, 12, 30, 57])
def test_intervals_of_a_small_part_hold_its_share(hits):
    """30 items out of 60, so many of which are hits, in all ways in which they can be drawn."""
    size, held = 60, 0.0
    for seen in range(max(0, hits - size + DRAWN), min(hits, DRAWN) + 1):
        chance = comb(hits, seen) * comb(size - hits, DRAWN - seen) / comb(size, DRAWN)
        low, high = Stratum(seen, DRAWN, DRAWN, size).interval()
        held += chance * (low <= hits / size <= high)
    assert held > 0.9
