"""A trace says what was done, and how long it takes with any number of workers."""

from __future__ import annotations

import json
import time

import pytest
from benchmarks.tracing import Stage, Trace, TracingExecutor, planned
from hypothesis import given
from hypothesis import strategies as st

from termgauge.executor import current_executor, use_executor

seconds = st.floats(0, 10)
stages = st.builds(
    lambda before, blocks: Stage("x", before, *map(list, zip(*blocks, strict=True))) if blocks else Stage("x", before),
    seconds,
    st.lists(st.tuples(seconds, seconds, seconds), max_size=12),
)
traces = st.builds(Trace, st.just("work"), st.lists(stages, max_size=3), seconds)


@given(traces)
def test_one_worker_beside_its_sender_is_no_slower_than_doing_it_here(trace):
    assert planned(trace, 1) <= trace.shared + trace.alone + 1e-6


@given(traces, st.integers(1, 20))
def test_no_number_of_workers_goes_below_the_bounds(trace, workers):
    took = planned(trace, workers)
    for bound in (trace.alone, trace.longest, trace.shared / workers):
        assert took >= bound - 1e-6


@given(stages)
def test_as_many_workers_as_blocks_wait_for_nothing_but_the_sender(stage):
    trace = Trace("work", [stage])
    longest = max(stage.worked, default=0.0)
    assert planned(trace, max(1, len(stage.worked))) <= trace.alone + longest + 1e-6


def test_equal_blocks_are_shared_evenly():
    trace = Trace("work", [Stage("x", 1.0, [0.0] * 12, [2.0] * 12, [0.0] * 12)], after=3.0)
    assert [planned(trace, workers) for workers in (1, 2, 3, 4, 12, 40)] == [28.0, 16.0, 12.0, 10.0, 6.0, 6.0]


@given(traces)
def test_traces_are_kept_to_a_hundredth_of_a_millisecond(trace):
    again = Trace.of(json.loads(json.dumps(trace.dumped())))
    assert again.shared == pytest.approx(trace.shared, abs=1e-3)
    assert again.alone == pytest.approx(trace.alone, abs=1e-3)
    assert [stage.called for stage in again.stages] == [stage.called for stage in trace.stages]


def busy(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return seconds


def busy_with_blocks(seconds):
    busy(seconds)
    return [done.result() for done in current_executor().map(busy_alone, [(0.02,), (0.03,)], label="more")]


def busy_alone(seconds):
    assert current_executor() is None
    return busy(seconds)


def test_a_place_notes_who_spent_how_long():
    trace = Trace("work")
    place = TracingExecutor(trace)

    def blocks():
        for amount in (0.05, 0.02):
            busy(0.03)
            yield (amount,)

    with use_executor(place):
        busy(0.04)
        for done in current_executor().map(busy, blocks(), label="spin"):
            busy(0.01)
            assert done.seconds >= done.result()
        busy(0.06)
    place.finish()
    (stage,) = trace.stages
    assert stage.called == "spin"
    assert stage.before == pytest.approx(0.04, abs=0.02)
    assert stage.made == pytest.approx([0.03, 0.03], abs=0.02)
    assert stage.worked == pytest.approx([0.05, 0.02], abs=0.02)
    assert stage.used == pytest.approx([0.01, 0.01], abs=0.02)
    assert trace.after == pytest.approx(0.06, abs=0.03)


def test_blocks_of_blocks_come_before_them():
    trace = Trace("work")
    with use_executor(TracingExecutor(trace)):
        done = [each.result() for each in current_executor().map(busy_with_blocks, [(0.05,), (0.06,)], label="unit")]
    assert done == [[0.02, 0.03]] * 2
    inner, stage = trace.stages
    assert (inner.called, stage.called) == ("blocks of unit", "unit")
    assert inner.worked == pytest.approx([0.02, 0.03] * 2, abs=0.02)
    assert stage.worked == pytest.approx([0.05, 0.06], abs=0.02)


def test_files_are_read_where_they_are(tmp_path):
    (tmp_path / "a.txt").write_text("abc")
    artifact = TracingExecutor(Trace("work")).artifact(tmp_path / "a.txt")
    assert artifact.here.read_text() == "abc"
