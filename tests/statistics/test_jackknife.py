"""Rho by the jackknife on Fisher's scale, against leaving out one pair after the other with SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from termgauge.statistics.correlation import Jackknifed
from termgauge.statistics.dependence import Dependence

tables = hnp.arrays(np.float64, st.tuples(st.just(3), st.integers(5, 20)), elements=st.integers(-4, 4).map(float))


def by_definition(row, gold):
    """Return rho on Fisher's scale and the values without one pair each."""
    n = len(gold)
    most = 1 - 1 / n**2

    def scaled(values, ratings):
        return math.atanh(min(most, max(-most, stats.spearmanr(values, ratings).statistic)))

    return scaled(row, gold), np.array([scaled(np.delete(row, i), np.delete(gold, i)) for i in range(n)])


@settings(max_examples=40, deadline=None)
@given(tables)
def test_errors_are_those_of_leaving_pairs_out(table):
    gold, scores = table[0], table[1:]
    assume(all(len(set(np.delete(row, i))) > 1 for row in table for i in range(len(gold))))
    rhos = Jackknifed.rhos(scores, gold)
    (one, without_one), (other, without_other) = (by_definition(row, gold) for row in scores)
    np.testing.assert_allclose(rhos.estimates, [stats.spearmanr(row, gold).statistic for row in scores], atol=1e-12)
    n = len(gold)
    error = math.sqrt((n - 1) * np.var(without_one))
    if error > 1e-9:
        reach = 1.959963984540054 * error
        np.testing.assert_allclose(rhos.value(0, 0.05)[1:], np.tanh([one - reach, one + reach]), atol=1e-9)
    error = math.sqrt((n - 1) * np.var(without_one - without_other))
    _, p = rhos.difference(0, 1, 0.05)
    if error > 1e-9 and max(map(abs, rhos.estimates)) < 1 - 1 / n**2:
        expected = 2 * stats.norm.sf(abs(one - other) / error)
        assert p == pytest.approx(min(1, max(expected, 2.0 ** (1 - n))), rel=1e-6)


@settings(max_examples=40)
@given(tables, st.floats(0.001, 0.3))
def test_interval_and_p_value_say_the_same(table, level):
    gold, scores = table[0], table[1:]
    assume(all(np.ptp(row) > 0 for row in table))
    rhos = Jackknifed.rhos(scores, gold)
    (low, high), p = rhos.difference(0, 1, level)
    assert 2.0 ** (1 - len(gold)) <= p <= 1
    if not math.isnan(low):
        assert (low > 0 or high < 0) == (p < level)
    (turned_low, turned_high), turned = rhos.difference(1, 0, level)
    np.testing.assert_allclose([turned_low, turned_high, turned], [-high, -low, p], atol=1e-12)


def test_pairs_without_common_concepts_are_as_if_there_were_none():
    generator = np.random.default_rng(1)
    scores, gold = generator.normal(size=(2, 60)), generator.normal(size=60)
    alone = Dependence.from_concepts([None] * 60, [None] * 60)
    one, other = Jackknifed.rhos(scores, gold), Jackknifed.rhos(scores, gold, alone)
    assert other.error(0, 1) == pytest.approx(one.error(0, 1))
    assert other.freedom == pytest.approx(59)  # where there are concepts their number is what counts
    assert other.difference(0, 1, 0.05)[1] > one.difference(0, 1, 0.05)[1]


def test_pairs_given_four_times_say_no_more_than_once():
    generator = np.random.default_rng(2)
    gold = generator.normal(size=50)
    scores = gold + generator.normal(size=(2, 50))
    four = Jackknifed.rhos(
        np.tile(scores, 4), np.tile(gold, 4), Dependence.from_concepts(np.tile(np.arange(50), 4), [None] * 200)
    )
    assert four.effective == pytest.approx(50)
    assert four.error(0, 1) == pytest.approx(Jackknifed.rhos(scores, gold).error(0, 1), rel=0.05)


def test_nothing_is_certain():
    opposite = Jackknifed.rhos(np.array([[1.0, 2, 3], [3, 2, 1]]), np.array([1.0, 2, 3]))
    interval, p = opposite.difference(0, 1, 0.05)
    assert np.isnan(interval).all()
    assert p == 0.25
    assert np.isnan(opposite.value(0, 0.05)[1:]).all()
    same = Jackknifed.rhos(np.array([[1.0, 2, 4, 3], [1, 2, 4, 3]]), np.array([1.0, 2, 3, 4]))
    assert same.difference(0, 1, 0.05)[1] == 1
    two = Jackknifed.rhos(np.array([[1.0, 2], [2, 1]]), np.array([1.0, 2]))
    assert two.difference(0, 1, 0.05)[1] == 0.5
