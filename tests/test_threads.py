"""Threads of a block that fails begin nothing more, and know that nobody wants what they do."""

from __future__ import annotations

import threading

import pytest

from termgauge.threads import ThreadPool, no_longer_wanted


def test_a_block_that_ends_well_waits_for_all_its_work():
    with ThreadPool(1) as pool:
        work = [pool.submit(no_longer_wanted) for _ in range(3)]
    assert [each.result(0) for each in work] == [False] * 3
    assert not no_longer_wanted()


def test_a_block_that_is_interrupted_begins_nothing_more():
    begun, go_on = threading.Event(), threading.Event()

    def work():
        begun.set()
        go_on.wait(20)
        while not no_longer_wanted():
            pass
        return "stopped"

    pool = ThreadPool(1)
    first, second = pool.submit(work), pool.submit(work)
    assert begun.wait(20)
    go_on.set()
    with pytest.raises(KeyboardInterrupt), pool:
        raise KeyboardInterrupt
    assert first.result(0) == "stopped"
    assert second.cancelled()
