"""Tests of work that is kept: done once for each state, in the background, and not all the time."""

from __future__ import annotations

import asyncio
import threading

import pytest

from termgauge.studies.server import overview
from termgauge.studies.server.overview import BackgroundCache


@pytest.fixture(autouse=True)
def _without_rest(monkeypatch):
    monkeypatch.setattr(overview, "LONGEST_REST", 0.0)


def test_work_is_done_once_for_each_state():
    done = []

    async def looks():
        shelf = BackgroundCache()
        return [await shelf.get(state, lambda state=state: done.append(state) or len(done)) for state in "aabb"]

    assert asyncio.run(looks()) == [1, 1, 2, 2]
    assert done == ["a", "b"]


def test_after_the_timeout_one_gets_the_former_result_and_the_work_goes_on():
    free = threading.Event()

    async def looks():
        shelf = BackgroundCache()
        first = await shelf.get(1, lambda: "old")
        second = await shelf.get(2, lambda: free.wait(30) and "new", timeout=0.01)
        going_on = shelf.is_renewed
        free.set()
        third = await shelf.get(2, lambda: "never asked for")
        return first, second, going_on, third, shelf.is_renewed

    assert asyncio.run(looks()) == ("old", "old", True, "new", False)


def test_several_at_once_share_the_work():
    done = []

    async def looks():
        shelf = BackgroundCache()
        return await asyncio.gather(*(shelf.get(1, lambda: done.append(1) or "made") for _ in range(5)))

    assert asyncio.run(looks()) == ["made"] * 5
    assert done == [1]


def test_work_that_fails_is_told_and_tried_again():
    async def looks():
        shelf = BackgroundCache()
        with pytest.raises(ZeroDivisionError):
            await shelf.get(1, lambda: 1 / 0)
        return await shelf.get(1, lambda: "made")

    assert asyncio.run(looks()) == "made"


def test_long_work_is_followed_by_a_rest(monkeypatch):
    monkeypatch.setattr(overview, "LONGEST_REST", 1000.0)
    monkeypatch.setattr(overview, "SHARE_OF_TIME", 1e-9)

    async def looks():
        shelf = BackgroundCache()
        return [await shelf.get(state, lambda state=state: state) for state in (1, 2)]

    assert asyncio.run(looks()) == [1, 1]
