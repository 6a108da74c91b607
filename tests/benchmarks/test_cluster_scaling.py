"""Dask's scheduler replays a trace in the time that was planned, and what holds work up is named."""

from __future__ import annotations

import json

import pytest
from benchmarks.tracing import Stage, Trace, planned

from benchmarks import cluster_scaling

pytest.importorskip("distributed")


@pytest.mark.integration
def test_a_replay_takes_what_was_planned_and_not_much_more():
    trace = Trace("work", [Stage("x", 0.1, [0.01] * 8, [0.3] * 8, [0.01] * 8)], after=0.1)
    best = planned(trace, 4)
    took = cluster_scaling.replayed(trace, 4, faster=1.0)
    assert best <= took < best + 3


@pytest.mark.parametrize(
    ("stage", "took", "named"),
    [
        (Stage("x", 9.0, [0.0], [4.0], [0.0]), 13.0, "the sender's own work"),
        (Stage("x", 0.0, [0.0] * 5, [1.0, 1.0, 1.0, 1.0, 9.0], [0.0] * 5), 10.0, "waiting for the longest blocks"),
        (Stage("x", 0.0, [0.0] * 4, [1.0] * 4, [0.0] * 4), 6.0, "Dask"),
        (Stage("x", 0.1, [0.0] * 4, [1.0] * 4, [0.0] * 4), 1.2, "the work itself"),
    ],
)
def test_what_holds_work_up_is_named(stage, took, named):
    trace = Trace("work", [stage])
    assert cluster_scaling.what_holds_up(trace, 4, took, planned(trace, 4)) == named


def test_the_traces_that_are_kept_can_be_replayed():
    kept = [Trace.of(each) for each in json.loads(cluster_scaling.TRACES.read_text(encoding="utf-8"))]
    assert kept
    for trace in kept:
        assert planned(trace, 64) < planned(trace, 2) < planned(trace, 1) <= trace.shared + trace.alone


@pytest.mark.integration
@pytest.mark.usefixtures("small_sizes")
def test_small_sizes(capsys):
    cluster_scaling.main()
    assert "4 workers (" in capsys.readouterr().out
