"""Variances of pairs that share concepts, against the definition over all couples of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.statistics.dependence import Dependence, Sums

pairs = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=30
)


def by_definition(first, second, influence):
    """Return the sum of the products over all ordered couples of pairs that share a concept."""
    both = list(zip(first, second, strict=True))
    share = np.array([[bool({*one} & {*other}) for other in both] for one in both])
    return float(influence @ share @ influence)


@given(pairs)
def test_variance_is_that_of_the_definition(drawn):
    first, second, *influence = (list(column) for column in zip(*drawn, strict=True))
    influence = np.array(influence, float)
    shared = Dependence.from_concepts(first, second)
    sums = Sums.from_contributions(influence, shared)
    for vector, places in ((influence[0], (0,)), (influence[0] - influence[1], (0, 1))):
        expected = by_definition(first, second, vector)
        assert sums.variance(*places) == pytest.approx(max(expected, vector @ vector))
    both = list(zip(first, second, strict=True))
    most = [max(sum(concept in other for other in both) for concept in pair) for pair in both]
    assert shared.effective == pytest.approx(len(first) ** 2 / sum(most))
    assert 1 <= shared.effective <= len(first)


@given(pairs)
def test_pairs_that_share_nothing_are_independent(drawn):
    influence = np.array([row[2:] for row in drawn], float).T
    alone = Dependence.from_concepts([None] * len(drawn), [""] * len(drawn))
    assert alone.effective == pytest.approx(len(drawn))
    for places in ((0,), (1, 0)):
        assert Sums.from_contributions(influence, alone).variance(*places) == pytest.approx(
            Sums.from_contributions(influence, None).variance(*places)
        )


def test_names_of_concepts_do_not_matter():
    first, second = ["a", "b", "b", None], ["b", "b", "c", "a"]
    influence = np.array([[1.0, 2, -3, 4]])
    named = Dependence.from_concepts(first, second)
    turned = Dependence.from_concepts(
        [f"x{each}" if each else "" for each in second], [f"x{each}" if each else "" for each in first]
    )
    assert Sums.from_contributions(influence, named).variance(0) == Sums.from_contributions(influence, turned).variance(
        0
    )
    some = np.array([True, False, True, True])
    assert named.of_pairs(some).effective == pytest.approx(9 / 6)  # each shares a concept with one of the others
    assert len(named) == 4
