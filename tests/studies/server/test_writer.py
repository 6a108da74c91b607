"""Tests of the one writer: what waits shares a COMMIT, and each request learns its own fate."""

from __future__ import annotations

import asyncio
import threading

import pytest

from termgauge.exceptions import CannotWriteError
from termgauge.studies.database import BusyError
from termgauge.studies.server import site as writer_module
from termgauge.studies.server.site import Writer
from termgauge.studies.store import Store


@pytest.fixture
def path(tmp_path):
    place = tmp_path / "study.sqlite"
    Store.create(place, "s1").close()
    return place


def counting(store):
    """Let a store count its commits."""
    commits = []
    together = store.together

    def counted(pieces):
        commits.append(len(pieces))
        return together(pieces)

    store.together = counted
    return commits


async def all_done(writer, pieces):
    return await asyncio.gather(*(writer.do(piece) for piece in pieces), return_exceptions=True)


def test_what_waits_shares_a_commit_and_fails_alone(path):
    store = Store.open(path)
    commits = counting(store)
    writer = Writer(store)
    gate = threading.Event()

    async def run():
        first = asyncio.ensure_future(writer.do(lambda _store: gate.wait(10)))
        await asyncio.sleep(0.05)
        pieces = [lambda each: each.invite(1, None)[0].id] * 20 + [lambda _store: 1 / 0]
        others = [asyncio.ensure_future(writer.do(piece)) for piece in pieces]
        await asyncio.sleep(0.05)
        assert not any(each.done() for each in others), "nothing is acknowledged before its commit"
        gate.set()
        await first
        return await asyncio.gather(*others, return_exceptions=True)

    done = asyncio.run(run())
    writer.close()
    assert commits == [1, 21]
    assert done[:20] == [f"r{at}" for at in range(1, 21)]
    assert isinstance(done[20], ZeroDivisionError)
    with Store.open(path) as again:
        assert len(again.raters()) == 20


def test_a_disk_that_fails_fails_all_and_the_writer_goes_on(path):
    store = Store.open(path)
    writer = Writer(store)
    together = store.together

    def full(_pieces):
        raise CannotWriteError("full")

    store.together = full
    done = asyncio.run(all_done(writer, [lambda each: each.invite(1, None)] * 3))
    assert [type(each) for each in done] == [CannotWriteError] * 3
    store.together = together
    done = asyncio.run(all_done(writer, [lambda each: each.invite(1, None)[0].id] * 3))
    writer.close()
    assert sorted(done) == ["r1", "r2", "r3"]


def test_closing_writes_what_waits(path):
    writer = Writer(Store.open(path))

    async def run():
        waiting = [asyncio.ensure_future(writer.do(lambda store: store.invite(1, None))) for _ in range(50)]
        await asyncio.sleep(0)
        await asyncio.to_thread(writer.close)
        await asyncio.gather(*waiting)

    asyncio.run(run())
    with Store.open(path) as again:
        assert len(again.raters()) == 50


def test_more_than_can_wait_is_refused_at_once(path, monkeypatch):
    monkeypatch.setattr(writer_module, "MOST_WAITING", 3)
    writer = Writer(Store.open(path))
    gate = threading.Event()

    async def run():
        first = asyncio.ensure_future(writer.do(lambda _store: gate.wait(10)))
        await asyncio.sleep(0.05)
        others = [asyncio.ensure_future(writer.do(lambda store: store.invite(1, None))) for _ in range(5)]
        await asyncio.sleep(0.05)
        gate.set()
        await first
        return await asyncio.gather(*others, return_exceptions=True)

    done = asyncio.run(run())
    writer.close()
    assert [isinstance(each, BusyError) for each in done] == [False, False, False, True, True]
