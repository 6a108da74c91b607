"""Calls on all workers: who answers is heard, and nobody waits for the others."""

from __future__ import annotations

import time

from termgauge.cluster.asking import asked
from tests.cluster.clusters import double, fail, sleep


def test_what_workers_return_or_raise_is_known_by_their_addresses(client):
    workers = list(client.scheduler_info()["workers"])
    assert asked(client, double, 4, workers=workers, seconds=10) == dict.fromkeys(workers, 8)
    raised = asked(client, fail, 4, workers=workers, seconds=10)
    assert {address: str(each) for address, each in raised.items()} == dict.fromkeys(workers, "4 is not wanted.")
    assert asked(client, double, 4, workers=[], seconds=10) == {}


def test_one_that_is_not_there_keeps_nobody_waiting(three):
    from distributed import Client

    with Client(three.address, set_as_default=False) as client:
        workers = list(client.scheduler_info()["workers"])
        began = time.monotonic()
        assert asked(client, double, 4, workers=[*workers, "tcp://127.0.0.1:9"], seconds=2) == dict.fromkeys(workers, 8)
        assert asked(client, sleep, 1.5, workers=workers[:1], seconds=0.2) == {}
        assert time.monotonic() - began < 10
