"""Whole or not at all, whatever happens in between."""

# ruff: noqa: PT012 - what is done before the failure is the point
from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from termgauge.exceptions import CannotWriteError, TermgaugeError
from termgauge.io import atomic
from termgauge.io.atomic import (
    try_lock,
    whole_file,
    whole_folder,
    write_text,
)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "new" / "x.txt"
    with whole_file(path) as temporary:
        temporary.write_text("half")
        assert not path.exists()
        assert temporary.suffix == ".txt"
        temporary.write_text("whole")
    assert path.read_text() == "whole"
    assert names(path.parent) == ["x.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_a_failing_block_leaves_the_old_file(tmp_path, error):
    path = tmp_path / "x.txt"
    path.write_text("old")
    with pytest.raises(error), whole_file(path) as temporary:
        temporary.write_text("new")
        raise error
    assert path.read_text() == "old"
    assert names(tmp_path) == ["x.txt"]


def test_disk_full(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old")
    with pytest.raises(TermgaugeError, match=r"x.txt: cannot be written \(No space left on device\)"), whole_file(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert path.read_text() == "old"
    assert names(tmp_path) == ["x.txt"]


def test_disk_full_while_flushing(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TermgaugeError, match="No space left"):
        write_text(tmp_path / "x.txt", "new")
    assert names(tmp_path) == []


def test_a_place_that_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TermgaugeError, match="cannot be written"):
        write_text(tmp_path / "file" / "x.txt", "x")


def test_text_as_given(tmp_path):
    write_text(tmp_path / "x", "ä\r\n\n")
    assert (tmp_path / "x").read_bytes() == "ä\r\n\n".encode()


def test_permissions_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "x", "")
        with whole_folder(tmp_path / "f"):
            pass
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o750


def fill(folder: Path, text: str) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "x.txt").write_text(text)


def test_a_folder_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "f"
    with whole_folder(path) as temporary:
        fill(temporary, "one")
        assert not path.exists()
    assert (path / "sub" / "x.txt").read_text() == "one"
    with whole_folder(path) as temporary:
        (temporary / "y.txt").write_text("two")
    assert names(path) == ["y.txt"]
    assert names(tmp_path) == ["f"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failing_block_leaves_the_old_folder(tmp_path, error):
    path = tmp_path / "f"
    path.mkdir()
    fill(path, "old")
    with pytest.raises(error), whole_folder(path) as temporary:
        fill(temporary, "new")
        raise error
    assert (path / "sub" / "x.txt").read_text() == "old"
    assert names(tmp_path) == ["f"]


def test_a_folder_on_a_full_disk(tmp_path):
    with pytest.raises(TermgaugeError, match="No space left"), whole_folder(tmp_path / "f"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert names(tmp_path) == []


def test_the_old_folder_comes_back_if_the_new_one_cannot_be_moved(tmp_path, monkeypatch):
    path = tmp_path / "f"
    path.mkdir()
    fill(path, "old")
    real = Path.rename

    def rename(self, target):
        if Path(target) == path and not (self / "sub").is_dir():
            raise OSError(errno.EIO, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(TermgaugeError, match="Input/output error"), whole_folder(path) as temporary:
        (temporary / "new.txt").write_text("new")
    assert (path / "sub" / "x.txt").read_text() == "old"
    assert names(tmp_path) == ["f"]


def test_a_folder_that_another_process_put_there_stays(tmp_path):
    path = tmp_path / "f"
    with whole_folder(path) as temporary:
        (temporary / "mine").write_text("")
        path.mkdir()
        (path / "theirs").write_text("")
    assert names(path) in (["mine"], ["theirs"])
    assert names(tmp_path) == ["f"]


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "f").write_text("old")
    with pytest.raises(TermgaugeError, match="cannot be written"), whole_folder(tmp_path / "f"):
        pass
    assert (tmp_path / "f").read_text() == "old"
    assert names(tmp_path) == ["f"]


def test_what_libraries_say_of_the_system_is_a_sentence_too(tmp_path):
    path = tmp_path / "x"
    with (
        pytest.raises(CannotWriteError, match=r"x: cannot be written \(No space left on device\)"),
        whole_file(path),
    ):
        raise RuntimeError("parquet: underlying IO error: No space left on device (os error 28)")
    with pytest.raises(RuntimeError, match="another"), whole_file(path):
        raise RuntimeError("another error")
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_what_is_read_meanwhile_is_not_one_of_writing(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(FileNotFoundError), whole_folder(tmp_path / "out" / "x"):
        (tmp_path / "elsewhere" / "vectors.bin").read_bytes()
    assert list((tmp_path / "out").iterdir()) == []


def test_what_a_killed_process_was_writing_is_swept_at_once(tmp_path):
    program = (
        "import os, sys; from pathlib import Path; from termgauge.io.atomic import whole_file, whole_folder\n"
        "with whole_file(Path(sys.argv[1], 'a')), whole_folder(Path(sys.argv[1], 'b')):\n    os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=False)
    assert len(list(tmp_path.iterdir())) == 2
    with atomic.whole_file(tmp_path / "mine") as mine:
        atomic.sweep_folder(tmp_path)
        assert list(tmp_path.iterdir()) == [mine]
    assert (tmp_path / "mine").exists()


def test_what_another_machine_left_is_swept_in_time(tmp_path):
    (tmp_path / ".tmp-00000000-1-0123456789abcdef.tsv").write_text("")
    (tmp_path / ".tmp-keep").write_text("")
    atomic.sweep_folder(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    for path in tmp_path.iterdir():
        os.utime(path, (0, 0))
    atomic.sweep_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".tmp-keep"], "which is not ours"


def test_what_a_folder_links_to_is_left_alone(tmp_path):
    (tmp_path / "theirs").write_text("x")
    with mock.patch("termgauge.io.atomic._flush") as flush, whole_folder(tmp_path / "f") as folder:
        (folder / "link").symlink_to(tmp_path / "theirs")
        (folder / "own").write_text("y")
    assert [each.args[0].name for each in flush.call_args_list] == ["own"]
    assert (tmp_path / "f" / "link").read_text() == "x"


HOLD = """
import sys, time
from termgauge.io.atomic import try_lock
file = open(sys.argv[1], "ab")
print(try_lock(file), flush=True)
time.sleep(60)
"""


def test_a_lock_is_held_by_one_and_freed_when_it_is_closed(tmp_path):
    place = tmp_path / "lock"
    with place.open("ab") as first, place.open("ab") as second:
        assert try_lock(first) is True
        assert try_lock(second) is False
    with place.open("ab") as third:
        assert try_lock(third) is True


def test_a_lock_ends_with_a_killed_process(tmp_path):
    place = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(place)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().strip() == "True"
        with place.open("ab") as file:
            assert try_lock(file) is False
            process.kill()
            process.wait()
            assert try_lock(file) is True
