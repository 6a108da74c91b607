"""Resamples are the same wherever they are computed."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.executor import use_executor
from termgauge.statistics import bootstrap as module
from termgauge.statistics.bootstrap import draws, resampled, resampled_rhos
from tests.common.executors import FarExecutor, SmallExecutor


def all_draws(arrays, drawn):
    """Return the draws themselves, so that each can be compared."""
    return arrays["values"][drawn]


def failing(_arrays, _drawn):
    raise ValueError("a kernel that fails")


@pytest.fixture
def small_blocks(monkeypatch):
    """Let blocks be of few resamples, of which some are drawn at once."""
    monkeypatch.setattr(module, "DRAWS_AT_ONCE", 40)
    monkeypatch.setattr(module, "BLOCK_NANOSECONDS", 2500)


def _rows(kernel, items, resamples, generator, place=None):
    arrays = {"values": np.arange(items) * 10}
    made = np.full((resamples, items), -1)
    with use_executor(place):
        for these, rows in resampled(kernel, arrays, items, resamples, generator, nanoseconds=4):
            assert (made[these] == -1).all()
            made[these] = rows
    return made


@given(st.integers(1, 60), st.integers(0, 200), st.integers(0, 9), st.integers(1, 5), st.integers(1, 3))
@pytest.mark.usefixtures("small_blocks")
def test_draws_are_those_of_one_generator_and_it_goes_on_as_it_would(tmp_path, items, count, seed, slots, threads):
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    one.integers(0, 7, 3), other.integers(0, 7, 3)  # half of a number is left over
    expected = np.concatenate([np.empty((0, items), np.int64), *draws(items, count, one)]) * 10
    place = SmallExecutor(tmp_path / "place", slots)
    with mock.patch("numba.get_num_threads", return_value=threads):
        np.testing.assert_array_equal(_rows(all_draws, items, count, other, place), expected)
    assert one.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize(
    ("resamples", "blocks"), [(0, 0), (15, 0), (37, 0), (54, 0), (55, 4), (72, 4), (73, 5), (100, 6)]
)
@pytest.mark.usefixtures("small_blocks")
def test_only_what_is_worth_it_is_shared_out(tmp_path, resamples, blocks):
    place = SmallExecutor(tmp_path)
    _rows(all_draws, 13, resamples, np.random.default_rng(1), place)
    assert place.called == ["bootstrap"] * blocks  # of 6 runs of 3 resamples


def test_a_block_takes_about_as_long_whatever_it_is_of():
    for items in (3, 100, 5000, 300_000):
        for nanoseconds in (1, 10, 100):
            size = module._block_size(items, nanoseconds)
            takes = size * items * (nanoseconds + module.DRAW_NANOSECONDS)
            assert takes > 2e8
            assert takes < 5e8


@pytest.mark.usefixtures("small_blocks")
def test_a_kernel_that_fails(tmp_path):
    for place in (None, SmallExecutor(tmp_path)):
        with pytest.raises(ValueError, match="a kernel that fails"):
            _rows(failing, 13, 100, np.random.default_rng(1), place)


def _rhos():
    values = np.random.default_rng(2).integers(0, 9, (5, 30)).astype(float)
    return [resampled_rhos(values[1:], values[0], resamples, 7).replicates for resamples in (80, 90, 3)]


@pytest.mark.parametrize("statistics", [_rhos])
@pytest.mark.parametrize("kind", [SmallExecutor, FarExecutor])
def test_every_bootstrap_gives_the_same_bytes_at_a_executor(statistics, kind, tmp_path, monkeypatch):
    expected = [each.tobytes() for each in statistics()]
    monkeypatch.setattr(module, "BLOCK_NANOSECONDS", 10_000)
    monkeypatch.setattr(module, "DRAWS_AT_ONCE", 100)
    place = kind(tmp_path / "place")
    with use_executor(place):
        assert [each.tobytes() for each in statistics()] == expected
    assert len(place.called) > 3
