"""Tests of limits on how often somebody may ask, by a clock of the test's own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from termgauge.studies.server import protection
from termgauge.studies.server.protection import Throttle


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@given(
    st.floats(0.1, 50), st.integers(1, 20), st.lists(st.floats(0, 3), min_size=1, max_size=60)
)  # pauses between requests
def test_never_more_than_the_bucket_and_what_flowed_in(a_second, at_once, pauses):
    clock = Clock()
    limit = Throttle(a_second, at_once, clock)
    allowed = []
    for pause in pauses:
        clock.now += pause
        if not (wait := limit.seconds_to_wait("one")):
            allowed.append(clock.now)
        else:
            assert 0 < wait <= 1 / a_second + 1e-9
    for first, start in enumerate(allowed):
        for last in range(first, len(allowed)):
            assert last - first + 1 <= at_once + (allowed[last] - start) * a_second + 1e-6
    assert len(allowed) >= min(at_once, len(pauses))


def test_who_waits_as_told_is_let_in():
    clock = Clock()
    limit = Throttle(0.5, 1, clock)
    assert limit.seconds_to_wait("one") == 0
    clock.now += limit.seconds_to_wait("one")
    assert limit.seconds_to_wait("one") == 0


def test_each_key_has_its_own_bucket_and_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(protection, "MOST_BUCKETS", 5)
    limit = Throttle(0.001, 1, Clock())
    for at in range(20):
        assert limit.seconds_to_wait(at) == 0
    assert limit.seconds_to_wait(19) > 0
    assert limit.seconds_to_wait(0) == 0
    assert len(limit._buckets) == 5
