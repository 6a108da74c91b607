from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.engine.graph import shared_seconds

UNITS = st.lists(st.floats(0.1, 100.0), min_size=1, max_size=7)


@given(UNITS, st.integers(1, 5))
def test_never_better_than_possible_nor_much_worse(units, workers):
    taken = shared_seconds(units, workers)
    assert taken >= max(*units, sum(units) / workers) - 1e-9
    assert taken <= sum(units) / workers + max(units) + 1e-9


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6), st.integers(1, 3))
def test_within_a_third_of_the_best_of_all_ways(units, workers):
    best = sum(units)
    for way in product(range(workers), repeat=len(units)):
        loads = [0] * workers
        for seconds, worker in zip(units, way, strict=True):
            loads[worker] += seconds
        best = min(best, max(loads))
    assert shared_seconds(units, workers) <= (4 / 3) * best + 1e-9  # Graham's bound for the longest first


def test_one_worker_does_all_and_many_wait_for_the_longest():
    assert shared_seconds([1.0, 2.0, 3.0], 1) == pytest.approx(6)
    assert shared_seconds([1.0, 2.0, 3.0], 9) == pytest.approx(3)
    assert shared_seconds([], 4) == 0
