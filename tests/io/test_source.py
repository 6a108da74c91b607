"""Opening what a user names without trusting it."""

# ruff: noqa: PT012, PT017 - reading may fail at any step; for damaged bytes both outcomes are right
from __future__ import annotations

import bz2
import gzip
import lzma
import os
import struct
import time
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.exceptions import TermgaugeError
from termgauge.io import source as module
from termgauge.io.source import content_hashes, files_of


def archive(path, entries, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w") as opened:
        for name, data in entries.items():
            opened.writestr(zipfile.ZipInfo(name), data, method)  # without the time of day: the same bytes every time
    return path


def refused(path):
    with pytest.raises(TermgaugeError) as caught:
        for file in files_of(path):
            file.read()
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_folder_in_the_order_of_names(tmp_path):
    for name in ("b.txt", "a/z.txt", "a/.hidden", ".git/x", "c.txt.gz", "__MACOSX/b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(gzip.compress(b"x") if name.endswith(".gz") else b"x")
    found = files_of(tmp_path)
    assert [file.name for file in found] == ["a/z.txt", "b.txt", "c.txt"]
    assert [file.base for file in found] == ["z.txt", "b.txt", "c.txt"]
    assert [file.read() for file in found] == [b"x"] * 3


def test_zip_without_clutter(tmp_path):
    entries = {"r/b.txt": b"1", "__MACOSX/r/._b.txt": b"2", "r/.DS_Store": b"3", "r/": b"", "r/a.txt": b"4"}
    path = archive(tmp_path / "a.zip", entries)
    assert {file.name: file.read() for file in files_of(path)} == {"r/a.txt": b"4", "r/b.txt": b"1"}
    assert files_of(path)[0].label == f"{path}: r/a.txt"


@pytest.mark.parametrize("pack", [gzip, bz2, lzma], ids=["gz", "bz2", "xz"])
@pytest.mark.parametrize("wrapped", [False, True])
def test_compressed_alone_and_in_a_zip(tmp_path, pack, wrapped):
    suffix = {gzip: ".gz", bz2: ".bz2", lzma: ".xz"}[pack]
    data = os.urandom(1000) * 50
    path = tmp_path / f"file.obo{suffix}"
    path.write_bytes(pack.compress(data))
    if wrapped:
        path = archive(tmp_path / "a.zip", {path.name: path.read_bytes()})
    (file,) = files_of(path)
    assert file.base == "file.obo"
    assert file.read() == data
    assert file.head(10) == data[:10]


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/passwd", "..\\x", "C:\\x", "c:x", "\\x"])
def test_names_that_point_outside(tmp_path, name):
    said = refused(archive(tmp_path / "a.zip", {"fine.txt": b"", name: b"x"}))
    assert "points outside the archive" in said
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]


def test_colon_and_dots_that_point_nowhere(tmp_path):
    path = archive(tmp_path / "a.zip", {"Release 2020: final/a..b.txt": b"x"})
    assert [file.read() for file in files_of(path)] == [b"x"]


def test_encrypted(tmp_path):
    path = archive(tmp_path / "a.zip", {"secret.txt": b"x"})
    data = bytearray(path.read_bytes())
    data[6] |= 1
    data[data.index(b"PK\1\2") + 8] |= 1
    path.write_bytes(data)
    assert "'secret.txt' is encrypted; unpack" in refused(path)


@pytest.mark.parametrize("kind", ["zip", "gz", "bz2", "xz", "gz in zip"])
def test_bombs(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(module, "BOMB_FREE_BYTES", 1 << 20)
    data = bytes(20 << 20)
    match kind:
        case "zip":
            path = archive(tmp_path / "a.zip", {"zeros.txt": data})
        case "gz in zip":
            path = archive(tmp_path / "a.zip", {"zeros.txt.gz": gzip.compress(data)})
        case _:
            pack = {"gz": gzip, "bz2": bz2, "xz": lzma}[kind]
            path = tmp_path / f"zeros.{kind}"
            path.write_bytes(pack.compress(data))
    assert "like a decompression bomb; if you trust it, unpack it" in refused(path)
    assert len(files_of(path)[0].head(1000)) == 1000


def test_a_bomb_that_lies_about_its_size(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BOMB_FREE_BYTES", 1 << 20)
    path = archive(tmp_path / "a.zip", {"zeros.txt": bytes(20 << 20)})
    data = path.read_bytes()
    path.write_bytes(data.replace(struct.pack("<L", 20 << 20), struct.pack("<L", 10)))
    refused(path)


def test_well_compressed_is_no_bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BOMB_FREE_BYTES", 1 << 10)
    data = b"".join(f"{n}\theart attack number {n}\n".encode() for n in range(50000))
    path = tmp_path / "x.gz"
    path.write_bytes(gzip.compress(data))
    assert files_of(path)[0].read() == data


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_damaged_streams(tmp_path, suffix):
    pack = {".gz": gzip, ".bz2": bz2, ".xz": lzma}[suffix]
    whole = pack.compress(os.urandom(5000))
    path = tmp_path / f"x{suffix}"
    for damaged in (whole[:1000], b"no such format", whole[:100] + b"\0" * 50 + whole[150:]):
        path.write_bytes(damaged)
        assert "is damaged or cut off" in refused(path)


def test_cut_zip(tmp_path):
    whole = archive(tmp_path / "a.zip", {"x.txt": os.urandom(3000)}).read_bytes()
    path = tmp_path / "b.zip"
    path.write_bytes(whole[:100] + whole[300:])
    assert "damaged" in refused(path)
    path.write_bytes(whole[:-30])
    assert "cut off; get it again" in refused(path)
    path.write_bytes(b"")
    assert "is no zip archive" in refused(path)


@given(data=st.data())
def test_any_damage_to_a_zip(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("zip")
    method = data.draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]))
    entries = {"a/ä.txt": b"hello " * 50, "b.txt.gz": gzip.compress(b"x" * 50, mtime=0)}
    path = archive(folder / "a.zip", entries, method)
    whole = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 5))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(whole[: data.draw(st.integers(20, len(whole)))])
    try:
        for file in files_of(path):
            file.head(10)
            file.read()
    except TermgaugeError as error:
        assert str(path) in str(error)


