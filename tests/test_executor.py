"""Work in blocks: artifacts are known by what they hold, values come in order, a place holds for its block of code."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.executor import JobResult, current_executor, in_order, retry_reason, use_executor
from termgauge.io.arrays import ARRAYS, load_arrays, save_arrays
from termgauge.threads import cores
from tests.common.executors import SmallExecutor


@given(st.permutations(range(12)), st.integers(0, 12))
def test_values_come_in_order_each_as_soon_as_it_may(order, until):
    came = []

    def done():
        for number in order[:until]:
            came.append(number)
            yield JobResult(number, number)

    found = []
    for value in in_order(done()):
        assert set(range(value + 1)) <= set(came)
        found.append(value)
    complete = next((at for at in range(13) if at not in came), 12)
    assert found == list(range(complete))


def test_a_failure_is_raised_in_its_turn():
    values = in_order([JobResult(1, error=TermgaugeError("No.")), JobResult(0, "a")])
    assert next(values) == "a"
    with pytest.raises(TermgaugeError, match="No"):
        next(values)


def test_arrays_are_mapped_from_the_disk_as_they_are_and_kept_once(cache_folder, tmp_path):
    arrays = {"a": np.arange(12.0).reshape(3, 4)[:, ::2], "none": np.empty((0, 3), np.float32), "b": np.array(["x"])}
    folder = save_arrays(arrays)
    loaded = load_arrays(SmallExecutor(tmp_path).artifact(folder).here)
    assert loaded.keys() == arrays.keys()
    for name, array in arrays.items():
        assert loaded[name].dtype == array.dtype
        assert np.array_equal(loaded[name], array)
    assert isinstance(loaded["a"].base, np.memmap)
    assert save_arrays(dict(arrays)) == folder
    others = [save_arrays({**arrays, "a": other}) for other in (arrays["a"] + 1, arrays["a"].astype(np.float32))]
    assert sorted((cache_folder / ARRAYS).iterdir()) == sorted([folder, *others])


def test_a_place_holds_for_a_block_of_code_and_this_thread(tmp_path):
    place, seen = SmallExecutor(tmp_path), []
    assert current_executor() is None
    with use_executor(place):
        assert current_executor() is place
        with use_executor(None):
            assert current_executor() is None
        other = threading.Thread(target=lambda: seen.append(current_executor()))
        other.start()
        other.join()
    assert (current_executor(), seen) == (None, [None])


@pytest.mark.parametrize(
    ("error", "lacks"),
    [
        (MemoryError(), True),
        (OSError(12, "Cannot allocate memory"), True),
        (OSError(122, "Disk quota exceeded"), True),
        (CannotWriteError("The disk is full."), True),
        (FileNotFoundError(2, "No such file"), False),
        (TermgaugeError("28"), False),
    ],
)
def test_what_a_machine_lacks(error, lacks):
    assert bool(retry_reason(error)) is lacks


def test_done_gives_its_value_or_raises():
    assert JobResult(0, 3).result() == 3
    assert JobResult(0).result() is None
    with pytest.raises(KeyError):
        JobResult(0, error=KeyError("x")).result()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system does not bind processes to cores")
def test_cores_are_those_that_this_process_may_use():
    allowed = os.sched_getaffinity(0)
    assert cores() == len(allowed)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        assert cores() == 1
    finally:
        os.sched_setaffinity(0, allowed)


def test_where_no_process_is_bound_all_cores_count(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for known, used in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda known=known: known)
        assert cores() == used
