from __future__ import annotations

import os
import shutil
from types import SimpleNamespace

import numpy as np
import pytest

from termgauge.embeddings.load import load_model
from termgauge.exceptions import TermgaugeError, TermgaugeWarning
from termgauge.io.store import damaged_files, entries
from tests.embeddings import vector_files as files

FORMATS = [files.word2vec_text, files.word2vec_binary, files.glove, files.csv]


@pytest.fixture
def path(tmp_path, table):
    place = tmp_path / "a.bin"
    place.write_bytes(files.word2vec_binary(*table))
    return place


def test_the_second_opening_does_not_read_the_file(path, table, monkeypatch):
    load_model(path)
    monkeypatch.setattr("termgauge.embeddings.files.readers.read_word2vec", lambda *_: pytest.fail("it was read again"))
    np.testing.assert_array_equal(load_model(path).vectors(table[0]), table[1])


def test_the_matrix_is_its_numbers(path, table):
    load_model(path)
    (entry,) = entries("vectors")
    np.testing.assert_array_equal(np.fromfile(entry.path / "vectors.f4", "<f4").reshape(table[1].shape), table[1])


@pytest.mark.parametrize(
    "name", ["vectors.f4", "data.npy", "offsets.npy", "hashes.npy", "order.npy", "repeated.npy", "store.json"]
)
@pytest.mark.parametrize("harm", ["cut", "delete"])
def test_a_store_that_was_cut_off_is_built_again(path, table, name, harm):
    load_model(path)
    (entry,) = entries("vectors")
    damaged = entry.path / name
    if harm == "cut":
        os.truncate(damaged, damaged.stat().st_size // 2)
    else:
        damaged.unlink()
    with pytest.warns(TermgaugeWarning, match="damaged and is built again"):
        model = load_model(path)
    np.testing.assert_array_equal(model.vectors(table[0]), table[1])
    np.testing.assert_array_equal(load_model(path).vectors(table[0]), table[1])


@pytest.mark.parametrize(
    "name",
    ["vectors.f4", "data.npy", "offsets.npy", "hashes.npy", "order.npy", "store.json", "checksums.json"],
)
@pytest.mark.parametrize("whole", [False, True])
def test_damage_of_the_same_size_is_noticed_and_mended(path, table, name, whole):
    load_model(path)
    (entry,) = entries("vectors")
    data = bytearray((entry.path / name).read_bytes())
    data[-6] ^= 1
    (entry.path / name).write_bytes(data)

    def read():
        model = load_model(path)
        return np.vstack([rows for _, rows in model.store.matrix.blocks()]) if whole else model.vectors(table[0])

    with pytest.warns(TermgaugeWarning, match="damaged and is built again"):
        got = read()
    np.testing.assert_array_equal(got, table[1])
    assert not damaged_files(entry.path)
    np.testing.assert_array_equal(load_model(path).vectors(table[0]), table[1])


def test_a_file_that_is_replaced_while_it_is_read_is_not_kept_under_its_old_hash(path, table, monkeypatch):
    from termgauge.embeddings.files import readers

    read = readers.read_word2vec

    def replaced(file, head):
        path.write_bytes(files.word2vec_binary(table[0], table[1] + 1))
        return read(file, head)

    before = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(readers, "read_word2vec", replaced)
        with pytest.raises(TermgaugeError, match="was changed while it was read; run the command again"):
            load_model(path)
    assert entries("vectors") == []
    path.write_bytes(before)
    np.testing.assert_array_equal(load_model(path).vectors(table[0]), table[1])


def test_a_changed_file_under_the_same_name_is_noticed(path, table):
    words, vectors = table
    before = load_model(path)
    stamp = path.stat()
    changed = vectors.copy()
    changed[0, 0] += 1
    path.write_bytes(files.word2vec_binary(words, changed))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    after = load_model(path)
    np.testing.assert_array_equal(after.vectors(words), changed)
    assert before.identity.key != after.identity.key


@pytest.mark.parametrize("make", FORMATS)
def test_not_enough_disk(tmp_path, table, monkeypatch, make):
    (tmp_path / "a.bin").write_bytes(make(*table))
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=10))
    with pytest.raises(TermgaugeError, match=r"takes about .* GB and .* free; .*TERMGAUGE_CACHE_DIR"):
        load_model(tmp_path / "a.bin")
    assert not entries("vectors")


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_named_with_its_word(tmp_path, table, make, bad):
    words, vectors = table
    vectors[3, 2] = bad
    (tmp_path / "a.bin").write_bytes(make(words, vectors))
    with pytest.raises(TermgaugeError, match=rf"(line|record) [45]: the vector of 'beta-blocker' holds {bad}"):
        load_model(tmp_path / "a.bin")
    assert not entries("vectors")


@pytest.mark.parametrize("make", FORMATS)
def test_of_a_repeated_word_the_first_counts(tmp_path, table, make):
    words, vectors = table
    (tmp_path / "a.bin").write_bytes(make([*words, "fever", "cough"], np.vstack([vectors, vectors[:2] + 1])))
    with pytest.warns(TermgaugeWarning, match=r"a\.bin: 2 words stand in it more than once"):
        model = load_model(tmp_path / "a.bin")
    assert len(model.vocabulary) == len(words)
    assert model.store.duplicates == 2
    np.testing.assert_array_equal(model.vectors(words), vectors)


def test_vectors_of_zeros_are_counted(tmp_path, table):
    words, vectors = table
    vectors[[1, 4]] = 0
    vectors[5] = 1e-30  # small, but not zero
    (tmp_path / "a.bin").write_bytes(files.word2vec_binary(words, vectors))
    with pytest.warns(TermgaugeWarning, match="2 words have a vector of zeros"):
        assert load_model(tmp_path / "a.bin").store.zeros == 2


def test_large_finite_numbers_are_fine(tmp_path, table):
    words, vectors = table
    vectors[0] = 3e38
    (tmp_path / "a.bin").write_bytes(files.word2vec_binary(words, vectors))
    np.testing.assert_array_equal(load_model(tmp_path / "a.bin").vectors(words), vectors)


def test_no_vectors_at_all(tmp_path):
    (tmp_path / "a.bin").write_bytes(b"0 5\n")
    with pytest.raises(TermgaugeError, match=r"a\.bin: holds no vectors"):
        load_model(tmp_path / "a.bin")


def test_a_failed_build_leaves_nothing_behind(tmp_path, table, cache_folder):
    (tmp_path / "a.bin").write_bytes(files.word2vec_binary(*table)[:-10])
    with pytest.raises(TermgaugeError):
        load_model(tmp_path / "a.bin")
    assert not list((cache_folder / "vectors").iterdir())


def test_a_cache_that_cannot_be_written(path, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TERMGAUGE_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(TermgaugeError, match="cannot be written"):
        load_model(path)


def test_notes_of_reading_are_told_at_every_opening(path):
    path.write_bytes(path.read_bytes() + b"more")
    for _ in range(2):
        with pytest.warns(TermgaugeWarning, match="goes on after the .* words that its first line promises"):
            load_model(path)
