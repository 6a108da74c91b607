"""Whatever byte of what was written changes, it is noticed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from termgauge.io.checksums import (
    BLOCK,
    RECORD,
    BlockGuard,
    DamagedError,
    damaged_files,
    read_record,
    sealed,
    sums_of,
    unsealed,
    write_record,
)

documents = st.dictionaries(
    st.text(max_size=5), st.recursive(st.integers() | st.text(max_size=5), st.lists), min_size=1, max_size=4
)


def flipped(data, at, bit):
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


@given(documents, st.sampled_from([None, 2]))
def test_a_seal_changes_nothing(document, indent):
    text = json.dumps(document, ensure_ascii=False, indent=indent)
    whole = sealed(text) + "\n"
    assert json.loads(unsealed(whole.encode())) == document
    assert list(json.loads(whole)) == [*document, "crc32"]
    assert unsealed(text.encode()) == text.encode(), "of a former version"


@given(documents, st.data())
def test_what_was_sealed_and_changed_is_never_read_as_something_else(document, data):
    whole = sealed(json.dumps(document, ensure_ascii=False)).encode()
    harmed = flipped(whole, data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7)))
    try:
        read = json.loads(unsealed(harmed))
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
    assert read_record(folder) is None
    assert damaged_files(folder) == []


def test_blocks_are_checked_when_they_are_wanted_and_once(folder, monkeypatch):
    path = folder / "large"
    guard = BlockGuard(path, sums_of(path))
    assert guard.all_sound(0, BLOCK)
    path.write_bytes(flipped(path.read_bytes(), BLOCK + 7, 0))
    assert guard.sound([0, 2])
    assert not guard.all_sound(BLOCK - 1, BLOCK + 1)
    assert guard.all_sound(0, BLOCK)
    monkeypatch.setattr("termgauge.io.checksums.zlib", None)
    assert guard.sound([0, 2])
