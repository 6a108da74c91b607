from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.statistics import resampled
from termgauge.statistics.resampled import skip_draws


@pytest.fixture(autouse=True)
def fresh():
    resampled._known.cache_clear()
    yield
    resampled._known.cache_clear()


below = st.one_of(st.integers(1, 2000), st.integers(1, 2**32 - 1))


@pytest.mark.parametrize("known", [True, False])
@given(
    st.lists(st.tuples(below, st.integers(0, 400)), max_size=8), st.integers(0, 99), st.sampled_from([7, 64, 1 << 18])
)
def test_a_generator_is_where_drawing_would_leave_it(known, rounds, seed, at_once):
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    patched = mock.patch.object(resampled, "_known", return_value=known)
    with patched, mock.patch.object(resampled, "AT_ONCE", at_once):
        for n, count in rounds:
            one.integers(0, n, count)
            skip_draws(other, n, count)
            assert one.bit_generator.state == other.bit_generator.state
    assert one.integers(0, 1000, 5).tolist() == other.integers(0, 1000, 5).tolist()


def test_this_version_of_numpy_is_known():
    assert resampled._known()


def test_a_version_of_numpy_that_draws_otherwise_is_noticed():
    with mock.patch.object(resampled, "_BITS", 1 << 31):
        assert not resampled._known()
