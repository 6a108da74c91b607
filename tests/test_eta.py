"""How fast work goes; displays of it are tested with tests/test_progress.py."""

from __future__ import annotations

import threading

import pytest

from termgauge import eta as pace
from termgauge.eta import Clock, Pace, Paces, amount_of


@pytest.mark.parametrize(
    ("done", "total", "unit", "said"),
    [
        (5e6, 10e6, "bytes", "5 of 10 MB"),
        (1234, None, "rows", "1,234 rows"),
        (1, 4, "%", "25 %"),
        (1, None, "%", ""),
        (3, 4, "", "3 of 4"),
    ],
)
def test_amounts_in_words(done, total, unit, said):
    assert amount_of(done, total, unit) == said


def test_time_left_is_known_once_there_is_a_pace(monkeypatch):
    clock = iter([0.0, 2.0])
    monkeypatch.setattr(pace.time, "monotonic", lambda: next(clock))
    work = Pace(10, "terms")
    assert (work.left, work.amount) == ("", "0 of 10 terms")
    work.advance(4)
    assert (work.left, work.amount) == ("about 3 s left", "4 of 10 terms, 2.0 terms/s")


def test_what_waits_for_other_work_does_not_know_its_pace():
    paces = Paces()
    paces.begin(1, 10, "sets")
    paces.begin(2, 10, "terms")
    paces[1].advance(5)
    assert paces[1].left == ""
    paces.end(2)
    paces.end(2)  # late
    assert (list(paces), paces[1].within) == ([1], 0)


def test_a_clock_calls_once_unless_all_have_ended():
    called = threading.Event()
    clock = Clock(called.set)
    clock.begin(60)
    clock.end()
    assert not called.is_set()
    clock.begin(0)
    clock.begin(0)
    assert called.wait(20)
    clock.end()


def test_work_that_waits_says_nothing_of_the_time_left(monkeypatch):
    clock = iter([0.0, 1.0, 31.0, 62.0])
    monkeypatch.setattr(pace.time, "monotonic", lambda: next(clock))
    work = Pace(1e9, "%")
    for amount in (1e8, 1.0, 1.0):
        work.advance(amount)
    assert (work.left, work.amount) == ("", "10 %")
