"""What is kept, listed and thrown away."""

# ruff: noqa: PT012 - what is done before the failure is the point
from __future__ import annotations

import os
import time

import pytest

from termgauge.exceptions import TermgaugeError
from termgauge.io import cache
from termgauge.io.checksums import RECORD


def keep(shelf, key, size, days=0.0):
    with cache.new_entry(shelf, key) as folder:
        (folder / "data").write_bytes(bytes(size))
    path = cache.entry_path(shelf, key)
    (path / RECORD).unlink()
    when = time.time() - days * 86400
    os.utime(path, (when, when))
    return path


def test_folder_from_the_environment(cache_folder, monkeypatch):
    assert cache.cache_dir() == cache_folder
    monkeypatch.setenv("TERMGAUGE_CACHE_DIR", "~/somewhere")
    assert "~" not in str(cache.cache_dir())
    monkeypatch.delenv("TERMGAUGE_CACHE_DIR")
    assert cache.cache_dir().name == "termgauge"


def test_nothing_there(cache_folder):
    cache_folder.rmdir()
    assert cache.entries() == cache.entries("terminology") == []
    assert cache.clear() == cache.clear("terminology") == (0, 0)


def test_entries_by_shelf_and_use():
    keep("b", "old", 10, days=2)
    keep("b", "new", 20)
    keep("a", "x", 5)
    found = [(entry.shelf, entry.key, entry.size) for entry in cache.entries()]
    assert found == [("a", "x", 5), ("b", "new", 20), ("b", "old", 10)]
    assert [entry.key for entry in cache.entries("a")] == ["x"]


def test_an_entry_that_fails_is_not_there(cache_folder):
    with pytest.raises(ValueError, match="no"), cache.new_entry("a", "x") as folder:
        (folder / "half").write_text("")
        raise ValueError("no")
    assert cache.entries() == []
    assert not list((cache_folder / "a").iterdir())


def test_clear():
    keep("a", "x", 5)
    keep("b", "old", 10, days=2)
    keep("b", "new", 20)
    assert cache.clear("b", unused_days=1) == (1, 10)
    assert cache.clear("b") == (1, 20)
    assert cache.clear("b") == (0, 0)
    assert [entry.key for entry in cache.entries()] == ["x"]
    assert cache.clear() == (1, 5)


@pytest.mark.parametrize("use", [cache.clear, cache.entries])
def test_unknown_shelf(use):
    keep("terminology", "x", 5)
    with pytest.raises(TermgaugeError, match=r"no 'terminolgy'; it has: terminology\. Did you mean 'terminology'"):
        use("terminolgy")
    assert len(cache.entries()) == 1


def test_marking_used():
    path = keep("a", "x", 1, days=5)
    cache.mark_used(path)
    assert cache.clear(unused_days=1) == (0, 0)
    cache.mark_used(path / "not there")


def test_leftovers_of_a_killed_process(cache_folder):
    keep("a", "x", 1)
    stale, young = (cache_folder / "a" / f".tmp-00000000-{n}-{0:016x}" for n in "12")
    for left in (stale, young):
        left.mkdir()
        (left / "f").write_text("")
    os.utime(stale, (0, 0))
    assert [entry.key for entry in cache.entries()] == ["x"]
    cache.clear()
    assert not stale.exists()
    assert young.exists()


def test_files_are_entries_too(cache_folder):
    (cache_folder / "hashes").mkdir()
    (cache_folder / "hashes" / "k").write_text("12345")
    (cache_folder / "stray file").write_text("")
    assert [(entry.shelf, entry.size) for entry in cache.entries()] == [("hashes", 5)]
    assert cache.clear() == (1, 5)


def test_an_entry_that_vanishes_while_listing(cache_folder, monkeypatch):
    keep("a", "x", 1)
    gone = cache_folder / "a" / "gone"
    monkeypatch.setattr(cache, "_paths", lambda _: iter([cache_folder / "a" / "x", gone]))
    assert [entry.key for entry in cache.entries()] == ["x"]
