"""Work in blocks: parcels are known by what they hold, values come in order, a place holds for its block of code."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge import executor as sharing
from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.executor import (
    Done,
    Parcel,
    ParcelFile,
    arrays_in,
    as_worker,
    in_order,
    on_worker,
    receive,
    trouble_of,
    working_at,
    workplace,
)
from tests.common.workplaces import SmallWorkplace


@given(st.permutations(range(12)), st.integers(0, 12))
def test_values_come_in_order_each_as_soon_as_it_may(order, until):
    came = []

    def done():
        for number in order[:until]:
            came.append(number)
            yield Done(number, number)

    found = []
    for value in in_order(done()):
        assert set(range(value + 1)) <= set(came)
        found.append(value)
    complete = next((at for at in range(13) if at not in came), 12)
    assert found == list(range(complete))


def test_a_failure_is_raised_in_its_turn():
    values = in_order([Done(1, error=TermgaugeError("No.")), Done(0, "a")])
    assert next(values) == "a"
    with pytest.raises(TermgaugeError, match="No"):
        next(values)


def test_a_parcel_is_known_by_its_name_and_what_it_holds(monkeypatch, tmp_path):
    files = (ParcelFile("a", 1, "x"), ParcelFile("b", 2, "y"))
    parcel = Parcel("/one/name", files)
    assert parcel.key == Parcel("/two/name", files).key
    assert parcel.key != Parcel("/one/other", files).key
    assert parcel.key != Parcel("/one/name", files[:1]).key
    seen = Parcel("/one/name", (ParcelFile("a", 1),))
    assert seen.key != Parcel("/two/name", (ParcelFile("a", 1),)).key, "where all see one disk, the path counts"
    monkeypatch.setattr(sharing, "_received", {})
    assert str(parcel.here) == "/one/name"
    receive(parcel, tmp_path)
    assert parcel.here == Parcel("/two/name", files).here == tmp_path


def test_arrays_are_mapped_from_the_disk(tmp_path):
    place = SmallWorkplace(tmp_path / "place")
    arrays = {"a": np.arange(6).reshape(2, 3), "b": np.array([0.5])}
    found = arrays_in(place.bundle(arrays))
    assert list(found) == ["a", "b"]
    assert all(isinstance(each.base, np.memmap) for each in found.values())
    assert all(np.array_equal(each, arrays[name]) for name, each in found.items())


def test_a_place_holds_for_a_block_of_code_and_this_thread(tmp_path):
    place, seen = SmallWorkplace(tmp_path), []
    assert (workplace(), on_worker()) == (None, False)
    with working_at(place), as_worker():
        assert (workplace(), on_worker()) == (place, True)
        with working_at(None):
            assert workplace() is None
        other = threading.Thread(target=lambda: seen.append(workplace()))
        other.start()
        other.join()
    assert (workplace(), on_worker(), seen) == (None, False, [None])


@pytest.mark.parametrize(
    ("error", "lacks"),
    [
        (MemoryError(), True),
        (OSError(12, "Cannot allocate memory"), True),
        (OSError(122, "Disk quota exceeded"), True),
        (CannotWriteError("The disk is full."), True),
        (FileNotFoundError(2, "No such file"), False),
        (TermgaugeError("28"), False),
    ],
)
def test_what_a_machine_lacks(error, lacks):
    assert bool(trouble_of(error)) is lacks


def test_done_gives_its_value_or_raises():
    assert Done(0, 3).result() == 3
    assert Done(0).result() is None
    with pytest.raises(KeyError):
        Done(0, error=KeyError("x")).result()
