"""Units under way: what hangs is done elsewhere, what computes is left alone, and what nobody wants ends."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from termgauge.cluster import watch
from termgauge.cluster.connect import connected
from termgauge.cluster.orders import Order
from termgauge.progress import track
from tests.cluster.clusters import (
    beats,
    compute,
    double,
    hang_once,
    outer_wait,
    processes,
    stopped,
    until,
    work_until,
)

PATIENCE = 2.0


@dataclass
class Worker:
    """A worker as far as a unit sees it."""

    said: list[dict[str, object]] = field(default_factory=list)
    state: object = field(default_factory=lambda: SimpleNamespace(tasks={"unit-1": SimpleNamespace(state="executing")}))

    def log_event(self, _topic, what):
        self.said.append(what)


def order(**more):
    return Order("1", "module:function", (), "unit", topic="topic", sender="elsewhere:1", **more)


@pytest.fixture
def exits(monkeypatch):
    """Return the statuses with which this process would have ended."""
    statuses = []
    monkeypatch.setattr(watch.os, "_exit", statuses.append)
    return statuses


def test_nothing_is_looked_at_where_there_is_no_unit(monkeypatch):
    monkeypatch.setattr(watch, "LOOKS_SECONDS", 0.01)
    for _ in range(2):
        with watch.watched(order(), Worker(), "unit-1"):
            looker = watch._looker
            assert looker.is_alive()
        looker.join(10)
        assert not looker.is_alive()
        assert watch._looker is None


def test_a_unit_says_that_it_begins_and_how_it_goes(monkeypatch):
    monkeypatch.setattr(watch, "SAYS_SECONDS", 0.0)
    worker = Worker()
    with watch.watched(order(), worker, "unit-1"), track("Counting", 3, "steps") as advance:
        advance(1)
        advance(1)
    common = {"key": "unit-1", "called": "unit"}
    counting = {"label": "Counting", "total": 3, "unit": "steps"}
    assert worker.said == [
        {**common, "begun": True},
        {**common, **counting, "done": 1.0},
        {**common, **counting, "done": 2.0},
        {**common, "ended": True},
    ]


def test_a_quick_unit_says_only_that_it_begins():
    worker = Worker()
    with watch.watched(order(), worker, "unit-1"):
        pass
    assert [sorted(each) for each in worker.said] == [["begun", "called", "key"]]
    with watch.watched(order()._replace(topic=""), silent := Worker(), "unit-1"):
        pass
    assert silent.said == []


def test_a_unit_that_does_nothing_ends_its_process_but_never_that_of_its_client(exits):
    for sender, status in (("elsewhere:1", [watch.EXIT_HUNG]), (watch.this_process(), [])):
        exits.clear()
        unit = watch._Watched(order(patience=5.0)._replace(sender=sender), Worker(), "unit-1")
        unit.looked_at()
        assert exits == [], "it has just begun"
        unit.beat -= 6
        unit.busy = time.process_time()
        unit.looked_at()
        assert exits == status


def test_one_that_computes_or_waits_for_blocks_is_alive(exits):
    with watch.watched(order(patience=5.0), Worker(), "unit-1") as unit:
        unit.beat -= 6
        unit.busy -= 3
        unit.looked_at()
        assert exits == [], "it took half a core"
        unit.beat -= 6
        watch.still_waiting()
        unit.looked_at()
        assert exits == []


def test_a_unit_that_nobody_wants_is_interrupted_in_its_thread(exits):
    worker = Worker()
    worker.state.tasks["unit-1"].state = "cancelled"

    def unit():
        with watch.watched(order(), worker, "unit-1"):
            for _ in range(200):
                time.sleep(0.05)

    with pytest.raises(watch.NotWantedError):
        unit()
    assert exits == []
    assert watch._watched == {}


def test_one_that_does_not_heed_that_ends_its_process(exits, monkeypatch):
    monkeypatch.setattr(watch, "HEEDS_SECONDS", 0.0)
    worker = Worker()
    worker.state.tasks.clear()
    unit = watch._Watched(order(), worker, "unit-1", thread=0)  # no thread has this number
    unit.looked_at()
    assert exits == []
    unit.looked_at()
    assert exits == [watch.EXIT_UNWANTED]
    monkeypatch.setitem(watch._watched, 1, watch._Watched(order(), Worker(), "unit-2"))
    unit.looked_at()
    assert exits == [watch.EXIT_UNWANTED], "the process does something else that is wanted"


def test_a_unit_that_hangs_is_done_elsewhere(three, tmp_path):
    with connected(three.address, patience=PATIENCE) as place:
        (done,) = place.map(hang_once, [(str(tmp_path / "mark"), 3600)], label="hanging")
    assert done.result()
    assert done.tries == 2


def test_one_that_computes_in_silence_is_left_alone(three):
    with connected(three.address, patience=PATIENCE) as place:
        (done,) = place.map(compute, [(2 * PATIENCE,)], label="computing")
    assert (done.error, done.tries) == (None, 1)
    assert done.seconds >= 2 * PATIENCE


def test_one_that_waits_for_blocks_of_its_own_does_not_hang(three):
    with connected(three.address, patience=PATIENCE) as place:
        (done,) = place.map(outer_wait, [(2 * PATIENCE,)], label="outer")
    assert done.error is None
    assert done.tries == 1


@pytest.mark.parametrize("leaving", ["closing", "interruption"])
def test_who_stops_asking_ends_units_on_workers(three, tmp_path, leaving):
    path = tmp_path / "beats"

    def blocks():
        yield double.__name__, 1
        yield work_until.__name__, str(path)

    with connected(three.address) as place:
        each = place.map(one_of, blocks(), label="work")
        next(each)
        assert until(lambda: beats(path))
        if leaving == "closing":
            each.close()
        else:
            with pytest.raises(KeyboardInterrupt):
                each.throw(KeyboardInterrupt())
        assert stopped(path, 5)
        assert [done.value for done in place.map(double, [(4,)], label="double")] == [8], "the worker goes on"


def one_of(name, value):
    return {"double": double, "work_until": work_until}[name](value)


KILLED = """
import sys
from termgauge.cluster.connect import connected
from tests.cluster.clusters import work_until
if __name__ == "__main__":
    with connected(sys.argv[1]) as place:
        list(place.map(work_until, [(sys.argv[2],)], label="work"))
"""


def test_units_of_a_client_that_is_killed_end(three, tmp_path):
    path = tmp_path / "beats"
    client = subprocess.Popen([sys.executable, "-c", KILLED, three.address, str(path)])
    try:
        assert until(lambda: beats(path))
    finally:
        client.kill()
        client.wait()
    assert stopped(path)
    with connected(three.address) as place:
        assert [done.value for done in place.map(double, [(4,)], label="double")] == [8]


@pytest.mark.long
def test_a_worker_that_is_stopped_is_done_without(tmp_path):
    with processes(tmp_path / "cluster", 2, ttl="5s") as two, connected(two.address) as place:
        two.arrange("frail", "stop")
        done = sorted(place.map(double, [(at,) for at in range(6)], label="frail"), key=lambda each: each.number)
        assert [each.value for each in done] == [0, 2, 4, 6, 8, 10]
        assert max(each.tries for each in done) <= 2
