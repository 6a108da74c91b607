"""What is checked before a statistic is taken."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from termgauge.exceptions import TermgaugeError
from termgauge.statistics.inputs import checked_gold, checked_labels, checked_level, checked_scores

NUMBERS = st.floats(allow_nan=False)


@given(st.lists(NUMBERS))
def test_scores_come_back_as_they_are(scores):
    for given_as in (scores, tuple(scores), np.array(scores)):
        checked = checked_scores(given_as)
        assert checked.dtype == np.float64
        assert checked.tolist() == scores
    assert checked_gold(scores, len(scores)).tolist() == scores


@given(st.lists(NUMBERS | st.just(math.nan), min_size=1))
def test_missing_values_are_counted(scores):
    missing = sum(map(math.isnan, scores))
    if missing:
        with pytest.raises(TermgaugeError, match=rf"^Ours have {missing} missing values \(NaN\) among {len(scores)};"):
            checked_scores(scores, "Ours")
    else:
        assert len(checked_scores(scores)) == len(scores)


@given(hnp.array_shapes(min_dims=0, max_dims=3).filter(lambda shape: len(shape) != 1))
def test_only_a_plain_sequence_is_one_number_per_pair(shape):
    with pytest.raises(TermgaugeError, match="one number per pair, not an array of shape"):
        checked_scores(np.zeros(shape))


@given(st.lists(st.booleans(), min_size=2).filter(lambda labels: len(set(labels)) == 2))
def test_labels_become_booleans_whatever_they_were(labels):
    for given_as in (labels, np.array(labels, np.int8), np.array(labels, float)):
        checked = checked_labels(given_as, len(labels))
        assert checked.dtype == np.bool_
        assert checked.tolist() == labels


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([1, 1], "no negative pair among its 2"),
        ([0, 0, 0], "no positive pair among its 3"),
        ([1, 0, -1], r"1 \(similar\) or 0"),
        ([1, 0, 0.5], r"1 \(similar\) or 0"),
        ([1, 0, math.nan], "The labels have 1 missing"),
    ],
)
def test_labels_that_cannot_be_used(labels, sentence):
    with pytest.raises(TermgaugeError, match=sentence):
        checked_labels(labels, len(labels))


@pytest.mark.parametrize("check", [checked_gold, checked_labels])
def test_lengths_must_agree(check):
    with pytest.raises(TermgaugeError, match="There are 5 scores for 2 pairs; give one score per pair"):
        check([1, 0], 5)


@given(st.floats())
def test_levels(alpha):
    if 0 < alpha < 1:
        assert checked_level(alpha) == alpha
    else:
        with pytest.raises(TermgaugeError, match="between 0 and 1"):
            checked_level(alpha)