def test_missing(tmp_path):
    assert "there is no such file or folder" in refused(tmp_path / "nothing")
    assert f"(The folder {tmp_path} is there.)" in refused(tmp_path / "a" / "b" / "c")
    assert "cannot be read" in refused(tmp_path / ("x" * 300))


def test_neither_file_nor_folder(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "neither a file nor a folder" in refused(tmp_path / "pipe")
    assert files_of(tmp_path) == []


def test_gone_after_listing(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("x")
    files = files_of(path)
    path.unlink()
    for use in (files[0].read, lambda: content_hashes(files)):
        with pytest.raises(TermgaugeError, match=r"x.txt: cannot be read \(No such file"):
            use()


def test_a_folder_that_cannot_be_listed(tmp_path, monkeypatch):
    (tmp_path / "secret").mkdir()
    real = os.scandir

    def scandir(path):
        if str(path).endswith("secret"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(TermgaugeError, match="Permission denied"):
        files_of(tmp_path)


# Hashes.


def settle(path):
    """Make the file look as if it had not been touched for a while."""
    long_ago = time.time() - 1000
    os.utime(path, (long_ago, long_ago))


def test_hashes_are_those_of_the_contents(tmp_path):
    import hashlib

    (tmp_path / "a.txt").write_bytes(b"one")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"two"))
    expected = [hashlib.sha256(text).hexdigest() for text in (b"one", b"two")]
    assert content_hashes(files_of(tmp_path)) == expected
    assert content_hashes(files_of(archive(tmp_path / "c.zip", {"a": b"one", "b": b"two"}))) == expected


def test_an_unchanged_file_is_not_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SETTLED_SECONDS", -1.0)
    (tmp_path / "a.txt").write_bytes(b"one")
    first = content_hashes(files_of(tmp_path))

    def refuse(*_):
        raise AssertionError("read again")

    monkeypatch.setattr(module, "sha256_of_stream", refuse)
    assert content_hashes(files_of(tmp_path)) == first


def test_a_changed_file_of_the_same_size_and_time_is_noticed(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SETTLED_SECONDS", -1.0)
    path = tmp_path / "a.txt"
    path.write_bytes(b"one")
    settle(path)
    first = content_hashes(files_of(path))
    time.sleep(0.02)
    path.write_bytes(b"two")
    settle(path)
    assert content_hashes(files_of(path)) != first
    other = tmp_path / "other"
    other.write_bytes(b"six")
    settle(other)
    other.replace(path)
    assert content_hashes(files_of(path)) != first


def test_a_young_file_is_not_remembered(tmp_path, cache_folder):
    (tmp_path / "a.txt").write_bytes(b"one")
    content_hashes(files_of(tmp_path))
    assert not list(cache_folder.glob("hashes/*"))


def test_a_damaged_memo_is_not_believed(tmp_path, cache_folder, monkeypatch):
    monkeypatch.setattr(module, "SETTLED_SECONDS", -1.0)
    (tmp_path / "a.txt").write_bytes(b"one")
    first = content_hashes(files_of(tmp_path))
    for damage in (b"", b"short", b"\xff" * 64):
        (memo,) = cache_folder.glob("hashes/*")
        memo.write_bytes(damage)
        assert content_hashes(files_of(tmp_path)) == first


def test_many_files_leave_the_umask_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "SETTLED_SECONDS", -1.0)
    for n in range(200):
        (tmp_path / f"{n}.txt").write_text(str(n))
    before = os.umask(0o027)
    try:
        content_hashes(files_of(tmp_path))
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_text_is_utf_8_and_the_line_that_is_not_is_named(tmp_path, mark):
    (tmp_path / "a.txt").write_bytes(mark + "Œdème\r\nß".encode())
    assert files_of(tmp_path)[0].text() == "Œdème\r\nß"
    (tmp_path / "a.txt").write_bytes(mark + b"\n\n\xff\n")
    with pytest.raises(TermgaugeError, match=r"a\.txt, line 3: is not UTF-8 text; save the file as UTF-8"):
        files_of(tmp_path)[0].text()


def test_the_contents_of_an_archive_are_listed_once(tmp_path, monkeypatch):
    files = files_of(archive(tmp_path / "a.zip", {f"{number}.txt": b"x" for number in range(50)}))
    opened = []
    whole = zipfile.ZipFile

    def counted(path):
        opened.append(path)
        return whole(path)

    module._archive.cache_clear()
    monkeypatch.setattr(module.zipfile, "ZipFile", counted)
    assert [file.read() for file in files] == [b"x"] * 50
    assert len(opened) == 1
    monkeypatch.undo()
    archive(tmp_path / "a.zip", {f"{number}.txt": b"yy" for number in range(50)})
    assert files[0].read() == b"yy", "an archive that was replaced is opened again"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
@pytest.mark.parametrize("kind", ["pipe", "device", "large"])
def test_a_small_file_is_a_file_and_small(tmp_path, kind):
    path = tmp_path / "x"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path = Path("/dev/zero")
    else:
        path.write_bytes(bytes(101))
    with pytest.raises(TermgaugeError, match=r"is no ordinary file but|is larger than"):
        module.read_small(path, 100)


def test_a_file_that_changes_while_it_is_hashed_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "x"
    path.write_bytes(b"one")

    def replaced(_stream):
        path.write_bytes(b"other")
        return "0" * 64

    monkeypatch.setattr(module, "sha256_of_stream", replaced)
    with pytest.raises(TermgaugeError, match="was changed while it was read; run the command again"):
        module.content_hashes(files_of(path))


def test_a_remembered_hash_that_was_damaged_is_not_believed(tmp_path, cache_folder):
    path = tmp_path / "x"
    path.write_bytes(b"one")
    os.utime(path, (0, 0))
    time.sleep(1.1)
    first = content_hashes(files_of(path))
    (memo,) = (cache_folder / "hashes").iterdir()
    memo.write_text(memo.read_text().replace(memo.read_text()[5], "x", 1))
    assert content_hashes(files_of(path)) == first


def test_an_entry_without_a_name_is_refused(tmp_path):
    with pytest.raises(TermgaugeError, match="holds an entry without a name"):
        files_of(archive(tmp_path / "a.zip", {"": b"x", "a": b"y"}))


def test_how_much_is_read_is_told_in_the_bytes_of_the_size(tmp_path):
    data = bytes(range(256)) * 400
    (tmp_path / "a.bin").write_bytes(data)
    (tmp_path / "a.bin.gz").write_bytes(gzip.compress(data))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.bin", data)
    for name in ("a.bin", "a.bin.gz", "a.zip"):
        (file,) = files_of(tmp_path / name)
        amounts = []
        with replace(file, advance=amounts.append).open() as stream:
            while stream.read(1000):
                assert 0 < sum(amounts) <= file.size
        assert sum(amounts) == file.size


@given(st.text(max_size=40), st.integers(1, 9))
def test_text_in_blocks_is_the_text(tmp_path_factory, text, size):
    path = tmp_path_factory.mktemp("blocks") / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode("utf-8"))
    (file,) = files_of(path)
    assert "".join(file.text_blocks(size)) == text


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_the_line_that_is_not_utf_8_is_named_in_blocks_too(tmp_path, size):
    (tmp_path / "a.txt").write_bytes("one\nzwölf\n".encode() + b"dr\xe9i\nvier")
    (file,) = files_of(tmp_path / "a.txt")
    with pytest.raises(TermgaugeError, match=r"a\.txt, line 3: is not UTF-8"):
        list(file.text_blocks(size))


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_reading_a_tracked_file_reports_all_of_it(tmp_path, monkeypatch, suffix):
    data = b"some words\n" * 10_000
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(gzip.compress(data) if suffix else data)
    amounts = []

    @contextmanager
    def track(label, total, unit):
        assert (label, total, unit) == ("Reading", path.stat().st_size, "bytes")
        yield amounts.append

    monkeypatch.setattr(module, "track", track)
    (file,) = files_of(path)
    with module.tracked(file, "Reading") as tracked:
        assert "".join(tracked.text_blocks(1000)).encode() == data
    assert sum(amounts) == path.stat().st_size
