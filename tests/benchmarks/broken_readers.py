"""Readers that break in each way that `benchmarks.fuzz` must notice, and one that does not."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from termgauge.exceptions import TermgaugeError
from tests.common.readers import Reader

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = b"the sample itself\n"


def _write(folder: Path) -> Path:
    (folder / "sample.txt").write_bytes(SAMPLE)
    return folder / "sample.txt"


def _read(broken):
    def read(place: Path) -> None:
        if place.read_bytes() != SAMPLE:
            broken(place)

    return read


def _refuse(place: Path) -> None:
    raise TermgaugeError(f"{place}: is not the sample; name the sample.")


def _raise(_place: Path) -> None:
    raise KeyError("no sentence")


READERS = [
    Reader("good", _write, _read(_refuse)),
    Reader("raises", _write, _read(_raise)),
    Reader("takes memory", _write, _read(lambda _place: bytearray(1 << 45))),
    Reader("ends the process", _write, _read(lambda _place: os._exit(3))),
    Reader("never ends", _write, _read(lambda _place: time.sleep(1000))),
]
