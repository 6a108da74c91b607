from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from termgauge.statistics.agreement_kernels import counts_of, with_means

column = st.lists(st.integers(0, 4), min_size=3, max_size=8)


@given(column, st.data())
def test_a_resample_is_the_items_written_as_often_as_they_were_drawn(one, data):
    n = len(one)
    other = data.draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    times = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    codes, means = (np.unique(each, return_inverse=True)[1].astype(np.int32) for each in (one, other))
    widths = [np.array([len(set(each))]) for each in (one, other)]
    found = np.empty((1, 1))
    starts, items = np.array([0, n]), np.arange(n, dtype=np.int32)
    with_means(starts, items, codes, widths[0], means, widths[1], np.array([times], np.int32), found)
    written = [np.repeat(each, times) for each in (one, other)]
    if len(written[0]) < 3 or any(len(set(each.tolist())) < 2 for each in written):
        assert np.isnan(found[0, 0])
    else:
        assert found[0, 0] == pytest.approx(stats.spearmanr(*written).statistic, abs=1e-12)


def test_the_extremes_of_random_numbers_stay_in_their_stratum():
    drawn = np.array([[0, 2**32 - 1, 0, 2**32 - 1]], np.uint32)
    counts = counts_of(np.array([0, 2, 4]), np.array([0, 1, 3, 4]), drawn, 5)
    assert counts.tolist() == [[1, 1, 0, 1, 1]]
