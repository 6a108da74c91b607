"""Tests of locks on files: one holder at a time, and none after the holder was killed."""

from __future__ import annotations

import subprocess
import sys

from termgauge.io.locks import held

HOLD = """
import sys, time
from termgauge.io.locks import held
file = open(sys.argv[1], "ab")
print(held(file), flush=True)
time.sleep(60)
"""


def test_a_lock_is_held_by_one_and_freed_when_it_is_closed(tmp_path):
    place = tmp_path / "lock"
    with place.open("ab") as first, place.open("ab") as second:
        assert held(first) is True
        assert held(second) is False
    with place.open("ab") as third:
        assert held(third) is True


def test_a_lock_ends_with_a_killed_process(tmp_path):
    place = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(place)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().strip() == "True"
        with place.open("ab") as file:
            assert held(file) is False
            process.kill()
            process.wait()
            assert held(file) is True
