"""What test_measure runs in other processes."""

from __future__ import annotations

import time


def wait_and_hold(seconds, megabytes):
    held = bytearray(b"x") * (megabytes * 1_000_000)
    time.sleep(seconds)
    return {"held": len(held) // 1_000_000}


def fail():
    raise ValueError("as it should")
