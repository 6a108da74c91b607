"""The definitions against SciPy, scikit-learn and small cases worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from sklearn.metrics.pairwise import cosine_similarity

from termgauge.exceptions import TermgaugeError
from termgauge.similarity import reference
from termgauge.similarity.reference import similarity

few_values = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 3.0])
any_values = st.floats(-1e6, 1e6, allow_subnormal=False)


def two_vectors(values, least=1):
    return st.integers(least, 12).flatmap(
        lambda width: st.tuples(
            hnp.arrays(np.float64, width, elements=values), hnp.arrays(np.float64, width, elements=values)
        )
    )


@given(two_vectors(few_values | any_values))
def test_cosine_is_scikit_learns(vectors):
    x, y = vectors
    assume(np.linalg.norm(x) > 1e-9 and np.linalg.norm(y) > 1e-9)  # scikit-learn takes shorter ones for zero
    assert similarity("cos", x, y) == pytest.approx(cosine_similarity([x], [y])[0, 0], abs=1e-12)


@given(two_vectors(few_values, least=2) | two_vectors(st.integers(-100, 100).map(float), least=2))
@example((np.array([1e9, 1e9 + 1, 1e9]), np.array([1.0, 2.0, 2.0])))
@example((np.array([1.0, 2.0]), np.array([3.0, 5.0])))
def test_correlations_are_scipys(vectors):
    x, y = vectors
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    assert similarity("pearson", x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-9)
    assert similarity("spearman", x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert similarity("kendall", x, y) == pytest.approx(stats.kendalltau(x, y, variant="b").statistic, abs=1e-12)


@given(hnp.arrays(np.float64, st.integers(1, 15), elements=few_values))
def test_ranks_are_scipys(x):
    assert reference.average_ranks(x).tolist() == stats.rankdata(x).tolist()


def test_tau_b_by_hand():
    # Of the six pairs one is tied in x and one in y; four have the same order in both: 4 / sqrt(5 * 5).
    assert similarity("kendall", [1, 1, 2, 3], [1, 2, 3, 3]) == pytest.approx(4 / 5)


def test_pearson_keeps_a_small_spread_around_a_large_value():
    x = 1.0 + np.array([0, 1, 2, 3]) * 2.0**-52
    assert similarity("pearson", x, [0, 1, 2, 3]) == pytest.approx(1, abs=1e-12)
    assert math.isnan(similarity("pearson", [0.1, 0.1, 0.1], [1, 2, 3]))


def test_average_is_of_the_mean_vectors():
    x, y = np.array([[1.0, 0, 2], [3, 1, 0]]), np.array([[0.0, 1, 5]])
    assert similarity("avg_pearson", x, y) == pytest.approx(stats.pearsonr([2, 0.5, 1], [0, 1, 5]).statistic)


def test_the_order_of_words_does_not_break_a_tie():
    words = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])
    assert words.sum(axis=0)[0] != words.sum(axis=0)[1]  # summed one after the other they would differ
    assert len(set(reference.mean_word(words))) == 1


def test_pairwise_is_the_mean_over_pairs_of_words():
    x, y = np.array([[1.0, 0], [0, 1]]), np.array([[1.0, 1], [0, 2], [-1, 0]])
    root = math.sqrt(0.5)
    assert similarity("pair_cos", x, y) == pytest.approx((root + 0 - 1 + root + 1 + 0) / 6)


def test_fuzzy_jaccard_by_hand():
    x, y = np.array([[1.0, 0]]), np.array([[0.0, 2], [1, -1]])
    # Over the words (1, 0), (0, 2), (1, -1): x has 1, 0, 1; y has max(0, 1), max(4, -2), max(-2, 2).
    assert similarity("fuzzy_jaccard", x, y) == pytest.approx((1 + 0 + 1) / (1 + 4 + 2))


def test_max_jaccard_by_hand():
    x, y = np.array([[1.0, -3, 0], [0, -1, 2]]), np.array([[4.0, 1, -2]])
    # Maxima, at least 0: (1, 0, 2) and (4, 1, 0).
    assert similarity("max_jaccard", x, y) == pytest.approx(1 / (4 + 1 + 2))


def test_what_is_no_pair_of_terms_is_refused():
    with pytest.raises(ValueError, match="two arrays of 2 dimensions"):
        similarity("avg_cos", [1, 2], [1, 2])
    with pytest.raises(ValueError, match="equal width"):
        similarity("cos", [1, 2], [1, 2, 3])
    with pytest.raises(TermgaugeError, match="Did you mean 'cos'"):
        similarity("coz", [1], [1])
