"""Artifacts: what is sent arrives as it was, once, whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.cluster import dask_executor
from termgauge.cluster.dask_executor import missing, upload
from termgauge.exceptions import TermgaugeError
from termgauge.io import artifacts
from termgauge.io.artifacts import NAMESPACE, artifact_of

NAMES = ["plain.txt", "with space", "Größe ü.bin", "日本.txt", "a'b\"c", "-dash", ".hidden", "x" * 120]


def called(function, *values):
    """Call a function as if on a worker."""
    function(*values)


def contents(place):
    """Return the files of a place by name."""
    if place.is_file():
        return {"": place.read_bytes()}
    return {each.relative_to(place).as_posix(): each.read_bytes() for each in place.rglob("*") if each.is_file()}


def namespace(cache_folder):
    return sorted(each.name for each in (cache_folder / NAMESPACE).glob("*"))


@pytest.mark.parametrize("piece", [1, 3, 1 << 20])
def test_bytes_arrive_as_they_were(tmp_path, monkeypatch, piece):
    monkeypatch.setattr(dask_executor, "PIECE", piece)
    folder = tmp_path / "a folder ü"
    for at, name in enumerate(NAMES):
        place = folder / "deep" / name if at % 2 else folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(bytes(range(at)))
    for source in (folder, folder / NAMES[2]):
        artifact = artifact_of(source)
        assert missing([artifact], shared=False)
        upload(artifact, called)
        assert not missing([artifact], shared=False)
        assert artifact.here != source
        assert artifact.here.name == source.name
        assert contents(artifact.here) == contents(source)


@given(st.dictionaries(st.sampled_from("abcdef"), st.binary(max_size=40), min_size=1))
def test_any_bytes_arrive(tmp_path_factory, files):
    folder = tmp_path_factory.mktemp("sent")
    for name, content in files.items():
        (folder / name).write_bytes(content)
    artifact = artifact_of(folder)
    upload(artifact, called)
    assert not missing([artifact], shared=False)
    assert contents(artifact.here) == files


def test_a_file_that_changes_while_it_is_sent_is_refused(tmp_path, cache_folder):
    source = tmp_path / "file.txt"
    source.write_text("before")
    artifact = artifact_of(source)
    for text in ("after!", "", "much longer than before"):
        source.write_text(text)
        with pytest.raises(TermgaugeError, match="was changed while it was sent; run the command again"):
            upload(artifact, called)
        assert namespace(cache_folder) == []
    assert artifact_of(source).key != artifact.key


def test_what_is_cut_off_leaves_no_artifact_and_is_swept(tmp_path, cache_folder, monkeypatch):
    monkeypatch.setattr(dask_executor, "PIECE", 2)
    source = tmp_path / "file.txt"
    source.write_text("123456")
    artifact, pieces = artifact_of(source), iter(range(2))

    def put(*values):
        if next(pieces, None) is None:
            raise OSError("the connection broke")
        called(*values)

    with pytest.raises(OSError, match="broke"):
        upload(artifact, put)
    assert missing([artifact], shared=False)
    (left,) = (cache_folder / NAMESPACE).iterdir()
    left.rename(left.with_name(left.name.replace(f"-{os.getpid()}-", "-4194304-")))  # its process was killed
    upload(artifact, called)
    assert namespace(cache_folder) == [artifact.key]


def test_a_disk_without_room_leaves_nothing(tmp_path, cache_folder, monkeypatch):
    (tmp_path / "file.txt").write_text("123456")
    artifact = artifact_of(tmp_path / "file.txt")
    plain = Path.open

    def full(path, mode="r", *more):
        if "a" in mode:
            raise OSError(28, "No space left on device")
        return plain(path, mode, *more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        with pytest.raises(OSError, match="No space left"):
            upload(artifact, called)
    assert namespace(cache_folder) == []


def test_two_who_send_the_same_do_not_disturb_each_other(tmp_path, cache_folder):
    (tmp_path / "file.txt").write_text("some text")
    artifact = artifact_of(tmp_path / "file.txt")

    def interrupted(*values):
        upload(artifact, called)  # another is quicker
        called(*values)

    upload(artifact, interrupted)
    assert namespace(cache_folder) == [artifact.key]
    assert not missing([artifact], shared=False)
    assert artifact.here.read_text() == "some text"


def test_names_and_contents_make_the_key_and_the_place_does_not(tmp_path):
    for at in ("a", "b"):
        (tmp_path / at).mkdir()
        (tmp_path / at / "same.txt").write_text("text")
    (tmp_path / "b" / "other.txt").write_text("text")
    keys = [artifact_of(tmp_path / each).key for each in ("a/same.txt", "b/same.txt", "b/other.txt")]
    assert keys[0] == keys[1] != keys[2]
    assert artifact_of(tmp_path / "a").key != artifact_of(tmp_path / "b").key


def test_a_file_is_read_once_as_long_as_it_does_not_change(tmp_path, monkeypatch):
    source = tmp_path / "file.txt"
    source.write_text("some text")
    first = artifact_of(source)
    with monkeypatch.context() as patch:
        patch.setattr(artifacts, "sha256_of_stream", lambda _stream: pytest.fail("it is read"))
        assert artifact_of(source) == first
    source.write_text("more text")
    assert artifact_of(source) != first


def test_on_a_shared_disk_all_must_see_the_same(tmp_path):
    source = tmp_path / "file.txt"
    source.write_text("some text")
    artifact = artifact_of(source, shared=True)
    assert not missing([artifact], shared=True)
    assert artifact.here == source
    for change in (lambda: source.write_text("other"), source.unlink):
        change()
        with pytest.raises(TermgaugeError, match=r"does not see it, or sees something else.*leave --shared out"):
            missing([artifact], shared=True)


def test_nothing_to_send_is_said(tmp_path):
    (tmp_path / "empty").mkdir()
    for name in ("empty", "gone"):
        with pytest.raises(TermgaugeError, match="there is no such file or folder, or nothing in it"):
            artifact_of(tmp_path / name)
