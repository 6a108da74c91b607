"""McNemar's exact test, against statsmodels and SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as of_statsmodels

from termgauge.statistics.dependence import Dependence
from termgauge.statistics.separation import Decisions, difference_interval, mcnemar, only_right


@given(st.integers(0, 400), st.integers(0, 400))
def test_p_value_is_that_of_statsmodels(b, c):
    expected = of_statsmodels([[0, b], [c, 0]], exact=True).pvalue if b + c else 1.0
    assert mcnemar(b, c) == pytest.approx(min(1, expected), rel=1e-10)


@pytest.mark.parametrize(
    ("b", "c"), [(499, 500), (450, 560), (999, 1), (0, 1200), (30_000, 31_000), (200_000, 201_000), (1, 10**6)]
)
def test_many_pairs(b, c):
    expected = min(1.0, 2 * stats.binom.cdf(min(b, c), b + c, 0.5))
    assert mcnemar(b, c) == pytest.approx(expected, rel=1e-8)
    assert mcnemar(c, b) == mcnemar(b, c)


def test_counts_of_all_systems(monkeypatch):
    right = np.random.default_rng(0).random((5, 101)) < 0.7
    expected = [[int((one & ~other).sum()) for other in right] for one in right]
    monkeypatch.setattr("termgauge.statistics.separation._AT_ONCE", 30)
    np.testing.assert_array_equal(only_right(right), expected)


def test_interval_covers_the_true_difference():
    generator = np.random.default_rng(1)
    cells, n = np.array([0.5, 0.25, 0.15, 0.1]), 80  # both right, only one, only other, neither
    held = 0
    for _ in range(1000):
        counts = generator.multinomial(n, cells)
        low, high = difference_interval(int(counts[1]), int(counts[2]), n, 0.05)
        held += low <= 0.1 <= high
    assert abs(held / 1000 - 0.95) < 3 * math.sqrt(0.95 * 0.05 / 1000)


decided = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)


@given(decided)
def test_pairs_without_common_concepts_have_the_exact_test(drawn):
    right = np.array(drawn).T
    only = int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum())
    expected = mcnemar(*only)
    interval, p = Decisions.from_decisions(right).difference(0, 1, 0.05)
    assert p == expected
    assert interval == difference_interval(*only, len(drawn), 0.05)
    alone = Decisions.from_decisions(right, Dependence.from_concepts(range(len(drawn)), [None] * len(drawn)))
    assert alone.difference(0, 1, 0.05)[1] == pytest.approx(expected)


@given(decided, st.integers(2, 5))
def test_pairs_given_several_times_say_no_more_than_once(drawn, times):
    right = np.array(drawn).T
    shared = Dependence.from_concepts(np.tile(np.arange(len(drawn)), times), [None] * (times * len(drawn)))
    often = Decisions.from_decisions(np.tile(right, times), shared).difference(0, 1, 0.05)
    once = Decisions.from_decisions(right).difference(0, 1, 0.05)
    assert often[1] == pytest.approx(once[1], rel=1e-6)


@given(st.lists(st.tuples(st.integers(-3, 3)), min_size=2, max_size=40))
def test_with_many_concepts_it_is_the_test_of_obuchowski(drawn):
    # One clustered by concept: (sum of differences)^2 / sum of squares of those of concepts, a chi-square (1998).
    drawn = drawn * 40
    apart = np.array([value for (value,) in drawn])
    concept = np.repeat(np.arange(len(apart)), np.abs(apart))
    if not len(concept):
        return
    right = np.repeat([apart > 0, apart < 0], np.abs(apart), axis=1)
    _, p = Decisions.from_decisions(right, Dependence.from_concepts(concept, [None] * len(concept))).difference(
        0, 1, 0.05
    )
    expected = stats.chi2.sf(apart.sum() ** 2 / (apart @ apart), 1)
    assert p == pytest.approx(expected, rel=0.5, abs=0.1)
