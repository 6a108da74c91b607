"""What is kept, listed and thrown away; and whatever byte of what was written changes, it is noticed."""

# ruff: noqa: PT012 - what is done before the failure is the point
from __future__ import annotations

import json
import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io import store
from termgauge.io.store import (
    BLOCK,
    RECORD,
    BlockGuard,
    DamagedError,
    damaged_files,
    read_record,
    sums_of,
    with_checksum,
    without_checksum,
    write_record,
)


def keep(namespace, key, size, days=0.0):
    with store.new_entry(namespace, key) as folder:
        (folder / "data").write_bytes(bytes(size))
    path = store.entry_path(namespace, key)
    (path / RECORD).unlink()
    when = time.time() - days * 86400
    os.utime(path, (when, when))
    return path


def test_folder_from_the_environment(cache_folder, monkeypatch):
    assert store.cache_dir() == cache_folder
    monkeypatch.setenv("TERMGAUGE_CACHE_DIR", "~/somewhere")
    assert "~" not in str(store.cache_dir())
    monkeypatch.delenv("TERMGAUGE_CACHE_DIR")
    assert store.cache_dir().name == "termgauge"


def test_nothing_there(cache_folder):
    cache_folder.rmdir()
    assert store.entries() == store.entries("terminology") == []
    assert store.clear() == store.clear("terminology") == (0, 0)


def test_entries_by_shelf_and_use():
    keep("b", "old", 10, days=2)
    keep("b", "new", 20)
    keep("a", "x", 5)
    found = [(entry.namespace, entry.key, entry.size) for entry in store.entries()]
    assert found == [("a", "x", 5), ("b", "new", 20), ("b", "old", 10)]
    assert [entry.key for entry in store.entries("a")] == ["x"]


def test_an_entry_that_fails_is_not_there(cache_folder):
    with pytest.raises(ValueError, match="no"), store.new_entry("a", "x") as folder:
        (folder / "half").write_text("")
        raise ValueError("no")
    assert store.entries() == []
    assert not list((cache_folder / "a").iterdir())


def test_clear():
    keep("a", "x", 5)
    keep("b", "old", 10, days=2)
    keep("b", "new", 20)
    assert store.clear("b", unused_days=1) == (1, 10)
    assert store.clear("b") == (1, 20)
    assert store.clear("b") == (0, 0)
    assert [entry.key for entry in store.entries()] == ["x"]
    assert store.clear() == (1, 5)


@pytest.mark.parametrize("use", [store.clear, store.entries])
def test_unknown_shelf(use):
    keep("terminology", "x", 5)
    with pytest.raises(TermgaugeError, match=r"no 'terminolgy'; it has: terminology\. Did you mean 'terminology'"):
        use("terminolgy")
    assert len(store.entries()) == 1


def test_marking_used():
    path = keep("a", "x", 1, days=5)
    store.mark_used(path)
    assert store.clear(unused_days=1) == (0, 0)
    store.mark_used(path / "not there")


def test_leftovers_of_a_killed_process(cache_folder):
    keep("a", "x", 1)
    stale, young = (cache_folder / "a" / f".tmp-00000000-{n}-{0:016x}" for n in "12")
    for left in (stale, young):
        left.mkdir()
        (left / "f").write_text("")
    os.utime(stale, (0, 0))
    assert [entry.key for entry in store.entries()] == ["x"]
    store.clear()
    assert not stale.exists()
    assert young.exists()


def test_files_are_entries_too(cache_folder):
    (cache_folder / "hashes").mkdir()
    (cache_folder / "hashes" / "k").write_text("12345")
    (cache_folder / "stray file").write_text("")
    assert [(entry.namespace, entry.size) for entry in store.entries()] == [("hashes", 5)]
    assert store.clear() == (1, 5)


def test_an_entry_that_vanishes_while_listing(cache_folder):
    keep("a", "x", 1)
    (cache_folder / "a" / "gone").symlink_to("nothing")
    assert [entry.key for entry in store.entries()] == ["x"]


def test_an_entry_is_made_once_and_again_when_it_is_damaged():
    made = []

    def make(folder):
        made.append(folder)
        (folder / "data").write_text("whole")

    path = store.cached("a", "x", make)
    assert (path, store.cached("a", "x", make)) == (store.entry_path("a", "x"), path)
    assert len(made) == 1
    (path / "data").write_text("worse")
    with pytest.warns(TermgaugeWarning, match=r"x: was damaged; it is made again\.$"):
        store.cached("a", "x", make, "it is made again")
    assert (path / "data").read_text() == "whole"
    with pytest.raises(KeyError):
        store.cached("a", "y", {}.__getitem__)
    assert not store.entry_path("a", "y").exists()


documents = st.dictionaries(
    st.text(max_size=5), st.recursive(st.integers() | st.text(max_size=5), st.lists), min_size=1, max_size=4
)


def flipped(data, at, bit):
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


@given(documents, st.sampled_from([None, 2]))
def test_a_checksum_changes_nothing(document, indent):
    text = json.dumps(document, ensure_ascii=False, indent=indent)
    whole = with_checksum(text) + "\n"
    assert json.loads(without_checksum(whole.encode())) == document
    assert list(json.loads(whole)) == [*document, "crc32"]
    assert without_checksum(text.encode()) == text.encode(), "as it is"


@given(documents, st.data())
def test_what_was_changed_is_never_read_as_something_else(document, data):
    whole = with_checksum(json.dumps(document, ensure_ascii=False)).encode()
    harmed = flipped(whole, data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7)))
    try:
        read = json.loads(without_checksum(harmed))
    except ValueError:
        return
    assert {key: read[key] for key in document} == document


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "large").write_bytes(bytes(range(256)) * 600)
    (tmp_path / "in" / "small").write_bytes(b"x")
    (tmp_path / "empty").write_bytes(b"")
    write_record(tmp_path)
    return tmp_path


def test_a_folder_that_is_whole(folder):
    assert damaged_files(folder) == []
    assert [len(sums) for sums in read_record(folder).values()] == [0, 1, 3]


@pytest.mark.parametrize("at", [0, BLOCK - 1, BLOCK, 256 * 600 - 1])
def test_one_bit_in_a_file(folder, at):
    path = folder / "large"
    path.write_bytes(flipped(path.read_bytes(), at, 3))
    assert damaged_files(folder) == ["large"]
    assert damaged_files(folder, without=("large",)) == []


def test_files_that_are_gone_or_longer(folder):
    (folder / "in" / "small").unlink()
    with (folder / "empty").open("ab") as file:
        file.write(b"more")
    assert damaged_files(folder) == ["empty", "in/small"]


def test_a_record_that_is_damaged_or_not_there(folder):
    path = folder / RECORD
    path.write_bytes(path.read_bytes().replace(b"0", b"1", 1))
    assert damaged_files(folder) == [RECORD]
    with pytest.raises(DamagedError):
        read_record(folder)
    path.unlink()
    assert damaged_files(folder) == [RECORD]


def test_blocks_are_checked_when_they_are_wanted_and_once(folder, monkeypatch):
    path = folder / "large"
    guard = BlockGuard(path, sums_of(path))
    assert guard.sound([0])
    path.write_bytes(flipped(path.read_bytes(), BLOCK + 7, 0))
    assert guard.sound([0, 2])
    assert not guard.sound([0, 1])
    assert guard.sound([0])
    monkeypatch.setattr("termgauge.io.store.zlib", None)
    assert guard.sound([0, 2])
