"""What a machine gives to one process."""

from __future__ import annotations

import os

import pytest

from termgauge.cluster.machine import cores


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
