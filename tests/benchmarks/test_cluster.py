"""The benchmark of clusters runs, on small sizes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from benchmarks import cluster

pytest.importorskip("distributed")


def test_two_workers_that_make_something_else_are_noticed(monkeypatch):
    from benchmarks.measure import Measurement

    def measured(_target, _subject, workers, cores, imports):  # noqa: ARG001
        return Measurement(0, 0, {"seconds": 3.0 / (workers * cores), "client": 0.1, "made": made[workers]})

    monkeypatch.setattr(cluster, "measured", measured)
    made = {1: "same", 2: "same"}
    row, on_one_core = cluster._two_against_one("work", "x:y", 3)
    assert (row.ratio, row.met, row.ours, row.theirs) == (2.0, True, "750.0 ms (client 100.0 ms)", "1.50 s")
    assert (on_one_core.ratio, on_one_core.met, on_one_core.theirs) == (4.0, None, "3.00 s")
    made[2] = "other"
    with pytest.raises(RuntimeError, match="made different files"):
        list(cluster._two_against_one("work", "x:y", 3))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system does not let a process choose its cores")
def test_a_process_keeps_to_some_cores():
    program = "import os; from benchmarks.cluster import keep_to; keep_to(1); print(len(os.sched_getaffinity(0)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"1\n"


@pytest.mark.long
@pytest.mark.usefixtures("small_sizes")
def test_small_sizes(capsys):
    cluster.main()
    printed = capsys.readouterr().out
    assert "a unit without work" in printed
    assert "one worker" in printed
