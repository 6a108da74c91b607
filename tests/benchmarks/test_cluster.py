"""The benchmark of clusters runs, on small sizes."""

from __future__ import annotations

import pytest

from benchmarks import cluster

pytest.importorskip("distributed")


def test_two_workers_that_make_something_else_are_noticed(monkeypatch):
    from benchmarks.measure import Measurement

    def measured(_target, _subject, workers, imports):  # noqa: ARG001
        return Measurement(0, 0, {"seconds": 3.0 / workers, "client": 0.1, "made": made[workers]})

    monkeypatch.setattr(cluster, "measured", measured)
    made = {1: "same", 2: "same"}
    row = cluster._two_against_one("work", "x:y", 3)
    assert (row.ratio, row.met, row.ours, row.theirs) == (2.0, True, "1.50 s (client 100.0 ms)", "3.00 s")
    made[2] = "other"
    with pytest.raises(RuntimeError, match="made different files"):
        cluster._two_against_one("work", "x:y", 3)


@pytest.mark.integration
@pytest.mark.usefixtures("small_sizes")
def test_small_sizes(capsys):
    cluster.main()
    printed = capsys.readouterr().out
    assert "a unit without work" in printed
    assert "one worker" in printed
